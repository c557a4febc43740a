//! Who is silent, by the observer's own clock: machines' clocks differ.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::health::Health;
use crate::names::Slot;

/// Beats for which a worker may say nothing new.
pub(crate) const SILENT_BEATS: u32 = 3;

/// When each worker was first seen to say what it says now: generation and beat, or nothing at all.
#[derive(Debug, Default)]
pub(crate) struct Silence(HashMap<Slot, (Option<(u64, u64)>, Instant)>);

impl Silence {
    /// Whether a worker that tells of itself every `beat` has said nothing new for too long.
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
