//! Games of the engine and of the reference in lock-step, with chosen moves that make rules bind.

// Each test binary uses another part of this module.
#![allow(dead_code)]

pub mod events;
pub mod numbers;
pub mod pair;
pub mod player;

pub use events::Events;
pub use numbers::Numbers;
pub use pair::Pair;
pub use player::Player;

use engine::{Rules, Size};

/// How many positions to compare under one rule set, and on which boards.
pub struct Plan {
    pub rules: &'static str,
    /// Board sizes; a game's size is drawn from them, so a size that stands twice comes twice as often.
    pub sizes: &'static [&'static str],
    pub positions: usize,
}

/// Plays random games until enough positions have been compared, and says what happened in them.
pub fn run(plan: &Plan, seed: u64) -> Events {
    let mut numbers = Numbers::new(seed);
    let mut events = Events::default();
    while events.positions < plan.positions {
        let size: Size = plan.sizes[numbers.below(plan.sizes.len())].parse().unwrap();
        let rules = Rules::parse(plan.rules, size).unwrap();
        let mut player = Player::new(&mut numbers);
        let mut pair = Pair::new(rules);
        // A single game on the largest boards would otherwise be the whole of a short run.
        let limit = plan.positions - events.positions;
        for _ in 0..limit.min(longest_game(size)) {
            pair.compare(&mut events);
            if pair.is_over() {
                break;
            }
            let chosen = player.choose(&pair, &mut numbers);
            pair.play(chosen, &mut events);
        }
    }
    events
}

/// The reference looks at the whole history, so the boards of full size are left before their end.
fn longest_game(size: Size) -> usize {
    if size.area() > 81 { 150 } else { usize::MAX }
}

/// Runs all plans on every core, and adds up what happened. Prints a line for each plan.
pub fn run_all(plans: &[Plan]) -> Events {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let total = std::sync::Mutex::new(Events::default());
    let work = || {
        loop {
            let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let Some(plan) = plans.get(number) else { return };
            let events = run(plan, number as u64 + 1);
            println!("{}: {events}", plan.rules);
            total.lock().unwrap().add(&events);
        }
    };
    std::thread::scope(|scope| {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        (0..cores).for_each(|_| {
            scope.spawn(work);
        });
    });
    total.into_inner().unwrap()
}
