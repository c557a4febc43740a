//! Examines incoming files: what in them counts, and why the rest does not.

use std::collections::{BTreeSet, HashMap, HashSet};

use bytes::Bytes;
use rayon::prelude::*;
use selfplay::TrainingRecord;

use crate::commit::{Commit, SegmentRecord};
use crate::game_file::{self, GameFile, Header, MAX_BYTES};
use crate::inbox::Waiting;
use crate::names::{FileName, Slot};
use crate::run::Run;
use crate::segment::Entry;

/// Maximum number of seeds recorded by a commit. The rest waits for the next one, so that commits
/// stay small.
const MAX_ADOPTED: usize = 4096;

/// Maximum plausible number of evaluations for a file: those of a machine that makes a million per
/// second for twelve days.
const MAX_EVALUATIONS: u64 = 1 << 40;

/// Maximum length, in characters, of the reason for refusing a file.
const MAX_REASON_LENGTH: usize = 200;

/// Decides whether a recorded game can have been played in the run.
pub trait Examiner: Sync {
    /// The type of an accepted game.
    type Game: Send;

    /// Replays a game with every rule checked, and checks its targets and values.
    ///
    /// # Errors
    /// The reason why it cannot have been played.
    fn examine(&self, game: TrainingRecord) -> Result<Self::Game, String>;
}

/// What a file must be consistent with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expected<'a> {
    pub run: &'a Run,
    /// Training step of the newest weights; no game can have newer ones.
    pub step: u64,
    pub banned: &'a BTreeSet<Slot>,
}

/// A game that can have been played, with what the commit log needs to know about it.
#[derive(Debug)]
struct Sound<G> {
    game: G,
    seed: u64,
    model: u64,
    positions: u64,
}

/// The result of examining a file.
#[derive(Debug)]
enum Verdict<G> {
    Sound {
        header: Header,
        games: Vec<Sound<G>>,
    },
    Invalid {
        games: u64,
        why: String,
    },
    /// It was listed, but no longer exists.
    Missing,
}

/// A fetched file; without bytes if it no longer existed or is too large.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub waiting: Waiting,
    pub bytes: Option<Bytes>,
}

/// The result of taking files into a commit.
#[derive(Debug)]
pub(crate) struct IntakeResult<G> {
    /// The commit, complete except for the checksum of its segment.
    pub commit: Commit,
    /// The games that count, in order.
    pub games: Vec<G>,
    /// The files of the segment.
    pub segment: Vec<(Entry, Bytes)>,
    /// Files that are refused for good, with the reason.
    pub invalid: Vec<(FileName, Option<Bytes>, String)>,
    /// All files that have been dealt with.
    pub done: Vec<FileName>,
    /// Number of files left to the next commit, because this one has recorded enough seeds.
    pub left: usize,
}

/// Examines files on all cores and enters them into `commit` in order.
pub(crate) fn take<E: Examiner>(
    files: Vec<Fetched>,
    expected: Expected,
    known: &HashMap<u64, u64>,
    commit: Commit,
    examiner: &E,
) -> IntakeResult<E::Game> {
    let examine = |file: &Fetched| examine(file, expected, examiner);
    let verdicts: Vec<_> = files.par_iter().map(examine).collect();
    let mut result = IntakeResult {
        commit,
        games: Vec::new(),
        segment: Vec::new(),
        invalid: Vec::new(),
        done: Vec::new(),
        left: 0,
    };
    let record = SegmentRecord { sha256: String::new(), files: 0, games: 0, positions: 0 };
    result.commit.segment = Some(record);
    let mut stopped: HashSet<Slot> = HashSet::new();
    let count = files.len();
    for (place, (file, verdict)) in files.into_iter().zip(verdicts).enumerate() {
        let slot = &file.waiting.name.slot;
        if result.commit.adopted.len() >= MAX_ADOPTED {
            // The next commit begins here: slots before this one might fill every commit.
            result.commit.turn = Some(slot.clone());
            result.left = count - place;
            break;
        }
        if matches!(verdict, Verdict::Missing) || stopped.contains(slot) {
            stopped.insert(slot.clone());
        } else {
            result.enter(file, verdict, known);
        }
    }
    result.commit.segment.take_if(|segment| segment.files == 0);
    result
}

impl<G> IntakeResult<G> {
    fn enter(&mut self, file: Fetched, verdict: Verdict<G>, known: &HashMap<u64, u64>) {
        let Fetched { waiting: Waiting { name, is_late, .. }, bytes } = file;
        let missing = self.commit.marks.missing(&name);
        self.commit.refused.lost_files = self.commit.refused.lost_files.saturating_add(missing);
        self.commit.marks.take(&name);
        self.done.push(name.clone());
        match verdict {
            Verdict::Sound { games, .. } if is_late => {
                self.commit.refused.late += games.len() as u64;
            }
            Verdict::Sound { header, games } => {
                self.count(name, header, games, bytes.unwrap_or_default(), known);
            }
            Verdict::Invalid { games, why } => {
                self.commit.refused.invalid += games;
                self.commit.refused.invalid_files += 1;
                self.invalid.push((name, bytes, why));
            }
            Verdict::Missing => {}
        }
    }

    /// Counts the games of a valid file. A parked game may be finished by two generations; the
    /// first one counts.
    fn count(
        &mut self,
        name: FileName,
        header: Header,
        games: Vec<Sound<G>>,
        bytes: Bytes,
        known: &HashMap<u64, u64>,
    ) {
        let IntakeResult { commit, games: counted, segment, .. } = self;
        let mut left_out = Vec::new();
        let (mut count, mut positions) = (0, 0);
        for (index, sound) in (0..).zip(games) {
            let is_parked = header.parked.binary_search(&index).is_ok();
            if sound.model < commit.oldest {
                commit.refused.stale += 1;
                left_out.push(index);
            } else if is_parked
                && (known.contains_key(&sound.seed) || commit.adopted.contains(&sound.seed))
            {
                commit.refused.late += 1;
                left_out.push(index);
            } else {
                if is_parked {
                    commit.adopted.push(sound.seed);
                }
                count += 1;
                positions += sound.positions;
                counted.push(sound.game);
            }
        }
        commit.games += count;
        commit.positions += positions;
        commit.evaluations = commit.evaluations.saturating_add(header.evaluations);
        if let Some(record) = &mut commit.segment {
            record.files += 1;
            record.games += count;
            record.positions += positions;
        }
        segment.push((Entry { name, length: bytes.len() as u64, left_out }, bytes));
    }
}

fn examine<E: Examiner>(file: &Fetched, expected: Expected, examiner: &E) -> Verdict<E::Game> {
    let Fetched { waiting, bytes } = file;
    if waiting.size > MAX_BYTES {
        let why = format!("{} bytes: expected at most {MAX_BYTES}", waiting.size);
        return Verdict::Invalid { games: 0, why };
    }
    let Some(bytes) = bytes else { return Verdict::Missing };
    // For an unreadable file, the header's count is used if the header can be read.
    let promised = || game_file::header(bytes).map_or(0, |header| u64::from(header.games));
    // Text from a file may be long and contain control characters.
    let plain =
        |why: &str| why.chars().filter(|it| !it.is_control()).take(MAX_REASON_LENGTH).collect();
    let invalid = |why: String| Verdict::Invalid { games: promised(), why: plain(&why) };
    let GameFile { header, games } = match game_file::decode(bytes) {
        Ok(file) => file,
        Err(error) => return invalid(error.to_string()),
    };
    if let Err(why) = check(&header, &waiting.name, expected) {
        return invalid(why);
    }
    let mut sound = Vec::new();
    for (number, game) in (1..).zip(games) {
        let (seed, model, positions) = (game.seed, game.model, game.rows() as u64);
        if model > expected.step {
            return invalid(format!("game {number} began with weights that do not exist yet"));
        }
        match examiner.examine(game) {
            Ok(game) => sound.push(Sound { game, seed, model, positions }),
            Err(why) => return invalid(format!("game {number}: {why}")),
        }
    }
    Verdict::Sound { header, games: sound }
}

/// Checks that a header belongs to a file with this name in this run.
fn check(header: &Header, name: &FileName, expected: Expected) -> Result<(), String> {
    let Expected { run, step, banned } = expected;
    if banned.contains(&name.slot) {
        Err(format!("slot {} is banned", name.slot))
    } else if header.run != run.id {
        Err(format!("of another run, {:?}", header.run))
    } else if header.name != *name {
        Err(format!("made as {}, not under this name", header.name))
    } else if header.rules != run.rules {
        Err(format!("of other rules, {:?}", header.rules))
    } else if header.encoder != run.encoder {
        Err(format!("of encoding {}: the run has {}", header.encoder, run.encoder))
    } else if header.model > step {
        Err(format!("with weights of step {}: the newest are of step {step}", header.model))
    } else if header.evaluations > MAX_EVALUATIONS {
        Err(format!("of {} evaluations: expected at most {MAX_EVALUATIONS}", header.evaluations))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_file::tests::{game, header_of};

    struct All;

    impl Examiner for All {
        type Game = u64;

        fn examine(&self, game: TrainingRecord) -> Result<u64, String> {
            Ok(game.seed)
        }
    }

    fn fetched(slot: &str, sequence: u64, is_there: bool) -> Fetched {
        let file = file_of(slot, sequence, Vec::new(), &[game(sequence)]);
        Fetched { bytes: file.bytes.filter(|_| is_there), ..file }
    }

    fn file_of(slot: &str, sequence: u64, parked: Vec<u32>, games: &[TrainingRecord]) -> Fetched {
        let name = FileName { slot: slot.parse().unwrap(), generation: 1, sequence };
        let header = Header { name: name.clone(), parked, ..header_of(games.len() as u32) };
        let bytes = game_file::encode(&header, games).unwrap();
        let waiting = Waiting { name, size: bytes.len() as u64, is_late: false };
        Fetched { waiting, bytes: Some(bytes) }
    }

    /// What the first commit takes, and the names of the files.
    fn taken(files: Vec<Fetched>) -> (IntakeResult<u64>, Vec<String>) {
        let (id, rules) = ("r".to_owned(), header_of(1).rules);
        let config = toml::Table::default();
        let run = Run { id, format: 1, encoder: 1, rules, begins_from: None, config };
        let banned = BTreeSet::new();
        let expected = Expected { run: &run, step: 0, banned: &banned };
        let result = take(files, expected, &HashMap::new(), Commit::default(), &All);
        let done = result.done.iter().map(ToString::to_string).collect();
        (result, done)
    }

    #[test]
    fn nothing_is_taken_that_comes_after_a_file_that_is_gone() {
        let files = vec![
            fetched("a", 0, true),
            fetched("a", 1, false),
            fetched("a", 2, true),
            fetched("b", 0, true),
        ];
        let (result, done) = taken(files);
        assert_eq!(done, ["a/1-0", "b/1-0"]);
        assert_eq!((result.games, result.commit.games), (vec![0, 0], 2));
        assert_eq!(result.commit.marks.of(&"a".parse().unwrap())[0].next, 1);
    }

    /// A file of as many games as a commit records seeds, all of which were parked.
    fn fetched_parked() -> Fetched {
        let games: Vec<TrainingRecord> = (0..MAX_ADOPTED as u64).map(game).collect();
        file_of("a", 0, (0..MAX_ADOPTED as u32).collect(), &games)
    }

    #[test]
    fn the_next_commit_begins_where_this_one_has_recorded_enough_seeds() {
        let files = vec![fetched_parked(), fetched("b", 0, true), fetched("c", 0, true)];
        let (result, done) = taken(files);
        assert_eq!((done, result.left), (vec!["a/1-0".to_owned()], 2));
        assert_eq!(result.commit.turn, Some("b".parse().unwrap()));
    }
}
