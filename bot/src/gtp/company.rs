//! Evaluators that combine several players and choose one depending on the rules.

use engine::{Rules, Size};

use crate::Player;

/// Called whenever new rules come into force; returns the version of the player that plays them.
pub type Introduce<E> = fn(&mut E, &Rules) -> String;

/// The engine's state for such an evaluator.
pub(super) struct Company<E> {
    introduce: Introduce<E>,
    /// The size and kind of the most recently introduced rules.
    current: (Size, u64),
}

impl<E: search::Evaluator> Company<E> {
    pub fn new(introduce: Introduce<E>, rules: &Rules) -> Company<E> {
        Company { introduce, current: (rules.size, rules.kind_hash()) }
    }

    /// The version of the player, if the rules have changed since the last call.
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
