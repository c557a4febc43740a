//! Rule sets as text: `tile,end=area,tile_limit=2,komi=6.5`.

use std::fmt::Write;

use crate::{Ending, Family, Komi, Repetition, Rules, RulesError, Scoring, TileRule, Variant};

/// The fields that may follow a variant's name.
const FIELDS: [&str; 12] = [
    "family",
    "repetition",
    "suicide",
    "tiles",
    "tile_limit",
    "end",
    "passes_to_end",
    "komi",
    "max_cycle",
    "white_passes",
    "scoring",
    "max_moves",
];

/// A closed set of words, one for each value of an axis.
trait Words: Copy + PartialEq + Sized + 'static {
    const WORDS: &'static [(&'static str, Self)];
    const EXPECTED: &'static str;

    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, value)| *value == self).map_or("", |(word, _)| word)
    }

    fn read(field: &'static str, text: &str) -> Result<Self, RulesError> {
        Self::WORDS
            .iter()
            .find(|(word, _)| *word == text)
            .map(|&(_, value)| value)
            .ok_or_else(|| bad(field, text, Self::EXPECTED))
    }
}

impl Words for Family {
    const WORDS: &'static [(&'static str, Family)] =
        &[("go", Family::Go), ("alter-igo", Family::AlterIgo), ("conquest", Family::Conquest)];
    const EXPECTED: &'static str = "go, alter-igo or conquest";
}

impl Words for Repetition {
    const WORDS: &'static [(&'static str, Repetition)] = &[
        ("none", Repetition::None),
        ("simple", Repetition::Simple),
        ("positional-superko", Repetition::PositionalSuperko),
        ("situational-superko", Repetition::SituationalSuperko),
        ("incursion", Repetition::Incursion),
        ("minimal-incursion", Repetition::MinimalIncursion),
        ("stoical", Repetition::Stoical),
        ("hot-stone", Repetition::HotStone),
    ];
    const EXPECTED: &'static str = "none, simple, positional-superko, situational-superko, incursion, \
                                    minimal-incursion, stoical or hot-stone";
}

impl Words for TileRule {
    const WORDS: &'static [(&'static str, TileRule)] =
        &[("none", TileRule::None), ("tile", TileRule::Tile), ("cushion", TileRule::Cushion)];
    const EXPECTED: &'static str = "none, tile or cushion";
}

impl Words for Ending {
    const WORDS: &'static [(&'static str, Ending)] =
        &[("area", Ending::Area), ("prisoner-return", Ending::PrisonerReturn)];
    const EXPECTED: &'static str = "area or prisoner-return";
}

impl Words for Scoring {
    const WORDS: &'static [(&'static str, Scoring)] =
        &[("territory", Scoring::Territory), ("pure", Scoring::Pure)];
    const EXPECTED: &'static str = "territory or pure";
}

impl Words for bool {
    const WORDS: &'static [(&'static str, bool)] = &[("true", true), ("false", false)];
    const EXPECTED: &'static str = "true or false";
}

fn bad(field: &'static str, given: &str, expected: &'static str) -> RulesError {
    RulesError::Value { field, given: given.to_owned(), expected }
}

/// Whether a field may differ between games of one variant.
fn is_detail(field: &str) -> bool {
    matches!(field, "komi" | "max_moves")
}

fn number(
    field: &'static str,
    text: &str,
    range: std::ops::RangeInclusive<u16>,
    expected: &'static str,
) -> Result<u16, RulesError> {
    text.parse().ok().filter(|n| range.contains(n)).ok_or_else(|| bad(field, text, expected))
}

impl Rules {
    /// Reads a variant's name followed by `field=value` changes, separated by commas, for a board of `size`.
    ///
    /// # Errors
    /// Unknown words come with the nearest right one; a field that the chosen parts do not use is refused by name.
    pub fn parse(text: &str, size: u8) -> Result<Rules, RulesError> {
        let mut parts = text.split(',').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let mut rules = name.parse::<Variant>()?.rules(size)?;
        let mut given: Vec<&'static str> = Vec::new();
        for part in parts {
            let (key, value) =
                part.split_once('=').ok_or_else(|| RulesError::Syntax(part.to_owned()))?;
            let (key, value) = (key.trim(), value.trim());
            let field = FIELDS
                .into_iter()
                .find(|&field| field == key)
                .ok_or_else(|| RulesError::unknown("rules field", key, FIELDS.into_iter()))?;
            if given.contains(&field) {
                return Err(RulesError::Twice(field));
            }
            given.push(field);
            rules.set(field, value)?;
        }
        rules.settle_unused(&given)?;
        Ok(rules)
    }

    fn set(&mut self, field: &'static str, text: &str) -> Result<(), RulesError> {
        match field {
            "family" => self.family = Family::read(field, text)?,
            "repetition" => self.repetition = Repetition::read(field, text)?,
            "suicide" => self.suicide = bool::read(field, text)?,
            "tiles" => self.tiles = TileRule::read(field, text)?,
            "tile_limit" => self.tile_limit = number(field, text, 1..=9, "1 to 9")? as u8,
            "end" => self.end = Ending::read(field, text)?,
            "passes_to_end" => self.passes_to_end = number(field, text, 2..=3, "2 or 3")? as u8,
            "komi" => {
                self.komi = text.parse().ok().and_then(Komi::new).ok_or_else(|| {
                    bad(field, text, "a multiple of one half between -400 and 400")
                })?;
            }
            "max_cycle" => {
                let expected = "an even number from 2 to 10";
                self.max_cycle = number(field, text, 2..=10, expected)? as u8;
                if self.max_cycle % 2 == 1 {
                    return Err(bad(field, text, expected));
                }
            }
            "white_passes" => self.white_passes = number(field, text, 0..=1000, "0 to 1000")?,
            "scoring" => self.scoring = Scoring::read(field, text)?,
            "max_moves" => self.max_moves = number(field, text, 1..=60_000, "1 to 60000")?,
            _ => return Err(RulesError::unknown("rules field", field, FIELDS.into_iter())),
        }
        Ok(())
    }

    /// Refuses every `given` field that the parts do not use, and puts the others of that kind back to their defaults
    /// (they came with the variant whose other parts have been replaced).
    fn settle_unused(&mut self, given: &[&'static str]) -> Result<(), RulesError> {
        let plain = Rules::plain(self.size)?;
        if self.family == Family::AlterIgo && self.komi != Komi::ZERO {
            if given.contains(&"komi") {
                return Err(RulesError::Unused {
                    field: "komi",
                    reason: "alter-igo has no score; give White passes instead",
                });
            }
            self.komi = Komi::ZERO;
        }
        for field in FIELDS {
            let Some(reason) = self.unused(field) else { continue };
            if given.contains(&field) {
                return Err(RulesError::Unused { field, reason });
            }
            match field {
                "repetition" => self.repetition = plain.repetition,
                "suicide" => self.suicide = plain.suicide,
                "tiles" => self.tiles = plain.tiles,
                "tile_limit" => self.tile_limit = plain.tile_limit,
                "end" => self.end = plain.end,
                "passes_to_end" => self.passes_to_end = plain.passes_to_end,
                "max_cycle" => self.max_cycle = plain.max_cycle,
                "white_passes" => self.white_passes = plain.white_passes,
                "scoring" => self.scoring = plain.scoring,
                _ => {}
            }
        }
        Ok(())
    }

    /// Why the chosen parts do not use `field`; `None` if they do.
    fn unused(&self, field: &str) -> Option<&'static str> {
        let go = self.family == Family::Go;
        match field {
            "repetition" | "suicide" | "tiles" | "end" if !go => Some("only the go family has it"),
            "passes_to_end" if !go || self.end == Ending::PrisonerReturn => {
                Some("only a go game that ends by area has it")
            }
            "tile_limit" if !go || self.tiles == TileRule::None => Some("the rules have no tiles"),
            "max_cycle" if !go || self.repetition != Repetition::HotStone => {
                Some("only repetition=hot-stone has it")
            }
            "white_passes" if self.family != Family::AlterIgo => Some("only alter-igo has it"),
            "scoring" if self.family != Family::Conquest => Some("only conquest has it"),
            _ => None,
        }
    }

    fn value_of(&self, field: &str) -> String {
        match field {
            "family" => self.family.word().to_owned(),
            "repetition" => self.repetition.word().to_owned(),
            "suicide" => self.suicide.word().to_owned(),
            "tiles" => self.tiles.word().to_owned(),
            "tile_limit" => self.tile_limit.to_string(),
            "end" => self.end.word().to_owned(),
            "passes_to_end" => self.passes_to_end.to_string(),
            "komi" => self.komi.value().to_string(),
            "max_cycle" => self.max_cycle.to_string(),
            "white_passes" => self.white_passes.to_string(),
            "scoring" => self.scoring.word().to_owned(),
            "max_moves" => self.max_moves.to_string(),
            _ => String::new(),
        }
    }

    /// Every used field as `field=value`, the parts that a listing shows.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        FIELDS
            .into_iter()
            .filter(|field| self.unused(field).is_none())
            .map(|field| (field, self.value_of(field)))
            .collect()
    }

    pub(crate) fn write_every_field(&self, text: &mut String) {
        for field in FIELDS {
            // Writing to a String cannot fail.
            let _ = write!(text, "{field}={};", self.value_of(field));
        }
    }

    /// The named variant that needs the fewest changes to give these rules, and those changes. Komi and the move limit
    /// weigh less than all others: the komi that one variant has by itself makes no other variant out of it.
    fn nearest_variant(&self) -> (Variant, Vec<&'static str>) {
        let changes = |variant: Variant| -> Vec<&'static str> {
            let Ok(named) = variant.rules(self.size) else { return FIELDS.to_vec() };
            FIELDS
                .into_iter()
                .filter(|field| {
                    self.unused(field).is_none() && self.value_of(field) != named.value_of(field)
                })
                .collect()
        };
        Variant::ALL
            .into_iter()
            .map(|variant| (variant, changes(variant)))
            .min_by_key(|(_, changes)| {
                (changes.iter().filter(|field| !is_detail(field)).count(), changes.len())
            })
            .unwrap_or((Variant::ALL[0], Vec::new()))
    }

    /// The variant's name if these rules differ from it in komi and the move limit at most.
    pub fn variant(&self) -> Option<Variant> {
        let (variant, changes) = self.nearest_variant();
        changes.iter().all(|field| is_detail(field)).then_some(variant)
    }
}

impl std::fmt::Display for Rules {
    /// The nearest variant's name and what differs from it; [`Rules::parse`] reads it back for the same size.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (variant, changes) = self.nearest_variant();
        f.write_str(variant.name())?;
        changes.iter().try_for_each(|field| write!(f, ",{field}={}", self.value_of(field)))
    }
}
