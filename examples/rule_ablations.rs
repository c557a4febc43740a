//! Measures what running into a ban costs: games of a network against itself are continued from the
//! first position in which its preferred move is forbidden, once with the part of the rules that
//! forbids it and once without.
//!
//!     cargo run --release --example rule_ablations -- models/released/universal 7 400 16 tile stoical
//!
//! The arguments are the model, the side of the board, games, simulations a move, and rule sets, which it must know.

use std::path::Path;

use anyhow::{Context, Result};
use arena::{Openings, self_play};
use engine::{Rules, Size};
use models::{Device, Precision, Server, ServerSettings, StoredModel};
use studies::{ablation_pairs, rule_ablations, self_player};

/// Seed of the openings.
const SEED: u64 = 1;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, size, games, simulations, rule_sets @ ..] = &arguments[..] else {
        anyhow::bail!("expected MODEL SIZE GAMES SIMULATIONS RULES…");
    };
    let (size, games): (Size, usize) = (size.parse()?, games.parse().context("GAMES")?);
    let simulations: u32 = simulations.parse().context("SIMULATIONS")?;
    let model = StoredModel::read(Path::new(model))?;
    for text in rule_sets {
        let rules = Rules::parse(text, size)?;
        let settings = ServerSettings::new(Device::choose("cpu")?, Precision::F32);
        let server = Server::start(model.network(Some(&rules))?, settings)?;
        let mut network = server.client();
        let openings = Openings::from_policy(rules, games, SEED, &mut network)?;
        let played = self_play(rules, &self_player(simulations), &openings.lines, &mut network)?;
        let games: Vec<_> = played.into_iter().map(|played| played.game).collect();
        let continued =
            rule_ablations(&games, &rules.distinctive_parts(), simulations, &mut network)?;
        let pairs = ablation_pairs(&continued);
        let share = pairs.score_estimate();
        let changed = continued.iter().filter(|one| one.half_points() != 2).count();
        println!(
            "{rules} on {size}×{size}: met in {} of {} games, the result changes in {changed}; without the rule, against \
             an opponent with it: {:.1} % ({:.1} to {:.1})",
            continued.len(),
            games.len(),
            100.0 * share.value,
            100.0 * share.low,
            100.0 * share.high,
        );
    }
    Ok(())
}
