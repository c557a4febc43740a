//! Commands as typed in a shell.

/// A word, quoted for the shell if necessary.
pub fn for_shell(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=+.,:/@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

// These tests ask a real shell.
#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_words_as_they_were() {
        for word in ["plain", "", "two words", "it's", "$HOME `x` \"y\" \\", "a\nb", "[[0.0, 64]]"]
        {
            let script = format!("printf %s {}", for_shell(word));
            let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), word);
        }
    }
}
