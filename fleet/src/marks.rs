//! How far the files of each worker have been taken.
//!
//! A worker sends a file only when the previous one has arrived, so what has arrived of a
//! generation is always a prefix of its sequence, and a single number says how far it has been
//! taken.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::names::{FileName, Slot};

/// Number of newest generations of a slot whose games count.
const ACCEPTED: usize = 3;
/// Number of generations of a slot that are remembered, so that what arrives late is counted once.
const REMEMBERED: usize = 8;

/// How far the files of one generation have been taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u64)", into = "(u64, u64)")]
pub struct Mark {
    /// The generation.
    pub generation: u64,
    /// The sequence number of the next file.
    pub next: u64,
}

impl From<(u64, u64)> for Mark {
    fn from((generation, next): (u64, u64)) -> Mark {
        Mark { generation, next }
    }
}

impl From<Mark> for (u64, u64) {
    fn from(mark: Mark) -> (u64, u64) {
        (mark.generation, mark.next)
    }
}

/// What to do with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileStatus {
    /// It is the next of its generation, and counts.
    Next,
    /// It is the next of a generation that three newer ones have replaced.
    Late,
    /// Earlier files are still missing.
    Waits,
    /// It has already been taken, and has appeared again.
    Taken,
    /// Its generation is so old that it is unknown whether it has been taken.
    Forgotten,
}

/// The marks of all workers; in each slot from the oldest generation to the newest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Marks(BTreeMap<Slot, Vec<Mark>>);

impl Marks {
    /// What to do with a file.
    pub fn status(&self, file: &FileName) -> FileStatus {
        let marks = self.of(&file.slot);
        let known = marks.iter().find(|mark| mark.generation == file.generation);
        let newer = marks.iter().filter(|mark| mark.generation > file.generation).count();
        match (known.map_or(0, |mark| mark.next), known) {
            (_, None) if newer >= REMEMBERED => FileStatus::Forgotten,
            (next, _) if file.sequence < next => FileStatus::Taken,
            (next, _) if file.sequence > next => FileStatus::Waits,
            (_, _) if newer >= ACCEPTED => FileStatus::Late,
            (_, _) => FileStatus::Next,
        }
    }

    /// Whether any file of its generation has been taken.
    pub fn knows(&self, file: &FileName) -> bool {
        self.of(&file.slot).iter().any(|mark| mark.generation == file.generation)
    }

    /// How many earlier files of its generation have not been taken.
    pub fn missing(&self, file: &FileName) -> u64 {
        let mut marks = self.of(&file.slot).iter();
        let known = marks.find(|mark| mark.generation == file.generation);
        file.sequence.saturating_sub(known.map_or(0, |mark| mark.next))
    }

    /// Records that a file has been taken, and that those before it have been or never will be.
    pub fn take(&mut self, file: &FileName) {
        self.go_on_at(file, file.sequence + 1);
    }

    /// Records that earlier files will never be taken, so that this one is next.
    pub fn skip_to(&mut self, file: &FileName) {
        self.go_on_at(file, file.sequence);
    }

    fn go_on_at(&mut self, file: &FileName, next: u64) {
        let marks = self.0.entry(file.slot.clone()).or_default();
        let place = marks.partition_point(|mark| mark.generation < file.generation);
        match marks.get_mut(place).filter(|mark| mark.generation == file.generation) {
            Some(mark) => mark.next = next,
            None => marks.insert(place, Mark { generation: file.generation, next }),
        }
        if marks.len() > REMEMBERED {
            marks.remove(0);
        }
    }

    /// The marks of a slot, newest last.
    pub fn of(&self, slot: &Slot) -> &[Mark] {
        self.0.get(slot).map_or(&[], Vec::as_slice)
    }

    /// The slots that have marks, with their marks.
    pub fn iter(&self) -> impl Iterator<Item = (&Slot, &[Mark])> {
        self.0.iter().map(|(slot, marks)| (slot, marks.as_slice()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(generation: u64, sequence: u64) -> FileName {
        FileName { slot: "a".parse().unwrap(), generation, sequence }
    }

    #[test]
    fn files_are_taken_in_their_order_and_once() {
        let mut marks = Marks::default();
        assert_eq!(
            (marks.status(&file(0, 0)), marks.status(&file(0, 1))),
            (FileStatus::Next, FileStatus::Waits)
        );
        assert!(!marks.knows(&file(0, 0)));
        marks.take(&file(0, 0));
        assert!(marks.knows(&file(0, 0)));
        assert_eq!(
            (marks.status(&file(0, 0)), marks.status(&file(0, 1))),
            (FileStatus::Taken, FileStatus::Next)
        );
        let other = FileName { slot: "b".parse().unwrap(), ..file(0, 1) };
        assert_eq!(marks.status(&other), FileStatus::Waits);
    }

    #[test]
    fn what_is_gone_for_good_can_be_passed_over() {
        let mut marks = Marks::default();
        marks.take(&file(0, 0));
        assert_eq!([0, 1, 5].map(|sequence| marks.missing(&file(0, sequence))), [0, 0, 4]);
        assert_eq!(marks.missing(&file(1, 2)), 2);
        marks.skip_to(&file(0, 5));
        assert_eq!(
            (marks.status(&file(0, 4)), marks.status(&file(0, 5))),
            (FileStatus::Taken, FileStatus::Next)
        );
    }

    #[test]
    fn only_the_last_three_generations_count() {
        let mut marks = Marks::default();
        for generation in 1..=3 {
            marks.take(&file(generation, 0));
        }
        assert_eq!(
            (marks.status(&file(1, 1)), marks.status(&file(4, 0))),
            (FileStatus::Next, FileStatus::Next)
        );
        assert_eq!(marks.status(&file(0, 0)), FileStatus::Late);
        marks.take(&file(4, 0));
        assert_eq!(
            (marks.status(&file(1, 1)), marks.status(&file(2, 1))),
            (FileStatus::Late, FileStatus::Next)
        );
        // Late files are remembered too.
        marks.take(&file(1, 1));
        assert_eq!(
            (marks.status(&file(1, 1)), marks.status(&file(1, 2))),
            (FileStatus::Taken, FileStatus::Late)
        );
    }

    #[test]
    fn what_is_too_old_is_known_to_be() {
        let mut marks = Marks::default();
        for generation in 1..=9 {
            marks.take(&file(generation, 0));
        }
        assert_eq!(marks.of(&file(0, 0).slot).len(), REMEMBERED);
        assert_eq!(marks.status(&file(1, 1)), FileStatus::Forgotten);
        assert_eq!(
            (marks.status(&file(2, 0)), marks.status(&file(2, 1))),
            (FileStatus::Taken, FileStatus::Late)
        );
    }

    #[test]
    fn marks_are_short_in_json() {
        let mut marks = Marks::default();
        marks.take(&file(2, 0));
        marks.take(&file(5, 0));
        let json = serde_json::to_string(&marks).unwrap();
        assert_eq!(json, r#"{"a":[[2,1],[5,1]]}"#);
        assert_eq!(serde_json::from_str::<Marks>(&json).unwrap(), marks);
    }
}
