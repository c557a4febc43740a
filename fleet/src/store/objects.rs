//! Reads, writes and lists objects.
//!
//! Requests fail now and then and are repeated here. Only creation is not: after an error nobody knows whether it
//! happened, so [`Store::create`] looks.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{GetOptions, ObjectStore, ObjectStoreExt, PutMode, PutPayload};
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use super::address::open;
use super::error::{StoreError, is_final};

/// Attempts before an error is passed on.
const ATTEMPTS: u32 = 8;
/// The wait after the first of them; it doubles each time.
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// Objects that are deleted at once, at most.
const DELETED_AT_ONCE: usize = 1000;
/// Objects that clouds list with one request.
const LISTED_AT_ONCE: usize = 1000;

/// An object store of one run.
#[derive(Debug, Clone)]
pub struct Store {
    objects: Arc<dyn ObjectStore>,
    requests: Arc<Counters>,
}

#[derive(Debug, Default)]
struct Counters {
    writes: AtomicU64,
    reads: AtomicU64,
}

/// Requests that were made, in the two classes that clouds have prices for. Deleting is free.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requests {
    /// Objects written, and listings.
    pub writes: u64,
    /// Objects read or looked for.
    pub reads: u64,
}

/// An object in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: Path,
    /// Its size in bytes.
    pub size: u64,
    /// When it was written, by the store's clock.
    pub written: SystemTime,
}

/// What a conditional read gives.
#[derive(Debug)]
pub enum Fetched {
    /// There is no such object.
    Absent,
    /// It is the one of the tag.
    Unchanged,
    /// It is another one.
    New {
        /// Its contents.
        bytes: Bytes,
        /// What tells it from others.
        tag: Option<String>,
    },
}

/// Whose object a creation has left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Created {
    /// Ours.
    Mine,
    /// Somebody else's, with these contents.
    Others(Bytes),
}

impl Store {
    /// Opens a store by its address. Keys and regions of clouds come from the environment, as their own tools read it.
    ///
    /// # Errors
    /// The address is not one, or a folder does not exist.
    pub fn open(url: &str) -> Result<Store, StoreError> {
        open(url).map(Store::over)
    }

    /// A store over any other implementation.
    pub fn over(objects: Arc<dyn ObjectStore>) -> Store {
        Store { objects, requests: Arc::default() }
    }

    /// The requests that this store and its clones have made.
    pub fn requests(&self) -> Requests {
        let Counters { writes, reads } = &*self.requests;
        Requests { writes: writes.load(Ordering::Relaxed), reads: reads.load(Ordering::Relaxed) }
    }

    fn count_write(&self) {
        self.requests.writes.fetch_add(1, Ordering::Relaxed);
    }

    fn count_read(&self) {
        self.requests.reads.fetch_add(1, Ordering::Relaxed);
    }

    /// The contents of an object of at most `most` bytes; `None` if there is none.
    ///
    /// # Errors
    /// The store fails, or the object is larger.
    pub async fn get(&self, name: &Path, most: u64) -> Result<Option<Bytes>, StoreError> {
        match self.get_unless(name, None, most).await? {
            Fetched::New { bytes, .. } => Ok(Some(bytes)),
            Fetched::Absent | Fetched::Unchanged => Ok(None),
        }
    }

    /// The contents of an object of at most `most` bytes, unless it still has this tag.
    ///
    /// # Errors
    /// The store fails, or the object is larger.
    pub async fn get_unless(
        &self,
        name: &Path,
        tag: Option<&str>,
        most: u64,
    ) -> Result<Fetched, StoreError> {
        let mut attempt = 0;
        loop {
            match self.get_once(name, tag, most).await {
                Err(StoreError::Failed { .. }) if attempt < ATTEMPTS => {
                    wait(name, &mut attempt).await
                }
                result => return result,
            }
        }
    }

    async fn get_once(
        &self,
        name: &Path,
        tag: Option<&str>,
        most: u64,
    ) -> Result<Fetched, StoreError> {
        self.count_read();
        let options = GetOptions { if_none_match: tag.map(str::to_owned), ..GetOptions::default() };
        let found = match self.objects.get_opts(name, options).await {
            Err(object_store::Error::NotFound { .. }) => return Ok(Fetched::Absent),
            Err(object_store::Error::NotModified { .. }) => return Ok(Fetched::Unchanged),
            found => found.map_err(|cause| StoreError::of("read", name, cause))?,
        };
        if found.meta.size > most {
            return Err(StoreError::TooLarge { name: name.clone(), size: found.meta.size, most });
        }
        let tag = found.meta.e_tag.clone();
        let bytes = found.bytes().await.map_err(|cause| StoreError::of("read", name, cause))?;
        Ok(Fetched::New { bytes, tag })
    }

    /// Whether there is such an object.
    ///
    /// # Errors
    /// The store fails.
    pub async fn exists(&self, name: &Path) -> Result<bool, StoreError> {
        let mut attempt = 0;
        loop {
            self.count_read();
            match self.objects.head(name).await {
                Ok(_) => return Ok(true),
                Err(object_store::Error::NotFound { .. }) => return Ok(false),
                Err(cause) if attempt == ATTEMPTS || is_final(&cause) => {
                    return Err(StoreError::of("look for", name, cause));
                }
                Err(_) => wait(name, &mut attempt).await,
            }
        }
    }

    /// Writes an object, over what was there.
    ///
    /// # Errors
    /// The store fails. The object may have been written nevertheless, and may yet be.
    pub async fn put(&self, name: &Path, bytes: Bytes) -> Result<(), StoreError> {
        let mut attempt = 0;
        loop {
            match self.put_once(name, bytes.clone()).await {
                Err(StoreError::Failed { .. }) if attempt < ATTEMPTS => {
                    wait(name, &mut attempt).await
                }
                result => return result,
            }
        }
    }

    /// Writes an object with a single request, for callers that wait in a way of their own.
    ///
    /// # Errors
    /// The store fails. The object may have been written nevertheless, and may yet be.
    pub async fn put_once(&self, name: &Path, bytes: Bytes) -> Result<(), StoreError> {
        self.count_write();
        let written = self.objects.put(name, PutPayload::from_bytes(bytes)).await;
        written.map(drop).map_err(|cause| StoreError::of("write", name, cause))
    }

    /// Creates an object, and says whose it is that is there then. The contents must be unlike anybody else's: after an
    /// error, comparing them is how to know whose creation has succeeded.
    ///
    /// # Errors
    /// The store fails. The object may have been created nevertheless, and may yet be.
    pub async fn create(&self, name: &Path, bytes: Bytes) -> Result<Created, StoreError> {
        let mut attempt = 0;
        loop {
            let payload = PutPayload::from_bytes(bytes.clone());
            self.count_write();
            let error = match self.objects.put_opts(name, payload, PutMode::Create.into()).await {
                Ok(_) => return Ok(Created::Mine),
                Err(error) if is_final(&error) => {
                    return Err(StoreError::of("create", name, error));
                }
                Err(error) => error,
            };
            if let Some(found) = self.get(name, u64::MAX).await? {
                return Ok(if found == bytes { Created::Mine } else { Created::Others(found) });
            }
            if attempt == ATTEMPTS {
                return Err(StoreError::of("create", name, error));
            }
            wait(name, &mut attempt).await;
        }
    }

    /// Deletes objects, as far as they exist. After an error it goes on with the others.
    ///
    /// # Errors
    /// The store fails; some of them may be left.
    pub async fn delete(&self, names: Vec<Path>) -> Result<(), StoreError> {
        let mut failed = Ok(());
        for part in names.chunks(DELETED_AT_ONCE) {
            let stream = futures_util::stream::iter(part.to_vec()).map(Ok).boxed();
            let mut results = self.objects.delete_stream(stream);
            while let Some(result) = results.next().await {
                match result {
                    Ok(_) | Err(object_store::Error::NotFound { .. }) => {}
                    Err(cause) => failed = Err(StoreError::of("delete", &part[0], cause)),
                }
            }
        }
        failed
    }

    /// All objects below a prefix, by name.
    ///
    /// # Errors
    /// The store fails.
    pub async fn list(&self, prefix: &Path) -> Result<Vec<Listed>, StoreError> {
        self.list_from(prefix, None).await
    }

    /// All objects below a prefix with a name after `offset`, by name.
    ///
    /// # Errors
    /// The store fails.
    pub async fn list_after(
        &self,
        prefix: &Path,
        offset: &Path,
    ) -> Result<Vec<Listed>, StoreError> {
        self.list_from(prefix, Some(offset)).await
    }

    async fn list_from(
        &self,
        prefix: &Path,
        offset: Option<&Path>,
    ) -> Result<Vec<Listed>, StoreError> {
        let mut attempt = 0;
        loop {
            let listed = match offset {
                Some(offset) => self.objects.list_with_offset(Some(prefix), offset),
                None => self.objects.list(Some(prefix)),
            };
            self.count_write();
            let mut found = 0;
            let listed = listed.map_ok(|meta| {
                found += 1;
                if found % LISTED_AT_ONCE == 0 {
                    self.count_write();
                }
                let written = meta.last_modified.into();
                Listed { name: meta.location, size: meta.size, written }
            });
            match listed.try_collect::<Vec<Listed>>().await {
                Ok(mut listed) => {
                    listed.sort_unstable_by(|a, b| a.name.cmp(&b.name));
                    return Ok(listed);
                }
                Err(cause) if attempt == ATTEMPTS || is_final(&cause) => {
                    return Err(StoreError::of("list", prefix, cause));
                }
                Err(_) => wait(prefix, &mut attempt).await,
            }
        }
    }
}

/// Waits before the next attempt: longer each time, and not as long as others whose requests failed at the same moment.
async fn wait(name: &Path, attempt: &mut u32) {
    let mut hasher = DefaultHasher::new();
    (name.as_ref(), *attempt).hash(&mut hasher);
    let share = 0.5 + (hasher.finish() % 1024) as f64 / 1024.0;
    sleep(FIRST_WAIT.mul_f64(share * f64::from(1u32 << *attempt))).await;
    *attempt += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the rest of the crate takes for granted of a store.
    async fn behaves(store: &Store) {
        let name = |text: &str| Path::from(text);
        let most = 1 << 20;
        assert!(store.list(&name("a")).await.unwrap().is_empty());
        assert_eq!(store.get(&name("a/1"), most).await.unwrap(), None);
        for (at, contents) in [("a/2", "two"), ("a/10", "ten"), ("a/1", "one"), ("b", "b")] {
            store.put(&name(at), Bytes::from(contents)).await.unwrap();
        }
        let listed = store.list(&name("a")).await.unwrap();
        let names: Vec<&str> = listed.iter().map(|listed| listed.name.as_ref()).collect();
        assert_eq!(names, ["a/1", "a/10", "a/2"]);
        assert_eq!(listed[2].size, 3);
        let after = store.list_after(&name("a"), &name("a/1")).await.unwrap();
        assert_eq!(after, listed[1..]);
        assert_eq!(store.get(&name("a/2"), most).await.unwrap().unwrap(), "two");
        let error = store.get(&name("a/2"), 2).await.unwrap_err().to_string();
        assert_eq!(error, "a/2 has 3 bytes: expected at most 2");

        let Fetched::New { bytes, tag } = store.get_unless(&name("b"), None, most).await.unwrap()
        else {
            panic!("b is there")
        };
        assert_eq!(bytes, "b");
        let again = store.get_unless(&name("b"), tag.as_deref(), most).await.unwrap();
        assert!(matches!(again, Fetched::Unchanged));
        store.put(&name("b"), Bytes::from("changed")).await.unwrap();
        let again = store.get_unless(&name("b"), tag.as_deref(), most).await.unwrap();
        assert!(matches!(again, Fetched::New { bytes, .. } if bytes == "changed"));

        assert_eq!(store.create(&name("c"), Bytes::from("me")).await.unwrap(), Created::Mine);
        assert_eq!(store.create(&name("c"), Bytes::from("me")).await.unwrap(), Created::Mine);
        let others = store.create(&name("c"), Bytes::from("you")).await.unwrap();
        assert_eq!(others, Created::Others(Bytes::from("me")));

        let age = std::time::SystemTime::now().duration_since(listed[0].written);
        assert!(age.is_ok_and(|age| age < Duration::from_secs(3600)));

        store.delete(vec![name("a/1"), name("a/7"), name("c")]).await.unwrap();
        assert!(!store.exists(&name("a/1")).await.unwrap());
        assert!(store.exists(&name("a/2")).await.unwrap());
    }

    #[tokio::test]
    async fn requests_are_counted() {
        let store = Store::open("memory://").unwrap();
        let name = Path::from("a/1");
        store.put(&name, Bytes::from("one")).await.unwrap();
        store.create(&name, Bytes::from("two")).await.unwrap();
        store.clone().list(&Path::from("a")).await.unwrap();
        store.get(&name, 10).await.unwrap();
        store.exists(&name).await.unwrap();
        store.delete(vec![name]).await.unwrap();
        // A creation that fails looks whose the object is.
        assert_eq!(store.requests(), Requests { writes: 3, reads: 3 });
    }

    /// Of many who create the same object at the same time, one succeeds.
    async fn has_one_winner(store: &Store) {
        for round in 0..150 {
            let name = Path::from(format!("race/{round}"));
            let tasks: Vec<_> = (0..16)
                .map(|writer: u64| {
                    let (store, name) = (store.clone(), name.clone());
                    tokio::spawn(async move {
                        store.create(&name, Bytes::from(writer.to_string())).await.unwrap()
                    })
                })
                .collect();
            let mut winners = 0;
            for task in tasks {
                winners += u32::from(task.await.unwrap() == Created::Mine);
            }
            assert_eq!(winners, 1, "round {round}");
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn memory_is_a_store() {
        let store = Store::open("memory://").unwrap();
        behaves(&store).await;
        has_one_winner(&store).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn a_folder_is_a_store() {
        let folder = tempfile::tempdir().unwrap();
        let url = url::Url::from_directory_path(folder.path()).unwrap();
        let store = Store::open(url.as_str()).unwrap();
        behaves(&store).await;
        has_one_winner(&store).await;
    }
}
