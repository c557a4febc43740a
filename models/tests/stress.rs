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

/// What all clients share.
struct Shared {
    server: Server,
    /// The positions to ask about, by size.
    boards: [Vec<Position>; 2],
    /// Their evaluations by each network.
    known: Vec<[Vec<Evaluation>; 2]>,
    stop: AtomicBool,
    /// Positions answered.
    answered: AtomicU64,
}

impl Shared {
    fn new() -> Shared {
        let boards = [positions(5, 70), positions(6, 70)];
        let answers = |seed| {
            let server = Server::start(network(seed), server_settings(1)).unwrap();
            let of = |list: &Vec<Position>| {
                server.client().evaluate(&list.iter().collect::<Vec<_>>()).unwrap()
            };
            boards.each_ref().map(of)
        };
        let known = (0..NETWORKS).map(answers).collect();
        let server = Server::start(network(0), server_settings(2)).unwrap();
        Shared { server, boards, known, stop: AtomicBool::new(false), answered: AtomicU64::new(0) }
    }

    /// A client that asks about arbitrary positions until it is stopped, and counts its requests in
    /// `rounds`.
    fn ask(&self, mut choice: u64, rounds: &AtomicU64) {
        while !self.stop.load(Ordering::Relaxed) {
            choice = choice.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let pick = |shift: u32, below: usize| (choice >> shift) as usize % below;
            let (board, first, count) = (pick(60, 2), pick(33, 60), 1 + pick(40, 10));
            let asked: Vec<&Position> = self.boards[board][first..first + count].iter().collect();
            let ticket = self.server.client().begin(&asked);
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
                assert!(self.known.iter().any(is), "the answer of no network");
            }
            self.answered.fetch_add(count as u64, Ordering::Relaxed);
        }
    }

    /// Replaces the network again and again for this time, while every client makes requests.
    fn replace_networks(&self, time: Duration, rounds: &[AtomicU64; CLIENTS]) {
        let began = Instant::now();
        let mut seed = 0;
        let mut last = (Instant::now(), [0; CLIENTS]);
        while began.elapsed() < time {
            seed = (seed + 1) % NETWORKS;
            self.server.replace(network(seed)).unwrap();
            std::thread::sleep(Duration::from_millis(20));
            if last.0.elapsed() > PATIENCE {
                let now = rounds.each_ref().map(|rounds| rounds.load(Ordering::Relaxed));
                let stuck = now.iter().zip(&last.1).any(|(now, before)| now == before);
                // The others would otherwise run for ever.
                self.stop.store(stuck, Ordering::Relaxed);
                assert!(!stuck, "a client has waited for half a minute");
                last = (Instant::now(), now);
            }
        }
        self.stop.store(true, Ordering::Relaxed);
    }
}

#[test]
#[ignore = "takes as long as HOTSTONE_STRESS_SECONDS says, ten minutes if it is not set"]
fn nothing_is_dropped_mixed_up_or_waited_for_in_vain() {
    let seconds = std::env::var("HOTSTONE_STRESS_SECONDS").ok();
    let seconds = seconds.and_then(|text| text.parse().ok()).unwrap_or(600);
    let shared = Shared::new();
    let rounds: [AtomicU64; CLIENTS] = std::array::from_fn(|_| AtomicU64::new(0));
    std::thread::scope(|scope| {
        for (number, rounds) in rounds.iter().enumerate() {
            let shared = &shared;
            scope.spawn(move || shared.ask(number as u64, rounds));
        }
        shared.replace_networks(Duration::from_secs(seconds), &rounds);
    });
    let answered = shared.answered.into_inner();
    assert!(answered > 0);
    println!("{answered} positions answered");
}
