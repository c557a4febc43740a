//! Models that come with the program: `models/released/<variant>-<size>`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use engine::Variant;
use models::CARD;

/// Where they lie below the repository.
const FOLDER: &str = "models/released";

/// A released model.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Released {
    variant: String,
    size: u8,
    folder: PathBuf,
}

/// The released model of a variant, for a size or the largest there is.
pub fn find(variant: &str, size: Option<u8>) -> Result<PathBuf> {
    let folders = roots().into_iter().map(|root| root.join(FOLDER)).find(|path| path.is_dir());
    let Some(folder) = folders else {
        bail!(
            "no model has been released here (there is no folder {FOLDER}): give a model or run folder"
        );
    };
    choose(&list(&folder)?, variant, size)
}

/// Where the repository may be: here, or above the program.
fn roots() -> Vec<PathBuf> {
    let mut roots = vec![PathBuf::from(".")];
    let program = std::env::current_exe().unwrap_or_default();
    roots.extend(program.ancestors().skip(1).map(Path::to_owned));
    roots
}

/// The models in a folder, in order.
fn list(folder: &Path) -> Result<Vec<Released>> {
    let entries = folder.read_dir().with_context(|| format!("cannot read {}", folder.display()))?;
    let mut models = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let parts = name.and_then(|name| name.rsplit_once('-'));
        if let Some((variant, size)) = parts
            && let Ok(size) = size.parse()
            && path.join(CARD).is_file()
        {
            models.push(Released { variant: variant.to_owned(), size, folder: path });
        }
    }
    models.sort();
    Ok(models)
}

fn choose(models: &[Released], variant: &str, size: Option<u8>) -> Result<PathBuf> {
    let known = Variant::ALL.iter().any(|known| known.name() == variant);
    let fits =
        |model: &&Released| model.variant == variant && size.is_none_or(|size| size == model.size);
    if let Some(model) = models.iter().rfind(fits) {
        return Ok(model.folder.clone());
    }
    let names: Vec<String> =
        models.iter().map(|model| format!("{}-{}", model.variant, model.size)).collect();
    let there = match names.as_slice() {
        [] => "there is none at all".to_owned(),
        names => format!("there are {}", names.join(", ")),
    };
    let board = size.map(|size| format!(" on {size}×{size}")).unwrap_or_default();
    let unknown = if known { "" } else { ", which is no variant" };
    bail!(
        "no model of '{variant}'{unknown}{board} has been released: {there}; any other is given by its folder"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_found_by_variant_and_size() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["tile-5", "tile-9", "minimal-incursion-7", "notes", "draft-x"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
            std::fs::write(folder.path().join(name).join(CARD), "").expect("written");
        }
        std::fs::create_dir(folder.path().join("tile-19")).expect("a folder without a card");
        let models = list(folder.path()).expect("a list");
        let found = |variant, size| {
            let path = choose(&models, variant, size).map_err(|error| error.to_string())?;
            Ok(path.file_name().expect("a name").to_string_lossy().into_owned())
        };
        assert_eq!(found("tile", None), Ok("tile-9".to_owned()));
        assert_eq!(found("tile", Some(5)), Ok("tile-5".to_owned()));
        assert_eq!(found("minimal-incursion", Some(7)), Ok("minimal-incursion-7".to_owned()));
        let problem: Result<String, String> = found("tile", Some(7));
        let problem = problem.expect_err("there is none");
        assert!(problem.contains("'tile' on 7×7"), "{problem}");
        assert!(problem.contains("minimal-incursion-7, tile-5, tile-9"), "{problem}");
        let problem: Result<String, String> = found("tiles", None);
        assert!(problem.expect_err("no variant").contains("no variant"));
    }
}
