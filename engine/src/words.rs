//! Small pieces of sentences.

/// A number of things: "1 stone", "2 stones".
///
/// ```
/// assert_eq!([1, 2].map(|stones| engine::counted(stones, "stone")), ["1 stone", "2 stones"]);
/// ```
pub fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
