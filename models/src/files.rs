//! Atomic writing of files.

use std::fmt;
use std::fs;
use std::io::Write;
use std::path::Path;

use atomic_write_file::AtomicWriteFile;
use sha2::Sha256;

use crate::ModelError;

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, ModelError> {
    fs::read(path).map_err(ModelError::io(path))
}

/// Writes a temporary file, syncs it, renames it over the target, and syncs the folder: after a
/// power cut there is either the old file or the new one.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), ModelError> {
    let attempt = || {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = AtomicWriteFile::open(path)?;
        file.write_all(bytes)?;
        file.commit()
    };
    attempt().map_err(ModelError::io(path))
}

/// A SHA-256 digest.
#[derive(PartialEq, Eq)]
pub(crate) struct Digest(Vec<u8>);

impl Digest {
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(<Sha256 as sha2::Digest>::digest(bytes).to_vec())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
