//! Keyboard input: lines typed at a terminal with editing and history, or plain lines from anything
//! else.

use std::io::{self, BufRead, IsTerminal, Write};

use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor};

use crate::lines::read_line;

/// The source of typed lines.
pub trait Keyboard {
    /// Shows `prompt` on `output` and returns the next line without its line end; `None` at the end
    /// of the input.
    ///
    /// # Errors
    /// The terminal fails.
    fn next_line(&mut self, prompt: &str, output: &mut dyn Write) -> io::Result<Option<String>>;
}

/// Lines of tests and pipes.
impl<R: BufRead> Keyboard for R {
    fn next_line(&mut self, prompt: &str, output: &mut dyn Write) -> io::Result<Option<String>> {
        write!(output, "{prompt}")?;
        output.flush()?;
        let Some(line) = read_line(self)? else {
            // The input ended after the prompt.
            writeln!(output)?;
            return Ok(None);
        };
        Ok(Some(String::from_utf8_lossy(&line).trim_end().to_owned()))
    }
}

/// A terminal with line editing and history.
struct LineEditor(DefaultEditor);

impl Keyboard for LineEditor {
    fn next_line(&mut self, prompt: &str, output: &mut dyn Write) -> io::Result<Option<String>> {
        // The editor writes to the terminal directly.
        output.flush()?;
        line_of(self.0.readline(prompt))
    }
}

/// What the editor read. Bytes that are not UTF-8 stand as a replacement character, as in plain
/// lines: a stray key must not end a game.
fn line_of(read: Result<String, ReadlineError>) -> io::Result<Option<String>> {
    match read {
        Ok(line) => Ok(Some(line)),
        Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(None),
        Err(ReadlineError::Io(cause)) if cause.kind() == io::ErrorKind::InvalidData => {
            Ok(Some(char::REPLACEMENT_CHARACTER.to_string()))
        }
        Err(failed) => Err(terminal_error(failed)),
    }
}

/// Standard input: with editing and history if it is a terminal, otherwise plain lines.
///
/// # Errors
/// The terminal cannot be set up.
pub fn standard_input() -> io::Result<Box<dyn Keyboard>> {
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        return Ok(Box::new(io::stdin().lock()));
    }
    let config = Config::builder().auto_add_history(true).build();
    Ok(Box::new(LineEditor(DefaultEditor::with_config(config).map_err(terminal_error)?)))
}

fn terminal_error(failed: ReadlineError) -> io::Error {
    match failed {
        ReadlineError::Io(cause) => cause,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_text_do_not_end_the_input() {
        let undecodable = ReadlineError::Io(io::ErrorKind::InvalidData.into());
        assert_eq!(line_of(Err(undecodable)).unwrap().as_deref(), Some("\u{FFFD}"));
        assert_eq!(line_of(Err(ReadlineError::Eof)).unwrap(), None);
        let broken = ReadlineError::Io(io::ErrorKind::BrokenPipe.into());
        assert_eq!(line_of(Err(broken)).unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
