//! The names of all objects in a store.

pub mod matches;
mod process;

use std::fmt;

pub use object_store::path::Path;
use serde::{Deserialize, Serialize};

pub use self::process::{Process, Slot, SlotError};

/// The maker and the sequence number of a game file. Fixed before the first byte is sent, so a file
/// that arrives twice has the same name both times.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FileName {
    /// The worker's slot.
    pub slot: Slot,
    /// The process in that slot.
    pub generation: u64,
    /// The number of the file, from 0.
    pub sequence: u64,
}

impl FileName {
    /// The file's place in the inbox.
    pub fn in_inbox(&self) -> Path {
        Path::from(format!("{INBOX}/{}/{}-{}.games", self.slot, self.generation, self.sequence))
    }

    /// The file's place after the learner has refused it.
    pub fn in_refused(&self) -> Path {
        Path::from(format!("{REFUSED}/{}-{}-{}.games", self.slot, self.generation, self.sequence))
    }

    /// The place for the reason why the file was refused.
    pub fn reason(&self) -> Path {
        Path::from(format!("{REFUSED}/{}-{}-{}.txt", self.slot, self.generation, self.sequence))
    }

    /// The file with a name in the inbox; `None` for names that no worker uses.
    pub fn from_inbox(path: &Path) -> Option<FileName> {
        let mut parts = path.as_ref().strip_prefix(INBOX)?.strip_prefix('/')?.split('/');
        let (slot, file) = (parts.next()?, parts.next()?);
        let (generation, sequence) = file.strip_suffix(".games")?.split_once('-')?;
        let name = FileName {
            slot: slot.parse().ok()?,
            generation: generation.parse().ok()?,
            sequence: sequence.parse().ok()?,
        };
        // Other spellings of the same numbers are not valid names, and the largest numbers have no
        // successor.
        let is_exact = name.in_inbox() == *path && name.generation.max(name.sequence) < u64::MAX;
        is_exact.then_some(name)
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}-{}", self.slot, self.generation, self.sequence)
    }
}

const INBOX: &str = "inbox";
const REFUSED: &str = "refused";
pub(crate) const WEIGHTS: &str = "weights.safetensors";
pub(crate) const CARD: &str = "card.toml";

/// The description of the run.
pub fn run() -> Path {
    Path::from("run.toml")
}

/// The object that workers poll.
pub fn latest() -> Path {
    Path::from("latest")
}

/// All commits.
pub fn commits() -> Path {
    Path::from("commits")
}

/// A commit. The leading zeros make names sort like numbers.
pub fn commit(number: u64) -> Path {
    Path::from(format!("commits/{number:020}.json"))
}

/// The number of a commit's name.
pub fn commit_number(path: &Path) -> Option<u64> {
    let number = path.filename()?.strip_suffix(".json")?.parse().ok()?;
    (commit(number) == *path).then_some(number)
}

/// All files that no commit has taken yet.
pub fn inbox() -> Path {
    Path::from(INBOX)
}

/// All segments.
pub fn segments() -> Path {
    Path::from("segments")
}

/// The games that a commit took.
pub fn segment(commit: u64, nonce: &str) -> Path {
    Path::from(format!("segments/{commit}-{nonce}.games"))
}

/// Commit and nonce of a segment's name.
pub fn segment_parts(path: &Path) -> Option<(u64, &str)> {
    let (commit, nonce) = path.filename()?.strip_suffix(".games")?.split_once('-')?;
    Some((commit.parse().ok()?, nonce))
}

/// All models.
pub fn models() -> Path {
    Path::from("models")
}

/// The folder of a model: its step, and the beginning of its weights' SHA-256.
pub fn model(step: u64, sha256: &str) -> Path {
    let short = sha256.get(..8).unwrap_or(sha256);
    Path::from(format!("models/{step}-{short}"))
}

/// The weights in a model's folder.
pub fn weights(step: u64, sha256: &str) -> Path {
    model(step, sha256).join(WEIGHTS)
}

/// The card in a model's folder.
pub fn card(step: u64, sha256: &str) -> Path {
    model(step, sha256).join(CARD)
}

/// What the run knows about its kinds of games, in a model's folder.
pub fn kinds(step: u64, sha256: &str) -> Path {
    model(step, sha256).join("kinds.toml")
}

/// All checkpoints.
pub fn checkpoints() -> Path {
    Path::from("checkpoints")
}

/// The folder of a checkpoint.
pub fn checkpoint(step: u64, nonce: &str) -> Path {
    Path::from(format!("checkpoints/{step}-{nonce}"))
}

/// The step and the rest of the name of the model or checkpoint folder to which an object belongs.
pub fn folder_parts(path: &Path) -> Option<(u64, String)> {
    let folder = path.parts().nth(1)?;
    let (step, rest) = folder.as_ref().split_once('-')?;
    Some((step.parse().ok()?, rest.to_owned()))
}

/// The model or checkpoint folder to which an object belongs, as [`model`] and [`checkpoint`] name
/// it.
pub fn folder_of(path: &Path) -> Option<Path> {
    let mut parts = path.parts();
    Some([parts.next()?, parts.next()?].into_iter().collect())
}

/// All generations of a slot.
pub fn claims(slot: &Slot) -> Path {
    Path::from(format!("workers/{slot}"))
}

/// The claim of a generation.
pub fn claim(slot: &Slot, generation: u64) -> Path {
    Path::from(format!("workers/{slot}/{generation}.json"))
}

/// The generation of a claim's name. The largest number has no successor, and is nobody's.
pub fn claimed_generation(path: &Path) -> Option<u64> {
    let generation: Option<u64> = path.filename()?.strip_suffix(".json")?.parse().ok();
    generation.filter(|&generation| generation < u64::MAX)
}

/// The health of all workers.
pub fn all_health() -> Path {
    Path::from("health")
}

/// A worker's figures.
pub fn health(slot: &Slot) -> Path {
    Path::from(format!("health/{slot}.json"))
}

/// The learner's figures.
pub fn learner() -> Path {
    Path::from("learner.json")
}

/// A slot's games in progress.
pub fn parked(slot: &Slot) -> Path {
    Path::from(format!("parked/{slot}.games"))
}

/// Files that were refused.
pub fn refused() -> Path {
    Path::from(REFUSED)
}

/// The place for an object that was in the inbox under a name that no worker uses.
pub fn refused_stranger(commit: u64, number: usize) -> Path {
    Path::from(format!("{REFUSED}/unnamed-{commit}-{number}.txt"))
}

/// Content stored under its own SHA-256.
pub fn content(sha256: &str) -> Path {
    Path::from(format!("contents/{sha256}"))
}

/// All objects with which the store is tested.
pub fn probes() -> Path {
    Path::from("probe")
}

/// An object with which the store is tested.
pub fn probe(nonce: &str) -> Path {
    Path::from(format!("probe/{nonce}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_read_as_they_are_written_and_no_others() {
        let name = FileName { slot: "a-1".parse().unwrap(), generation: 3, sequence: 12 };
        assert_eq!(name.in_inbox().as_ref(), "inbox/a-1/3-12.games");
        assert_eq!(FileName::from_inbox(&name.in_inbox()), Some(name));
        for bad in [
            "inbox/a/03-1.games",
            "inbox/a/+3-1.games",
            "inbox/a/3-1.games.tmp",
            "inbox/a/b/3-1.games",
            "inbox/A/3-1.games",
            "inbox/a/3.games",
            "inbox/3-1.games",
            "inboxes/a/3-1.games",
            "inbox/a/3-18446744073709551615.games",
        ] {
            assert_eq!(FileName::from_inbox(&Path::from(bad)), None, "{bad}");
        }
    }

    #[test]
    fn names_of_commits_are_in_the_order_of_their_numbers() {
        assert!(commit(9) < commit(10));
        assert_eq!(commit_number(&commit(10)), Some(10));
        assert_eq!(commit_number(&Path::from("commits/10.json")), None);
        assert_eq!(segment_parts(&segment(4, "ab")), Some((4, "ab")));
        assert_eq!(folder_parts(&weights(7, "0123456789")), Some((7, "01234567".to_owned())));
        assert_eq!(folder_of(&weights(7, "0123456789")), Some(model(7, "0123456789")));
        let slot = "a".parse().unwrap();
        assert_eq!(claimed_generation(&claim(&slot, 5)), Some(5));
        assert_eq!(claimed_generation(&claim(&slot, u64::MAX)), None);
    }
}
