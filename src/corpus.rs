//! Replays the files in a folder of game records on all cores.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use game::read_file;
use indicatif::ProgressBar;
use rayon::prelude::*;
use studies::{Corpus, RuleSets};

/// Stack size in bytes: a game's nodes are nested in memory.
const STACK: usize = 64 << 20;

/// Replays all SGF files of a folder and its subfolders.
pub fn replay_folder(folder: &Path, rule_sets: &RuleSets) -> Result<Corpus> {
    let files = sgf_files(folder)?;
    ensure!(!files.is_empty(), "{} has no SGF file in it", folder.display());
    let pool = rayon::ThreadPoolBuilder::new()
        .stack_size(STACK)
        .build()
        .context("cannot start the threads that replay")?;
    let bar = ProgressBar::new(files.len() as u64);
    let entries: Vec<_> = pool.install(|| {
        files
            .par_iter()
            .map(|path| {
                let entries = read_file(path).map(|file| rule_sets.read(&file));
                bar.inc(1);
                entries
            })
            .collect()
    });
    bar.finish_and_clear();
    let mut corpus = Corpus::new(rule_sets);
    for (path, entries) in files.iter().zip(entries) {
        let name = path.strip_prefix(folder).unwrap_or(path).display().to_string();
        match entries {
            Ok(entries) => corpus.add(&name, entries),
            Err(error) => corpus.add_unreadable(&name, error.to_string()),
        }
    }
    Ok(corpus)
}

/// All files with the extension `.sgf`, sorted. Links to folders are not followed, so that none can
/// lead back.
fn sgf_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        let entries = std::fs::read_dir(&folder)
            .with_context(|| format!("cannot read the folder {}", folder.display()))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot read {}", folder.display()))?;
            let path = entry.path();
            let is_sgf = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("sgf"));
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push(path);
            } else if is_sgf && path.metadata().map_or(true, |known| known.is_file()) {
                // Reading a pipe would wait for a writer. A file about which nothing is known is
                // reported when reading it fails.
                found.push(path);
            }
        }
    }
    found.sort_unstable();
    Ok(found)
}
