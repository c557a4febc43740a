//! Rules as KataGo's clients name them, beside ours.
//!
//! Their vocabulary is that of Go: a way to compare positions, suicide, and scoring. It can say what a few of our rule
//! sets are, and nothing about the others; for those our own `variant` and `rules` keys say what is played.

use engine::{Color, Ending, Family, Repetition, Rules, TileRule};
use serde_json::{Map, Value, json};

/// Rules asked for that are not those that this model plays.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}: this model plays {plays}")]
pub struct Disagreement {
    message: String,
    plays: String,
    /// Whether another rule set of ours was named, which is no misunderstanding.
    pub(crate) names_another: bool,
}

impl Disagreement {
    fn new(ours: &Rules, message: String, names_another: bool) -> Disagreement {
        Disagreement { message, plays: plays(ours), names_another }
    }

    /// Somebody wants to play other rules of ours.
    pub(crate) fn other_game(ours: &Rules, given: &Rules) -> Disagreement {
        Disagreement::new(ours, format!("these are the rules {}", plays(given)), true)
    }
}

fn plays(rules: &Rules) -> String {
    rules.variant().map_or_else(|| rules.to_string(), |variant| variant.to_string())
}

/// The keys of KataGo's rules that mean something to us, with their value for `rules`; the nearest where there is no
/// exact one, and then `exact` is `false`.
struct Keys {
    ko: &'static str,
    suicide: bool,
    exact: bool,
}

impl Keys {
    fn of(rules: &Rules) -> Keys {
        let (ko, is_ko_exact) = match rules.repetition {
            Repetition::Simple => ("SIMPLE", true),
            Repetition::PositionalSuperko => ("POSITIONAL", true),
            Repetition::SituationalSuperko => ("SITUATIONAL", true),
            Repetition::None
            | Repetition::Incursion
            | Repetition::MinimalIncursion
            | Repetition::Stoical
            | Repetition::HotStone => ("SIMPLE", false),
        };
        let is_go = match rules.family {
            Family::Go => true,
            Family::AlterIgo | Family::Conquest => false,
        };
        let is_area = match (rules.tiles, rules.end) {
            (TileRule::None, Ending::Area) => true,
            (TileRule::None | TileRule::Tile | TileRule::Cushion, Ending::PrisonerReturn)
            | (TileRule::Tile | TileRule::Cushion, Ending::Area) => false,
        };
        Keys { ko, suicide: rules.suicide, exact: is_ko_exact && is_go && is_area }
    }

    fn json(&self) -> Map<String, Value> {
        let keys = json!({
            "friendlyPassOk": false,
            "hasButton": false,
            "ko": self.ko,
            "scoring": "AREA",
            "suicide": self.suicide,
            "tax": "NONE",
            "whiteHandicapBonus": "0",
        });
        match keys {
            Value::Object(keys) => keys,
            _ => Map::new(),
        }
    }
}

/// What `kata-get-rules` answers.
pub(crate) fn rules_json(rules: &Rules) -> Value {
    let mut keys = Keys::of(rules).json();
    keys.insert("variant".to_owned(), plays(rules).into());
    keys.insert("rules".to_owned(), rules.to_string().into());
    Value::Object(keys)
}

/// What a shorthand such as `chinese` stands for: ko, suicide and what differs from area scoring without tax or button.
fn shorthand(name: &str) -> Option<(&'static str, bool, bool)> {
    Some(match name.to_ascii_lowercase().replace('_', "-").as_str() {
        "tromp-taylor" => ("POSITIONAL", true, true),
        "chinese" => ("SIMPLE", false, true),
        "chinese-ogs" | "chinese-kgs" => ("POSITIONAL", false, true),
        "japanese" | "korean" | "stone-scoring" | "ancient-territory" => ("SIMPLE", false, false),
        "ancient-area" => ("SIMPLE", false, false),
        "aga" | "bga" | "french" => ("SITUATIONAL", false, true),
        "aga-button" => ("SITUATIONAL", false, false),
        "new-zealand" | "nz" => ("SITUATIONAL", true, true),
        "goe" | "ing" => ("POSITIONAL", true, true),
        _ => return None,
    })
}

/// Whether rules given as text or as KataGo's object are the ones that are played, komi and move limit aside. A text
/// that begins with `{` is such an object.
///
/// # Errors
/// They are others, or nobody knows what they are.
pub(crate) fn agree(ours: &Rules, given: &Value) -> Result<(), Disagreement> {
    match given {
        Value::String(text) if text.trim_start().starts_with('{') => {
            match serde_json::from_str(text) {
                Ok(Value::Object(keys)) => agree_by_keys(ours, &keys),
                Ok(_) | Err(_) => {
                    Err(Disagreement::new(ours, "these rules are no JSON object".to_owned(), false))
                }
            }
        }
        Value::String(text) => agree_by_name(ours, text.trim()),
        Value::Object(keys) => agree_by_keys(ours, keys),
        _ => Err(Disagreement::new(ours, "rules are a name or an object".to_owned(), false)),
    }
}

fn agree_by_name(ours: &Rules, text: &str) -> Result<(), Disagreement> {
    if let Ok(given) = Rules::parse(text, ours.size) {
        return if given.kind_hash() == ours.kind_hash() {
            Ok(())
        } else {
            Err(Disagreement::other_game(ours, &given))
        };
    }
    let keys = Keys::of(ours);
    match shorthand(text) {
        Some((ko, suicide, plain))
            if keys.exact && plain && (ko, suicide) == (keys.ko, keys.suicide) =>
        {
            Ok(())
        }
        Some(_) => Err(Disagreement::new(ours, format!("'{text}' are other rules"), false)),
        None => Err(Disagreement::new(ours, format!("unknown rules '{text}'"), false)),
    }
}

fn agree_by_keys(ours: &Rules, keys: &Map<String, Value>) -> Result<(), Disagreement> {
    for name in ["variant", "rules"] {
        match keys.get(name) {
            None => {}
            Some(Value::String(text)) => agree_by_name(ours, text.trim())?,
            Some(other) => {
                let message = format!("'{name}' is no name: {other}");
                return Err(Disagreement::new(ours, message, false));
            }
        }
    }
    keys.iter().try_for_each(|(key, value)| agree_on(ours, key, value))?;
    if Keys::of(ours).exact || keys.contains_key("variant") || keys.contains_key("rules") {
        return Ok(());
    }
    let message = format!("these keys cannot name its rules, \"variant\":\"{}\" can", plays(ours));
    Err(Disagreement::new(ours, message, false))
}

/// Whether one of KataGo's keys has the value that it has for `ours`.
///
/// # Errors
/// It has another, or there is no such key.
pub(crate) fn agree_on(ours: &Rules, key: &str, value: &Value) -> Result<(), Disagreement> {
    if key == "variant" || key == "rules" {
        return agree_by_name(ours, value.as_str().unwrap_or_default());
    }
    let Some(expected) = Keys::of(ours).json().remove(key) else {
        return Err(Disagreement::new(ours, format!("unknown rule '{key}'"), false));
    };
    // Handicap stones get nothing here, whatever a client adds for them; and whether a pass between friends ends the
    // game does not matter to a program that plays on.
    let is_free = key == "friendlyPassOk" || key == "whiteHandicapBonus";
    let same = match (&expected, value) {
        (Value::String(expected), Value::String(given)) => expected.eq_ignore_ascii_case(given),
        (Value::Bool(expected), Value::String(given)) => {
            expected.to_string().eq_ignore_ascii_case(given)
        }
        (expected, given) => expected == given,
    };
    if is_free || same {
        Ok(())
    } else {
        let message = format!("rule '{key}' cannot be {value}, it is {expected}");
        Err(Disagreement::new(ours, message, false))
    }
}

/// Who a client means by `b`, `white` and the like.
pub(crate) fn named_color(text: &str) -> Option<Color> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Some(Color::Black),
        "w" | "white" => Some(Color::White),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use engine::Variant;

    use super::*;

    #[test]
    fn every_rule_set_agrees_with_its_own_description_and_no_other() {
        for variant in Variant::ALL {
            let ours = variant.rules(9).unwrap();
            let described = rules_json(&ours);
            assert_eq!(described["variant"], variant.name());
            for given in Variant::ALL {
                let other = rules_json(&given.rules(9).unwrap());
                assert_eq!(agree(&ours, &other).is_ok(), variant == given, "{variant} {given}");
                let named = agree(&ours, &json!(given.name()));
                assert_eq!(named.is_ok(), variant == given, "{variant} {given}");
                assert!(named.is_ok() || named.unwrap_err().names_another);
            }
            assert!(agree(&ours, &described.to_string().into()).is_ok(), "as text, too");
        }
    }

    #[test]
    fn the_rules_of_other_programs_are_taken_only_where_they_are_ours() {
        let go = Variant::Go.rules(9).unwrap();
        assert!(agree(&go, &json!("tromp-taylor")).is_ok());
        assert!(agree(&go, &json!("Tromp-Taylor")).is_ok());
        let keys = json!({"ko": "POSITIONAL", "scoring": "AREA", "suicide": true, "tax": "NONE",
            "hasButton": false, "whiteHandicapBonus": "N-1"});
        assert!(agree(&go, &keys).is_ok());
        for given in ["japanese", "chinese", "aga", "new-zealand", "no such rules", "{", "{}x"] {
            let refused = agree(&go, &json!(given)).unwrap_err();
            assert!(!refused.names_another, "{given}");
            assert!(refused.to_string().ends_with("this model plays go"), "{refused}");
        }
        for given in [json!({"ko": "SIMPLE"}), json!({"scoring": "TERRITORY"}), json!(3)] {
            assert!(agree(&go, &given).is_err(), "{given}");
        }
        let tile = Variant::Tile.rules(9).unwrap();
        let refused = agree(&tile, &keys).unwrap_err().to_string();
        assert_eq!(
            refused,
            "rule 'ko' cannot be \"POSITIONAL\", it is \"SIMPLE\": this model plays tile"
        );
        let refused = agree(&tile, &json!({"ko": "SIMPLE"})).unwrap_err().to_string();
        assert!(refused.contains("\"variant\":\"tile\" can"), "{refused}");
    }
}
