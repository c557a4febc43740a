//! Counts requests to a store.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

/// Numbers of requests in the two classes by which clouds charge. Deleting is free.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requests {
    /// Objects written, and listings.
    pub writes: u64,
    /// Objects read or looked for.
    pub reads: u64,
}

impl Requests {
    /// The requests after the first `before`.
    pub fn since(self, before: Requests) -> Requests {
        Requests { writes: self.writes - before.writes, reads: self.reads - before.reads }
    }
}

/// Counts requests. Clones share the counts.
#[derive(Debug, Clone, Default)]
pub struct Counters(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    writes: AtomicU64,
    reads: AtomicU64,
}

impl Counters {
    pub fn count_write(&self) {
        self.0.writes.fetch_add(1, Ordering::Relaxed);
    }

    pub fn count_read(&self) {
        self.0.reads.fetch_add(1, Ordering::Relaxed);
    }

    pub fn requests(&self) -> Requests {
        let Counts { writes, reads } = &*self.0;
        Requests { writes: writes.load(Ordering::Relaxed), reads: reads.load(Ordering::Relaxed) }
    }
}
