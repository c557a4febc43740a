//! Plays a match between reference players:
//! `cargo run --release -p arena --example reference_match -- RULES SIZE FIRST SECOND PAIRS`.

use std::error::Error;
use std::ops::ControlFlow;
use std::time::Instant;

use arena::{Match, PLAYERS, PlayerSetup, PlayerSpec};
use engine::Rules;
use search::evaluators::Uniform;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rules, size, first, second, pairs] = arguments.as_slice() else {
        return Err("wanted: RULES SIZE FIRST SECOND PAIRS".into());
    };
    let player = |text: &String| -> Result<PlayerSetup, Box<dyn Error>> {
        match text.parse()? {
            PlayerSpec::Reference(player) => Ok(PlayerSetup::new(text, player)),
            PlayerSpec::Model { .. } | PlayerSpec::Policy { .. } | PlayerSpec::Gtp { .. } => {
                Err(format!("{text} is not built in: it needs a network or a program").into())
            }
        }
    };
    let players: [PlayerSetup; PLAYERS] = [player(first)?, player(second)?];
    let rules = Rules::parse(rules, size.parse::<engine::Size>()?)?;
    let plan = Match { pairs: pairs.parse()?, ..Match::new(rules, players) };
    let clock = Instant::now();
    let report = plan.play(&mut [Uniform], &mut |_| ControlFlow::Continue(()))?;
    print!("{report}");
    println!("time      {:.1} s", clock.elapsed().as_secs_f64());
    Ok(())
}
