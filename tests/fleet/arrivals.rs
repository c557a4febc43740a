//! What arrives in a folder's inbox.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use fleet::game_file;

/// Files that have been seen to arrive, with their numbers of games. A file that is taken before it
/// is seen is known from the place to which it is taken.
pub struct Arrivals {
    stop: Arc<AtomicBool>,
    watch: JoinHandle<BTreeMap<String, u64>>,
}

impl Arrivals {
    pub fn watch(folder: &Path) -> Arrivals {
        let (inbox, stop) = (folder.join("inbox"), Arc::new(AtomicBool::new(false)));
        let is_over = stop.clone();
        let watch = std::thread::spawn(move || {
            let mut seen = BTreeMap::new();
            loop {
                let is_last = is_over.load(Ordering::Relaxed);
                look(&inbox, &mut seen);
                if is_last {
                    return seen;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        Arrivals { stop, watch }
    }

    pub fn stop(self) -> BTreeMap<String, u64> {
        self.stop.store(true, Ordering::Relaxed);
        self.watch.join().unwrap()
    }
}

/// Notes the files that wait in an inbox. What is gone before it is read has been taken.
fn look(inbox: &Path, seen: &mut BTreeMap<String, u64>) {
    for slot in fs::read_dir(inbox).into_iter().flatten().flatten() {
        for file in fs::read_dir(slot.path()).into_iter().flatten().flatten() {
            let path = file.path();
            // Others are not whole yet.
            let is_whole = path.extension().is_some_and(|ending| ending == "games");
            if let Some(stem) = path.file_stem().filter(|_| is_whole) {
                let name = format!("{}/{}", slot.file_name().display(), stem.display());
                if !seen.contains_key(&name)
                    && let Ok(bytes) = fs::read(&path)
                {
                    let header = game_file::header(&bytes).unwrap();
                    seen.insert(name, u64::from(header.games));
                }
            }
        }
    }
}
