//! Reads and writes objects.
//!
//! Requests fail now and then and are repeated here. Creation alone is not simply repeated: after
//! an error nobody knows whether it happened, so [`Store::create`] checks.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use object_store::path::Path;
use object_store::{GetOptions, ObjectStore, ObjectStoreExt, PutMode, PutPayload};
use tokio::time::timeout;

use super::address::{environment, open};
use super::cause::is_absent;
use super::error::StoreError;
use super::folder::Folder;
use super::listed::Listed;
use super::patience::Patience;
use super::requests::{Counters, Requests};

/// How long a store may take to answer, not counting the time for transferring bytes at the slowest
/// accepted rate, in bytes per second.
const ANSWER: Duration = Duration::from_secs(30);
const SLOWEST: u64 = 64 << 10;
/// Maximum number of objects deleted at once.
const DELETED_AT_ONCE: usize = 1000;

/// The object store of a run. Clones are the same store.
#[derive(Debug, Clone)]
pub struct Store {
    pub(super) objects: Arc<dyn ObjectStore>,
    /// The folder, if the objects are files.
    pub(super) folder: Option<Folder>,
    pub(super) patience: Patience,
    pub(super) counters: Counters,
}

/// The result of a conditional read.
#[derive(Debug)]
pub enum Fetched {
    /// There is no such object.
    Absent,
    /// The object still has the given tag.
    Unchanged,
    /// The object has changed.
    New {
        /// Its contents.
        bytes: Bytes,
        /// Identifies this version of the object.
        tag: Option<String>,
    },
}

/// Who created the object that exists after an attempt to create it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Created {
    /// We did.
    Mine,
    /// Somebody else did, with these contents.
    Others(Bytes),
}

impl Store {
    /// Opens a store by its address. Keys and regions of clouds come from the environment, in the
    /// variables that the clouds' own tools use.
    ///
    /// # Errors
    /// The address is invalid, or a folder does not exist.
    pub fn open(url: &str) -> Result<Store, StoreError> {
        Store::open_with(url, environment())
    }

    /// Like [`Store::open`], with these variables instead of the environment's.
    ///
    /// # Errors
    /// As for [`Store::open`].
    pub fn open_with(url: &str, variables: Vec<(String, String)>) -> Result<Store, StoreError> {
        let (objects, folder) = open(url, &variables)?;
        Ok(Store { folder, ..Store::from_objects(objects) })
    }

    /// A store on top of any other implementation.
    pub fn from_objects(objects: Arc<dyn ObjectStore>) -> Store {
        let (patience, counters) = (Patience::default(), Counters::default());
        Store { objects, folder: None, patience, counters }
    }

    /// The requests made by this store and its clones.
    pub fn requests(&self) -> Requests {
        self.counters.requests()
    }

    /// The same store, whose requests are repeated for this long before an error is passed on.
    pub fn with_patience(mut self, limit: Duration) -> Store {
        self.patience.set_limit(limit);
        self
    }

    /// The same store, which reports failures that have lasted for seconds and are being retried,
    /// and repeats the report every minute.
    pub fn with_listener(mut self, listener: fn(&StoreError)) -> Store {
        self.patience.set_listener(listener);
        self
    }

    /// Reports an error that has lasted for a while, for callers that retry in their own way.
    pub(crate) fn tell(&self, error: &StoreError, lasts: Duration) {
        self.patience.tell(error, lasts);
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
        let mut attempts = self.patience.attempts(name);
        loop {
            match self.get_once(name, tag, most).await {
                Err(error) => attempts.after(error).await?,
                found => return found,
            }
        }
    }

    async fn get_once(
        &self,
        name: &Path,
        tag: Option<&str>,
        most: u64,
    ) -> Result<Fetched, StoreError> {
        self.counters.count_read();
        let options = GetOptions { if_none_match: tag.map(str::to_owned), ..GetOptions::default() };
        let found = match within(0, self.objects.get_opts(name, options)).await {
            Err(error) if is_absent(&error) => return Ok(Fetched::Absent),
            Err(object_store::Error::NotModified { .. }) => return Ok(Fetched::Unchanged),
            found => found.map_err(|error| StoreError::of("read", name, &error))?,
        };
        let (size, tag) = (found.meta.size, found.meta.e_tag.clone());
        if size > most {
            return Err(StoreError::TooLarge { name: name.clone(), size, most });
        }
        let bytes = within(size, found.bytes()).await;
        let bytes = bytes.map_err(|error| StoreError::of("read", name, &error))?;
        Ok(Fetched::New { bytes, tag })
    }

    /// Whether there is such an object.
    ///
    /// # Errors
    /// The store fails.
    pub async fn exists(&self, name: &Path) -> Result<bool, StoreError> {
        Ok(self.look_at(name).await?.is_some())
    }

    /// An object's listing entry; `None` if it does not exist.
    ///
    /// # Errors
    /// The store fails.
    pub async fn look_at(&self, name: &Path) -> Result<Option<Listed>, StoreError> {
        let mut attempts = self.patience.attempts(name);
        loop {
            self.counters.count_read();
            match within(0, self.objects.head(name)).await {
                Ok(found) => {
                    let (name, written) = (found.location, found.last_modified.into());
                    return Ok(Some(Listed { name, size: found.size, written }));
                }
                Err(error) if is_absent(&error) => return Ok(None),
                Err(error) => attempts.after(StoreError::of("look for", name, &error)).await?,
            }
        }
    }

    /// Writes an object, replacing any existing one.
    ///
    /// # Errors
    /// The store fails. The object may have been written anyway, or may still be.
    pub async fn put(&self, name: &Path, bytes: Bytes) -> Result<(), StoreError> {
        let mut attempts = self.patience.attempts(name);
        loop {
            match self.put_once(name, bytes.clone()).await {
                Ok(()) => return Ok(()),
                Err(error) => attempts.after(error).await?,
            }
        }
    }

    /// Writes an object with a single request, for callers that wait in their own way.
    ///
    /// # Errors
    /// The store fails. The object may have been written anyway, or may still be.
    pub async fn put_once(&self, name: &Path, bytes: Bytes) -> Result<(), StoreError> {
        self.counters.count_write();
        let size = bytes.len() as u64;
        let written = within(size, self.objects.put(name, PutPayload::from_bytes(bytes))).await;
        written.map(drop).map_err(|error| StoreError::of("write", name, &error))
    }

    /// Creates an object, and returns whose object exists afterwards. The contents must differ from
    /// anybody else's: after an error, comparing them shows whose creation succeeded.
    ///
    /// # Errors
    /// The store fails. The object may have been created anyway, or may still be.
    pub async fn create(&self, name: &Path, bytes: Bytes) -> Result<Created, StoreError> {
        let mut attempts = self.patience.attempts(name);
        loop {
            let payload = PutPayload::from_bytes(bytes.clone());
            self.counters.count_write();
            let request = self.objects.put_opts(name, payload, PutMode::Create.into());
            let error = match within(bytes.len() as u64, request).await {
                Ok(_) => return Ok(Created::Mine),
                Err(error) => StoreError::of("create", name, &error),
            };
            if !error.is_transient() {
                return Err(error);
            }
            match self.get_once(name, None, u64::MAX).await {
                Ok(Fetched::New { bytes: found, .. }) if found == bytes => {
                    return Ok(Created::Mine);
                }
                Ok(Fetched::New { bytes, .. }) => return Ok(Created::Others(bytes)),
                Err(found) if !found.is_transient() => return Err(found),
                Ok(Fetched::Absent | Fetched::Unchanged) | Err(_) => attempts.after(error).await?,
            }
        }
    }

    /// Deletes those of the objects that exist. After an error it continues with the others.
    ///
    /// # Errors
    /// The store fails; some of them may be left.
    pub async fn delete(&self, names: Vec<Path>) -> Result<(), StoreError> {
        let mut failed = Ok(());
        for part in names.chunks(DELETED_AT_ONCE) {
            let stream = futures_util::stream::iter(part.to_vec()).map(Ok).boxed();
            let mut results = self.objects.delete_stream(stream);
            let deletion = async {
                let mut failed = Ok(());
                while let Some(result) = results.next().await {
                    match result {
                        Ok(_) | Err(object_store::Error::NotFound { .. }) => {}
                        Err(error) => failed = failed.and(Err(error)),
                    }
                }
                failed
            };
            // Some stores receive a separate request for each object.
            if let Err(error) = within(SLOWEST / 4 * part.len() as u64, deletion).await {
                failed = failed.and(Err(StoreError::of("delete", &part[0], &error)));
            }
        }
        failed
    }
}

/// The result of a request, unless the store takes too long for one with this many bytes.
pub(super) async fn within<T>(
    bytes: u64,
    request: impl Future<Output = object_store::Result<T>>,
) -> object_store::Result<T> {
    let allowed = ANSWER + Duration::from_secs(bytes / SLOWEST);
    timeout(allowed, request).await.unwrap_or_else(|_| {
        let why = format!("no answer within {} s", allowed.as_secs());
        let source = Box::new(io::Error::new(io::ErrorKind::TimedOut, why));
        Err(object_store::Error::Generic { store: "object", source })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks what the rest of the crate assumes about a store.
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
        // After a failed creation, it checks whose the object is.
        assert_eq!(store.requests(), Requests { writes: 3, reads: 3 });
    }

    #[tokio::test]
    async fn memory_is_a_store() {
        let store = Store::open("memory://").unwrap();
        behaves(&store).await;
    }

    #[tokio::test]
    async fn a_folder_is_a_store() {
        let folder = tempfile::tempdir().unwrap();
        let url = url::Url::from_directory_path(folder.path()).unwrap();
        let store = Store::open(url.as_str()).unwrap();
        behaves(&store).await;
    }

    #[tokio::test(start_paused = true)]
    async fn somebody_who_says_nothing_is_waited_for_as_long_as_patience_lasts() {
        let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", silent.local_addr().unwrap());
        let variables = [
            ("AWS_ENDPOINT_URL", endpoint.as_str()),
            ("AWS_ACCESS_KEY_ID", "a"),
            ("AWS_SECRET_ACCESS_KEY", "b"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let store = Store::open_with("s3://bucket/run", variables.into()).unwrap();
        let store = store.with_patience(Duration::from_secs(100));
        let begun = tokio::time::Instant::now();
        let name = Path::from("run.toml");
        let error = store.get(&name, 1).await.unwrap_err();
        assert!(error.is_transient());
        assert_eq!(error.to_string(), "the store fails to read run.toml: no answer within 30 s");
        let error = store.create(&name, Bytes::new()).await.unwrap_err();
        assert!(error.to_string().contains("create run.toml: no answer"), "{error}");
        // An attempt that begins before patience runs out is completed.
        let lasted = begun.elapsed().as_secs();
        assert!((150..=320).contains(&lasted), "{lasted} s");
    }
}
