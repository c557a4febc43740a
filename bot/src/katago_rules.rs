//! Rules as named by KataGo's clients, and ours.
//!
//! Their vocabulary is that of Go: a way to compare positions, suicide, and scoring. It can express a few of our rule
//! sets; for the others our own `variant` and `rules` keys name the rules.

use engine::{Color, KoRule, Komi, Rules, Variant};
use serde_json::{Map, Value, json};

/// Requested rules that are not played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}: {plays}")]
pub struct RulesMismatch {
    message: String,
    plays: String,
    /// Whether another rule set of ours was named, rather than an unknown one.
    pub(crate) names_another: bool,
}

impl RulesMismatch {
    fn new(ours: &Rules, message: String, names_another: bool) -> RulesMismatch {
        RulesMismatch { message, plays: format!("this model plays {}", plays(ours)), names_another }
    }

    /// The error of a player of any rules.
    fn unplayable(message: String) -> RulesMismatch {
        let names: Vec<&str> = SHORTHANDS.iter().map(|shorthand| shorthand.name).collect();
        let variants: Vec<&str> = Variant::ALL.iter().map(|variant| variant.name()).collect();
        let plays = format!(
            "available rules are {}, {} and changes to these, such as {}",
            names.join(", "),
            variants.join(", "),
            "go,repetition=simple,suicide=false"
        );
        RulesMismatch { message, plays, names_another: false }
    }

    /// The error for other rules of ours.
    pub(crate) fn other_game(ours: &Rules, given: &Rules) -> RulesMismatch {
        RulesMismatch::new(ours, format!("these are the rules {}", plays(given)), true)
    }
}

fn plays(rules: &Rules) -> String {
    rules.variant().map_or_else(|| rules.to_string(), |variant| variant.to_string())
}

/// KataGo's keys with their values for `rules`; the nearest if there is no exact one, and then `exact` is `false`.
struct Keys {
    ko: KoRule,
    suicide: bool,
    exact: bool,
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
    fn of(rules: &Rules) -> Keys {
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
pub(crate) fn rules_json(rules: &Rules) -> Value {
    let mut keys = Keys::of(rules).json();
    keys.insert("variant".to_owned(), plays(rules).into());
    keys.insert("rules".to_owned(), rules.to_string().into());
    Value::Object(keys)
}

/// What a name such as `chinese` stands for.
struct Shorthand {
    name: &'static str,
    ko: KoRule,
    suicide: bool,
    /// Whether the points are those of area scoring, with neither tax nor button.
    plain: bool,
}

const fn named(name: &'static str, ko: KoRule, suicide: bool, plain: bool) -> Shorthand {
    Shorthand { name, ko, suicide, plain }
}

/// The names that KataGo knows.
const SHORTHANDS: [Shorthand; 17] = [
    named("tromp-taylor", KoRule::Positional, true, true),
    named("chinese", KoRule::Simple, false, true),
    named("chinese-ogs", KoRule::Positional, false, true),
    named("chinese-kgs", KoRule::Positional, false, true),
    named("japanese", KoRule::Simple, false, false),
    named("korean", KoRule::Simple, false, false),
    named("stone-scoring", KoRule::Simple, false, false),
    named("ancient-territory", KoRule::Simple, false, false),
    named("ancient-area", KoRule::Simple, false, false),
    named("aga", KoRule::Situational, false, true),
    named("bga", KoRule::Situational, false, true),
    named("french", KoRule::Situational, false, true),
    named("aga-button", KoRule::Situational, false, false),
    named("new-zealand", KoRule::Situational, true, true),
    named("nz", KoRule::Situational, true, true),
    named("goe", KoRule::Positional, true, true),
    named("ing", KoRule::Positional, true, true),
];

fn shorthand(name: &str) -> Option<&'static Shorthand> {
    let name = name.to_ascii_lowercase().replace(['_', ' '], "-");
    SHORTHANDS.iter().find(|shorthand| shorthand.name == name)
}

/// The common name of these rules, if any: `chinese`.
pub fn go_name(rules: &Rules) -> Option<&'static str> {
    let keys = Keys::of(rules);
    let is_it = |shorthand: &&Shorthand| {
        keys.exact
            && shorthand.plain
            && (shorthand.ko, shorthand.suicide) == (keys.ko, keys.suicide)
    };
    SHORTHANDS.iter().find(is_it).map(|shorthand| shorthand.name)
}

/// Requested rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Meant {
    pub rules: Rules,
    /// How they differ from the request.
    pub remark: Option<String>,
}

/// The rules that a text or KataGo's object names, for a board and in place of `ours`, for players of any rules.
/// Names of rules with other scoring mean the nearest area rules, because clients send `japanese` by default; keys are
/// taken literally.
///
/// # Errors
/// They name no rules, or rules that are not played.
pub(crate) fn meant(ours: &Rules, given: &Value) -> Result<Meant, RulesMismatch> {
    match given {
        Value::String(text) if text.trim_start().starts_with('{') => match object_in(text) {
            Some(keys) => meant_by_keys(ours, &keys),
            None => Err(RulesMismatch::unplayable("these rules are not a JSON object".to_owned())),
        },
        Value::String(text) => meant_by_name(ours, text.trim()),
        Value::Object(keys) => meant_by_keys(ours, keys),
        _ => Err(RulesMismatch::unplayable("rules are a name or an object".to_owned())),
    }
}

fn meant_by_name(ours: &Rules, text: &str) -> Result<Meant, RulesMismatch> {
    if let Some(shorthand) = shorthand(text) {
        let Shorthand { ko, suicide, plain, .. } = *shorthand;
        let rules = plain_go(&of_keys(ours)?, ko, suicide);
        let remark = (!plain)
            .then(|| format!("the counting of '{text}' is not played here, but area in its place"));
        return Ok(Meant { rules, remark });
    }
    match Rules::parse(text, ours.size) {
        Ok(rules) => Ok(Meant { rules, remark: None }),
        Err(problem) => Err(RulesMismatch::unplayable(problem.to_string())),
    }
}

fn meant_by_keys(ours: &Rules, keys: &Map<String, Value>) -> Result<Meant, RulesMismatch> {
    let begun = match name_in(keys) {
        Some(Value::String(text)) => meant_by_name(ours, text.trim())?,
        Some(other) => {
            return Err(RulesMismatch::unplayable(format!("the rules have no name: {other}")));
        }
        None => Meant { rules: of_keys(ours)?, remark: None },
    };
    keys.iter().filter(|(key, _)| !is_name(key)).try_fold(begun, |meant, (key, value)| {
        Ok(Meant { rules: with_key(meant.rules, key, value)?, ..meant })
    })
}

/// `ours` changed by one of KataGo's keys.
///
/// # Errors
/// The result is invalid or not played.
pub(crate) fn meant_by_key(ours: &Rules, key: &str, value: &Value) -> Result<Meant, RulesMismatch> {
    if is_name(key) {
        return meant_by_name(ours, value.as_str().unwrap_or_default().trim());
    }
    Ok(Meant { rules: with_key(*ours, key, value)?, remark: None })
}

/// KataGo's object in a text.
fn object_in(text: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(text).ok()
}

/// The name of the rules in KataGo's object.
fn name_in(keys: &Map<String, Value>) -> Option<&Value> {
    keys.get("rules").or_else(|| keys.get("variant"))
}

fn is_name(key: &str) -> bool {
    matches!(key, "variant" | "rules")
}

/// `ours` if KataGo's keys describe them completely, or else the variant that they describe.
fn of_keys(ours: &Rules) -> Result<Rules, RulesMismatch> {
    let mut all = Variant::ALL.into_iter().filter_map(|variant| variant.rules(ours.size).ok());
    let exact = Some(*ours).filter(|ours| Keys::of(ours).exact);
    exact
        .or_else(|| all.find(|rules| Keys::of(rules).exact))
        .ok_or_else(|| RulesMismatch::unplayable("no rules have such keys".to_owned()))
}

fn with_key(rules: Rules, key: &str, value: &Value) -> Result<Rules, RulesMismatch> {
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
        // There are two values, and this is the other one.
        ("suicide", Value::Bool(suicide)) => Ok(plain_go(&rules, ko, *suicide)),
        ("suicide", Value::String(word)) if word.parse::<bool>().is_ok() => {
            Ok(plain_go(&rules, ko, !suicide))
        }
        _ => Err(RulesMismatch::unplayable(format!("rule '{key}' cannot be {value}"))),
    }
}

/// Plain Go with the size, komi and move limit of `rules`.
fn plain_go(rules: &Rules, ko: KoRule, suicide: bool) -> Rules {
    let plain = Rules::plain_go(rules.size, ko, suicide);
    Rules { komi: rules.komi, max_moves: rules.max_moves, ..plain }
}

/// The komi and the move limit that a text such as `go,komi=3` names, alone or as a name in KataGo's object, on a board of
/// the size of `ours`: what does not make them other rules. `None` for what it leaves out, and where it is no rule set.
pub(crate) fn named_details(ours: &Rules, given: &Value) -> (Option<Komi>, Option<u16>) {
    let Some((text, rules)) = named_rules(ours, given) else { return (None, None) };
    let names = |part| Rules::names(&text, part);
    (names("komi").then_some(rules.komi), names("max_moves").then_some(rules.max_moves))
}

fn named_rules(ours: &Rules, given: &Value) -> Option<(String, Rules)> {
    let keys;
    let text = match given {
        Value::String(text) if text.trim_start().starts_with('{') => {
            keys = object_in(text)?;
            name_in(&keys)?
        }
        Value::Object(keys) => name_in(keys)?,
        other => other,
    }
    .as_str()?;
    Some((text.to_owned(), Rules::parse(text.trim(), ours.size).ok()?))
}

/// Whether rules given as text or as KataGo's object are the ones that are played, komi and move limit aside. A text
/// that begins with `{` is such an object.
///
/// # Errors
/// They are other rules, or unknown.
pub(crate) fn agree(ours: &Rules, given: &Value) -> Result<(), RulesMismatch> {
    match given {
        Value::String(text) if text.trim_start().starts_with('{') => match object_in(text) {
            Some(keys) => agree_by_keys(ours, &keys),
            None => {
                Err(RulesMismatch::new(ours, "these rules are not a JSON object".to_owned(), false))
            }
        },
        Value::String(text) => agree_by_name(ours, text.trim()),
        Value::Object(keys) => agree_by_keys(ours, keys),
        _ => Err(RulesMismatch::new(ours, "rules are a name or an object".to_owned(), false)),
    }
}

fn agree_by_name(ours: &Rules, text: &str) -> Result<(), RulesMismatch> {
    if let Ok(given) = Rules::parse(text, ours.size) {
        return if given.is_same_kind(ours) {
            Ok(())
        } else {
            Err(RulesMismatch::other_game(ours, &given))
        };
    }
    let keys = Keys::of(ours);
    match shorthand(text) {
        Some(Shorthand { ko, suicide, plain: true, .. })
            if keys.exact && (*ko, *suicide) == (keys.ko, keys.suicide) =>
        {
            Ok(())
        }
        Some(_) => Err(RulesMismatch::new(ours, format!("'{text}' are other rules"), false)),
        None => Err(RulesMismatch::new(ours, format!("unknown rules '{text}'"), false)),
    }
}

fn agree_by_keys(ours: &Rules, keys: &Map<String, Value>) -> Result<(), RulesMismatch> {
    for name in ["variant", "rules"] {
        match keys.get(name) {
            None => {}
            Some(Value::String(text)) => agree_by_name(ours, text.trim())?,
            Some(other) => {
                let message = format!("'{name}' is not a name: {other}");
                return Err(RulesMismatch::new(ours, message, false));
            }
        }
    }
    keys.iter().try_for_each(|(key, value)| agree_on(ours, key, value))?;
    if Keys::of(ours).exact || keys.contains_key("variant") || keys.contains_key("rules") {
        return Ok(());
    }
    let message = format!("these keys cannot name its rules, \"variant\":\"{}\" can", plays(ours));
    Err(RulesMismatch::new(ours, message, false))
}

/// Whether one of KataGo's keys has the value that it has for `ours`.
///
/// # Errors
/// It has another, or there is no such key.
pub(crate) fn agree_on(ours: &Rules, key: &str, value: &Value) -> Result<(), RulesMismatch> {
    if is_name(key) {
        return agree_by_name(ours, value.as_str().unwrap_or_default());
    }
    let Some(expected) = Keys::of(ours).json().remove(key) else {
        return Err(RulesMismatch::new(ours, format!("unknown rule '{key}'"), false));
    };
    // Compensation for handicap stones is no part of the rules here, and a field of its own in queries; and whether a pass
    // between friends ends the game does not matter to a program that plays on.
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

/// The colour that a client names, such as `b` or `white`.
pub(crate) fn named_color(text: &str) -> Option<Color> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Some(Color::Black),
        "w" | "white" => Some(Color::White),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn whoever_plays_any_rules_takes_names_and_keys_for_what_they_mean() {
        let parse = |text: &str| Rules::parse(text, 9).unwrap();
        let (go, tile) = (parse("go"), parse("tile"));
        let kind = |given: Value, ours: &Rules| meant(ours, &given).unwrap().rules.kind_hash();
        for (name, same) in [
            ("tromp-taylor", "go"),
            ("chinese", "go,repetition=simple,suicide=false"),
            ("Chinese_OGS", "go,suicide=false"),
            ("aga", "go,repetition=situational-superko,suicide=false"),
            ("new-zealand", "go,repetition=situational-superko"),
            ("japanese", "go,repetition=simple,suicide=false"),
            ("stoical", "stoical"),
            ("tile,end=area", "tile,end=area"),
        ] {
            for ours in [go, tile] {
                assert_eq!(kind(json!(name), &ours), parse(same).kind_hash(), "{name}");
            }
        }
        assert_eq!(go_name(&go), Some("tromp-taylor"));
        assert_eq!(go_name(&meant(&tile, &json!("chinese")).unwrap().rules), Some("chinese"));
        assert_eq!(go_name(&tile), None);
        let counted = meant(&go, &json!("japanese")).unwrap().remark.unwrap();
        assert!(counted.contains("area"), "{counted}");
        assert_eq!(meant(&go, &json!("chinese")).unwrap().remark, None);

        let simple = json!({"ko": "SIMPLE", "scoring": "AREA", "suicide": false});
        assert_eq!(kind(simple, &go), kind(json!("chinese"), &tile));
        let one = |key: &str, value: &str| meant_by_key(&go, key, &json!(value)).unwrap().rules;
        assert_eq!(one("suicide", "false").kind_hash(), kind(json!("chinese-ogs"), &go));
        assert_eq!(one("ko", "situational").kind_hash(), kind(json!("nz"), &go));
        assert_eq!(one("rules", "stoical"), parse("stoical"));
        assert_eq!(one("scoring", "AREA"), go);
        for variant in Variant::ALL {
            let rules = variant.rules(9).unwrap();
            let described = meant(&go, &rules_json(&rules)).unwrap();
            assert_eq!(described, Meant { rules, remark: None }, "{variant}");
        }
        for given in [json!({"scoring": "TERRITORY"}), json!("nonsense"), json!("{"), json!(3)] {
            let refused = meant(&go, &given).unwrap_err().to_string();
            assert!(refused.contains("available rules are tromp-taylor"), "{refused}");
            assert!(refused.contains("minimal-incursion"), "{refused}");
        }
        assert!(meant_by_key(&tile, "ko", &json!("POSITIONAL")).is_err(), "tiles have no such key");
        assert!(meant_by_key(&go, "ko", &json!("ETERNAL")).is_err());
    }
}
