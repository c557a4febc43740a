//! A run in a bucket, at the end of a bad line.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use fleet::{Health, check};

use crate::crew::{Crew, SLOTS};
use crate::moto::Moto;
use crate::proxy::{Line, Proxy};
use crate::run::Run;

const BUCKET: &str = "runs";
/// Files that may wait for the store before a worker does.
const BACKLOG: u64 = 8;

/// What somebody sets who has a store of his own.
fn variables(store: SocketAddr) -> Vec<(String, String)> {
    let endpoint = format!("http://{store}");
    [
        ("AWS_ENDPOINT_URL", endpoint.as_str()),
        ("AWS_ACCESS_KEY_ID", "key"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("NO_PROXY", "127.0.0.1"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into()
}

fn in_bucket(moto: &Moto) -> Run {
    let home = tempfile::tempdir().unwrap();
    Run::new(home, &format!("s3://{BUCKET}/one/run"), variables(moto.address))
}

/// What the workers say of themselves.
fn health(run: &Run) -> BTreeMap<String, Health> {
    let all = run.carrier.wait(Health::get_all(&run.store)).unwrap();
    all.into_iter().map(|health| (health.slot.to_string(), health)).collect()
}

#[test]
#[ignore = "needs moto, takes minutes"]
fn a_run_in_a_bucket_outlives_its_processes_and_a_bad_line() {
    const KILLS: u64 = 5;
    let moto = Moto::start(BUCKET);
    let proxy = Proxy::start(moto.address, 7);
    let run = in_bucket(&moto).reached_by(variables(proxy.address));
    let mut crew = Crew::start(&run);
    crew.kill(&run, KILLS);
    let games = run.newest().unwrap().games;
    run.wait_until("progress", |newest| newest.games > games);

    // An outage of a minute: first nobody is there, then somebody who says nothing.
    let before = health(&run);
    proxy.set(Line::Dead);
    std::thread::sleep(Duration::from_secs(30));
    proxy.set(Line::Silent);
    std::thread::sleep(Duration::from_secs(30));
    proxy.set(Line::Bad);
    // Before they send the first file, they say how many wait: they have played until no more may.
    let mut waited: BTreeMap<String, u64> = BTreeMap::new();
    for _ in 0..600 {
        for (slot, health) in health(&run) {
            let before = &before[&slot];
            assert_eq!(health.generation, before.generation, "{slot} has been replaced");
            if health.evaluations > before.evaluations {
                let most = waited.entry(slot).or_default();
                *most = health.waiting.max(*most);
            }
        }
        if SLOTS.iter().all(|slot| waited.get(*slot) == Some(&BACKLOG)) {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(SLOTS.iter().all(|slot| waited.get(*slot) == Some(&BACKLOG)), "{waited:?}");
    let games = run.newest().unwrap().games;
    run.wait_until("progress", |newest| newest.games > games);
    crew.kill(&run, 1);
    crew.finish(&run);
    run.check_books(proxy.arrived());
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
    let run = in_bucket(&moto);
    let findings = run.carrier.wait(check(&run.store, 150, 7)).unwrap();
    assert!(findings.keeps_first && findings.saves_bytes && findings.is_consistent());
    // Now and then moto has two winners.
    assert!(findings.torn_races < 10, "{findings:?}");
    println!("{findings:?}");
}
