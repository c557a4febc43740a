//! Decides which of the waiting files a commit takes.

use std::collections::BTreeMap;

use object_store::path::Path;

use crate::marks::{FileStatus, Marks};
use crate::names::{FileName, Slot};
use crate::store::Listed;

/// How much one commit takes at most.
#[derive(Debug, Clone, Copy)]
pub struct BatchLimit {
    /// Number of files.
    pub files: usize,
    /// Total size in bytes.
    pub bytes: u64,
}

/// A file that a commit is to take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Its name.
    pub name: FileName,
    /// Its size in bytes.
    pub size: u64,
    /// Whether its generation has been replaced.
    pub is_late: bool,
}

/// What to do with the contents of an inbox.
#[derive(Debug, Default)]
pub struct Plan {
    /// Files to take, in this order.
    pub take: Vec<Waiting>,
    /// Objects that have been taken before.
    pub again: Vec<Path>,
    /// Objects that do not come from a worker, or are too old to tell.
    pub strange: Vec<Path>,
    /// Number of files that have to wait for a later commit.
    pub left: usize,
    /// Where the next intake begins; `None` for the first slot.
    pub turn: Option<Slot>,
}

/// Files with their sizes, in order within each slot.
pub type Files = BTreeMap<Slot, Vec<(FileName, u64)>>;

/// Separates an inbox into workers' files, by slot and in order, and everything else.
pub fn sort(listed: &[Listed]) -> (Files, Vec<Path>) {
    let (mut files, mut strange) = (Files::new(), Vec::new());
    for Listed { name, size, .. } in listed {
        match FileName::from_inbox(name) {
            Some(file) => files.entry(file.slot.clone()).or_default().push((file, *size)),
            None => strange.push(name.clone()),
        }
    }
    for files in files.values_mut() {
        files.sort_unstable();
        // A listing may name an object twice. Its second mention would look like a file that has
        // been taken before.
        files.dedup_by(|later, first| later.0 == first.0);
    }
    (files, strange)
}

/// Decides what to take: slot by slot, beginning with `turn`, so that no slot waits forever for
/// those before it. Within a slot, older generations come first: theirs are accepted only as long
/// as few newer ones are known.
pub fn plan(files: Files, mut marks: Marks, turn: Option<&Slot>, limit: BatchLimit) -> Plan {
    let mut plan = Plan::default();
    let mut bytes = 0;
    let (before, from): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|(slot, _)| turn.is_some_and(|turn| slot < turn));
    for (slot, files) in from.into_iter().chain(before) {
        let is_full = |plan: &Plan, bytes| plan.take.len() >= limit.files || bytes >= limit.bytes;
        if plan.turn.is_none() && is_full(&plan, bytes) {
            plan.turn = Some(slot);
        }
        for (name, size) in files {
            let status = marks.status(&name);
            match status {
                FileStatus::Taken => plan.again.push(name.in_inbox()),
                FileStatus::Forgotten => plan.strange.push(name.in_inbox()),
                FileStatus::Next | FileStatus::Late if !is_full(&plan, bytes) => {
                    marks.take(&name);
                    bytes += size;
                    plan.take.push(Waiting { name, size, is_late: status == FileStatus::Late });
                }
                FileStatus::Next | FileStatus::Late | FileStatus::Waits => plan.left += 1,
            }
        }
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: BatchLimit = BatchLimit { files: 100, bytes: 1 << 20 };

    fn listed(names: &[&str]) -> Vec<Listed> {
        let written = std::time::SystemTime::UNIX_EPOCH;
        let listed = |name: &&str| Listed { name: Path::from(*name), size: 10, written };
        names.iter().map(listed).collect()
    }

    fn taken(plan: &Plan) -> Vec<String> {
        plan.take.iter().map(|waiting| waiting.name.to_string()).collect()
    }

    fn plan_of(names: &[&str], marks: &Marks, turn: Option<&str>, limit: BatchLimit) -> Plan {
        let turn: Option<Slot> = turn.map(|turn| turn.parse().unwrap());
        let (files, _) = sort(&listed(names));
        plan(files, marks.clone(), turn.as_ref(), limit)
    }

    #[test]
    fn files_are_taken_by_number_and_without_gaps() {
        let names =
            ["inbox/a/0-10.games", "inbox/a/0-9.games", "inbox/a/0-12.games", "inbox/a/0-8.games"];
        let mut marks = Marks::default();
        marks.take(&FileName { slot: "a".parse().unwrap(), generation: 0, sequence: 8 });
        let plan = plan_of(&names, &marks, None, ALL);
        assert_eq!(taken(&plan), ["a/0-9", "a/0-10"]);
        assert_eq!((plan.again, plan.left), (vec![Path::from("inbox/a/0-8.games")], 1));
    }

    #[test]
    fn a_name_that_is_listed_twice_is_one_file() {
        let names = ["inbox/a/0-0.games", "inbox/a/0-1.games"];
        let mut twice = listed(&[names, names].concat());
        // It was rewritten while being listed.
        twice[2].size = 11;
        let (files, _) = sort(&twice);
        let plan = plan(files, Marks::default(), None, ALL);
        assert_eq!(
            (taken(&plan), plan.again),
            (vec!["a/0-0".to_owned(), "a/0-1".to_owned()], vec![])
        );
    }

    #[test]
    fn every_slot_has_its_turn() {
        let names = [
            "inbox/a/0-0.games",
            "inbox/a/0-1.games",
            "inbox/b/0-0.games",
            "inbox/c/0-0.games",
            "inbox/c/0-1.games",
        ];
        let two = BatchLimit { files: 2, ..ALL };
        let plan = plan_of(&names, &Marks::default(), None, two);
        assert_eq!((taken(&plan), plan.left), (vec!["a/0-0".to_owned(), "a/0-1".to_owned()], 3));
        assert_eq!(plan.turn.unwrap().to_string(), "b");
        let plan = plan_of(&names, &Marks::default(), Some("b"), two);
        assert_eq!(taken(&plan), ["b/0-0", "c/0-0"]);
        // A slot that has had more than its share does not keep its turn.
        assert_eq!(plan.turn.unwrap().to_string(), "a");
        let plan = plan_of(&names, &Marks::default(), Some("c"), ALL);
        assert_eq!(taken(&plan), ["c/0-0", "c/0-1", "a/0-0", "a/0-1", "b/0-0"]);
        assert_eq!(plan.turn, None);
        let plan = plan_of(&names, &Marks::default(), None, BatchLimit { bytes: 25, ..ALL });
        assert_eq!(taken(&plan), ["a/0-0", "a/0-1", "b/0-0"]);
    }

    #[test]
    fn generations_that_were_never_seen_are_taken_from_the_oldest() {
        let names: Vec<String> = (0..12).map(|it| format!("inbox/a/{it}-0.games")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let plan = plan_of(&names, &Marks::default(), None, ALL);
        assert!(plan.take.len() == 12 && plan.take.iter().all(|waiting| !waiting.is_late));
    }

    #[test]
    fn what_no_worker_writes_is_strange() {
        let (files, strange) =
            sort(&listed(&["inbox/a/0-0.games", "inbox/x", "inbox/A/0-0.games"]));
        assert_eq!((files.len(), strange.len()), (1, 2));
    }
}
