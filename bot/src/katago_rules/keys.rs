//! KataGo's keys of rules.

use engine::{KoRule, Rules, Variant};
use game::{GO_NAMES, GoName};
use serde_json::{Map, Value, json};

use super::mismatch::{RulesMismatch, plays};

/// KataGo's keys with their values for `rules`, or the nearest ones if there is no exact match;
/// then `exact` is `false`.
pub struct Keys {
    pub ko: KoRule,
    pub suicide: bool,
    pub exact: bool,
}

/// KataGo's words for ways to compare positions.
const KO_WORDS: [(KoRule, &str); 3] = [
    (KoRule::Simple, "SIMPLE"),
    (KoRule::Positional, "POSITIONAL"),
    (KoRule::Situational, "SITUATIONAL"),
];

fn ko_word(ko: KoRule) -> &'static str {
    KO_WORDS.iter().find(|(rule, _)| *rule == ko).map_or("", |(_, word)| word)
}

impl Keys {
    pub fn of(rules: &Rules) -> Keys {
        let plain = rules.as_plain_go();
        Keys {
            ko: plain.unwrap_or(KoRule::Simple),
            suicide: rules.has_suicide() && rules.captures_as_go(),
            exact: plain.is_some(),
        }
    }

    fn json(&self) -> Map<String, Value> {
        let keys = json!({
            "friendlyPassOk": false,
            "hasButton": false,
            "ko": ko_word(self.ko),
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

/// The reply of `kata-get-rules`.
pub fn rules_json(rules: &Rules) -> Value {
    let mut keys = Keys::of(rules).json();
    keys.insert("variant".to_owned(), plays(rules).into());
    keys.insert("rules".to_owned(), rules.to_string().into());
    Value::Object(keys)
}

/// The common name of these rules, if any: `chinese`.
pub fn go_name(rules: &Rules) -> Option<&'static str> {
    let keys = Keys::of(rules);
    let matches_keys = |name: &&GoName| {
        keys.exact && name.counts_area && (name.ko, name.suicide) == (keys.ko, keys.suicide)
    };
    GO_NAMES.iter().find(matches_keys).map(|name| name.name)
}

/// Returns `ours` if KataGo's keys describe it completely, or else the variant that they describe.
pub fn of_keys(ours: &Rules) -> Result<Rules, RulesMismatch> {
    let mut all = Variant::ALL.into_iter().filter_map(|variant| variant.rules(ours.size).ok());
    let exact = Some(*ours).filter(|ours| Keys::of(ours).exact);
    exact
        .or_else(|| all.find(|rules| Keys::of(rules).exact))
        .ok_or_else(|| RulesMismatch::unplayable("no rules have such keys".to_owned()))
}

pub fn with_key(rules: Rules, key: &str, value: &Value) -> Result<Rules, RulesMismatch> {
    let is_same = agree_on(&rules, key, value);
    let Keys { ko, suicide, exact } = Keys::of(&rules);
    match (key, value) {
        _ if is_same.is_ok() || !exact => is_same.map(|()| rules),
        ("ko", Value::String(word)) => {
            let known = KO_WORDS.iter().find(|(_, known)| known.eq_ignore_ascii_case(word));
            let message = format!("rule 'ko' cannot be \"{word}\"");
            let (ko, _) = known.ok_or_else(|| RulesMismatch::unplayable(message))?;
            Ok(plain_go(&rules, *ko, suicide))
        }
        // There are only two values, and this is the other one.
        ("suicide", Value::Bool(suicide)) => Ok(plain_go(&rules, ko, *suicide)),
        ("suicide", Value::String(word)) if word.parse::<bool>().is_ok() => {
            Ok(plain_go(&rules, ko, !suicide))
        }
        _ => Err(RulesMismatch::unplayable(format!("rule '{key}' cannot be {value}"))),
    }
}

/// Plain Go with the size, komi and move limit of `rules`.
pub fn plain_go(rules: &Rules, ko: KoRule, suicide: bool) -> Rules {
    let plain = Rules::plain_go(rules.size, ko, suicide);
    Rules { komi: rules.komi, max_moves: rules.max_moves, ..plain }
}

/// Checks that one of KataGo's keys has the value that it has for `ours`.
///
/// # Errors
/// The key has another value, or does not exist.
pub fn agree_on(ours: &Rules, key: &str, value: &Value) -> Result<(), RulesMismatch> {
    let Some(expected) = Keys::of(ours).json().remove(key) else {
        return Err(RulesMismatch::new(ours, format!("unknown rule '{key}'"), false));
    };
    // Compensation for handicap stones is not part of our rules, and is a separate field in
    // queries; and whether a friendly pass ends the game does not matter to a program that plays
    // on.
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
        Err(RulesMismatch::new(ours, message, false))
    }
}
