//! Lists combinations of rule parts that a mixture with this `held_out` never plays, drawn as it draws the others:
//! `cargo run --release -p selfplay --example held_out -- SIZE HOW_MANY ONE_IN SEED`.

use std::error::Error;

use engine::{Rules, Size};
use search::Random;
use selfplay::is_held_out;

/// Draws before giving up: there may be fewer combinations than asked for.
const MAX_DRAWS: usize = 1_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [size, how_many, one_in, seed] = arguments.as_slice() else {
        return Err("wanted: SIZE HOW_MANY ONE_IN SEED, as in 7 12 7 1".into());
    };
    let (size, how_many) = (size.parse::<Size>()?, how_many.parse::<usize>()?);
    let (one_in, mut random) = (one_in.parse::<u64>()?, Random::new(seed.parse()?));
    let mut found: Vec<Rules> = Vec::new();
    for _ in 0..MAX_DRAWS {
        if found.len() == how_many {
            break;
        }
        let rules = Rules::combined(size, |count| random.below(count));
        if is_held_out(&rules, one_in) && !found.contains(&rules) {
            println!("{rules}");
            found.push(rules);
        }
    }
    Ok(())
}
