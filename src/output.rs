//! Files that take the results of long work. Whether they can be written is found out before it,
//! because afterwards the work would be lost.

use std::fmt::Display;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

/// Tries whether a file can be written, and leaves everything as it is.
///
/// # Errors
/// It cannot be written.
pub fn try_file(path: &Path) -> Result<()> {
    // Trying a pipe or a device could take its reader away, and a link to a file that is missing
    // cannot be tried without leaving the file.
    let is_special = path.metadata().is_ok_and(|known| !known.is_file() && !known.is_dir());
    let is_open_link = path.is_symlink() && !path.exists();
    if is_special || is_open_link {
        return Ok(());
    }
    let tried = match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(created) => {
            drop(created);
            fs::remove_file(path)
        }
        Err(problem) if problem.kind() == ErrorKind::AlreadyExists => {
            OpenOptions::new().append(true).open(path).map(drop)
        }
        Err(problem) => Err(problem),
    };
    tried.with_context(|| format!("cannot write {}", path.display()))
}

/// Checks that a folder is at the path given with an option, if any, or can be made there.
///
/// # Errors
/// Something else is there.
pub fn expect_folder(option: &str, path: Option<&Path>) -> Result<()> {
    match path {
        Some(path) if path.exists() && !path.is_dir() => {
            bail!("{option} {}: expected a folder, and this is none", path.display())
        }
        Some(_) | None => Ok(()),
    }
}

/// Makes a folder in which a file called `first` can be written and does not exist yet: what
/// another command has written there, described by `contents`, would get mixed up with the new.
///
/// # Errors
/// The file exists, or cannot be written.
pub fn prepare_folder(folder: &Path, first: &str, contents: &str) -> Result<()> {
    expect_folder("--sgf", Some(folder))?;
    let name = folder.display();
    fs::create_dir_all(folder).with_context(|| format!("cannot create {name}"))?;
    let first = folder.join(first);
    ensure!(!first.exists(), "{name} has {contents} already: give another folder to --sgf");
    try_file(&first)
}

/// Whether two paths lead to the same file, which exists.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Writes a whole file; an older one is replaced only by a complete one.
///
/// # Errors
/// It cannot be written.
pub fn write_file(path: &Path, text: &str) -> Result<()> {
    bot::write_file(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Prints results, and says what could not be written if they cannot be printed.
///
/// # Errors
/// They cannot be printed.
pub fn print(text: impl Display) -> Result<()> {
    print_after(Ok(()), text)
}

/// Prints results after their file has been `written` or not: nobody may read what is printed, and
/// without the file it may be all that is left of the work. `println!` would end the program before
/// the error of the file is reported.
///
/// # Errors
/// That of the file, or otherwise that of printing.
pub fn print_after(written: Result<()>, text: impl Display) -> Result<()> {
    let mut output = std::io::stdout().lock();
    let printed = write!(output, "{text}").and_then(|()| output.flush());
    written?;
    match printed {
        Err(problem) if problem.kind() != ErrorKind::BrokenPipe => {
            Err(problem).context("cannot write the output")
        }
        printed => Ok(printed?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trying_a_file_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        fs::write(&old, "kept").unwrap();
        try_file(&old).unwrap();
        try_file(&new).unwrap();
        assert_eq!(fs::read_to_string(&old).unwrap(), "kept");
        assert!(!new.exists());
        for wrong in [folder.path().to_owned(), new.join("below"), old.join("below")] {
            let problem = try_file(&wrong).unwrap_err().to_string();
            assert_eq!(problem, format!("cannot write {}", wrong.display()));
        }
    }

    #[test]
    fn a_folder_in_use_is_told_by_its_first_file() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        prepare_folder(&inner, "1.sgf", "puzzles").unwrap();
        assert_eq!(fs::read_dir(&inner).unwrap().count(), 0);
        fs::write(inner.join("1.sgf"), "").unwrap();
        let problem = prepare_folder(&inner, "1.sgf", "puzzles").unwrap_err().to_string();
        assert!(
            problem.ends_with("has puzzles already: give another folder to --sgf"),
            "{problem}"
        );
    }
}
