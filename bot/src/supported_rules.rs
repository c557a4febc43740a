//! The rule sets that a player can be asked to play: one rule text on the sizes of its model, and
//! possibly all others.

use engine::{MAX_SIZE, Rules, RulesError, Scope, Size};

use crate::words::list;

/// What decides who plays rules: neither komi nor the move limit does.
pub(crate) fn size_and_kind(rules: &Rules) -> (Size, u64) {
    (rules.size, rules.kind_hash())
}

/// The rules that a player offers, one rule set for each board size. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupportedRules {
    rules: Vec<Rules>,
    /// The index of the rules with which games begin.
    first: usize,
    /// Whether all other rule sets and sizes are also played.
    is_open: bool,
    /// The scope of a network that has learnt many rule sets, on the same sizes.
    scope: Option<Scope>,
}

impl SupportedRules {
    /// The rules named by `text` (`tile`, `incursion,komi=6.5`) on each of `sizes`, which are
    /// [`Size`]s or sides of square boards.
    ///
    /// # Errors
    /// An invalid rule set, or an empty list of sizes.
    pub fn new<S>(text: &str, sizes: &[S]) -> Result<SupportedRules, SupportedRulesError>
    where
        S: Copy + TryInto<Size>,
        RulesError: From<S::Error>,
    {
        let mut rules = sizes
            .iter()
            .map(|&size| Rules::parse(text, size))
            .collect::<Result<Vec<_>, RulesError>>()?;
        rules.sort_unstable_by_key(|rules| rules.size);
        rules.dedup();
        if rules.is_empty() {
            Err(SupportedRulesError::NoSize)
        } else {
            let first = rules.len() - 1;
            Ok(SupportedRules { rules, first, is_open: false, scope: None })
        }
    }

    /// What a network has learnt by its card: the rules named by `text` and all others in its
    /// scope, if it has one, on each of `sizes`.
    ///
    /// # Errors
    /// As for [`SupportedRules::new`].
    pub fn learnt<S>(
        text: &str,
        sizes: &[S],
        scope: Option<Scope>,
    ) -> Result<SupportedRules, SupportedRulesError>
    where
        S: Copy + TryInto<Size>,
        RulesError: From<S::Error>,
    {
        Ok(SupportedRules::new(text, sizes)?.with_scope(scope))
    }

    /// Only these rules.
    pub fn of(rules: Rules) -> SupportedRules {
        SupportedRules { rules: vec![rules], first: 0, is_open: false, scope: None }
    }

    /// The same rules, with games beginning on a board of `size`.
    ///
    /// # Errors
    /// The rules were not given for this size; the error says for which ones they were.
    pub fn beginning_on(self, size: Size) -> Result<SupportedRules, UnknownSize> {
        match self.rules.iter().position(|rules| rules.size == size) {
            Some(first) => Ok(SupportedRules { first, ..self }),
            None => Err(UnknownSize { size, offered: Some(self.sizes()) }),
        }
    }

    /// These rules first, and all others on every size: for an evaluator that accepts any rules.
    #[must_use]
    pub fn with_all_others(self) -> SupportedRules {
        SupportedRules { is_open: true, ..self }
    }

    /// These rules first, and all others in the network's scope on the same sizes.
    #[must_use]
    pub fn with_scope(self, scope: Option<Scope>) -> SupportedRules {
        SupportedRules { scope, ..self }
    }

    /// Whether the given rules have been learnt on their size, regardless of komi and move limit.
    pub fn has_learnt(&self, rules: &Rules) -> bool {
        let known = self.rules.iter().find(|known| known.size == rules.size);
        known.is_some_and(|known| match &self.scope {
            Some(scope) => scope.excludes(rules).is_none(),
            None => known.is_same_kind(rules),
        })
    }

    /// Whether all rule sets are offered.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// The rules on a board of `size`.
    ///
    /// # Errors
    /// The size is not offered; the error says which are.
    pub fn rules(&self, size: Size) -> Result<Rules, UnknownSize> {
        let own = self.rules.iter().find(|rules| rules.size == size).copied();
        let elsewhere = || self.is_open.then(|| self.first().resized(size));
        own.or_else(elsewhere).ok_or_else(|| self.unknown(size))
    }

    /// These rules, which are already in force, on a board of another `size`. A move limit that
    /// somebody has set remains.
    ///
    /// # Errors
    /// As for [`SupportedRules::rules`].
    pub fn resized(&self, rules: &Rules, size: Size) -> Result<Rules, UnknownSize> {
        if !rules.is_same_kind(&self.first()) {
            return Ok(rules.resized(size));
        }
        let offered = self.rules(size)?;
        let has_own_limit =
            self.rules(rules.size).is_ok_and(|usual| usual.max_moves != rules.max_moves);
        Ok(if has_own_limit { Rules { max_moves: rules.max_moves, ..offered } } else { offered })
    }

    fn unknown(&self, size: Size) -> UnknownSize {
        UnknownSize { size, offered: if self.is_open { None } else { Some(self.sizes()) } }
    }

    /// The sizes that the rules were given for, ascending.
    pub fn sizes(&self) -> Vec<Size> {
        self.rules.iter().map(|rules| rules.size).collect()
    }

    /// The rules with which games begin: on the largest board, unless another was
    /// [chosen](SupportedRules::beginning_on).
    pub fn first(&self) -> Rules {
        self.rules[self.first]
    }
}

/// Why rules are not supported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SupportedRulesError {
    /// An invalid rule set.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// No board size is given.
    #[error("no board size is given")]
    NoSize,
}

/// A board size that the player does not offer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("size {size} is not supported: {}", sizes(offered.as_deref()))]
pub struct UnknownSize {
    /// The size asked for.
    pub size: Size,
    /// The sizes offered; `None` means all.
    pub offered: Option<Vec<Size>>,
}

fn sizes(offered: Option<&[Size]>) -> String {
    match offered {
        Some(sizes) => {
            let sizes: Vec<String> = sizes.iter().map(Size::to_string).collect();
            format!("this model plays {}", list(&sizes))
        }
        None => format!("expected 2 to {MAX_SIZE}"),
    }
}

#[cfg(test)]
mod tests {
    use engine::Komi;

    use super::*;

    fn squares<const N: usize>(sides: [u8; N]) -> [Size; N] {
        sides.map(|side| Size::try_from(side).unwrap())
    }

    #[test]
    fn sizes_are_named_in_the_error() {
        let supported = SupportedRules::new("incursion", &squares([9, 7, 7, 5])).unwrap();
        assert_eq!(supported.sizes(), squares([5, 7, 9]));
        let [eight, nine] = squares([8, 9]);
        assert_eq!(supported.first().size, nine);
        let [seven] = squares([7]);
        let smaller = supported.clone().beginning_on(seven).unwrap();
        assert_eq!((smaller.first().size, smaller.sizes()), (seven, supported.sizes()));
        let refused = supported.clone().with_all_others().beginning_on(eight).unwrap_err();
        assert_eq!(refused.to_string(), "size 8 is not supported: this model plays 5, 7 and 9");
        assert_eq!(
            supported.rules(eight).unwrap_err().to_string(),
            "size 8 is not supported: this model plays 5, 7 and 9"
        );
        assert_eq!(SupportedRules::new::<Size>("incursion", &[]), Err(SupportedRulesError::NoSize));
        let wrong = SupportedRules::new("incursoin", &[nine]).unwrap_err();
        assert!(wrong.to_string().contains("incursion"));
    }

    #[test]
    fn open_rules_have_every_rule_set_on_every_size() {
        let [seven, nine, thirteen] = squares([7, 9, 13]);
        let own = SupportedRules::new("tile,komi=3", &[seven]).unwrap();
        let open = own.clone().with_all_others();
        assert_eq!((open.sizes(), open.first()), (own.sizes(), own.first()));
        assert_eq!(open.rules(nine), Ok(Rules::parse("tile,komi=3", 9).unwrap()));
        let long: Size = "9x4".parse().unwrap();
        assert_eq!(open.rules(long), Ok(Rules::parse("tile,komi=3", long).unwrap()));
        assert_eq!(open.rules(seven), own.rules(seven));
        let chinese = Rules::parse("go,suicide=false", 9).unwrap();
        let larger = Rules::parse("go,suicide=false", 13).unwrap();
        assert_eq!(open.resized(&chinese, thirteen), Ok(larger));
        let without_komi = Rules { komi: Komi::ZERO, ..own.first() };
        assert_eq!(open.resized(&without_komi, seven), own.rules(seven), "komi is the model's");
        let short = Rules { max_moves: 20, ..own.first() };
        let limit = |size| open.resized(&short, size).map(|rules| rules.max_moves);
        assert_eq!([seven, nine].map(limit), [Ok(20), Ok(20)]);
        assert!(own.rules(nine).is_err());
    }

    #[test]
    fn a_scope_is_many_rule_sets_on_the_sizes_of_the_first() {
        let mut scope = Scope::default();
        scope.add(&Rules::parse("go", 7).unwrap());
        scope.add(&Rules::parse("tile", 7).unwrap());
        let plain = SupportedRules::new("go", &[5_u8, 7]).unwrap();
        let wide = plain.clone().with_scope(Some(scope));
        let asks = |text: &str, size: u8| {
            let rules = Rules::parse(text, size).unwrap();
            [plain.has_learnt(&rules), wide.has_learnt(&rules)]
        };
        assert_eq!(asks("go,komi=3", 7), [true, true]);
        assert_eq!(asks("tile,end=area", 5), [false, true]);
        assert_eq!(asks("cushion", 7), [false, false]);
        assert_eq!(asks("tile", 9), [false, false]);
    }
}
