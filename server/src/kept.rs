//! Whether an open game is on disk as it is in memory.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What of an open game is on disk.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// Saves that are not done.
    due: AtomicUsize,
    /// Whether the last save that is done has failed.
    failed: AtomicBool,
}

impl Kept {
    /// Whether a save has failed, and no later one is on its way.
    pub fn has_failed(&self) -> bool {
        self.due.load(Ordering::Acquire) == 0 && self.failed.load(Ordering::Acquire)
    }

    /// Whether all is on disk.
    pub fn is_whole(&self) -> bool {
        // In this order: a save notes that it has failed before it ends.
        self.due.load(Ordering::Acquire) == 0 && !self.failed.load(Ordering::Acquire)
    }

    /// A save is on its way.
    pub fn begin(&self) {
        self.due.fetch_add(1, Ordering::AcqRel);
    }

    /// The oldest save on its way has ended.
    pub fn end(&self, is_saved: bool) {
        self.failed.store(!is_saved, Ordering::Release);
        self.due.fetch_sub(1, Ordering::AcqRel);
    }
}
