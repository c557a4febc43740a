//! Which implementation an address means.

use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{ClientConfigKey, ObjectStore, RetryConfig};
use url::Url;

use super::error::StoreError;

/// How long one request to a cloud may take: weights are large and lines may be slow.
const REQUEST: Duration = Duration::from_secs(300);
const CONNECTION: Duration = Duration::from_secs(10);

pub(super) fn open(address: &str) -> Result<Arc<dyn ObjectStore>, StoreError> {
    let wrong = |why: String| StoreError::Address { url: address.to_owned(), why };
    let url = Url::parse(address).map_err(|error| wrong(error.to_string()))?;
    let failed = |error: object_store::Error| wrong(error.to_string());
    match url.scheme() {
        "memory" => Ok(Arc::new(InMemory::new())),
        "file" => {
            let folder =
                url.to_file_path().map_err(|()| wrong("no path of this machine".to_owned()))?;
            if !folder.is_dir() {
                return Err(wrong("there is no such folder; create it".to_owned()));
            }
            let store = LocalFileSystem::new_with_prefix(folder).map_err(failed)?;
            // Without it, a power cut may take an object away whose writer has been told that it is there.
            Ok(Arc::new(store.with_fsync(true)))
        }
        "s3" => {
            let mut builder = AmazonS3Builder::from_env().with_url(address).with_retry(retries());
            for (key, value) in client() {
                builder = builder.with_config(AmazonS3ConfigKey::Client(key), value);
            }
            Ok(below(builder.build().map_err(failed)?, &url))
        }
        "gs" => {
            let mut builder =
                GoogleCloudStorageBuilder::from_env().with_url(address).with_retry(retries());
            for (key, value) in client() {
                builder = builder.with_config(GoogleConfigKey::Client(key), value);
            }
            Ok(below(builder.build().map_err(failed)?, &url))
        }
        other => Err(wrong(format!("unknown scheme {other}"))),
    }
}

/// The part of a bucket below the address's path.
fn below(store: impl ObjectStore, url: &Url) -> Arc<dyn ObjectStore> {
    match Path::from_url_path(url.path()) {
        Ok(prefix) if !prefix.as_ref().is_empty() => Arc::new(PrefixStore::new(store, prefix)),
        Ok(_) | Err(_) => Arc::new(store),
    }
}

/// Few repetitions: the store has its own, whose waits are known to it.
fn retries() -> RetryConfig {
    RetryConfig { max_retries: 2, retry_timeout: REQUEST, ..RetryConfig::default() }
}

/// What the environment says about connections stays; only these are ours.
fn client() -> [(ClientConfigKey, String); 2] {
    // The process may have chosen one already, which does as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let seconds = |time: Duration| format!("{} s", time.as_secs());
    [
        (ClientConfigKey::Timeout, seconds(REQUEST)),
        (ClientConfigKey::ConnectTimeout, seconds(CONNECTION)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_address_is_refused_with_what_is_expected() {
        for (address, why) in [
            ("runs/one", "relative URL without a base"),
            ("ftp://host/run", "unknown scheme ftp"),
            ("file:///no/such/folder", "there is no such folder; create it"),
        ] {
            let error = open(address).unwrap_err().to_string();
            assert!(error.contains(why) && error.contains("expected file:///FOLDER"), "{error}");
        }
    }

    #[test]
    fn clouds_are_opened_without_a_request() {
        for address in ["s3://bucket/run", "gs://bucket/run", "s3://bucket"] {
            let opened = open(address);
            // Without credentials some refuse at once; what matters is that TLS can be set up.
            if let Err(error) = opened {
                assert!(!error.to_string().contains("TLS"), "{error}");
            }
        }
    }
}
