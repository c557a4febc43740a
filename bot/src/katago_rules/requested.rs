//! What a client requests: rules by a name, by KataGo's keys, or by both.

use engine::{Komi, Rules};
use game::GoName;
use serde_json::{Map, Value};

use super::keys::{Keys, agree_on, of_keys, plain_go, with_key};
use super::mismatch::{RulesMismatch, plays};

/// Requested rules.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RequestedRules {
    /// Values of the keys `rules` and `variant`, in this order, or a single text.
    names: Vec<String>,
    /// The other keys.
    keys: Map<String, Value>,
    /// Why the request cannot be understood.
    defect: Option<String>,
}

/// The rules that a request means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InterpretedRules {
    pub rules: Rules,
    /// How they differ from the request.
    pub remark: Option<String>,
}

impl RequestedRules {
    /// Reads a name or KataGo's object. A text beginning with `{` is such an object.
    pub fn read(given: &Value) -> RequestedRules {
        match given {
            Value::String(text) if text.trim_start().starts_with('{') => {
                match serde_json::from_str(text) {
                    Ok(keys) => RequestedRules::of_keys(keys),
                    Err(_) => RequestedRules::defective("these rules are not a JSON object"),
                }
            }
            Value::String(text) => RequestedRules::named(text),
            Value::Object(keys) => RequestedRules::of_keys(keys.clone()),
            _ => RequestedRules::defective("rules are a name or an object"),
        }
    }

    /// Reads one of KataGo's keys and its value.
    pub fn of_key(key: &str, value: &str) -> RequestedRules {
        RequestedRules::of_keys(Map::from_iter([(key.to_owned(), value.into())]))
    }

    fn named(text: &str) -> RequestedRules {
        RequestedRules { names: vec![text.trim().to_owned()], keys: Map::new(), defect: None }
    }

    fn of_keys(mut keys: Map<String, Value>) -> RequestedRules {
        let mut names = Vec::new();
        for key in ["rules", "variant"] {
            match keys.remove(key) {
                None => {}
                Some(Value::String(text)) => names.push(text.trim().to_owned()),
                Some(other) => {
                    return RequestedRules::defective(format!("'{key}' is not a name: {other}"));
                }
            }
        }
        RequestedRules { names, keys, defect: None }
    }

    fn defective(defect: impl Into<String>) -> RequestedRules {
        RequestedRules { names: Vec::new(), keys: Map::new(), defect: Some(defect.into()) }
    }

    /// Checks that these are the rules being played, ignoring komi and move limit.
    ///
    /// # Errors
    /// They are other rules, or unknown.
    pub fn agrees_with(&self, ours: &Rules) -> Result<(), RulesMismatch> {
        if let Some(defect) = &self.defect {
            return Err(RulesMismatch::new(ours, defect.clone(), false));
        }
        self.names.iter().try_for_each(|name| name_agrees(ours, name))?;
        self.keys.iter().try_for_each(|(key, value)| agree_on(ours, key, value))
    }

    /// Like [`RequestedRules::agrees_with`], but keys alone must describe the rules completely.
    ///
    /// # Errors
    /// They are other rules, or unknown, or the rules being played have no such description.
    pub fn describes(&self, ours: &Rules) -> Result<(), RulesMismatch> {
        self.agrees_with(ours)?;
        if Keys::of(ours).exact || !self.names.is_empty() {
            return Ok(());
        }
        let message =
            format!("these keys cannot name its rules, \"variant\":\"{}\" can", plays(ours));
        Err(RulesMismatch::new(ours, message, false))
    }

    /// The rules meant in place of `ours`, on a board of the same size, for players of any rules.
    /// Names of rules with other scoring mean the nearest area rules, because clients send
    /// `japanese` by default; keys are taken literally.
    ///
    /// # Errors
    /// They name no rules, or rules that are not played.
    pub fn interpret(&self, ours: &Rules) -> Result<InterpretedRules, RulesMismatch> {
        if let Some(defect) = &self.defect {
            return Err(RulesMismatch::unplayable(defect.clone()));
        }
        let base = match self.names.first() {
            Some(name) => named(ours, name)?,
            None => InterpretedRules { rules: of_keys(ours)?, remark: None },
        };
        self.changed(base)
    }

    /// Like [`RequestedRules::interpret`], but keys alone change `ours` and leave the rest unchanged.
    ///
    /// # Errors
    /// As for [`RequestedRules::interpret`].
    pub fn change(&self, ours: &Rules) -> Result<InterpretedRules, RulesMismatch> {
        if self.names.is_empty() && self.defect.is_none() {
            return self.changed(InterpretedRules { rules: *ours, remark: None });
        }
        self.interpret(ours)
    }

    fn changed(&self, base: InterpretedRules) -> Result<InterpretedRules, RulesMismatch> {
        self.keys.iter().try_fold(base, |interpreted, (key, value)| {
            Ok(InterpretedRules { rules: with_key(interpreted.rules, key, value)?, ..interpreted })
        })
    }

    /// The komi and the move limit given by a name such as `go,komi=3`, on a board of the size of
    /// `ours`. Rules that differ only in these count as the same. `None` for what the name omits,
    /// and if it is not a rule set.
    pub fn details(&self, ours: &Rules) -> (Option<Komi>, Option<u16>) {
        let Some(text) = self.names.first() else { return (None, None) };
        let Ok(rules) = Rules::parse(text, ours.size) else { return (None, None) };
        let names = |part| Rules::names(text, part);
        (names("komi").then_some(rules.komi), names("max_moves").then_some(rules.max_moves))
    }
}

fn name_agrees(ours: &Rules, text: &str) -> Result<(), RulesMismatch> {
    if let Ok(given) = Rules::parse(text, ours.size) {
        return if given.is_same_kind(ours) {
            Ok(())
        } else {
            Err(RulesMismatch::other_game(ours, &given))
        };
    }
    let keys = Keys::of(ours);
    match GoName::find(text) {
        Some(GoName { ko, suicide, counts_area: true, .. })
            if keys.exact && (*ko, *suicide) == (keys.ko, keys.suicide) =>
        {
            Ok(())
        }
        Some(_) => Err(RulesMismatch::new(ours, format!("'{text}' are other rules"), false)),
        None => Err(RulesMismatch::new(ours, format!("unknown rules '{text}'"), false)),
    }
}

fn named(ours: &Rules, text: &str) -> Result<InterpretedRules, RulesMismatch> {
    if let Some(name) = GoName::find(text) {
        let rules = plain_go(&of_keys(ours)?, name.ko, name.suicide);
        return Ok(InterpretedRules { rules, remark: name.remark() });
    }
    match Rules::parse(text, ours.size) {
        Ok(rules) => Ok(InterpretedRules { rules, remark: None }),
        Err(problem) => Err(RulesMismatch::unplayable(problem.to_string())),
    }
}
