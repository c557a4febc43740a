//! Lets the program find libtorch where it was built, with no environment variable, and embeds the released models.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The folder of the released models, one folder each.
const RELEASED: &str = "models/released";

fn main() -> io::Result<()> {
    let libtorch = env::var("DEP_HOTSTONE_MODELS_LIBTORCH_LIB").ok();
    if let Some(folder) = libtorch.filter(|_| env::var_os("CARGO_CFG_UNIX").is_some()) {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
    println!("cargo:rerun-if-changed={RELEASED}");
    let variable = |name: &str| env::var_os(name).map(PathBuf::from).unwrap_or_default();
    let table = table(&variable("CARGO_MANIFEST_DIR").join(RELEASED))?;
    fs::write(variable("OUT_DIR").join("released.rs"), table)
}

/// The models of a folder, as an array of `Released` in the order of their names.
fn table(folder: &Path) -> io::Result<String> {
    let entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    let mut models: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    models.retain(|model| model.join("card.toml").is_file());
    models.sort();
    let row = |model: &PathBuf| {
        let name = model.file_name().unwrap_or_default();
        let (card, weights) = (model.join("card.toml"), model.join("weights.safetensors"));
        let kinds = Some(model.join("kinds.toml")).filter(|kinds| kinds.is_file());
        let kinds = kinds.map(|kinds| format!("Some(include_str!({kinds:?}))"));
        let kinds = kinds.unwrap_or_else(|| "None".to_owned());
        format!(
            "Released {{ name: {name:?}, card: include_bytes!({card:?}), weights: include_bytes!({weights:?}), #[cfg(feature = \"train\")] kinds: {kinds} }},\n"
        )
    };
    Ok(format!("[\n{}]\n", models.iter().map(row).collect::<String>()))
}
