//! What a simulation costs on this machine: `cargo run --release -p search --example cost`.
//!
//! Searches positions from the middle of games and times separately the search itself (tree and
//! rules), the encoding that a network would need, and the evaluator.

use std::time::{Duration, Instant};

use engine::{Encoding, Position, Variant};
use search::evaluators::Scripted;
use search::{Evaluator, Search, Settings, StepwiseSearch};

const GAMES: usize = 64;
/// The fastest of this many runs is reported, because other load on the machine only adds time.
const REPEATS: usize = 7;

#[derive(Default)]
struct Times {
    simulations: u64,
    searching: Duration,
    encoding: Duration,
    evaluating: Duration,
}

/// Runs `work` and adds the time it took.
fn timed<T>(total: &mut Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    *total += start.elapsed();
    done
}

/// All positions advance together, one leaf each, as in self-play.
fn measure(roots: &[Position], settings: Settings) -> Times {
    let mut times = Times::default();
    let mut searches: Vec<StepwiseSearch> = timed(&mut times.searching, || {
        roots
            .iter()
            .zip(0..)
            .map(|(root, seed)| Search::new(root.clone(), settings, seed).into_stepwise())
            .collect()
    });
    loop {
        let leaves: Vec<_> = timed(&mut times.searching, || {
            let selected = searches.iter_mut().enumerate();
            selected.filter_map(|(index, search)| Some((index, search.select()?))).collect()
        });
        if leaves.is_empty() {
            break;
        }
        let batch: Vec<&Position> =
            leaves.iter().map(|(index, leaf)| searches[*index].position(leaf)).collect();
        timed(&mut times.encoding, || {
            for position in &batch {
                std::hint::black_box(Encoding::of(position));
            }
        });
        let evaluations = timed(&mut times.evaluating, || Scripted::default().evaluate(&batch))
            .expect("the scripted evaluator never fails");
        timed(&mut times.searching, || {
            for ((index, leaf), evaluation) in leaves.into_iter().zip(&evaluations) {
                searches[index].expand(leaf, evaluation).expect("a well-formed evaluation");
            }
        });
    }
    timed(&mut times.searching, || {
        for search in &searches {
            let result = search.state().result();
            times.simulations +=
                result.moves.iter().map(|stats| u64::from(stats.visits)).sum::<u64>();
        }
    });
    times
}

/// A game played by the scripted evaluator's policy alone, up to about halfway.
fn middle_game(variant: Variant, size: u8, seed: u64) -> Position {
    let rules = variant.rules(size).expect("a legal size");
    let mut position = Position::new(rules);
    let turns = usize::from(size) * usize::from(size) / 3;
    let settings = Settings { simulations: 0, ..Settings::default() };
    while position.outcome().is_none() && usize::from(position.turns()) < turns {
        let seed = seed * 1_000 + u64::from(position.turns());
        let mut searches = [Search::new(position.clone(), settings, seed)];
        search::run(&mut searches, &mut Scripted { seed }).expect("never fails");
        position.play_unchecked(searches[0].result().best);
    }
    position
}

fn main() {
    println!("{} bytes a position", size_of::<Position>());
    println!("microseconds per simulation        search  encoding  (scripted evaluator)");
    for (variant, size, simulations) in [
        (Variant::Go, 9, 16),
        (Variant::Go, 9, 32),
        (Variant::Go, 9, 800),
        (Variant::Incursion, 9, 32),
        (Variant::Tile, 9, 32),
        (Variant::AlterIgo, 9, 32),
        (Variant::Go, 19, 32),
        (Variant::Go, 19, 800),
    ] {
        let settings = Settings { simulations, ..Settings::default() };
        let roots: Vec<Position> = (0..)
            .map(|seed| middle_game(variant, size, seed))
            .filter(|position| position.outcome().is_none())
            .take(GAMES)
            .collect();
        let runs: Vec<Times> = (0..REPEATS).map(|_| measure(&roots, settings)).collect();
        let least = |part: fn(&Times) -> Duration| {
            let each = |times: &Times| part(times).as_secs_f64() * 1e6 / times.simulations as f64;
            runs.iter().map(each).fold(f64::INFINITY, f64::min)
        };
        println!(
            "{:<20} {size:>2}×{size:<2} {simulations:>4}  {:>8.2}  {:>8.2}  {:>8.2}",
            variant.name(),
            least(|times| times.searching),
            least(|times| times.encoding),
            least(|times| times.evaluating),
        );
    }
}
