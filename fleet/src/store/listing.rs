//! Lists objects.

use std::time::Duration;

use futures_util::TryStreamExt;
use object_store::path::Path;
use tokio::sync::mpsc;

use super::error::StoreError;
use super::folder::{Folder, Leftovers};
use super::listed::Listed;
use super::objects::{Store, within};

/// Number of objects that clouds list per request.
const LISTED_AT_ONCE: usize = 1000;

/// The result of a listing.
#[derive(Debug, Default)]
pub(crate) struct PartialListing {
    /// The objects, by name.
    pub listed: Vec<Listed>,
    /// What the store refuses to list below the prefix.
    pub refused: Vec<StoreError>,
}

impl Store {
    /// All objects below a prefix, by name.
    ///
    /// # Errors
    /// The store fails.
    pub async fn list(&self, prefix: &Path) -> Result<Vec<Listed>, StoreError> {
        complete(self.list_from(prefix, None).await?)
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
        complete(self.list_from(prefix, Some(offset)).await?)
    }

    /// The objects below a prefix that can be listed, for callers that can continue without the
    /// others.
    ///
    /// # Errors
    /// The store fails, or refuses to list anything.
    pub(crate) async fn list_accessible(
        &self,
        prefix: &Path,
    ) -> Result<PartialListing, StoreError> {
        self.list_from(prefix, None).await
    }

    /// Removes leftovers of killed writers in a folder that are at least this old; clouds have no
    /// such leftovers.
    ///
    /// # Errors
    /// Something cannot be removed.
    pub(crate) async fn remove_leftovers(&self, age: Duration) -> Result<Leftovers, StoreError> {
        let Some(folder) = self.folder.clone() else { return Ok(Leftovers::default()) };
        let removal = tokio::task::spawn_blocking(move || folder.remove_leftovers(age));
        removal.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
    }

    async fn list_from(
        &self,
        prefix: &Path,
        offset: Option<&Path>,
    ) -> Result<PartialListing, StoreError> {
        let mut attempts = self.patience.attempts(prefix);
        loop {
            let found = match &self.folder {
                Some(folder) => self.walk(folder, prefix, offset).await,
                None => self.list_once(prefix, offset).await,
            };
            match found {
                Ok(mut found) => {
                    found.listed.sort_unstable_by(|a, b| a.name.cmp(&b.name));
                    return Ok(found);
                }
                Err(error) => attempts.after(error).await?,
            }
        }
    }

    async fn list_once(
        &self,
        prefix: &Path,
        offset: Option<&Path>,
    ) -> Result<PartialListing, StoreError> {
        let mut objects = match offset {
            Some(offset) => self.objects.list_with_offset(Some(prefix), offset),
            None => self.objects.list(Some(prefix)),
        };
        self.counters.count_write();
        let mut found = PartialListing::default();
        loop {
            match within(0, objects.try_next()).await {
                Ok(None) => return Ok(found),
                Ok(Some(meta)) => {
                    let (name, written) = (meta.location, meta.last_modified.into());
                    found.listed.push(Listed { name, size: meta.size, written });
                    if found.listed.len() % LISTED_AT_ONCE == 0 {
                        self.counters.count_write();
                    }
                }
                // A name that the library rejects. What comes after it is never listed.
                Err(error @ object_store::Error::InvalidPath { .. }) => {
                    found.refused.push(StoreError::of("list", prefix, &error));
                    return Ok(found);
                }
                Err(error) => return Err(StoreError::of("list", prefix, &error)),
            }
        }
    }

    /// Lists a folder, parts of which may be refused.
    async fn walk(
        &self,
        folder: &Folder,
        prefix: &Path,
        offset: Option<&Path>,
    ) -> Result<PartialListing, StoreError> {
        let entries = folder.walk(prefix, offset.cloned());
        let (sender, mut receiver) = mpsc::unbounded_channel();
        tokio::task::spawn_blocking(move || {
            // Stop if the caller is no longer waiting.
            for entry in entries {
                if sender.send(entry).is_err() {
                    break;
                }
            }
        });
        self.counters.count_write();
        let mut found = PartialListing::default();
        let failed = |error| StoreError::of("list", prefix, &error);
        let mut next = async || within(0, async { Ok(receiver.recv().await) }).await;
        while let Some(entry) = next().await.map_err(failed)? {
            match entry {
                Ok(listed) => found.listed.push(listed),
                Err(error) if error.is_transient() || error.is_about(prefix) => return Err(error),
                Err(error) => found.refused.push(error),
            }
        }
        Ok(found)
    }
}

/// The objects, or an error if the store refuses to list any part.
fn complete(found: PartialListing) -> Result<Vec<Listed>, StoreError> {
    match found.refused.into_iter().next() {
        Some(error) => Err(error),
        None => Ok(found.listed),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::PathBuf;
    use std::time::SystemTime;

    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 3600);

    fn opened() -> (tempfile::TempDir, Store) {
        let home = tempfile::tempdir().unwrap();
        let url = url::Url::from_directory_path(home.path()).unwrap();
        let store = Store::open(url.as_str()).unwrap();
        (home, store)
    }

    fn names(listed: &[Listed]) -> Vec<&str> {
        listed.iter().map(|one| one.name.as_ref()).collect()
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn names_that_no_store_has_are_passed_over_and_nothing_else_is() {
        use std::os::unix::ffi::OsStrExt;
        let (home, store) = opened();
        // Enough of them that some come before the others in any order that the system uses.
        for number in 0..20 {
            for name in [&b"x\xff"[..], b"a\nb", b"good"] {
                let folder = home.path().join(format!("inbox/{number}"));
                fs::create_dir_all(&folder).unwrap();
                fs::write(folder.join(std::ffi::OsStr::from_bytes(name)), "?").unwrap();
            }
        }
        fs::write(home.path().join("inbox/0/half#12"), "?").unwrap();
        let listed = store.list(&Path::from("inbox")).await.unwrap();
        assert_eq!(listed.len(), 20, "{:?}", names(&listed));
        assert!(listed.iter().all(|one| one.name.as_ref().ends_with("/good")));
        let after = store.list_after(&Path::from("inbox"), &Path::from("inbox/7/good")).await;
        assert_eq!(names(&after.unwrap()), ["inbox/8/good", "inbox/9/good"]);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_folder_that_may_not_be_read_hides_only_what_is_in_it() {
        use std::os::unix::fs::PermissionsExt;
        let (home, store) = opened();
        for name in ["inbox/a", "inbox/b"] {
            fs::create_dir_all(home.path().join(name)).unwrap();
            fs::write(home.path().join(name).join("0-0.games"), "?").unwrap();
        }
        let allow = |mode, name: &str| {
            fs::set_permissions(home.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
        };
        allow(0o000, "inbox/a");
        if fs::read_dir(home.path().join("inbox/a")).is_ok() {
            return eprintln!("not tried out: this user may read everything");
        }
        let inbox = Path::from("inbox");
        let PartialListing { listed, refused } = store.list_accessible(&inbox).await.unwrap();
        assert_eq!(names(&listed), ["inbox/b/0-0.games"]);
        let [StoreError::Refused { name, .. }] = &refused[..] else { panic!("{refused:?}") };
        assert_eq!(name.as_ref(), "inbox/a");
        assert!(store.list(&inbox).await.is_err(), "the list would not be complete");
        allow(0o000, "inbox");
        assert!(store.list_accessible(&inbox).await.is_err(), "nothing can be seen");
        allow(0o755, "inbox");
        allow(0o755, "inbox/a");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_link_is_followed_unless_it_leads_back() {
        let (home, store) = opened();
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("one"), "1").unwrap();
        fs::create_dir(home.path().join("models")).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), home.path().join("models/far")).unwrap();
        std::os::unix::fs::symlink(home.path(), home.path().join("models/back")).unwrap();
        std::os::unix::fs::symlink("nowhere", home.path().join("models/nothing")).unwrap();
        let listed = store.list(&Path::from("models")).await.unwrap();
        assert!(names(&listed).contains(&"models/far/one"), "{listed:?}");
    }

    #[tokio::test]
    async fn what_killed_writers_have_left_is_removed_once_it_is_old() {
        let (home, store) = opened();
        let put = |name: &str| {
            let path: PathBuf = home.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "half").unwrap();
            path
        };
        let make_old = |path: &std::path::Path| {
            let old = SystemTime::now() - 2 * DAY;
            File::open(path).unwrap().set_modified(old).unwrap();
        };
        let digest = "contents/0123456789abcdef0123456789abcdef#1";
        let old = ["inbox/a/0-1.games#1", "latest#12", digest].map(put);
        let names =
            ["inbox/a/0-0.games", "inbox/b/0-2.games#3", "checkpoints/1-a/x#y", "a/notes#2"];
        let kept = names.map(put);
        let folders = ["models/1-a", "commits"].map(|name| home.path().join(name));
        folders.iter().for_each(|folder| fs::create_dir_all(folder).unwrap());
        let aged = [&kept[0], &kept[2], &kept[3], &folders[0], &folders[1]];
        old.iter().chain(aged).for_each(|path| make_old(path));
        let removed = store.remove_leftovers(DAY).await.unwrap();
        assert_eq!(removed, Leftovers { partial: 3, folders: 1 });
        assert!(old.iter().all(|path| !path.exists()) && !folders[0].exists());
        // The last is a folder of the run, perhaps created with special permissions.
        assert!(kept.iter().all(|path| path.exists()) && folders[1].exists());
        let memory = Store::open("memory://").unwrap();
        assert_eq!(memory.remove_leftovers(DAY).await.unwrap(), Leftovers::default());
    }
}
