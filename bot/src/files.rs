//! Writes files named by users.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use atomic_write_file::AtomicWriteFile;

/// Writes a whole file. An older one is replaced only by a complete one, so that a full disk or a
/// kill costs nothing that was saved before.
///
/// # Errors
/// It cannot be written; an older file is then unchanged, if a new one can be made beside it.
pub fn write_file(path: &Path, text: &str) -> io::Result<()> {
    // A device or a pipe cannot be replaced, and a link would stop being one.
    if path.symlink_metadata().is_ok_and(|known| !known.is_file()) {
        return fs::write(path, text);
    }
    // A file may be writable in a folder that is not.
    let Ok(mut file) = AtomicWriteFile::open(path) else { return fs::write(path, text) };
    file.write_all(text.as_bytes())?;
    file.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_file_is_replaced_and_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let (path, older) = (folder.path().join("game.sgf"), folder.path().join("older.sgf"));
        write_file(&path, "old").unwrap();
        // A second name of the same bytes.
        fs::hard_link(&path, &older).unwrap();
        write_file(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_to_string(&older).unwrap(), "old");
        let names = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(names, 2, "nothing else is left behind");
        assert!(write_file(&folder.path().join("none/game.sgf"), "lost").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_one() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("game.sgf"), folder.path().join("link.sgf"));
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write_file(&link, "new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }
}
