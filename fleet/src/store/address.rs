//! Chooses the implementation for an address.

use std::error::Error;
use std::str::FromStr;
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
use super::folder::Folder;

/// Longer than any request: the store has its own time limits.
const REQUEST: Duration = Duration::from_secs(24 * 3600);
const CONNECTION: Duration = Duration::from_secs(10);

/// Environment variables with their values.
pub(super) type Variables = Vec<(String, String)>;

/// The variables of this process whose values are text.
pub(super) fn environment() -> Variables {
    let text = |(key, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((key.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text).collect()
}

pub(super) fn open(
    address: &str,
    variables: &Variables,
) -> Result<(Arc<dyn ObjectStore>, Option<Folder>), StoreError> {
    let wrong = |why: String| StoreError::Address { url: address.to_owned(), why };
    let url = Url::parse(address).map_err(|error| wrong(error.to_string()))?;
    // They would be ignored, and two runs would become one.
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("'?' and '#' mean something else: write %3F and %23".to_owned()));
    }
    match url.scheme() {
        "memory" => Ok((Arc::new(InMemory::new()), None)),
        "file" => folder(&url).map_err(wrong),
        "s3" | "gs" => {
            if url.host_str().is_none_or(str::is_empty) {
                return Err(wrong("it names no bucket".to_owned()));
            }
            let place =
                Path::from_url_path(url.path()).map_err(|error| wrong(error.to_string()))?;
            let bucket = if url.scheme() == "s3" { s3 } else { gs };
            let bucket = bucket(address, variables)
                .map_err(|why| StoreError::Environment { url: address.to_owned(), why })?;
            let is_whole = place.as_ref().is_empty();
            let part = |place| Arc::new(PrefixStore::new(Arc::clone(&bucket), place));
            Ok((if is_whole { bucket } else { part(place) }, None))
        }
        other => Err(wrong(format!("unknown scheme {other}"))),
    }
}

fn folder(url: &Url) -> Result<(Arc<dyn ObjectStore>, Option<Folder>), String> {
    let folder = url.to_file_path().map_err(|()| "no path of this machine".to_owned())?;
    if !folder.is_dir() {
        return Err("there is no such folder; create it".to_owned());
    }
    let store = LocalFileSystem::new_with_prefix(&folder).map_err(|error| error.to_string())?;
    // Without it, a power cut may lose an object although its writer was told that it exists.
    Ok((Arc::new(store.with_fsync(true)), Some(Folder::new(folder))))
}

fn s3(address: &str, variables: &Variables) -> Result<Arc<dyn ObjectStore>, String> {
    let mut builder = AmazonS3Builder::new().with_url(address).with_retry(retries());
    for (key, value) in settings::<AmazonS3ConfigKey>("AWS_", variables) {
        builder = builder.with_config(key, value);
    }
    for (key, value) in client() {
        builder = builder.with_config(AmazonS3ConfigKey::Client(key), value);
    }
    let endpoints = [AmazonS3ConfigKey::S3Endpoint, AmazonS3ConfigKey::Endpoint];
    let endpoint = endpoints.iter().find_map(|key| builder.get_config_value(key));
    // Whoever writes `http://` means it; other tools do not require confirmation either.
    if endpoint.is_some_and(|endpoint| endpoint.starts_with("http://")) {
        builder = builder.with_allow_http(true);
    }
    Ok(Arc::new(builder.build().map_err(reason)?))
}

fn gs(address: &str, variables: &Variables) -> Result<Arc<dyn ObjectStore>, String> {
    let mut builder = GoogleCloudStorageBuilder::new().with_url(address).with_retry(retries());
    for (key, value) in settings::<GoogleConfigKey>("GOOGLE_", variables) {
        builder = builder.with_config(key, value);
    }
    for (key, value) in client() {
        builder = builder.with_config(GoogleConfigKey::Client(key), value);
    }
    Ok(Arc::new(builder.build().map_err(reason)?))
}

/// The settings of a client given by variables whose names begin with `beginning`.
fn settings<'a, K: FromStr>(
    beginning: &'a str,
    variables: &'a Variables,
) -> impl Iterator<Item = (K, &'a str)> {
    let ours = variables.iter().filter(move |(name, _)| name.starts_with(beginning));
    ours.filter_map(|(name, value)| Some((name.to_ascii_lowercase().parse().ok()?, &**value)))
}

/// The reason without the words that introduce an answer of the store, since there was none.
fn reason(error: object_store::Error) -> String {
    let first: &dyn std::error::Error = error.source().unwrap_or(&error);
    // The last cause is the most specific, such as a system without certificates.
    let last = std::iter::successors(Some(first), |&cause| cause.source()).last();
    match last.filter(|last| !std::ptr::addr_eq(*last, first)) {
        Some(last) => format!("{first}: {last}"),
        None => first.to_string(),
    }
}

/// None: the store repeats requests itself, with its own waits.
fn retries() -> RetryConfig {
    RetryConfig { max_retries: 0, ..RetryConfig::default() }
}

/// The environment's settings for connections are kept; only these are ours.
fn client() -> [(ClientConfigKey, String); 2] {
    // The process may have installed a provider already, which is just as good.
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

    fn with(variables: &[(&str, &str)]) -> Variables {
        variables.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    #[test]
    fn what_is_no_address_is_refused_with_what_is_expected() {
        for (address, why) in [
            ("runs/one", "relative URL without a base"),
            ("ftp://host/run", "unknown scheme ftp"),
            ("file:///no/such/folder", "there is no such folder; create it"),
            ("s3:///run", "bucket"),
            ("s3://bucket/a//b", "empty path segment"),
            ("gs:///run", "bucket"),
            ("s3://bucket/run#2", "write %3F and %23"),
            ("gs://bucket/run?x=1", "write %3F and %23"),
            ("file:///tmp#2", "write %3F and %23"),
            ("memory://#", "write %3F and %23"),
        ] {
            let error = open(address, &Variables::new()).unwrap_err().to_string();
            // Memory is for tests: it ends with the process.
            let expected = "expected file:///FOLDER, s3://BUCKET/FOLDER or gs://BUCKET/FOLDER";
            assert!(error.contains(why) && error.ends_with(expected), "{address}: {error}");
        }
    }

    #[test]
    fn clouds_are_opened_without_a_request() {
        let keys = [("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b")];
        for address in ["s3://bucket/run", "s3://bucket", "s3://bucket/run/", "gs://bucket/run"] {
            for variables in [with(&keys), with(&[])] {
                assert!(open(address, &variables).is_ok(), "{address} {variables:?}");
            }
        }
        let half = open("s3://bucket/run", &with(&keys[..1])).unwrap_err().to_string();
        assert!(
            half.contains("SecretAccessKey") && half.contains("correct its variables"),
            "{half}"
        );
    }
}
