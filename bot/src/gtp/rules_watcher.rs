//! Notices new rules, for evaluators that combine several players and choose one by the rules.

use engine::{Rules, Size};

use crate::Player;
use crate::supported_rules::size_and_kind;

/// Called whenever new rules come into force; returns the version of the player that plays them.
pub type OnNewRules<E> = fn(&mut E, &Rules) -> String;

/// The rules of which such an evaluator has been informed.
pub(super) struct RulesWatcher<E> {
    on_new_rules: OnNewRules<E>,
    /// The size and kind of the most recent rules.
    current: (Size, u64),
}

impl<E: search::Evaluator> RulesWatcher<E> {
    pub fn new(on_new_rules: OnNewRules<E>, rules: &Rules) -> RulesWatcher<E> {
        RulesWatcher { on_new_rules, current: size_and_kind(rules) }
    }

    /// The version of the player, if the rules have changed since the last call.
    pub fn version_if_changed(&mut self, player: &mut Player<E>) -> Option<String> {
        let rules = *player.game().rules();
        let current = size_and_kind(&rules);
        if current == self.current {
            return None;
        }
        self.current = current;
        Some((self.on_new_rules)(player.evaluator(), &rules))
    }
}
