//! The file format of finished or parked games: zstd-compressed, a magic word and, for each game,
//! its length, the CRC-32C of its bytes, and the bytes themselves (postcard).
//!
//! Files may be damaged or come from untrusted sources: reading one takes bounded memory, whatever
//! it contains.

use std::io::{self, Read};

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;
use zstd::stream::read::Decoder;

use crate::{ParkedGame, TrainingRecord};

/// What a file holds.
pub trait Game: Serialize + DeserializeOwned {
    /// Identifies files of such games and the version of their format.
    const MAGIC: &[u8; 8];
}

impl Game for TrainingRecord {
    const MAGIC: &[u8; 8] = b"HSTGAME2";
}

impl Game for ParkedGame {
    const MAGIC: &[u8; 8] = b"HSTOPEN1";
}

/// Level 1 already halves the records; higher levels take time away from self-play.
const COMPRESSION: i32 = 1;

/// Window of decompression, as a power of two. Level 1 uses 2¹⁹ bytes.
const WINDOW_LOG: u32 = 23;

/// Limits on the contents of a file.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes after decompression.
    pub bytes: u64,
    /// Games.
    pub games: usize,
}

/// Several times what self-play writes into one file, even on the largest board. In memory it can
/// take up to four times as many bytes.
pub const LIMITS: Limits = Limits { bytes: 256 << 20, games: 65_536 };

/// Why a file cannot be read.
#[derive(Debug, Error)]
pub enum Fault {
    /// The system cannot read it.
    #[error(transparent)]
    Unreadable(io::Error),
    /// It is damaged.
    #[error("{0}")]
    Damaged(&'static str),
}

impl Fault {
    /// Decompression errors look like system errors without a number. Running out of memory is not
    /// the file's fault.
    fn of(error: io::Error) -> Fault {
        if error.raw_os_error().is_some() || error.kind() == io::ErrorKind::OutOfMemory {
            Fault::Unreadable(error)
        } else {
            Fault::Damaged("not readable as zstd")
        }
    }
}

const CUT_OFF: Fault = Fault::Damaged("cut off");
const TOO_LARGE: Fault = Fault::Damaged("larger than a file of games can be");

/// A value preceded by its length and CRC-32C.
pub fn framed(value: &impl Serialize) -> Vec<u8> {
    // Plain numbers, text and lists, which postcard always accepts.
    let value = postcard::to_stdvec(value).unwrap_or_default();
    let mut bytes = (value.len() as u32).to_le_bytes().to_vec();
    bytes.extend(crc32c::crc32c(&value).to_le_bytes());
    bytes.extend(value);
    bytes
}

/// The games as a file.
pub fn encode<G: Game>(games: &[G]) -> Vec<u8> {
    let mut bytes = G::MAGIC.to_vec();
    games.iter().for_each(|game| bytes.extend(framed(game)));
    // Compressing into memory fails only if memory runs out.
    zstd::encode_all(bytes.as_slice(), COMPRESSION).unwrap_or_default()
}

/// How many of the games, from the first on, fit into one file.
pub fn fitting<G: Game>(games: &[G], limits: Limits) -> usize {
    let mut bytes = G::MAGIC.len() as u64;
    let fits = |game: &&G| {
        bytes += framed(*game).len() as u64;
        bytes <= limits.bytes
    };
    games.iter().take(limits.games).take_while(fits).count()
}

/// Reads one game at a time, so that a claimed size allocates nothing before the bytes arrive.
///
/// # Errors
/// The file cannot be read, is damaged, or holds more than `limits` allow.
pub fn decode<G: Game>(compressed: impl Read, limits: Limits) -> Result<Vec<G>, Fault> {
    let mut decoder = Decoder::new(compressed).map_err(Fault::of)?;
    decoder.window_log_max(WINDOW_LOG).map_err(Fault::of)?;
    // One extra byte, to tell a file that is too large from one that just fits.
    let mut rest = decoder.take(limits.bytes + 1);
    let mut games = Vec::new();
    if read(&mut rest, G::MAGIC.len() as u64)? != G::MAGIC {
        return Err(Fault::Damaged("not a game file of this version"));
    }
    loop {
        let length = read(&mut rest, 4)?;
        if length.is_empty() {
            return if rest.limit() == 0 { Err(TOO_LARGE) } else { Ok(games) };
        }
        let length = u32::from_le_bytes(length.try_into().map_err(|_| CUT_OFF)?).into();
        let checksum = read(&mut rest, 4)?.try_into().map_err(|_| CUT_OFF)?;
        if length > rest.limit() || games.len() >= limits.games {
            return Err(TOO_LARGE);
        }
        let game = read(&mut rest, length)?;
        if (game.len() as u64) < length {
            return Err(CUT_OFF);
        }
        if crc32c::crc32c(&game) != u32::from_le_bytes(checksum) {
            return Err(Fault::Damaged("checksum differs"));
        }
        games.push(postcard::from_bytes(&game).map_err(|_| Fault::Damaged("not a game record"))?);
    }
}

/// The next `count` bytes; fewer if the file ends.
fn read(from: &mut impl Read, count: u64) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    from.take(count).read_to_end(&mut bytes).map_err(Fault::of)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::super::tests::game;
    use super::*;

    const MAGIC: &[u8; 8] = TrainingRecord::MAGIC;

    fn message(file: &[u8], limits: Limits) -> &'static str {
        match decode::<TrainingRecord>(file, limits) {
            Err(Fault::Damaged(what)) => what,
            other => panic!("{other:?}"),
        }
    }

    fn compressed(bytes: &[u8]) -> Vec<u8> {
        zstd::encode_all(bytes, COMPRESSION).unwrap()
    }

    #[test]
    fn a_file_may_be_as_large_as_the_limit_and_no_larger() {
        let games: Vec<TrainingRecord> = (0..20).map(game).collect();
        let file = encode(&games);
        let bytes = zstd::decode_all(file.as_slice()).unwrap().len() as u64;
        let read =
            |bytes, games| decode::<TrainingRecord>(file.as_slice(), Limits { bytes, games });
        assert_eq!(read(bytes, 20).unwrap(), games);
        for (bytes, games) in [(bytes - 1, 20), (bytes / 2, 20), (bytes, 19), (9, 20)] {
            assert!(read(bytes, games).is_err(), "{bytes} bytes, {games} games");
        }
        let most: usize = games.iter().map(TrainingRecord::max_bytes).sum();
        assert!(most as u64 > bytes, "{most} for {bytes}");
    }

    #[test]
    fn sizes_that_are_only_claimed_cost_nothing() {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(u32::MAX.to_le_bytes());
        bytes.extend([0; 4]);
        assert_eq!(message(&compressed(&bytes), LIMITS), "larger than a file of games can be");
        bytes[8..12].copy_from_slice(&(200_u32 << 20).to_le_bytes());
        assert_eq!(message(&compressed(&bytes), LIMITS), "cut off");
    }

    /// A zip bomb: half a gigabyte in a few kilobytes.
    #[test]
    fn bombs_are_not_unpacked() {
        let bomb = |start: &[u8]| {
            let mut encoder = zstd::Encoder::new(Vec::new(), COMPRESSION).unwrap();
            encoder.write_all(start).unwrap();
            io::copy(&mut io::repeat(0).take(512 << 20), &mut encoder).unwrap();
            encoder.finish().unwrap()
        };
        assert_eq!(message(&bomb(&[]), LIMITS), "not a game file of this version");
        assert_eq!(message(&bomb(MAGIC), LIMITS), "not a game record");
        let one_game = [MAGIC.as_slice(), &(255_u32 << 20).to_le_bytes(), &[1; 4]].concat();
        assert_eq!(message(&bomb(&one_game), LIMITS), "checksum differs");
        let mut wide = zstd::Encoder::new(Vec::new(), COMPRESSION).unwrap();
        wide.window_log(WINDOW_LOG + 2).unwrap();
        io::copy(&mut io::repeat(0).take(64 << 20), &mut wide).unwrap();
        assert_eq!(message(&wide.finish().unwrap(), LIMITS), "not readable as zstd");
    }
}
