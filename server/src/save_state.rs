//! Whether an open game is the same on disk as in memory.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How much of an open game is on disk.
#[derive(Debug, Default)]
pub(crate) struct SaveState {
    /// Number of unfinished saves.
    due: AtomicUsize,
    /// Whether the last finished save failed.
    failed: AtomicBool,
}

impl SaveState {
    /// Whether a save has failed and no later one is in progress.
    pub fn has_failed(&self) -> bool {
        self.due.load(Ordering::Acquire) == 0 && self.failed.load(Ordering::Acquire)
    }

    /// Whether everything is on disk.
    pub fn is_saved(&self) -> bool {
        // The order matters: a save records its failure before it ends.
        self.due.load(Ordering::Acquire) == 0 && !self.failed.load(Ordering::Acquire)
    }

    /// Records that a save has begun.
    pub fn begin(&self) {
        self.due.fetch_add(1, Ordering::AcqRel);
    }

    /// Records that the oldest save in progress has ended.
    pub fn end(&self, is_saved: bool) {
        self.failed.store(!is_saved, Ordering::Release);
        self.due.fetch_sub(1, Ordering::AcqRel);
    }
}
