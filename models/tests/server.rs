//! The server with many clients, changing networks, and at shutdown.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::atomic::{AtomicBool, Ordering};

use common::{network, positions, server_settings};
use engine::Position;
use models::{Architecture, Direct, Network, Server};
use search::{Evaluation, Evaluator, EvaluatorError};

fn assert_close(a: &[Evaluation], b: &[Evaluation], tolerance: f32) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a.value - b.value).abs() < tolerance, "{} {}", a.value, b.value);
        assert_eq!(a.policy.len(), b.policy.len());
        let mut pairs = a.policy.iter().zip(&b.policy);
        assert!(pairs.all(|(a, b)| (a.1 - b.1).abs() <= tolerance), "{a:?} {b:?}");
    }
}

#[test]
fn evaluations_are_valid_and_do_not_depend_on_the_company() {
    let server = Server::start(network(1), server_settings(2)).unwrap();
    let positions = positions(5, 21);
    let batch: Vec<&Position> = positions.iter().collect();
    let together = server.client().evaluate(&batch).unwrap();
    for (position, evaluation) in positions.iter().zip(&together) {
        evaluation.check(position).unwrap();
        let alone = server.client().evaluate(&[position]).unwrap();
        assert_close(std::slice::from_ref(evaluation), &alone, 1e-4);
    }
    assert!(server.client().evaluate(&[]).unwrap().is_empty());
    assert_eq!(server.stats().evaluations, 42);
}

#[test]
fn one_request_is_divided_among_networks_that_have_nothing_to_do() {
    let server = Server::start(network(1), server_settings(8)).unwrap();
    let positions = positions(5, 8);
    let batch: Vec<&Position> = positions.iter().collect();
    let together = server.client().evaluate(&batch).unwrap();
    let batches = |server: &Server, batch: &[&Position]| {
        // Networks that have just answered are not idle yet.
        std::thread::sleep(std::time::Duration::from_millis(50));
        let before = server.stats().batches;
        assert_close(&server.client().evaluate(batch).unwrap(), &together[..batch.len()], 1e-4);
        server.stats().batches - before
    };
    assert_eq!(batches(&server, &batch), 2, "parts of four");
    assert_eq!(batches(&server, &batch[..4]), 1);
    let pair = Server::start(network(1), server_settings(2)).unwrap();
    assert_eq!(batches(&pair, &batch), 1, "the other one is for the search's other group");
}

#[test]
fn without_a_server_the_answers_are_the_same() {
    let server = Server::start(network(1), server_settings(1)).unwrap();
    let (small, large) = (positions(4, 3), positions(6, 5));
    let batch: Vec<&Position> = small.iter().chain(&large).collect();
    let direct = Direct::new(&network(1)).unwrap().evaluate(&batch).unwrap();
    assert_eq!(direct, server.client().evaluate(&batch).unwrap());
}

#[test]
fn board_sizes_may_be_mixed() {
    let server = Server::start(network(1), server_settings(1)).unwrap();
    let (small, large) = (positions(4, 3), positions(6, 3));
    let mixed: Vec<&Position> = small.iter().zip(&large).flat_map(|(a, b)| [a, b]).collect();
    let mixed = server.client().evaluate(&mixed).unwrap();
    let alone = server.client().evaluate(&large.iter().collect::<Vec<_>>()).unwrap();
    let picked: Vec<_> = mixed.into_iter().skip(1).step_by(2).collect();
    assert_close(&picked, &alone, 1e-4);
}

#[test]
fn many_clients_get_their_own_answers_while_networks_change() {
    let server = Server::start(network(1), server_settings(2)).unwrap();
    let positions = positions(5, 24);
    let batch: Vec<&Position> = positions.iter().collect();
    let answer = |seed| {
        let server = Server::start(network(seed), server_settings(1)).unwrap();
        server.client().evaluate(&batch).unwrap()
    };
    let known = [answer(1), answer(2)];
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for client in 0..4 {
            let (server, batch, known, stop) = (&server, &batch, &known, &stop);
            scope.spawn(move || {
                let mut round = client;
                while !stop.load(Ordering::Relaxed) {
                    let (first, last) = (round % 5, batch.len() - round % 7);
                    let pending = server.client().submit(&batch[first..last]).unwrap();
                    drop(server.client().submit(&batch[..2]).unwrap());
                    for (offset, found) in pending.wait().unwrap().iter().enumerate() {
                        let is = |known: &[Evaluation]| {
                            (known[first + offset].value - found.value).abs() < 1e-4
                        };
                        assert!(known.iter().any(|known| is(known)), "the answer of no network");
                    }
                    round += 1;
                }
            });
        }
        for round in 0..6 {
            server.replace(network(2 - round % 2)).unwrap();
        }
        stop.store(true, Ordering::Relaxed);
    });
    server.replace(network(2)).unwrap();
    assert_close(&server.client().evaluate(&batch).unwrap(), &known[1], 1e-4);
}

#[test]
fn a_new_network_does_not_wait_until_there_is_no_job_left() {
    let large = Network::new(&Architecture { blocks: 4, channels: 64 }, 1).unwrap();
    let server = Server::start(large, server_settings(1)).unwrap();
    let (eight, nine) = (positions(8, 1), positions(9, 1));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let jobs = scope.spawn(|| {
            // Boards of two sizes share no batch: of two jobs, one is left over.
            for _ in 0..1000 {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                drop(server.client().submit(&[&eight[0]]).unwrap());
                drop(server.client().submit(&[&nine[0]]).unwrap());
            }
        });
        while server.stats().batches < 4 {
            std::thread::yield_now();
        }
        server.replace(network(2)).unwrap();
        let waited = jobs.is_finished();
        stop.store(true, Ordering::Relaxed);
        assert!(!waited, "it came after all jobs");
    });
}

#[test]
fn a_dropped_server_is_an_error_for_its_clients() {
    let server = Server::start(network(1), server_settings(1)).unwrap();
    let mut client = server.client();
    let position = Position::new(common::rules(5));
    client.evaluate(&[&position]).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let mut client = client.clone();
            loop {
                if let Err(error) = client.evaluate(&[&position]) {
                    return error;
                }
            }
        });
        drop(server);
        assert!(matches!(waiting.join().unwrap(), EvaluatorError::Failed(_)));
    });
    assert!(client.evaluate(&[&position]).is_err());
}
