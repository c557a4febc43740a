//! Values stored before plain bytes, in the format of [`selfplay::format::framed`]: length,
//! CRC-32C, and the value in postcard format.

use serde::de::DeserializeOwned;

/// Upper limit on a value's length; real ones are far shorter.
const MAX_BYTES: usize = 16 << 20;

/// Reads bytes from the front.
pub struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    /// Starts after a magic word; `None` if it is missing.
    pub fn after(magic: &[u8], bytes: &'a [u8]) -> Option<Cursor<'a>> {
        bytes.strip_prefix(magic).map(Cursor)
    }

    /// The next value.
    pub fn framed<T: DeserializeOwned>(&mut self) -> Result<T, &'static str> {
        let (length, checksum) = (self.number()?, self.number()?);
        let length = length as usize;
        if length > MAX_BYTES {
            return Err("too long");
        }
        let (value, rest) = self.0.split_at_checked(length).ok_or("cut off")?;
        self.0 = rest;
        if crc32c::crc32c(value) != checksum {
            return Err("checksum differs");
        }
        match postcard::take_from_bytes(value) {
            Ok((value, [])) => Ok(value),
            Ok(_) | Err(_) => Err("not what is expected there"),
        }
    }

    fn number(&mut self) -> Result<u32, &'static str> {
        let (number, rest) = self.0.split_first_chunk().ok_or("cut off")?;
        self.0 = rest;
        Ok(u32::from_le_bytes(*number))
    }

    /// The bytes that have not been read.
    pub fn rest(self) -> &'a [u8] {
        self.0
    }
}
