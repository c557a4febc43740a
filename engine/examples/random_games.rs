//! Speed of the rules: uniformly random games, with the full set of legal moves at every turn.
//!
//! `cargo run --release -p engine --example random_games -- [SIZE or VARIANT…]`

use std::time::{Duration, Instant};

use engine::{Move, Position, Rules, Variant};

const TIME: Duration = Duration::from_secs(1);

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let sizes: Vec<u8> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let named: Vec<Variant> = words.iter().filter_map(|word| word.parse().ok()).collect();
    for size in if sizes.is_empty() { vec![9] } else { sizes } {
        for &variant in if named.is_empty() { &Variant::ALL[..] } else { &named } {
            match variant.rules(size) {
                Ok(rules) => measure(variant, rules),
                Err(error) => println!("{variant}: {error}"),
            }
        }
    }
}

fn measure(variant: Variant, rules: Rules) {
    let mut random = 1_u64;
    let (mut plies, mut games) = (0_u64, 0_u64);
    let mut longest = Duration::ZERO;
    let start = Instant::now();
    while start.elapsed() < TIME {
        let game_start = Instant::now();
        let mut position = Position::new(rules);
        while position.outcome().is_none() {
            let moves = position.legal_moves();
            // Passing early would make the games short and the boards empty.
            let places = moves.len() - usize::from(moves.last() == Some(&Move::Pass));
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let choice = (random >> 33) as usize % places.max(1);
            position.play_unchecked(moves[choice]);
            plies += 1;
        }
        games += 1;
        longest = longest.max(game_start.elapsed());
    }
    let rate = plies as f64 / start.elapsed().as_secs_f64();
    println!(
        "{name:>17} {size:2}x{size:<2} {rate:>9.0} plies/s  {length:>5} plies a game  slowest game {longest:.1?}",
        name = variant.name(),
        size = rules.size,
        length = plies / games,
    );
}
