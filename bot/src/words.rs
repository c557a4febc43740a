//! Small pieces of sentences.

/// "a", "a and b", "a, b and c"; nothing for nothing.
pub(crate) fn list(words: &[String]) -> String {
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}
