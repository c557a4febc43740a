//! The texts that players read, in their languages.
//!
//! English is written where it is needed: in `engine`, `bot`, here, and in the page. A file in
//! `interface/languages` maps every English text to its translation, so there are no keys to
//! invent, and a text whose English has changed counts as untranslated, which a test detects.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::sync::LazyLock;

use engine::Move;
use serde::Serialize;
use utoipa::ToSchema;

/// The languages besides English: the tag, the language's own name, the decimal sign, and the
/// texts.
const FILES: [(&str, &str, char, &str); 2] = [
    ("de", "Deutsch", ',', include_str!("../languages/de.json")),
    ("fr", "Français", ',', include_str!("../languages/fr.json")),
];

/// The longest text, in bytes, that is translated.
const MAX_BYTES: usize = 1_000;

/// A value for a placeholder in a text.
pub type Value<'a> = (&'a str, &'a dyn Display);

/// A language with its texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Language {
    tag: &'static str,
    name: &'static str,
    /// The decimal sign.
    decimal: char,
    /// Translations by English text; empty for English.
    texts: BTreeMap<String, String>,
}

/// The texts of a language, for the page.
#[derive(Debug, Serialize, ToSchema)]
pub struct Words {
    /// The language that was chosen.
    #[schema(value_type = String)]
    language: &'static str,
    /// All that there are.
    languages: Vec<LanguageView>,
    /// Each English text in that language; nothing for English.
    #[schema(value_type = std::collections::HashMap<String, String>)]
    texts: &'static BTreeMap<String, String>,
}

/// A language that can be chosen.
#[derive(Debug, Serialize, ToSchema)]
struct LanguageView {
    #[schema(value_type = String)]
    tag: &'static str,
    /// As its speakers call it.
    #[schema(value_type = String)]
    name: &'static str,
}

static ENGLISH: Language =
    Language { tag: "en", name: "English", decimal: '.', texts: BTreeMap::new() };

static OTHERS: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let read = |(tag, name, decimal, texts)| Language {
        tag,
        name,
        decimal,
        // The files are part of the program, and a test parses them.
        texts: serde_json::from_str(texts).unwrap_or_default(),
    };
    FILES.into_iter().map(read).collect()
});

impl Language {
    /// English, in which all texts are written.
    pub fn english() -> &'static Language {
        &ENGLISH
    }

    /// Every language, English first.
    pub fn all() -> impl Iterator<Item = &'static Language> {
        std::iter::once(&ENGLISH).chain(OTHERS.iter())
    }

    /// The first known language among those accepted in the format of `Accept-Language`:
    /// `de-AT,de;q=0.8,en;q=0.5`. English if none is known.
    pub fn accepted(wanted: &str) -> &'static Language {
        let mut wanted: Vec<(&str, f32)> = wanted
            .split(',')
            .map(|range| {
                let (tag, parameters) = range.split_once(';').unwrap_or((range, ""));
                // HTTP does not distinguish upper and lower case here.
                let weight = parameters.trim().to_ascii_lowercase();
                let weight = weight.strip_prefix("q=").and_then(|q| q.parse().ok());
                (tag.trim(), weight.unwrap_or(1.0))
            })
            .filter(|&(_, weight)| weight > 0.0)
            .collect();
        wanted.sort_by(|a, b| b.1.total_cmp(&a.1));
        let spoken = |(tag, _): (&str, f32)| {
            let tag = tag.split('-').next().unwrap_or_default();
            Language::all().find(|language| language.tag.eq_ignore_ascii_case(tag))
        };
        wanted.into_iter().find_map(spoken).unwrap_or(&ENGLISH)
    }

    /// Its tag, as in `<html lang>`.
    pub fn tag(&self) -> &'static str {
        self.tag
    }

    /// The translations by English text; empty for English.
    pub fn texts(&self) -> &BTreeMap<String, String> {
        &self.texts
    }

    /// The texts for the page.
    pub fn words(&'static self) -> Words {
        let view = |language: &Language| LanguageView { tag: language.tag, name: language.name };
        Words {
            language: self.tag,
            languages: Language::all().map(view).collect(),
            texts: &self.texts,
        }
    }

    /// An English text with placeholders such as `{count}`, translated into this language, with the
    /// values filled in.
    pub fn say(&self, english: &str, values: &[Value<'_>]) -> String {
        let text = self.texts.get(english).map_or(english, String::as_str);
        let mut said = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            said.push_str(before);
            let (name, after) = after.split_once('}').unwrap_or((after, ""));
            // Writing to a string cannot fail.
            let _ = match values.iter().find(|(given, _)| *given == name) {
                // Quoted text was written by somebody, so it is not translated.
                Some((_, value)) if said.ends_with('\'') => write!(said, "{value}"),
                Some((_, value)) => write!(said, "{}", self.value(value)),
                None => write!(said, "{{{name}}}"),
            };
            rest = after;
        }
        said + rest
    }

    /// A value as written in this language: numbers get its decimal sign.
    pub(crate) fn value(&self, value: &dyn Display) -> String {
        let written = value.to_string();
        match written.parse::<f32>() {
            Ok(_) => written.replace('.', &self.decimal.to_string()),
            Err(_) => written,
        }
    }

    /// A move as people write it, with a word for a pass.
    pub(crate) fn played(&self, played: Move) -> String {
        if played == Move::Pass { self.say("pass", &[]) } else { played.to_string() }
    }

    /// Translates English words that another crate has composed: see [`template`].
    pub fn translate(&self, words: &str) -> String {
        // The only messages this long are those that repeat what a client has sent.
        if words.len() > MAX_BYTES {
            return words.to_owned();
        }
        let (english, values) = template(words);
        let names: Vec<String> = (1..=values.len()).map(|number| number.to_string()).collect();
        let values: Vec<Value<'_>> =
            names.iter().zip(&values).map(|(name, value)| (name.as_str(), value as _)).collect();
        self.say(&english, &values)
    }

    /// "a", "a and b", "a, b and c"; empty for no phrases.
    pub(crate) fn list(&self, phrases: &[String]) -> String {
        match phrases.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => {
                self.say("{others} and {last}", &[("others", &others.join(", ")), ("last", last)])
            }
            None => String::new(),
        }
    }
}

/// The English text under which words are listed in a language file, and the values in them.
/// Numbers, points and quoted text are values, and have the placeholders `{1}`, `{2}`, …: "there is
/// a stone on {1} already".
pub fn template(words: &str) -> (String, Vec<&str>) {
    let (mut text, mut values) = (String::new(), Vec::new());
    let mut rest = words;
    while let Some(letter) = rest.chars().next() {
        let length = value_length(rest).filter(|_| !text.ends_with(char::is_alphanumeric));
        let (taken, left) = rest.split_at(length.unwrap_or(letter.len_utf8()));
        if length.is_some() {
            values.push(taken);
            text.push_str(&format!("{{{}}}", values.len()));
        } else {
            text.push_str(taken);
        }
        rest = left;
    }
    (text, values)
}

/// The length of the value at the beginning of a text, if there is one.
fn value_length(text: &str) -> Option<usize> {
    if let Some(quoted) = text.strip_prefix('\'') {
        return quoted.find('\'').map(|end| end + 2);
    }
    let digits =
        |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let mut length = usize::from(text.starts_with(|c: char| ('A'..='T').contains(&c)));
    let whole = digits(&text[length..]);
    length += whole;
    let decimals = text[length..].strip_prefix('.').map_or(0, digits);
    length += if decimals > 0 { decimals + 1 } else { 0 };
    length += usize::from(text[length..].starts_with('*'));
    let is_whole = !text[length..].starts_with(char::is_alphanumeric);
    (whole > 0 && is_whole).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_chosen_as_browsers_ask_for_them() {
        for (wanted, tag) in [
            ("", "en"),
            ("*", "en"),
            ("ja,nl", "en"),
            ("de", "de"),
            ("DE-at", "de"),
            ("ja, fr;q=0.5, de;q=0.9", "de"),
            ("en-GB,de;q=0.9", "en"),
            ("de;q=0, fr;q=0.1", "fr"),
            ("de;q=much", "de"),
            ("de;Q=0.1, fr;Q=0.9", "fr"),
        ] {
            assert_eq!(Language::accepted(wanted).tag(), tag, "{wanted}");
        }
    }

    #[test]
    fn values_of_ready_made_words_are_found() {
        for (words, text, values) in [
            ("no tiles", "no tiles", &[][..]),
            ("a stone on C3 already", "a stone on {1} already", &["C3"]),
            ("E9* offers no choice", "{1} offers no choice", &["E9*"]),
            ("White 7, Black 6.5.", "White {1}, Black {2}.", &["7", "6.5"]),
            ("your opponent's 'tiel' or B52s", "your opponent's {1} or B52s", &["'tiel'"]),
            ("it's 'open", "it's 'open", &[]),
        ] {
            assert_eq!(template(words), (text.to_owned(), values.to_vec()));
            assert_eq!(Language::english().translate(words), words);
        }
    }

    #[test]
    fn decimals_and_passes_are_written_as_the_language_does() {
        let [english, german, french] = [0, 1, 2].map(|index| Language::all().nth(index).unwrap());
        let sentence = "White wins by {points} points";
        let won = |language: &Language| language.say(sentence, &[("points", &2.5_f32)]);
        assert!(won(english).contains("2.5"));
        assert!([german, french].iter().all(|language| won(language).contains("2,5")));
        let rules = |language: &Language| language.say("{rules}", &[("rules", &"go,komi=2.5")]);
        assert_eq!(rules(german), "go,komi=2.5", "that is no number");
        let of_two = [Move::Pass, "C3".parse().unwrap()];
        assert_eq!(of_two.map(|played| german.played(played)), ["Passen", "C3"]);
        assert_eq!(of_two.map(|played| english.played(played)), ["pass", "C3"]);
    }

    #[test]
    fn values_go_where_they_belong_and_nowhere_else() {
        let english = Language::english();
        let values: [Value<'_>; 2] = [("a", &"{b}"), ("b", &2)];
        assert_eq!(english.say("{b} and {a}", &values), "2 and {b}");
        assert_eq!(english.say("{c} stays, {", &values), "{c} stays, {}");
    }
}
