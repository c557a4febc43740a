//! The hot pieces of the rules, for every variant: `cargo bench -p engine`.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use engine::{Encoding, Position, Variant};

const SIZE: u8 = 9;

/// Positions of a fixed game of arbitrary moves, up to a number of turns.
fn game(variant: Variant, turns: u16) -> Vec<Position> {
    let rules = variant.rules(SIZE).expect("a size of every variant");
    let mut positions = vec![Position::new(rules)];
    let mut choice = 0;
    while let Some(last) = positions.last().filter(|last| last.turns() < turns) {
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

/// A position from the middle of that game.
fn middle_game(variant: Variant) -> Position {
    let turns = u16::from(SIZE) * u16::from(SIZE) / 3;
    game(variant, turns).pop().expect("the start at least")
}

/// The encodings of a whole game: unlike those of one position, they do not train the branch predictor.
fn games(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("encode a game");
    for variant in Variant::ALL {
        let positions = game(variant, 100);
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
