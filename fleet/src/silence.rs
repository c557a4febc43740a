//! Detects silent workers by the observer's own clock, since the clocks of machines differ.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::health::Health;
use crate::names::Slot;

/// Number of beats for which a worker may report nothing new.
pub(crate) const SILENT_BEATS: u32 = 3;

/// When each worker's current report was first seen: its generation and beat, or nothing at all.
#[derive(Debug, Default)]
pub(crate) struct SilenceDetector(HashMap<Slot, (Option<(u64, u64)>, Instant)>);

impl SilenceDetector {
    /// Whether a worker that reports every `beat` has reported nothing new for too long.
    pub fn is_silent(
        &mut self,
        slot: &Slot,
        health: Option<&Health>,
        beat: Duration,
        now: Instant,
    ) -> bool {
        let news = health.map(|health| (health.generation, health.beat));
        let seen = self.0.entry(slot.clone()).or_insert((news, now));
        if seen.0 != news {
            *seen = (news, now);
        }
        now.duration_since(seen.1) >= beat.saturating_mul(SILENT_BEATS)
    }
}
