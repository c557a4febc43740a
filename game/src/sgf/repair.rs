//! Repairs defects in the text before parsing.

/// The text of a file without a byte order mark or a mail header before the game, with property
/// names that have no capitals converted to capitals, and without line breaks escaped by a
/// backslash in values.
pub(crate) fn repair(text: &str) -> String {
    let start = start_of_game(text);
    let mut repaired = String::with_capacity(text.len() - start);
    let mut name = String::new();
    let (mut in_value, mut escaped) = (false, false);
    let mut characters = text[start..].chars().peekable();
    while let Some(character) = characters.next() {
        if in_value && escaped && is_line_break(character) {
            repaired.pop();
            escaped = false;
            // Two different characters form one line break.
            characters.next_if(|&next| is_line_break(next) && next != character);
        } else if in_value {
            in_value = character != ']' || escaped;
            escaped = character == '\\' && !escaped;
            repaired.push(character);
        } else if character.is_ascii_alphabetic() {
            name.push(character);
        } else {
            flush(&mut name, &mut repaired);
            in_value = character == '[';
            repaired.push(character);
        }
    }
    flush(&mut name, &mut repaired);
    repaired
}

/// Where the first game begins: at the first bracket that a node follows, possibly after white
/// space, or else at the first bracket.
fn start_of_game(text: &str) -> usize {
    let is_before_node =
        |&(place, _): &(usize, &str)| text[place + 1..].trim_start().starts_with(';');
    let first = text.match_indices('(').find(is_before_node).map(|(place, _)| place);
    first.or_else(|| text.find('(')).unwrap_or(0)
}

fn is_line_break(character: char) -> bool {
    character == '\n' || character == '\r'
}

/// Files before FF\[4\] pad names with lower-case letters (`Black`), so only names without any
/// capital are repaired.
fn flush(name: &mut String, repaired: &mut String) {
    if !name.contains(|letter: char| letter.is_ascii_uppercase()) {
        name.make_ascii_uppercase();
    }
    repaired.push_str(name);
    name.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_mended_and_values_are_not() {
        assert_eq!(repair("\u{feff}(;b[dd];w[pp])"), "(;B[dd];W[pp])");
        assert_eq!(repair("From: me (mail)\n\n(;c[a \\] b];Black[dd])"), "(;C[a \\] b];Black[dd])");
        assert_eq!(repair("me (mail)\n(\n;b[dd](;w[pp])(;w[dp]))"), "(\n;B[dd](;W[pp])(;W[dp]))");
        assert_eq!(repair("(;sz[9]c[\\\\]b[aa])"), "(;SZ[9]C[\\\\]B[aa])");
        assert_eq!(repair("nothing"), "NOTHING");
        assert_eq!(
            repair("(;C[one \\\ntwo\\\r\n, three\\\\\n\n])"),
            "(;C[one two, three\\\\\n\n])"
        );
    }
}
