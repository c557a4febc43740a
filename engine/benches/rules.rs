//! The hot pieces of the rules, for every variant: `cargo bench -p engine`.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use engine::{Encoding, Position, Variant};

const SIZE: u8 = 9;

/// A position from the middle of a game with made-up moves, always the same.
fn middle_game(variant: Variant) -> Position {
    let rules = variant.rules(SIZE).expect("a size of every variant");
    let mut position = Position::new(rules);
    let mut choice = 0;
    for _ in 0..usize::from(SIZE) * usize::from(SIZE) / 3 {
        let moves = position.legal_moves();
        let mut next = position.clone();
        choice = (choice + 7919) % moves.len();
        next.play_unchecked(moves[choice]);
        if next.outcome().is_some() {
            break;
        }
        position = next;
    }
    position
}

/// Positions of a whole game with made-up moves, so that no branch is learnt by heart.
fn game(variant: Variant) -> Vec<Position> {
    let rules = variant.rules(SIZE).expect("a size of every variant");
    let mut positions = vec![Position::new(rules)];
    let mut choice = 0;
    while let Some(last) = positions.last().filter(|last| last.turns() < 100) {
        let moves = last.legal_moves();
        let mut next = last.clone();
        choice = (choice + 7919) % moves.len();
        next.play_unchecked(moves[choice]);
        if next.outcome().is_some() {
            break;
        }
        positions.push(next);
    }
    positions
}

fn games(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("encode a game");
    for variant in Variant::ALL {
        let positions = game(variant);
        group.throughput(Throughput::Elements(positions.len() as u64));
        group.bench_function(variant.name(), |bencher| {
            bencher.iter(|| {
                for position in &positions {
                    black_box(Encoding::of(position));
                }
            });
        });
    }
    group.finish();
}

fn pieces(criterion: &mut Criterion) {
    let positions = Variant::ALL.map(|variant| (variant.name(), middle_game(variant)));
    let mut bench = |name: &str, work: fn(&Position)| {
        let mut group = criterion.benchmark_group(name);
        for (variant, position) in &positions {
            let id = BenchmarkId::from_parameter(variant);
            group.bench_with_input(id, position, |bencher, position| {
                bencher.iter(|| work(black_box(position)));
            });
        }
        group.finish();
    };
    bench("legal points", |position| {
        black_box(position.legal_points());
    });
    bench("clone and play", |position| {
        let moves = position.legal_moves();
        let mut next = position.clone();
        next.play_unchecked(moves[moves.len() / 2]);
        black_box(next);
    });
    bench("encode", |position| {
        black_box(Encoding::of(position));
    });
}

criterion_group!(rules, pieces, games);
criterion_main!(rules);
