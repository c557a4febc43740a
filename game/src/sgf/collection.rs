//! The games of a file that holds several.

use super::encoding::decoded;
use super::error::ReadError;
use super::record::SgfRecord;

impl SgfRecord {
    /// The main line of each game in a file, or why it cannot be read: a damaged game does not
    /// affect the others.
    ///
    /// ```
    /// use game::SgfRecord;
    ///
    /// let games = SgfRecord::read_all(b"(;SZ[9];B[aa])\n(;SZ[9];B[zz])\n(;SZ[5];B[bb];W[cc])");
    /// let turns: Vec<_> = games.into_iter().map(|game| game.ok().map(|game| game.turns.len())).collect();
    /// assert_eq!(turns, [Some(1), None, Some(2)]);
    /// ```
    pub fn read_all(file: &[u8]) -> Vec<Result<SgfRecord, ReadError>> {
        let text = decoded(file);
        let games = games(&text);
        if games.is_empty() {
            return vec![Err(ReadError::NoGame)];
        }
        games.into_iter().map(SgfRecord::read_text).collect()
    }
}

/// The text of each game. A game without an end takes the rest of the file.
fn games(text: &str) -> Vec<&str> {
    let mut games = Vec::new();
    let mut start = 0;
    let mut depth = 0_usize;
    let (mut in_value, mut escaped) = (false, false);
    for (index, byte) in text.bytes().enumerate() {
        if in_value {
            in_value = byte != b']' || escaped;
            escaped = byte == b'\\' && !escaped;
            continue;
        }
        match byte {
            b'(' => {
                if depth == 0 {
                    start = index;
                }
                depth += 1;
            }
            b')' if depth == 1 => {
                depth = 0;
                games.push(&text[start..=index]);
            }
            b')' => depth = depth.saturating_sub(1),
            b'[' if depth > 0 => in_value = true,
            _ => {}
        }
    }
    if depth > 0 {
        games.push(&text[start..]);
    }
    // A mail header may contain brackets of its own.
    games.retain(|game| game.contains(';'));
    games
}

#[cfg(test)]
mod tests {
    use super::games;

    #[test]
    fn games_are_told_apart_by_their_brackets() {
        assert_eq!(
            games("(;B[aa](;W[bb])(;W[cc])) (;C[:-) \\] (])"),
            ["(;B[aa](;W[bb])(;W[cc]))", "(;C[:-) \\] (])"]
        );
        assert_eq!(games("From: me (mail)\n(;B[aa])"), ["(;B[aa])"]);
        assert_eq!(games("(;B[aa])(;W[bb"), ["(;B[aa])", "(;W[bb"]);
        assert_eq!(games(") nothing"), Vec::<&str>::new());
    }
}
