//! Evaluators that are several players in one: who plays changes with the rules.

use engine::{Rules, Size};

use crate::Player;

/// Is told of rules that have come into force, and returns the version of whoever plays under them.
pub type Introduce<E> = fn(&mut E, &Rules) -> String;

/// What an engine remembers of such an evaluator.
pub(super) struct Company<E> {
    introduce: Introduce<E>,
    /// The size and kind of the rules that were introduced last.
    current: (Size, u64),
}

impl<E: search::Evaluator> Company<E> {
    pub fn new(introduce: Introduce<E>, rules: &Rules) -> Company<E> {
        Company { introduce, current: (rules.size, rules.kind_hash()) }
    }

    /// The version of whoever plays, if other rules are in force than before.
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
