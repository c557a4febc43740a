//! Lines of input from people and programs that nobody has checked.

use std::io::{self, BufRead, Read};

/// The longest line that is looked at. Far longer than any command; a stream without line ends must not fill the
/// memory.
const LONGEST_LINE: u64 = 1 << 16;

/// The next line, cut to a sane length; `None` at the end of the input.
pub(crate) fn read_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    if !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
    }
    Ok(Some(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_lines_are_cut_and_the_next_line_is_whole() {
        let mut input = vec![b'x'; 3 * LONGEST_LINE as usize];
        input.extend_from_slice(b"\nname\nlast");
        let mut input = input.as_slice();
        let mut next = || read_line(&mut input).unwrap();
        assert_eq!(next().map(|line| line.len() as u64), Some(LONGEST_LINE));
        assert_eq!(next(), Some(b"name\n".to_vec()));
        assert_eq!(next(), Some(b"last".to_vec()));
        assert_eq!(next(), None);
    }
}
