//! Rule sets as text: `tile,end=area,tile_limit=2,komi=6.5`.

use crate::rules::field::Field;
use crate::rules::fields::{FIELDS, OLD_SPELLINGS};
use crate::rules::ruleset::Rules;
use crate::{RulesError, Size, Variant};

impl Rules {
    /// Reads a variant's name followed by `field=value` changes, separated by commas, for a board
    /// of `size`.
    ///
    /// ```
    /// use engine::Rules;
    ///
    /// let rules = Rules::parse("tile,end=area,komi=6.5", 9)?;
    /// assert_eq!(rules.to_string(), "tile,end=area,komi=6.5");
    /// assert!(rules.has_tiles() && rules.has_score());
    /// # Ok::<(), engine::RulesError>(())
    /// ```
    ///
    /// # Errors
    /// An unknown word (the error names the nearest known one), an invalid value or size, a field
    /// given twice, or a field that the chosen parts do not use.
    pub fn parse<S: TryInto<Size>>(text: &str, size: S) -> Result<Rules, RulesError>
    where
        RulesError: From<S::Error>,
    {
        let mut parts = text.split(',').map(str::trim);
        let name = parts.next().unwrap_or_default();
        if name.contains('=') {
            return Err(RulesError::Syntax(name.to_owned()));
        }
        let mut rules = name.parse::<Variant>()?.rules(size)?;
        let mut given: Vec<&'static Field> = Vec::new();
        let mut set = |rules: &mut Rules, key: &str, value: &str| {
            let field = Field::named(key)?;
            if given.iter().any(|earlier| earlier.name == field.name) {
                return Err(RulesError::Twice(field.name));
            }
            given.push(field);
            field.read(rules, value)
        };
        for part in parts {
            let (key, value) =
                part.split_once('=').ok_or_else(|| RulesError::Syntax(part.to_owned()))?;
            let (key, value) = (key.trim(), value.trim());
            match OLD_SPELLINGS.iter().find(|(field, word, _)| (*field, *word) == (key, value)) {
                Some((_, _, both)) => {
                    both.iter().try_for_each(|(key, value)| set(&mut rules, key, value))?;
                }
                None => set(&mut rules, key, value)?,
            }
        }
        rules.settle_unused(&given)?;
        Ok(rules)
    }

    /// Whether a text such as `go,komi=3` sets a given part (here `komi`), rather than leaving it
    /// to the variant.
    pub fn names(text: &str, part: &str) -> bool {
        let mut keys = text.split(',').filter_map(|part| part.split_once('='));
        keys.any(|(key, _)| key.trim() == part)
    }

    /// Refuses every `given` field that the other parts do not use, and resets all other unused
    /// fields to their defaults (they came with the variant, whose other parts have been replaced).
    /// Unused komi and move limit may be given if they equal their defaults.
    fn settle_unused(&mut self, given: &[&'static Field]) -> Result<(), RulesError> {
        for field in FIELDS {
            let Some(reason) = (field.unused)(self) else { continue };
            let is_given = given.iter().any(|other| other.name == field.name);
            if is_given && !(field.is_detail && field.is_default(self)) {
                return Err(RulesError::Unused { field: field.name, reason });
            }
            field.reset(self);
        }
        Ok(())
    }

    /// Resets every field that the other parts do not use to its default.
    pub(crate) fn drop_unused(&mut self) {
        for field in FIELDS.iter() {
            if !field.is_used(self) {
                field.reset(self);
            }
        }
    }

    /// Every used field as `field=value`: the parts that a listing shows.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        let used = FIELDS.iter().filter(|field| field.is_used(self));
        used.map(|field| (field.name, field.write(self))).collect()
    }
}

impl std::fmt::Display for Rules {
    /// Writes the nearest variant's name and what differs from it; [`Rules::parse`] reads it back
    /// for the same size.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (variant, changes) = self.nearest_variant();
        f.write_str(variant.name())?;
        changes.iter().try_for_each(|field| write!(f, ",{}={}", field.name, field.write(self)))
    }
}
