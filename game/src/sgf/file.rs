//! Reads files named by users.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Maximum size of a file in bytes, larger than any collection of games should be. A file without
/// an end, such as a device, must not fill the memory.
const MAX_BYTES: u64 = 256 << 20;

/// Reads a file of at most 256 MiB.
///
/// # Errors
/// The file cannot be read, or is larger.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    read_input(File::open(path)?)
}

/// Reads an input of at most 256 MiB, such as the standard input, to its end.
///
/// # Errors
/// It cannot be read, or has more.
pub fn read_input(input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        let problem = format!("larger than {} MiB: expected a file of games", MAX_BYTES >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
    }
    Ok(bytes)
}
