//! The character encoding of a file, which need not be UTF-8.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding;

/// The text of a file: decoded as UTF-8 if it is valid UTF-8, otherwise in the encoding named by
/// its `CA` property, otherwise in the encoding that the bytes most resemble.
///
/// The file must be decoded before it is parsed: in Shift-JIS, GBK and Big5, the second byte of a
/// character may equal that of `]` or of a backslash, and a parser of bytes would lose the moves
/// after it.
pub(crate) fn decoded(file: &[u8]) -> Cow<'_, str> {
    // `CA` is often wrong in files that were converted to UTF-8, but no other text looks like UTF-8
    // by accident, except where an escape changes the meaning of the letters that follow.
    if !file.contains(&ESCAPE)
        && let Ok(text) = str::from_utf8(file)
    {
        return Cow::Borrowed(text);
    }
    let encoding = named(file).unwrap_or_else(|| guessed(file));
    encoding.decode(file).0
}

/// Starts another character set in ISO-2022-JP.
const ESCAPE: u8 = 0x1b;

/// The encoding named by the first `CA`, if it is known.
fn named(file: &[u8]) -> Option<&'static Encoding> {
    let start = file.windows(3).position(|bytes| bytes.eq_ignore_ascii_case(b"CA["))?;
    let value = &file[start + 3..];
    let end = value.iter().position(|&byte| byte == b']')?;
    Encoding::for_label(&value[..end])
}

fn guessed(file: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(file, true);
    detector.guess(None, Utf8Detection::Allow)
}

#[cfg(test)]
mod tests {
    use encoding_rs::{BIG5, EUC_KR, GBK, ISO_2022_JP, SHIFT_JIS, UTF_16LE, WINDOWS_1252};

    use super::*;
    use crate::SgfRecord;

    const PLAYERS: [(&Encoding, &str, &str); 6] = [
        // The second bytes of 十, 乗 and 功 are a backslash, those of ゾ and 乚 a bracket.
        (SHIFT_JIS, "Shift_JIS", "三村智保九段ゾゾ、高尾紳路十段"),
        (ISO_2022_JP, "iso-2022-jp", "三村智保九段ゾゾ、高尾紳路十段"),
        (GBK, "gb2312", "周俊勳九段，九段乚，周俊勳乗"),
        (BIG5, "Big5", "周俊勳九段，成功"),
        (EUC_KR, "EUC-KR", "이창호 구단 흑번"),
        (WINDOWS_1252, "iso-8859-1", "André [Müller é]"),
    ];

    fn game(encoding: &'static Encoding, label: &str, player: &str) -> Vec<u8> {
        let player = player.replace(']', "\\]");
        let text = format!("(;FF[4]GM[1]{label}SZ[9]PB[{player}]PW[{player}];B[aa];W[bb])");
        let (bytes, _, lost) = encoding.encode(&text);
        assert!(!lost, "{text}");
        bytes.into_owned()
    }

    #[test]
    fn files_are_decoded_as_they_say_or_as_they_look() {
        for (encoding, label, player) in PLAYERS {
            for label in [format!("CA[{label}]"), String::new()] {
                let file = game(encoding, &label, player);
                let record = SgfRecord::read(&file).expect("a game");
                assert_eq!(record.players[0].as_deref(), Some(player), "{encoding:?} {label}");
                assert_eq!((record.turns.len(), record.defects.len()), (2, 0));
            }
        }
    }

    #[test]
    fn utf_8_is_believed_before_the_label() {
        let file = "(;CA[gb2312]PB[周俊勳])".as_bytes();
        assert_eq!(decoded(file), "(;CA[gb2312]PB[周俊勳])");
        // One damaged byte in a file that declares its encoding.
        assert_eq!(decoded(b"(;CA[UTF-8]PB[\xff])"), "(;CA[UTF-8]PB[\u{fffd}])");
        let wide: Vec<u8> = "\u{feff}(;PB[a])".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decoded(&wide), "(;PB[a])", "{}", UTF_16LE.name());
        assert_eq!(decoded(b""), "");
    }
}
