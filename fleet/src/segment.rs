//! What a commit took: the files of many workers in one object, with an index.
//!
//! Format: magic word; length and CRC-32C of the index (4 bytes each, little-endian); index
//! (postcard), which includes the length of each file; the files, in the order in which they count.

use bytes::Bytes;
use selfplay::format::framed;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::frame::Cursor;
use crate::names::FileName;

/// Identifies the format and its version.
const MAGIC: &[u8; 8] = b"HSTSEGM1";

/// One file of a segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Who made it.
    pub name: FileName,
    /// Its length in bytes.
    pub length: u64,
    /// Indices, in order, of its games that did not count: begun too long ago, or counted before.
    pub left_out: Vec<u32>,
}

/// Why a segment cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SegmentError {
    /// The beginning is not that of a segment.
    #[error("not a segment of this version")]
    Foreign,
    /// The index is damaged.
    #[error("its index is damaged ({0})")]
    Index(&'static str),
    /// The lengths of the files do not match the index.
    #[error("its files are not as long as its index says")]
    Length,
}

/// The bytes of a segment of these files.
pub fn encode(files: &[(Entry, Bytes)]) -> Bytes {
    let index: Vec<&Entry> = files.iter().map(|(entry, _)| entry).collect();
    let mut bytes = MAGIC.to_vec();
    bytes.extend(framed(&index));
    files.iter().for_each(|(_, file)| bytes.extend(file));
    bytes.into()
}

/// The files of a segment, in order.
///
/// # Errors
/// It is not a segment, or is damaged.
pub fn decode(bytes: &Bytes) -> Result<Vec<(Entry, Bytes)>, SegmentError> {
    let mut cursor = Cursor::after(MAGIC, bytes).ok_or(SegmentError::Foreign)?;
    let index: Vec<Entry> = cursor.framed().map_err(SegmentError::Index)?;
    let mut rest = bytes.slice_ref(cursor.rest());
    let mut files = Vec::new();
    for entry in index {
        let length = usize::try_from(entry.length).map_err(|_| SegmentError::Length)?;
        if length > rest.len() {
            return Err(SegmentError::Length);
        }
        let file = rest.split_to(length);
        files.push((entry, file));
    }
    if rest.is_empty() { Ok(files) } else { Err(SegmentError::Length) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(sequence: u64, contents: &'static str) -> (Entry, Bytes) {
        let name = FileName { slot: "a".parse().unwrap(), generation: 0, sequence };
        let entry = Entry { name, length: contents.len() as u64, left_out: vec![1, 4] };
        (entry, Bytes::from(contents))
    }

    #[test]
    fn files_come_back_in_their_order() {
        let files = [file(0, "one"), file(1, ""), file(2, "three")];
        assert_eq!(decode(&encode(&files)).unwrap(), files);
        assert_eq!(decode(&encode(&[])).unwrap(), []);
    }

    #[test]
    fn damage_is_found() {
        let good = encode(&[file(0, "one"), file(1, "two")]);
        for cut in 0..good.len() {
            assert!(decode(&good.slice(..cut)).is_err(), "cut at {cut}");
        }
        let mut longer = good.to_vec();
        longer.push(0);
        assert_eq!(decode(&longer.into()).unwrap_err(), SegmentError::Length);
        let (mut entry, bytes) = file(0, "one");
        entry.length = u64::MAX;
        assert_eq!(decode(&encode(&[(entry, bytes)])).unwrap_err(), SegmentError::Length);
    }
}
