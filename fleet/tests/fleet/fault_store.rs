//! A store in memory that fails in every way in which real ones do, the same way for the same seed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tokio::time::sleep;

/// How often what happens, as shares of requests.
#[derive(Debug, Clone, Copy, Default)]
pub struct Faults {
    /// The store refuses (503); nothing happens.
    pub refused: f64,
    /// The request is lost: the client waits in vain. One of two arrives long after.
    pub lost_request: f64,
    /// The request is obeyed, but the client waits in vain.
    pub lost_reply: f64,
    /// A write that succeeded arrives again later.
    pub repeated: f64,
    /// What was deleted is there again later.
    pub returned: f64,
}

impl Faults {
    /// Everything at the same rate.
    pub fn all(rate: f64) -> Faults {
        Faults {
            refused: rate,
            lost_request: rate,
            lost_reply: rate,
            repeated: rate,
            returned: rate,
        }
    }
}

/// Requests that were made.
#[derive(Debug, Default)]
pub struct Requests {
    pub puts: AtomicU64,
    pub gets: AtomicU64,
    pub lists: AtomicU64,
    pub deletes: AtomicU64,
}

#[derive(Debug)]
pub struct FaultStore {
    inner: Arc<InMemory>,
    faults: Faults,
    has_faults: AtomicBool,
    /// Whether whatever exists can be created again.
    is_careless: AtomicBool,
    /// What nobody may read or delete.
    forbidden: Mutex<BTreeSet<Path>>,
    random: Mutex<ChaCha8Rng>,
    pub requests: Requests,
    /// What has ever been in the inbox.
    pub arrived: Arc<Mutex<BTreeMap<Path, Bytes>>>,
}

/// What happens to a request.
enum Fate {
    Fine,
    Refused,
    LostRequest,
    LostReply,
}

fn error() -> object_store::Error {
    object_store::Error::Generic { store: "fault", source: "no answer".into() }
}

/// The longest time until everything that is still under way has happened.
pub const MAX_DELAY: Duration = Duration::from_secs(600);

impl FaultStore {
    pub fn new(seed: u64, faults: Faults) -> Arc<FaultStore> {
        Arc::new(FaultStore {
            inner: Arc::new(InMemory::new()),
            faults,
            has_faults: AtomicBool::new(true),
            is_careless: AtomicBool::new(false),
            forbidden: Mutex::default(),
            random: Mutex::new(ChaCha8Rng::seed_from_u64(seed)),
            requests: Requests::default(),
            arrived: Arc::default(),
        })
    }

    /// What is stored, without faults, time or counting.
    pub fn quiet(&self) -> Arc<InMemory> {
        Arc::clone(&self.inner)
    }

    /// From now on everything works, apart from what is under way.
    pub fn heal(&self) {
        self.has_faults.store(false, Ordering::Relaxed);
    }

    /// From now on conditions are ignored, as by stores that do not know them.
    pub fn ignore_conditions(&self) {
        self.is_careless.store(true, Ordering::Relaxed);
    }

    /// From now on nobody may read or delete exactly these.
    pub fn forbid(&self, names: &[Path]) {
        *self.forbidden.lock().unwrap() = names.iter().cloned().collect();
    }

    fn allow(&self, name: &Path) -> Result<()> {
        if self.forbidden.lock().unwrap().contains(name) {
            let (path, source) = (name.to_string(), "not yours".into());
            return Err(object_store::Error::PermissionDenied { path, source });
        }
        Ok(())
    }

    fn happens(&self, rate: f64) -> bool {
        self.has_faults.load(Ordering::Relaxed)
            && rate > 0.0
            && self.random.lock().unwrap().random_bool(rate)
    }

    fn seconds(&self, range: Range<f64>) -> Duration {
        Duration::from_secs_f64(self.random.lock().unwrap().random_range(range))
    }

    /// Takes the time of a request and draws what happens to it.
    async fn fate(&self) -> Fate {
        sleep(self.seconds(0.001..0.05)).await;
        if self.happens(self.faults.refused) {
            Fate::Refused
        } else if self.happens(self.faults.lost_request) {
            sleep(self.seconds(0.2..3.0)).await;
            Fate::LostRequest
        } else if self.happens(self.faults.lost_reply) {
            Fate::LostReply
        } else {
            Fate::Fine
        }
    }

    async fn no_reply<T>(&self) -> Result<T> {
        sleep(self.seconds(0.2..3.0)).await;
        Err(error())
    }

    /// Writes after a while, whatever has happened since.
    fn write_later(&self, location: &Path, payload: &PutPayload, options: &PutOptions) {
        let delay = self.seconds(0.1..MAX_DELAY.as_secs_f64());
        let (inner, arrived) = (Arc::clone(&self.inner), Arc::clone(&self.arrived));
        let (location, payload, options) = (location.clone(), payload.clone(), options.clone());
        tokio::spawn(async move {
            sleep(delay).await;
            note(&arrived, &location, &payload);
            let _ = inner.put_opts(&location, payload, options).await;
        });
    }

    async fn write(
        &self,
        location: &Path,
        payload: PutPayload,
        mut options: PutOptions,
    ) -> Result<PutResult> {
        note(&self.arrived, location, &payload);
        if self.is_careless.load(Ordering::Relaxed) {
            options.mode = PutMode::Overwrite;
        }
        self.inner.put_opts(location, payload, options).await
    }

    async fn delete_one(&self, location: Path) -> Result<Path> {
        self.allow(&location)?;
        let fate = self.fate().await;
        if matches!(fate, Fate::Refused | Fate::LostRequest) {
            return Err(error());
        }
        if self.happens(self.faults.returned)
            && let Ok(found) = self.inner.get(&location).await
            && let Ok(bytes) = found.bytes().await
        {
            self.write_later(&location, &bytes.into(), &PutOptions::default());
        }
        self.inner.delete(&location).await?;
        if matches!(fate, Fate::LostReply) { self.no_reply().await } else { Ok(location) }
    }

    async fn list_all(
        &self,
        prefix: Option<Path>,
        offset: Option<Path>,
    ) -> Result<Vec<ObjectMeta>> {
        self.requests.lists.fetch_add(1, Ordering::Relaxed);
        if !matches!(self.fate().await, Fate::Fine) {
            return Err(error());
        }
        match offset {
            Some(offset) => self.inner.list_with_offset(prefix.as_ref(), &offset),
            None => self.inner.list(prefix.as_ref()),
        }
        .try_collect()
        .await
    }
}

fn note(arrived: &Mutex<BTreeMap<Path, Bytes>>, location: &Path, payload: &PutPayload) {
    if location.as_ref().starts_with("inbox/") {
        let bytes = Bytes::from(payload.clone());
        let before = arrived.lock().unwrap().insert(location.clone(), bytes.clone());
        assert!(before.is_none_or(|before| before == bytes), "{location} changed");
    }
}

impl fmt::Display for FaultStore {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a store with faults")
    }
}

/// The handle that the product gets: streams need to own the store.
#[derive(Debug, Clone)]
pub struct Handle(pub Arc<FaultStore>);

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[async_trait]
impl ObjectStore for Handle {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        let store = &self.0;
        store.requests.puts.fetch_add(1, Ordering::Relaxed);
        match store.fate().await {
            Fate::Refused => Err(error()),
            Fate::LostRequest => {
                if store.happens(0.5) {
                    store.write_later(location, &payload, &options);
                }
                Err(error())
            }
            Fate::LostReply => {
                let _ = store.write(location, payload, options).await;
                store.no_reply().await
            }
            Fate::Fine => {
                if store.happens(store.faults.repeated) {
                    store.write_later(location, &payload, &options);
                }
                store.write(location, payload, options).await
            }
        }
    }

    async fn put_multipart_opts(
        &self,
        _: &Path,
        _: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        Err(error())
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.0.requests.gets.fetch_add(1, Ordering::Relaxed);
        self.0.allow(location)?;
        match self.0.fate().await {
            Fate::Fine => self.0.inner.get_opts(location, options).await,
            Fate::Refused | Fate::LostRequest | Fate::LostReply => Err(error()),
        }
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        let store = Arc::clone(&self.0);
        store.requests.deletes.fetch_add(1, Ordering::Relaxed);
        let delete = move |location: Result<Path>| {
            let store = Arc::clone(&store);
            async move { store.delete_one(location?).await }
        };
        // As many at once as one request takes.
        locations.map(delete).buffered(1000).boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let (store, prefix) = (Arc::clone(&self.0), prefix.cloned());
        let all = async move { store.list_all(prefix, None).await };
        futures_util::stream::once(all)
            .map_ok(|all| futures_util::stream::iter(all).map(Ok))
            .try_flatten()
            .boxed()
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        offset: &Path,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        let (store, prefix, offset) = (Arc::clone(&self.0), prefix.cloned(), offset.clone());
        let all = async move { store.list_all(prefix, Some(offset)).await };
        futures_util::stream::once(all)
            .map_ok(|all| futures_util::stream::iter(all).map(Ok))
            .try_flatten()
            .boxed()
    }

    async fn list_with_delimiter(&self, _: Option<&Path>) -> Result<ListResult> {
        Err(error())
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> Result<()> {
        Err(error())
    }
}
