//! Clients that come, go and die, and changing networks, for any length of time:
//! `HOTSTONE_STRESS_SECONDS=600 cargo test --release -p models --test stress -- --ignored`.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use common::{network, positions, server_settings};
use engine::Position;
use models::Server;
use search::{Evaluation, Evaluator};

const NETWORKS: u64 = 3;
const CLIENTS: usize = 6;
/// No batch may take longer: then the server would have lost it.
const PATIENCE: Duration = Duration::from_secs(30);

#[test]
#[ignore = "takes as long as HOTSTONE_STRESS_SECONDS says, ten minutes if it is not set"]
fn nothing_is_dropped_mixed_up_or_waited_for_in_vain() {
    let seconds = std::env::var("HOTSTONE_STRESS_SECONDS").ok();
    let seconds = seconds.and_then(|text| text.parse().ok()).unwrap_or(600);
    let boards = [positions(5, 70), positions(6, 70)];
    let answers = |seed| {
        let server = Server::start(network(seed), server_settings(1)).unwrap();
        let of = |list: &Vec<Position>| {
            server.client().evaluate(&list.iter().collect::<Vec<_>>()).unwrap()
        };
        boards.each_ref().map(of)
    };
    let known: Vec<[Vec<Evaluation>; 2]> = (0..NETWORKS).map(answers).collect();
    let server = Server::start(network(0), server_settings(2)).unwrap();
    let (stop, answered) = (AtomicBool::new(false), AtomicU64::new(0));
    let alive: [AtomicU64; CLIENTS] = std::array::from_fn(|_| AtomicU64::new(0));
    std::thread::scope(|scope| {
        for (number, rounds) in alive.iter().enumerate() {
            let (server, boards, known) = (&server, &boards, &known);
            let (stop, answered) = (&stop, &answered);
            scope.spawn(move || {
                let mut choice = number as u64;
                while !stop.load(Ordering::Relaxed) {
                    choice =
                        choice.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    let pick = |shift: u32, below: usize| (choice >> shift) as usize % below;
                    let (board, first, count) = (pick(60, 2), pick(33, 60), 1 + pick(40, 10));
                    let asked: Vec<&Position> =
                        boards[board][first..first + count].iter().collect();
                    let ticket = server.client().begin(&asked);
                    rounds.fetch_add(1, Ordering::Relaxed);
                    if pick(50, 8) == 0 {
                        // A worker that dies drops its requests.
                        drop(ticket);
                        continue;
                    }
                    let found = ticket.wait().unwrap();
                    assert_eq!(found.len(), count);
                    for (offset, found) in found.iter().enumerate() {
                        let is = |known: &[Vec<Evaluation>; 2]| {
                            (known[board][first + offset].value - found.value).abs() < 1e-4
                        };
                        assert!(known.iter().any(is), "the answer of no network");
                    }
                    answered.fetch_add(count as u64, Ordering::Relaxed);
                }
            });
        }
        let began = Instant::now();
        let mut seed = 0;
        let mut last = (Instant::now(), [0; CLIENTS]);
        while began.elapsed().as_secs() < seconds {
            seed = (seed + 1) % NETWORKS;
            server.replace(network(seed)).unwrap();
            std::thread::sleep(Duration::from_millis(20));
            if last.0.elapsed() > PATIENCE {
                let now = alive.each_ref().map(|rounds| rounds.load(Ordering::Relaxed));
                let stuck = now.iter().zip(&last.1).any(|(now, before)| now == before);
                // The others would otherwise run for ever.
                stop.store(stuck, Ordering::Relaxed);
                assert!(!stuck, "a client has waited for half a minute");
                last = (Instant::now(), now);
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(answered.load(Ordering::Relaxed) > 0);
    println!("{} positions answered", answered.load(Ordering::Relaxed));
}
