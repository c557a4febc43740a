//! How often it is said that learning steps are skipped.

/// When to say that steps are skipped. That is so once after a rollback, and every few seconds while
/// others play faster than this machine learns: it is said once, and again only after a phase
/// without it.
#[derive(Debug, Default)]
pub(super) struct SkipNotice {
    is_told: bool,
    /// Whether there were any in this phase.
    has_skipped: bool,
}

impl SkipNotice {
    /// Takes note of skipped steps, and returns whether to say so.
    pub(super) fn skipped(&mut self) -> bool {
        self.has_skipped = true;
        !std::mem::replace(&mut self.is_told, true)
    }

    /// A phase is over.
    pub(super) fn end_phase(&mut self) {
        self.is_told = std::mem::take(&mut self.has_skipped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_steps_are_told_of_once_until_there_are_none() {
        let mut notice = SkipNotice::default();
        assert!(notice.skipped() && !notice.skipped());
        notice.end_phase();
        assert!(!notice.skipped(), "the flood goes on");
        notice.end_phase();
        notice.end_phase();
        assert!(notice.skipped() && !notice.skipped(), "another one");
    }
}
