//! Untrusted lines of input from people and programs.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, TryRecvError, channel, sync_channel};
use std::thread;

/// The longest line accepted, far longer than any command, so that input without line ends cannot
/// fill the memory.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// Capacity of the queue of lines.
const LINES_AHEAD: usize = 1_024;

/// The next line, truncated to the limit; `None` at the end of the input.
pub(crate) fn read_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    if !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
    }
    Ok(Some(line))
}

/// Lines of an input that is read on its own thread, so that a search can check whether one has
/// arrived.
pub struct Lines {
    source: Receiver<io::Result<Vec<u8>>>,
    /// A line that was peeked at, or the end of the input.
    next: Option<io::Result<Option<Vec<u8>>>>,
}

impl Lines {
    /// Reads on a separate thread, which ends with the input or when this is dropped.
    pub fn reading(mut input: impl BufRead + Send + 'static) -> Lines {
        let (sender, source) = sync_channel(LINES_AHEAD);
        thread::spawn(move || {
            while let Some(line) = read_line(&mut input).transpose() {
                let is_last = line.is_err();
                if sender.send(line).is_err() || is_last {
                    break;
                }
            }
        });
        Lines { source, next: None }
    }

    /// Lines of a text.
    pub fn of(mut text: &[u8]) -> Lines {
        let (sender, source) = channel();
        while let Some(line) = read_line(&mut text).transpose() {
            // Reading from memory cannot fail, and the receiver is alive.
            let _ = sender.send(line);
        }
        Lines { source, next: None }
    }

    /// Waits for the next line; `None` at the end.
    ///
    /// # Errors
    /// The input cannot be read.
    pub fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        match self.next.take() {
            Some(next) => next,
            None => self.source.recv().ok().transpose(),
        }
    }

    /// The next line, if one has arrived; an empty one at the end.
    pub(crate) fn peek(&mut self) -> Option<&[u8]> {
        if self.next.is_none() {
            match self.source.try_recv() {
                Ok(line) => self.next = Some(line.map(Some)),
                Err(TryRecvError::Disconnected) => self.next = Some(Ok(None)),
                Err(TryRecvError::Empty) => {}
            }
        }
        let next = self.next.as_ref()?;
        Some(next.as_ref().ok().and_then(|line| line.as_deref()).unwrap_or_default())
    }

    /// Waits until a line or the end of the input has arrived.
    pub(crate) fn wait(&mut self) {
        if self.next.is_none() {
            self.next = Some(self.source.recv().ok().transpose());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_lines_are_cut_and_the_next_line_is_whole() {
        let mut input = vec![b'x'; 3 * MAX_LINE_BYTES as usize];
        input.extend_from_slice(b"\nname\nlast");
        let mut input = input.as_slice();
        let mut next = || read_line(&mut input).unwrap();
        assert_eq!(next().map(|line| line.len() as u64), Some(MAX_LINE_BYTES));
        assert_eq!(next(), Some(b"name\n".to_vec()));
        assert_eq!(next(), Some(b"last".to_vec()));
        assert_eq!(next(), None);
    }

    #[test]
    fn looking_ahead_takes_nothing_away() {
        let mut lines = Lines::reading(&b"one\n\nthree"[..]);
        lines.wait();
        for _ in 0..2 {
            assert_eq!(lines.peek(), Some(&b"one\n"[..]));
        }
        let mut rest = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            rest.push(line);
        }
        assert_eq!(rest, [&b"one\n"[..], b"\n", b"three"]);
        assert_eq!(lines.peek(), Some(&b""[..]), "the end interrupts too");
        assert_eq!(Lines::of(b"").next_line().unwrap(), None);
    }
}
