//! Values that the store keeps as JSON.

use bytes::Bytes;
use object_store::path::Path;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::StoreError;
use super::objects::Store;

/// A value in the form in which the store keeps it.
pub(crate) fn json(value: &impl Serialize) -> Bytes {
    // Structs of numbers, text, and maps with text keys, which JSON always accepts.
    serde_json::to_vec(value).unwrap_or_default().into()
}

/// The value of an object with this name and content.
pub(crate) fn from_json<T: DeserializeOwned>(name: &Path, bytes: &[u8]) -> Result<T, StoreError> {
    serde_json::from_slice(bytes).map_err(|error| StoreError::damaged(name, error))
}

/// Reads a value; `None` if the object does not exist.
pub(crate) async fn read_json<T: DeserializeOwned>(
    store: &Store,
    name: &Path,
    most: u64,
) -> Result<Option<T>, StoreError> {
    let Some(bytes) = store.get(name, most).await? else { return Ok(None) };
    from_json(name, &bytes).map(Some)
}
