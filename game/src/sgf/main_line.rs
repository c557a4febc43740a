//! Extracts the main line of a text before parsing: variations are not parsed, however many there
//! are.

use std::borrow::Cow;

/// The first game without its variations, and the number of its nodes. If the text is not a
/// sequence of nodes and variations, as after a value that ended too early, returns the whole text
/// and an upper bound on its nodes.
pub(crate) fn main_line(text: &str) -> (Cow<'_, str>, usize) {
    let mut line = String::with_capacity(text.len());
    let (mut nodes, mut depth, mut has_ended) = (0, 0_usize, false);
    let mut place = Place::Between;
    for (index, character) in text.char_indices() {
        let before = place;
        place = before.after(character);
        let mut is_kept = !has_ended;
        match (before, character) {
            (Place::InName, '(' | ')' | ';') => return whole(text),
            (Place::Between, ';') => nodes += usize::from(is_kept),
            (Place::Between, '(') => {
                depth += 1;
                // The main line continues in the first variation.
                is_kept &= depth == 1;
            }
            (Place::Between, ')') => {
                depth = depth.saturating_sub(1);
                has_ended = true;
            }
            (Place::Between | Place::InName | Place::InValue | Place::Escaped, _) => {}
        }
        if is_kept {
            line.push(character);
        }
        if has_ended && depth == 0 {
            let rest = text[index + 1..].trim_start();
            let is_sound = rest.is_empty() || rest.starts_with('(');
            return if is_sound { (Cow::Owned(line), nodes) } else { whole(text) };
        }
    }
    // The end is missing.
    whole(text)
}

/// The whole text, with the number of nodes including variations.
fn whole(text: &str) -> (Cow<'_, str>, usize) {
    let mut place = Place::Between;
    let mut nodes = 0;
    for character in text.chars() {
        let is_outside = matches!(place, Place::Between | Place::InName);
        nodes += usize::from(is_outside && character == ';');
        place = place.after(character);
    }
    (Cow::Borrowed(text), nodes)
}

/// What part of the text a character belongs to.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Between,
    /// In the name of a property, which ends at its first value.
    InName,
    InValue,
    /// In a value, after a backslash.
    Escaped,
}

impl Place {
    /// Where the next character stands.
    pub fn after(self, character: char) -> Place {
        match (self, character) {
            (Place::Between | Place::InName, '[') | (Place::Escaped, _) => Place::InValue,
            (Place::InValue, ']') => Place::Between,
            (Place::InValue, '\\') => Place::Escaped,
            (Place::InValue, _) => Place::InValue,
            (Place::Between, '(' | ')' | ';') => Place::Between,
            (Place::Between, character) if character.is_whitespace() => Place::Between,
            (Place::Between | Place::InName, _) => Place::InName,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variation_is_followed_to_its_end() {
        let line = |text: &'static str| {
            let (line, nodes) = main_line(text);
            (line.into_owned(), nodes)
        };
        let read = |text: &str, nodes| (text.to_owned(), nodes);
        assert_eq!(
            line("(;B[aa](;W[bb](;B[cc])(;B[dd]))(;W[ee]))"),
            read("(;B[aa];W[bb];B[cc])", 3)
        );
        assert_eq!(line("(;C[a;b(c)\\];]B[aa])\n(;W[bb])"), read("(;C[a;b(c)\\];]B[aa])", 1));
        // A comment that ends too early must not end the game.
        for damaged in [
            "(;C[an [8k]: ;) yes];B[aa])",
            "(;C[(an [8k])];B[aa])",
            "(;C[(an [8k])) yes];B[aa])",
            "(;B[aa](;W[bb];B[cc]",
        ] {
            assert_eq!(line(damaged).0, damaged);
        }
        assert_eq!(line("(;C[an [8k]: ;) yes];B[aa])").1, 3);
    }
}
