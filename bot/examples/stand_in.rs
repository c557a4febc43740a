//! Both protocols and the terminal with arbitrary but repeatable evaluations instead of a network,
//! for tests of clients: `stand_in gtp|analysis|play RULES SIZE[,SIZE]... SIMULATIONS`.

use std::io::{BufReader, stdin, stdout};
use std::process::ExitCode;

use bot::analysis::{self, Options};
use bot::{Lines, Player, Settings, SupportedRules, gtp, terminal};
use engine::Color;
use search::evaluators::Scripted;

/// Protocol, rules, boards and simulations.
fn run(words: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let [kind, rules, sizes, simulations] = words else {
        return Err("write: gtp|analysis|play RULES SIZES SIMULATIONS".into());
    };
    let sizes = sizes.split(',').map(str::parse).collect::<Result<Vec<u8>, _>>()?;
    let supported = SupportedRules::new(rules, &sizes)?;
    let simulations: u32 = simulations.parse()?;
    let evaluator = Scripted { seed: 1 };
    let mut settings = Settings::default();
    settings.search.simulations = simulations;
    let lines = || Lines::reading(BufReader::new(stdin()));
    match kind.as_str() {
        "gtp" => {
            let player = Player::new(supported, evaluator, settings);
            gtp::Engine::new(player, "stand-in").run(lines(), stdout().lock())?;
        }
        "play" => {
            let mut player = Player::new(supported, evaluator, settings);
            let mut keyboard = terminal::standard_input()?;
            terminal::play(&mut player, Color::Black, keyboard.as_mut(), stdout().lock())?;
        }
        "analysis" => {
            let options = Options { visits: simulations, ..Options::default() };
            let mut engine = analysis::Engine::new(supported, evaluator, "stand-in", options);
            engine.run(lines(), stdout().lock())?;
        }
        other => return Err(format!("'{other}' is neither gtp nor analysis nor play").into()),
    }
    Ok(())
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}
