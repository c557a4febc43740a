//! Values in front of plain bytes, as [`selfplay::format::framed`] writes them: length, CRC-32C, and the value as
//! postcard writes it.

use serde::de::DeserializeOwned;

/// No value of a file is nearly as long.
const LONGEST: usize = 16 << 20;

/// Reads bytes from the front.
pub struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    /// Behind a magic word, which must be there.
    pub fn after(magic: &[u8], bytes: &'a [u8]) -> Option<Cursor<'a>> {
        bytes.strip_prefix(magic).map(Cursor)
    }

    /// The next value.
    pub fn framed<T: DeserializeOwned>(&mut self) -> Result<T, &'static str> {
        let (length, checksum) = (self.number()?, self.number()?);
        let length = length as usize;
        if length > LONGEST {
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

    /// What has not been read.
    pub fn rest(self) -> &'a [u8] {
        self.0
    }
}
