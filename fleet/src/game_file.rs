//! The file in which a worker uploads games: a header that identifies the worker and the run,
//! followed by the games.
//!
//! Format: magic word; length and CRC-32C of the header (4 bytes each, little-endian); header
//! (postcard); games ([`selfplay::format`]). Whatever a file contains, reading it takes bounded
//! memory and yields games or a reason.

use bytes::Bytes;
use selfplay::TrainingRecord;
use selfplay::format::{self, Limits, framed};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::frame::Cursor;
use crate::names::FileName;

/// Identifies the format and its version.
const MAGIC: &[u8; 8] = b"HSTGAME3";

/// The largest file, in bytes.
pub const MAX_BYTES: u64 = 8 << 20;
/// The largest file after decompression, in bytes.
const MAX_UNPACKED: u64 = 64 << 20;
/// Maximum number of games in a file.
pub const MAX_GAMES: usize = 4096;

/// The self-description of a file of games.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The run's id.
    pub run: String,
    /// The file's name, which says who made it.
    pub name: FileName,
    /// What the run plays, as stated in its `run.toml`.
    pub rules: String,
    /// Version of the encoding of positions.
    pub encoder: u32,
    /// Training step of the newest weights used in the games.
    pub model: u64,
    /// Evaluations that the games took.
    pub evaluations: u64,
    /// Number of games.
    pub games: u32,
    /// Indices, in order, of the games that were parked at some time. Another generation may have
    /// taken them up and finished them too.
    pub parked: Vec<u32>,
}

/// A file of games.
#[derive(Debug, Clone, PartialEq)]
pub struct GameFile {
    /// What it says of itself.
    pub header: Header,
    /// Its games.
    pub games: Vec<TrainingRecord>,
}

/// Why a file contains no readable games.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GameFileError {
    /// Too many bytes.
    #[error("{0} bytes: expected at most {MAX_BYTES}")]
    TooLarge(u64),
    /// It does not begin like a game file.
    #[error("not a game file of this version")]
    Foreign,
    /// The header is damaged or impossible.
    #[error("its header is damaged ({0})")]
    Header(&'static str),
    /// The games cannot be read.
    #[error("its games are damaged ({0})")]
    Games(String),
    /// The header states another number of games.
    #[error("{found} games: its header says {promised}")]
    Count {
        /// The number in the header.
        promised: u32,
        /// The number in the file.
        found: usize,
    },
}

/// The bytes of a file of these games.
///
/// # Errors
/// The file is larger than a learner takes.
pub fn encode(header: &Header, games: &[TrainingRecord]) -> Result<Bytes, GameFileError> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(framed(header));
    bytes.extend(format::encode(games));
    if bytes.len() as u64 > MAX_BYTES {
        return Err(GameFileError::TooLarge(bytes.len() as u64));
    }
    Ok(bytes.into())
}

/// Reads only the header of a file.
///
/// # Errors
/// The file is not a game file, or its header is damaged.
pub fn header(bytes: &[u8]) -> Result<Header, GameFileError> {
    split(bytes).map(|(header, _)| header)
}

/// Reads a file.
///
/// # Errors
/// It is not a game file, is damaged, or is too large.
pub fn decode(bytes: &[u8]) -> Result<GameFile, GameFileError> {
    let (header, games) = split(bytes)?;
    let limits = Limits { bytes: MAX_UNPACKED, games: MAX_GAMES };
    let games =
        format::decode(games, limits).map_err(|fault| GameFileError::Games(fault.to_string()))?;
    if games.len() != header.games as usize {
        return Err(GameFileError::Count { promised: header.games, found: games.len() });
    }
    Ok(GameFile { header, games })
}

fn split(bytes: &[u8]) -> Result<(Header, &[u8]), GameFileError> {
    if bytes.len() as u64 > MAX_BYTES {
        return Err(GameFileError::TooLarge(bytes.len() as u64));
    }
    let mut cursor = Cursor::after(MAGIC, bytes).ok_or(GameFileError::Foreign)?;
    let header: Header = cursor.framed().map_err(GameFileError::Header)?;
    let ascends = header.parked.is_sorted_by(|a, b| a < b);
    let is_inside = header.parked.last().is_none_or(|&last| last < header.games);
    if !ascends || !is_inside || header.games as usize > MAX_GAMES {
        return Err(GameFileError::Header("numbers of games that cannot be"));
    }
    Ok((header, cursor.rest()))
}

#[cfg(test)]
pub(crate) mod tests {
    use selfplay::TurnRecord;

    use super::*;

    pub fn game(seed: u64) -> TrainingRecord {
        let turn = TurnRecord {
            action: 25,
            root_value: 0.5,
            proven: None,
            surprise: 0.25,
            simulations: 8,
            target: vec![(25, 65535)],
        };
        let size = engine::Size::try_from(5).unwrap();
        TrainingRecord::begun("incursion", size, seed, 0, vec![turn.clone(), turn])
    }

    pub fn header_of(games: u32) -> Header {
        Header {
            run: "r".to_owned(),
            name: FileName { slot: "a".parse().unwrap(), generation: 1, sequence: 2 },
            rules: "incursion on 5×5".to_owned(),
            encoder: 1,
            model: 0,
            evaluations: 77,
            games,
            parked: vec![0],
        }
    }

    #[test]
    fn files_come_back_as_they_were_written() {
        let games: Vec<TrainingRecord> = (0..5).map(game).collect();
        let bytes = encode(&header_of(5), &games).unwrap();
        assert_eq!(header(&bytes).unwrap(), header_of(5));
        assert_eq!(decode(&bytes).unwrap(), GameFile { header: header_of(5), games });
    }

    #[test]
    fn damage_is_found_wherever_it_is() {
        let games = [game(1), game(2)];
        let good = encode(&header_of(2), &games).unwrap();
        for cut in 0..good.len() {
            assert!(decode(&good[..cut]).is_err(), "cut at {cut}");
        }
        for place in 0..good.len() {
            let mut bad = good.to_vec();
            bad[place] ^= 0x10;
            // A flipped bit among those that the compression ignores does no harm.
            if let Ok(file) = decode(&bad) {
                assert_eq!((file.header, file.games.as_slice()), (header_of(2), &games[..]));
            }
        }
    }

    #[test]
    fn a_header_must_fit_its_games() {
        let games = [game(1), game(2)];
        let read = |header: &Header| decode(&encode(header, &games).unwrap()).unwrap_err();
        assert_eq!(read(&header_of(3)), GameFileError::Count { promised: 3, found: 2 });
        for parked in [vec![2], vec![1, 0], vec![0, 0]] {
            let error = read(&Header { parked, ..header_of(2) });
            assert!(matches!(error, GameFileError::Header(_)), "{error}");
        }
        assert_eq!(decode(b"HSTGAME2").unwrap_err(), GameFileError::Foreign);
        let large = vec![0; MAX_BYTES as usize + 1];
        assert_eq!(decode(&large).unwrap_err(), GameFileError::TooLarge(MAX_BYTES + 1));
    }

    #[test]
    fn a_small_file_that_unpacks_to_much_is_refused() {
        let mut bomb = MAGIC.to_vec();
        bomb.extend(framed(&header_of(1)));
        let zeros = std::io::Read::take(std::io::repeat(0), 1 << 30);
        let inside = std::io::Read::chain(&b"HSTGAME2"[..], zeros);
        bomb.extend(zstd::encode_all(inside, 1).unwrap());
        assert!((bomb.len() as u64) < MAX_BYTES, "{}", bomb.len());
        assert!(matches!(decode(&bomb).unwrap_err(), GameFileError::Games(_)));
    }
}
