//! Command lines of engines, split into words.

/// Why a command line is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandLineError {
    /// No program is named.
    #[error("'gtp:' needs the command line of an engine, as in 'gtp:gnugo --mode gtp'")]
    Empty,
    /// A quote is not closed.
    #[error("the command line {line} has an open {quote}")]
    OpenQuote {
        /// The whole line.
        line: String,
        /// The quote character.
        quote: char,
    },
}

/// Splits a line at spaces; quotes of either kind preserve spaces, and nothing else is special.
///
/// # Errors
/// An unclosed quote, or no words.
pub(super) fn split_words(line: &str) -> Result<Vec<String>, CommandLineError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for character in line.chars() {
        match (quote, character) {
            (Some(open), close) if open == close => quote = None,
            (None, '"' | '\'') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, blank) if blank.is_whitespace() => words.extend(word.take()),
            (Some(_) | None, other) => word.get_or_insert_default().push(other),
        }
    }
    if let Some(quote) = quote {
        return Err(CommandLineError::OpenQuote { line: line.to_owned(), quote });
    }
    words.extend(word);
    if words.first().is_none_or(String::is_empty) {
        return Err(CommandLineError::Empty);
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_blanks() {
        let words = |line| split_words(line).expect(line);
        assert_eq!(words("gnugo --mode gtp"), ["gnugo", "--mode", "gtp"]);
        assert_eq!(words("  'my engine' -c \"a 'b' c\"d '' "), ["my engine", "-c", "a 'b' cd", ""]);
        assert_eq!(split_words("  "), Err(CommandLineError::Empty));
        assert_eq!(split_words("''"), Err(CommandLineError::Empty));
        let message = split_words("sh 'x").expect_err("an open quote").to_string();
        assert!(message.contains("open '"), "{message}");
    }
}
