//! Matches played by processes that share a folder and are killed: the same as with one worker, and
//! with short searches as without a store.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::folder::in_folder;
use crate::process::{Process, hotstone};
use crate::wait::wait_for;

/// A store for matches in a temporary folder.
struct Store(tempfile::TempDir);

impl Store {
    fn new() -> Store {
        Store(tempfile::tempdir().unwrap())
    }

    fn url(&self) -> String {
        format!("file://{}", self.0.path().display())
    }

    fn worker(&self, slot: &str) -> Process {
        self.worker_until_idle_for("10s", slot)
    }

    fn worker_until_idle_for(&self, idle: &str, slot: &str) -> Process {
        let words = ["worker", "--quiet", "--device", "cpu", "--precision", "f32", "--idle-exit"];
        let more =
            [idle, "--jobs", "match", "--slot", slot, "--store", &self.url()].map(str::to_owned);
        Process::start(&[&words.map(str::to_owned)[..], &more].concat(), &[])
    }

    /// Has a match played, and returns its report.
    fn judge(&self, game: &[&str]) -> String {
        hotstone(&[game, &["--store", &self.url()]].concat())
    }

    /// The names of the objects in a folder of the only match.
    fn objects(&self, folder: &str) -> Vec<String> {
        // There may be no match yet.
        let Some(game) = self.only_match() else { return Vec::new() };
        let entries = fs::read_dir(game.join(folder)).into_iter().flatten();
        let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
        let mut names: Vec<String> = entries.map(|entry| name(entry.unwrap())).collect();
        // Others are not whole yet.
        names.retain(|name| name.ends_with(".json") || name.ends_with(".jsonl"));
        names
    }

    fn verdict(&self) -> String {
        fs::read_to_string(self.only_match().unwrap().join("verdict.json")).unwrap()
    }

    fn only_match(&self) -> Option<PathBuf> {
        let mut entries = fs::read_dir(self.0.path().join("matches")).ok()?;
        let only = entries.next()?.unwrap().path();
        assert!(entries.next().is_none());
        Some(only)
    }
}

fn words(text: &str) -> Vec<&str> {
    text.split(' ').collect()
}

/// A record's games, by number.
fn games(folder: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(folder.join("games.jsonl")).unwrap();
    let mut games: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    games.sort_by_key(|game| game["game"].as_u64());
    games
}

#[test]
fn a_match_in_a_store_is_that_of_one_machine() {
    let store = Store::new();
    let folder = tempfile::tempdir().unwrap();
    let [there, here] = ["there", "here"].map(|name| folder.path().join(name));
    let game = "match uct:20 random --rules go,komi=0.5,max_moves=40 --size 4 --games 90 --json";
    let record = |folder: &Path| ["--record".to_owned(), folder.display().to_string()];
    let with = |game: &[&str], record: &[String; 2]| -> Vec<String> {
        game.iter().copied().map(str::to_owned).chain(record.clone()).collect()
    };
    let game = words(game);
    let workers = ["a", "b"].map(|slot| store.worker(slot));
    let list = with(&game, &record(&there));
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    let report = store.judge(&list);
    let local = with(&game, &record(&here));
    let local: Vec<&str> = local.iter().map(String::as_str).collect();
    assert_eq!(report, hotstone(&local));
    assert_eq!(games(&there), games(&here));
    assert_eq!(
        fs::read(there.join("match.json")).unwrap(),
        fs::read(here.join("match.json")).unwrap()
    );
    // Again it is there already, with or without workers.
    workers.into_iter().for_each(|worker| assert_eq!(worker.code(), Some(0)));
    assert_eq!(store.judge(&list), report);
    assert_eq!(store.judge(&game), report);
    assert!(!store.0.path().join("open").read_dir().unwrap().any(|_| true));
}

#[test]
fn a_ladder_in_a_store_is_that_of_one_machine() {
    let store = Store::new();
    let ladder =
        words("ladder random greedy uct:10 --rules go,max_moves=30 --size 4 --games 60 --json");
    let _workers = ["a", "b"].map(|slot| store.worker(slot));
    assert_eq!(store.judge(&ladder), hotstone(&ladder));
}

#[test]
fn workers_of_a_run_play_matches_between_its_models() {
    let (run, _) = in_folder();
    // Before there is a run.
    let mut worker = run.worker("a");
    let _learner = run.learner("here");
    run.wait_until("a game", |newest| newest.games > 0 && newest.step() > 0);
    let step = run.newest().unwrap().step();
    let player = format!("model:store:{step}@2");
    let compute = ["--device", "cpu", "--precision", "f32", "--json"];
    let command = ["match", &player, "random", "--games", "40", "--store", &run.url];
    let report = hotstone(&[&command[..], &compute].concat());
    assert!(report.contains(&format!("\"players\":[\"{player}\",\"random\"]")), "{report}");
    assert!(report.contains("\"games\":40,"), "{report}");
    // It goes on for the run.
    let games = run.newest().unwrap().games;
    run.wait_until("more games", |newest| newest.games > games + 5);
    worker.kill();
}

/// Long enough for kills, with a test that ends before the match does.
const TESTED: &str =
    "match uct:300 uct:250 --rules incursion,komi=0.5 --size 5 --games 1280 --sprt 0,60 --json";

#[test]
#[ignore = "takes minutes"]
fn whoever_plays_and_dies_the_verdict_is_the_same() {
    let game = words(TESTED);
    let local = hotstone(&game);
    let mut verdicts = Vec::new();
    for workers in [1, 3, 8] {
        let store = Store::new();
        // Whoever has played all the rest must outlast the patience with the one that is lost.
        let start = |slot: &str| store.worker_until_idle_for("3m", slot);
        let slots: Vec<String> = (0..workers).map(|slot| format!("slot-{slot}")).collect();
        let mut judge = Process::start(&judge_of(&game, &store), &[]);
        let mut running: Vec<Process> = slots.iter().map(|slot| start(slot)).collect();
        // This one does not come back: others must notice.
        let mut lost = start("lost");
        wait_for("a claim of each", || store.objects("claims").len() > workers);
        lost.kill();
        for kill in 0..6 {
            for (slot, worker) in slots.iter().zip(&mut running) {
                std::thread::sleep(Duration::from_millis(300 + 97 * (kill % 7)));
                let mut before = std::mem::replace(worker, start(slot));
                if before.is_running() {
                    before.kill();
                }
            }
            if judge.is_running() {
                judge.kill();
            }
            judge = Process::start(&judge_of(&game, &store), &[]);
        }
        drop(judge);
        assert_eq!(store.judge(&game), local, "{workers} workers");
        verdicts.push(store.verdict());
    }
    assert!(verdicts.iter().all(|verdict| *verdict == verdicts[0]));
}

fn judge_of(game: &[&str], store: &Store) -> Vec<String> {
    let more = ["--store".to_owned(), store.url()];
    game.iter().copied().map(str::to_owned).chain(more).collect()
}

#[test]
#[ignore = "takes minutes"]
fn without_kills_eight_workers_play_no_unit_twice() {
    let store = Store::new();
    let game = words("match uct:60 uct:30 --rules incursion,komi=0.5 --size 5 --games 1280 --json");
    let workers: Vec<Process> = (0..8).map(|slot| store.worker(&slot.to_string())).collect();
    assert_eq!(store.judge(&game), hotstone(&game));
    workers.into_iter().for_each(|worker| assert_eq!(worker.code(), Some(0)));
    let claims = store.objects("claims");
    assert!(claims.iter().all(|claim| claim.ends_with("-0.json")), "{claims:?}");
    assert_eq!((claims.len(), store.objects("units").len()), (40, 40));
}

#[cfg(unix)]
#[test]
fn a_worker_that_is_told_to_stop_leaves_its_unit_to_others() {
    let store = Store::new();
    let game = words("match uct:4000 uct:4000 --rules go,max_moves=30 --size 5 --games 32 --json");
    let _judge = Process::start(&judge_of(&game, &store), &[]);
    let worker = store.worker("a");
    wait_for("a claim", || !store.objects("claims").is_empty());
    worker.signal("-TERM");
    assert_eq!(worker.code(), Some(75));
    let mut claims = store.objects("claims");
    claims.sort();
    assert_eq!(claims, ["0-0.json", "0-1.json"], "the next one is free");
}
