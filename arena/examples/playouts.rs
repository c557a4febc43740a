//! Measures random playouts on one core:
//! `cargo run --release -p arena --example playouts [variant…]`.

use std::time::Duration;

use cpu_time::ProcessTime;
use engine::{Position, Variant};
use search::Random;

fn main() -> Result<(), engine::RulesError> {
    let only: Vec<String> = std::env::args().skip(1).collect();
    let chosen = |variant: &Variant| only.is_empty() || only.iter().any(|n| n == variant.name());
    for variant in Variant::ALL.into_iter().filter(chosen) {
        for size in [7, 9] {
            let start = Position::new(variant.rules(size)?);
            let mut random = Random::new(1);
            let (mut playouts, mut turns, mut black) = (0_u32, 0_u64, 0.0);
            // Not the time of day, so that busy neighbours count less.
            let clock = ProcessTime::now();
            while clock.elapsed() < Duration::from_secs(1) {
                let mut position = start.clone();
                black += arena::playout(&mut position, &mut random);
                turns += u64::from(position.turns());
                playouts += 1;
            }
            let spent = clock.elapsed();
            println!(
                "{variant} {size}x{size}: {:.0} playouts/s, {:.0} ns a turn, {:.1} turns, mean result {:+.3}",
                f64::from(playouts) / spent.as_secs_f64(),
                spent.as_secs_f64() * 1e9 / turns as f64,
                turns as f64 / f64::from(playouts),
                black / playouts as f32,
            );
        }
    }
    Ok(())
}
