//! Evaluators that combine several players, of which one plays depending on the rules.

use engine::{Rules, Size};

use crate::Player;

/// Called with rules that have come into force; returns the version of the player under them.
pub type Introduce<E> = fn(&mut E, &Rules) -> String;

/// An engine's state for such an evaluator.
pub(super) struct Company<E> {
    introduce: Introduce<E>,
    /// The size and kind of the rules that were introduced last.
    current: (Size, u64),
}

impl<E: search::Evaluator> Company<E> {
    pub fn new(introduce: Introduce<E>, rules: &Rules) -> Company<E> {
        Company { introduce, current: (rules.size, rules.kind_hash()) }
    }

    /// The version of the player, if the rules have changed.
    pub fn changed(&mut self, player: &mut Player<E>) -> Option<String> {
        let rules = *player.game().rules();
        let current = (rules.size, rules.kind_hash());
        if current == self.current {
            return None;
        }
        self.current = current;
        Some((self.introduce)(player.evaluator(), &rules))
    }
}
