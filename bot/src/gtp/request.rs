//! The lines that clients send.

/// One command as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The number to be repeated in the reply; empty if none was sent.
    pub id: String,
    /// The command's name; empty if only a number was sent.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl Request {
    /// Parses a line; `None` if it contains only spaces and a comment. Control characters are
    /// dropped, tabs become spaces, and invalid UTF-8 is replaced.
    pub fn parse(line: &[u8]) -> Option<Request> {
        let text: String = String::from_utf8_lossy(line)
            .chars()
            .take_while(|&character| character != '#')
            .map(|character| if character == '\t' { ' ' } else { character })
            .filter(|character| !character.is_control())
            .collect();
        let mut words = text.split_whitespace().map(str::to_owned).peekable();
        words.peek()?;
        let is_id = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
        Some(Request {
            id: words.next_if(is_id).unwrap_or_default(),
            command: words.next().unwrap_or_default(),
            arguments: words.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Option<(String, String, Vec<String>)> {
        let request = Request::parse(line.as_bytes())?;
        Some((request.id, request.command, request.arguments))
    }

    fn words(id: &str, command: &str, arguments: &[&str]) -> Option<(String, String, Vec<String>)> {
        let arguments = arguments.iter().map(|&word| word.to_owned()).collect();
        Some((id.to_owned(), command.to_owned(), arguments))
    }

    #[test]
    fn the_preprocessing_of_the_standard() {
        for blank in ["", "\n", " \t\r\n", "# play B D4", "\u{1}\u{7f}\n"] {
            assert_eq!(parsed(blank), None, "{blank:?}");
        }
        assert_eq!(parsed("play B D4\r\n"), words("", "play", &["B", "D4"]));
        assert_eq!(parsed("\t7\tplay\tB  D4 # comment"), words("7", "play", &["B", "D4"]));
        assert_eq!(parsed("pl\u{8}ay#B"), words("", "play", &[]));
        assert_eq!(parsed("0012 name"), words("0012", "name", &[]));
        assert_eq!(parsed("12"), words("12", "", &[]));
        assert_eq!(parsed("-1 name"), words("", "-1", &["name"]));
    }
}
