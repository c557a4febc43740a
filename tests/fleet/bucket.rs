//! A run in a bucket, at the end of a bad line.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use fleet::{Health, check};

use crate::crew::{Crew, SLOTS};
use crate::moto::Moto;
use crate::process::{Process, free_address};
use crate::proxy::{Line, Proxy};
use crate::run::Run;

const BUCKET: &str = "runs";
const KEY: &str = "key";
const SECRET: &str = "secret";
const OUTAGE: Duration = Duration::from_secs(60);

/// What somebody sets who has a store of his own.
fn variables(store: SocketAddr) -> Vec<(String, String)> {
    let endpoint = format!("http://{store}");
    [
        ("AWS_ENDPOINT_URL", endpoint.as_str()),
        ("AWS_ACCESS_KEY_ID", KEY),
        ("AWS_SECRET_ACCESS_KEY", SECRET),
        ("NO_PROXY", "127.0.0.1"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into()
}

fn in_bucket(store: SocketAddr) -> Run {
    let home = tempfile::tempdir().unwrap();
    Run::new(home, &format!("s3://{BUCKET}/one/run"), variables(store))
}

/// What the workers say of themselves.
fn health(run: &Run) -> BTreeMap<String, Health> {
    let all = run.runtime.wait(Health::get_all(&run.store)).unwrap();
    all.into_iter().map(|health| (health.slot.to_string(), health)).collect()
}

/// What the workers say of themselves when none of them is told to wait.
fn health_at_play(run: &Run) -> BTreeMap<String, Health> {
    for _ in 0..1200 {
        let all = health(run);
        if all.values().all(|health| !health.holds) && !run.newest().unwrap().hold {
            return all;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("somebody always waits: {:?}", health(run));
}

/// What a worker says of itself after working on for this time.
fn health_after(run: &Run, before: &Health, time: Duration) -> Health {
    for _ in 0..1200 {
        let now = health(run).remove(&before.slot.to_string()).unwrap();
        if now.seconds - before.seconds > time.as_secs_f64() {
            return now;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("it has not said anything since: {before:?}");
}

#[test]
#[ignore = "needs moto, takes minutes"]
fn a_run_in_a_bucket_outlives_its_processes_and_a_bad_line() {
    const KILLS: u64 = 5;
    let moto = Moto::start(BUCKET);
    let proxy = Proxy::start(moto.address, 7);
    let run = in_bucket(moto.address).reached_by(variables(proxy.address));
    let mut crew = Crew::start(&run);
    crew.kill(&run, KILLS);
    let games = run.newest().unwrap().games;
    run.wait_until("progress", |newest| newest.games > games);

    // An outage of a minute: first nobody is there, then somebody who says nothing.
    let before = health_at_play(&run);
    proxy.set(Line::Dead);
    std::thread::sleep(OUTAGE / 2);
    proxy.set(Line::Silent);
    std::thread::sleep(OUTAGE / 2);
    proxy.set(Line::Bad);
    for slot in SLOTS {
        let (before, after) = (&before[slot], health_after(&run, &before[slot], OUTAGE));
        assert_eq!(after.generation, before.generation, "{slot} has been replaced");
        // It has played on, and not waited: at no less than a quarter of its speed before.
        let speed = before.evaluations as f64 / before.seconds;
        let played = (after.evaluations - before.evaluations) as f64;
        assert!(
            played > speed * (after.seconds - before.seconds) / 4.0,
            "{before:?}, then {after:?}"
        );
    }
    let games = run.newest().unwrap().games;
    run.wait_until("progress", |newest| newest.games > games);
    crew.kill(&run, 1);
    crew.finish(&run);
    run.check_commit_log(proxy.arrived());
    let newest = run.newest().unwrap();
    println!(
        "{} requests, {} commits, {} games in {} files, {:?}",
        proxy.requests(),
        newest.number + 1,
        newest.games,
        proxy.arrived().len(),
        newest.refused,
    );
}

#[test]
#[ignore = "needs moto"]
fn a_bucket_is_found_to_do_what_runs_need() {
    let moto = Moto::start(BUCKET);
    let run = in_bucket(moto.address);
    let report = run.runtime.wait(check(&run.store, 150, 7)).unwrap();
    assert!(report.keeps_first && report.saves_bytes && report.is_consistent());
    // Now and then moto has two winners.
    assert!(report.torn_races < 10, "{report:?}");
    println!("{report:?}");
}

#[test]
#[ignore = "needs s3s-fs"]
fn so_is_one_of_another_server() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(BUCKET)).unwrap();
    let address = free_address();
    let program = std::env::var("S3S_FS").unwrap_or_else(|_| "s3s-fs".to_owned());
    let mut command = Command::new(program);
    command.args(["--access-key", KEY, "--secret-key", SECRET]);
    command.args(["--host", &address.ip().to_string(), "--port", &address.port().to_string()]);
    let server = Process::serve(command.arg(folder.path()), address);
    let _server = server.expect(
        "no s3s-fs: `cargo install s3s-fs@0.14.1 --features binary`, and put it on the PATH or name it in S3S_FS",
    );
    let run = in_bucket(address);
    let report = run.runtime.wait(check(&run.store, 150, 7)).unwrap();
    println!("{report:?}");
    assert!(report.keeps_first && report.is_consistent(), "{report:?}");
}
