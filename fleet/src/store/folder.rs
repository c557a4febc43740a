//! What folders have and buckets do not: files that are not objects, and parts that this process
//! may not read.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use object_store::path::Path;
use walkdir::WalkDir;

use super::error::StoreError;
use super::listed::Listed;

/// The file extensions of a run's objects.
const OURS: [&str; 6] = ["games", "json", "jsonl", "toml", "safetensors", "txt"];

/// Folders up to this depth were created for the run, perhaps with special permissions, and are
/// kept even if they are empty.
const KEPT_DEPTH: usize = 1;

/// The folder of a store.
#[derive(Debug, Clone)]
pub(super) struct Folder(PathBuf);

/// Leftovers of writers that were killed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Leftovers {
    /// Half-written objects.
    pub partial: usize,
    /// Empty folders.
    pub folders: usize,
}

impl Folder {
    pub fn new(path: PathBuf) -> Folder {
        Folder(path)
    }

    /// All objects below a prefix whose names come after `offset`, and errors about what cannot be
    /// read. Names that are not possible in a store are skipped, since no object of ours has one;
    /// the library's own listing would end at the first of them.
    pub fn walk(
        &self,
        prefix: &Path,
        offset: Option<Path>,
    ) -> impl Iterator<Item = Result<Listed, StoreError>> + use<> {
        let root = self.0.clone();
        let below = root.join(prefix.as_ref());
        let entries = WalkDir::new(below).min_depth(1).follow_links(true).into_iter();
        entries.filter_map(move |entry| match entry {
            Ok(entry) if !entry.file_type().is_file() => None,
            Ok(entry) => {
                let name = name_in(&root, entry.path())?;
                let is_wanted = offset.as_ref().is_none_or(|offset| name > *offset);
                if !is_wanted {
                    return None;
                }
                let found = entry.metadata().map_err(io::Error::from).and_then(|found| {
                    Ok(Listed { name: name.clone(), size: found.len(), written: found.modified()? })
                });
                told(found, name)
            }
            Err(error) => {
                let name = error.path().and_then(|path| name_in(&root, path));
                // Links that lead back to a parent folder have no I/O error; their contents are
                // listed there.
                error.io_error()?;
                told(Err(error.into()), name.unwrap_or_default())
            }
        })
    }

    /// Removes leftovers of killed writers that are at least this old.
    pub fn remove_leftovers(&self, age: Duration) -> Result<Leftovers, StoreError> {
        let mut removed = Leftovers::default();
        let now = SystemTime::now();
        let is_old = |found: &fs::Metadata| {
            found.modified().is_ok_and(|time| now.duration_since(time).is_ok_and(|is| is >= age))
        };
        // A folder's contents come before the folder.
        for entry in WalkDir::new(&self.0).min_depth(1).contents_first(true) {
            // Entries that cannot be read are not ours to remove; others may be gone by now.
            let Ok(entry) = entry else { continue };
            let Ok(found) = entry.metadata() else { continue };
            if !is_old(&found) {
                continue;
            }
            let file = entry.file_name().to_str().unwrap_or_default();
            let (outcome, count) = if found.is_file() && half_written(file).is_some_and(is_ours) {
                (fs::remove_file(entry.path()), &mut removed.partial)
            } else if found.is_dir() && entry.depth() > KEPT_DEPTH {
                (fs::remove_dir(entry.path()), &mut removed.folders)
            } else {
                continue;
            };
            match outcome {
                Ok(()) => *count += 1,
                Err(error) if is_no_harm(&error) => {}
                Err(error) => {
                    let name = Path::from(entry.path().to_string_lossy().as_ref());
                    return Err(StoreError::of_system("remove", &name, &error));
                }
            }
        }
        Ok(removed)
    }
}

/// The result for a file or folder; `None` if it no longer exists.
fn told(found: io::Result<Listed>, name: Path) -> Option<Result<Listed, StoreError>> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        found => Some(found.map_err(|error| StoreError::of_system("list", &name, &error))),
    }
}

/// The name of an object, or of a folder of objects.
fn name_in(root: &std::path::Path, path: &std::path::Path) -> Option<Path> {
    let parts: Option<Vec<&str>> =
        path.strip_prefix(root).ok()?.iter().map(|part| part.to_str()).collect();
    let parts = parts?;
    let is_object = parts.last().is_none_or(|file| half_written(file).is_none());
    is_object.then(|| Path::parse(parts.join("/")).ok()).flatten()
}

/// The name of the object that is being written into a file called `NAME#` plus digits.
fn half_written(file: &str) -> Option<&str> {
    let (object, number) = file.split_once('#')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(object)
}

/// Whether an object can belong to a run or a match: others may keep files in the folder too.
fn is_ours(object: &str) -> bool {
    let ending = object.rsplit_once('.').map(|(_, ending)| ending);
    // So begin contents, the marks of matches, and the objects with which a store is tested.
    let is_digit = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
    let digits = object.bytes().take_while(is_digit).count();
    object == "latest" || ending.is_some_and(|ending| OURS.contains(&ending)) || digits >= 16
}

/// Somebody else has removed it, has put something into it, or is responsible for removing it.
fn is_no_harm(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound
            | io::ErrorKind::DirectoryNotEmpty
            | io::ErrorKind::PermissionDenied
    )
}
