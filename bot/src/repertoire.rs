//! The rule sets that a player can be asked to play: one rule text on the sizes that its model knows.

use engine::{Family, Komi, Rules, RulesError};

use crate::words::list;

/// The rules a player offers, one set for each board size. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repertoire {
    rules: Vec<Rules>,
}

impl Repertoire {
    /// The rules that `text` names (`tile`, `incursion,komi=6.5`) on every size of `sizes`.
    ///
    /// # Errors
    /// A text that is no rule set, and an empty list of sizes.
    pub fn new(text: &str, sizes: &[u8]) -> Result<Repertoire, RepertoireError> {
        let mut sizes = sizes.to_vec();
        sizes.sort_unstable();
        sizes.dedup();
        let rules =
            sizes.iter().map(|&size| Rules::parse(text, size)).collect::<Result<Vec<_>, _>>()?;
        if rules.is_empty() { Err(RepertoireError::NoSize) } else { Ok(Repertoire { rules }) }
    }

    /// The rules on a board of `size`.
    ///
    /// # Errors
    /// The size is not offered; the error says which are.
    pub fn rules(&self, size: usize) -> Result<Rules, UnknownSize> {
        self.rules
            .iter()
            .find(|rules| usize::from(rules.size) == size)
            .copied()
            .ok_or_else(|| UnknownSize { size, offered: self.sizes() })
    }

    /// The sizes offered, ascending.
    pub fn sizes(&self) -> Vec<u8> {
        self.rules.iter().map(|rules| rules.size).collect()
    }

    /// The largest board offered.
    pub fn largest(&self) -> Rules {
        self.rules[self.rules.len() - 1]
    }
}

/// Why there is no repertoire.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RepertoireError {
    /// The text is no rule set.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// No board size to play on.
    #[error("no board size is given")]
    NoSize,
}

/// A board size that the player does not know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("size {size} is not supported: this model plays {}", list(&offered.iter().map(u8::to_string).collect::<Vec<_>>()))]
pub struct UnknownSize {
    /// The size asked for.
    pub size: usize,
    /// The sizes offered.
    pub offered: Vec<u8>,
}

/// Whether komi means anything in these rules.
pub(crate) fn has_komi(rules: &Rules) -> bool {
    match rules.family {
        Family::Go | Family::Conquest => true,
        Family::AlterIgo => false,
    }
}

/// The rules under another komi; unchanged where they have none.
pub(crate) fn with_komi(rules: Rules, komi: Komi) -> Rules {
    if has_komi(&rules) { Rules { komi, ..rules } } else { rules }
}

/// The komi of our rules that is nearest to what a client asks for: they know half points up to a limit, and
/// clients know fractions such as 3.75. `None` if it is no number at all.
pub(crate) fn nearest_komi(points: f32) -> Option<Komi> {
    if !points.is_finite() {
        return None;
    }
    Komi::new((points.clamp(-Komi::LIMIT, Komi::LIMIT) * 2.0).round() / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_named_in_the_error() {
        let repertoire = Repertoire::new("incursion", &[9, 7, 7, 5]).unwrap();
        assert_eq!(repertoire.sizes(), [5, 7, 9]);
        assert_eq!(repertoire.largest().size, 9);
        assert_eq!(
            repertoire.rules(8).unwrap_err().to_string(),
            "size 8 is not supported: this model plays 5, 7 and 9"
        );
        assert_eq!(Repertoire::new("incursion", &[]), Err(RepertoireError::NoSize));
        assert!(Repertoire::new("incursoin", &[9]).unwrap_err().to_string().contains("incursion"));
    }

    #[test]
    fn any_number_is_a_komi() {
        for (asked, given) in [(6.5, 6.5), (3.75, 4.0), (-0.2, 0.0), (1e9, 400.0), (-1e30, -400.0)]
        {
            assert_eq!(nearest_komi(asked).map(Komi::value), Some(given), "{asked}");
        }
        assert_eq!(nearest_komi(f32::NAN), None);
        assert_eq!(nearest_komi(f32::INFINITY), None);
    }
}
