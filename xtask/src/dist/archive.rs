//! Reproducible archives that depend only on their contents.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};
use tar::{Builder, Header};

/// Packs a folder under its own name, and returns the SHA-256 of the archive. Owners, times and
/// order are fixed.
pub fn pack(folder: &Path, archive: &Path, epoch: u64) -> Result<String> {
    let parent = folder.parent().context("the folder has no parent")?;
    let mut files = Vec::new();
    list(folder, &mut files)?;
    files.sort();
    let seconds = u32::try_from(epoch).context("the time of the archive is beyond 2106")?;
    let gzip = GzBuilder::new().mtime(seconds).operating_system(255);
    let mut tar = Builder::new(gzip.write(Vec::new(), Compression::best()));
    for file in files {
        let bytes = fs::read(&file)?;
        let mut header = Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mtime(epoch);
        let program = file.with_extension("").ends_with("hotstone")
            && file.extension().is_none_or(|extension| extension == "exe");
        header.set_mode(if program { 0o755 } else { 0o644 });
        tar.append_data(&mut header, file.strip_prefix(parent)?, &bytes[..])?;
    }
    let bytes = tar.into_inner()?.finish()?;
    File::create(archive)?.write_all(&bytes)?;
    Ok(Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Adds the files below a folder.
fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// Unpacks an archive made by `pack` into `folder`.
pub fn unpack(archive: &Path, folder: &Path) -> Result<()> {
    let gzip = flate2::read::GzDecoder::new(File::open(archive)?);
    tar::Archive::new(gzip).unpack(folder).context("the archive cannot be unpacked")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_folders_give_equal_archives_whenever_they_were_written() {
        let places = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let digests = places.each_ref().map(|place| {
            let folder = place.path().join("hotstone-1");
            fs::create_dir_all(folder.join("man")).unwrap();
            fs::write(folder.join("man/hotstone.1"), ".TH").unwrap();
            fs::write(folder.join("hotstone"), "program").unwrap();
            let archive = place.path().join("hotstone.tar.gz");
            pack(&folder, &archive, 1_000_000_000).unwrap()
        });
        assert_eq!(digests[0], digests[1]);
        let out = places[0].path().join("out");
        unpack(&places[0].path().join("hotstone.tar.gz"), &out).unwrap();
        assert_eq!(fs::read_to_string(out.join("hotstone-1/man/hotstone.1")).unwrap(), ".TH");
    }
}
