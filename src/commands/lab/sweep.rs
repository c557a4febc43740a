//! The values of one part of the rules.

use std::str::FromStr;

/// Maximum number of values, so that comparing them takes hours rather than days.
const MAX_VALUES: usize = 50;

/// A part of the rules with the values that are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sweep {
    part: String,
    values: Vec<String>,
}

impl Sweep {
    /// The rule sets: `rules` with the part set to each of the values.
    pub fn of(&self, rules: &str) -> Vec<String> {
        let is_other = |text: &&str| text.split('=').next().map(str::trim) != Some(&self.part);
        let others: Vec<&str> = rules.split(',').filter(is_other).collect();
        let others = others.join(",");
        self.values.iter().map(|value| format!("{others},{}={value}", self.part)).collect()
    }
}

impl FromStr for Sweep {
    type Err = String;

    fn from_str(text: &str) -> Result<Sweep, String> {
        let form = || {
            format!(
                "'{text}': expected a part and its values, as in tile_limit=1..3 or ban=none,incursion"
            )
        };
        let (part, values) = text.split_once('=').ok_or_else(form)?;
        let values: Vec<String> = match values.split_once("..") {
            Some((first, last)) => {
                let number = |text: &str| text.trim().parse::<i32>().map_err(|_| form());
                let (first, last) = (number(first)?, number(last)?);
                if last.abs_diff(first) as usize >= MAX_VALUES {
                    return Err(format!("'{text}': expected at most {MAX_VALUES} values"));
                }
                (first..=last).map(|value| value.to_string()).collect()
            }
            None => values.split(',').map(|value| value.trim().to_owned()).collect(),
        };
        if part.trim().is_empty() || values.is_empty() || values.iter().any(String::is_empty) {
            return Err(form());
        }
        Ok(Sweep { part: part.trim().to_owned(), values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_listed_or_counted() {
        let swept = |text: &str| text.parse::<Sweep>().map(|sweep| sweep.of("tile"));
        let counted = ["tile,tile_limit=1", "tile,tile_limit=2", "tile,tile_limit=3"];
        assert_eq!(swept("tile_limit=1..3").expect("values"), counted);
        assert_eq!(
            swept("end=area, no-pass").expect("values"),
            ["tile,end=area", "tile,end=no-pass"]
        );
        let replaced =
            "tile_limit=1..2".parse::<Sweep>().expect("values").of("cushion,tile_limit=2,komi=3");
        assert_eq!(replaced, ["cushion,komi=3,tile_limit=1", "cushion,komi=3,tile_limit=2"]);
        assert!(swept("komi=1..2000000000").expect_err("too many").contains("at most 50"));
        for text in ["tile_limit", "tile_limit=", "=1..3", "tile_limit=3..1", "tile_limit=a..b"] {
            assert!(swept(text).is_err(), "{text}");
        }
    }
}
