//! Content-addressed objects: their names are derived from their contents, so names cannot collide.

use bytes::Bytes;
use object_store::path::Path;

use crate::digest::sha256;
use crate::names;
use crate::store::{Store, StoreError};

/// Stores bytes under their SHA-256, unless they exist already, and returns it.
///
/// # Errors
/// The store fails.
pub async fn put_content(store: &Store, bytes: Bytes) -> Result<String, StoreError> {
    let digest = sha256(&bytes);
    let name = names::content(&digest);
    if !store.exists(&name).await? {
        store.put(&name, bytes).await?;
    }
    Ok(digest)
}

/// The bytes with this SHA-256.
///
/// # Errors
/// The store fails, or has no such bytes.
pub async fn get_content(store: &Store, digest: &str) -> Result<Bytes, StoreError> {
    get_checked(store, &names::content(digest), digest).await
}

/// The bytes of an object, after checking that their SHA-256 is, or begins with, the one in its
/// name.
pub(crate) async fn get_checked(
    store: &Store,
    name: &Path,
    digest: &str,
) -> Result<Bytes, StoreError> {
    let damaged = |why: &str| StoreError::damaged(name, why);
    let bytes = store.get(name, u64::MAX).await?.ok_or_else(|| damaged("it is missing"))?;
    if !sha256(&bytes).starts_with(digest) {
        return Err(damaged("its SHA-256 is another than its name"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn contents_are_what_their_names_say() {
        let store = Store::open("memory://").unwrap();
        let digest = put_content(&store, "weights".into()).await.unwrap();
        assert_eq!(put_content(&store, "weights".into()).await.unwrap(), digest);
        assert_eq!(get_content(&store, &digest).await.unwrap(), "weights");
        let missing = get_content(&store, &"0".repeat(64)).await.unwrap_err().to_string();
        assert!(missing.contains("it is missing"), "{missing}");
        store.put(&names::content(&digest), "others".into()).await.unwrap();
        let changed = get_content(&store, &digest).await.unwrap_err().to_string();
        assert!(changed.contains("another than its name"), "{changed}");
    }
}
