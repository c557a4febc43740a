//! `hotstone bench` without a subcommand.

use anyhow::Result;
use clap::Args;
use engine::Variant;
use serde::Serialize;

use super::choice::{GameChoice, NetworkChoice, positive};
use super::engine::EngineArguments;
use super::network::NetworkArguments;
use super::search::SearchArguments;
#[cfg(feature = "train")]
use super::selfplay::SelfplayArguments;

/// Everything that decides how much a run learns in its time, on 9×9, in one table.
#[derive(Args)]
pub struct OverviewArguments {
    /// Seconds for each line of the table.
    #[arg(long, default_value_t = 3.0, value_parser = positive)]
    seconds: f64,
}

/// A figure, and the same figure of another program where one is known.
#[derive(Serialize)]
struct Line {
    what: String,
    value: f64,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    peer: Option<Peer>,
}

/// The performance of another program on two cores with AMX. `docs/performance.md` compares with
/// KataGo and mctx on one machine.
#[derive(Serialize, Clone, Copy)]
struct Peer {
    name: &'static str,
    value: f64,
}

/// Full sets of legal moves per second on 9×9, for the fastest Rust board with superko.
const RUST_BOARD: Peer = Peer { name: "fastest Rust board", value: 358_000.0 };
/// Version 1.17.2, CPU build, 6×96; evaluations and visits per second.
const KATAGO: Peer = Peer { name: "KataGo", value: 960.0 };
const KATAGO_TREE: Peer = Peer { name: "KataGo", value: 1_137.0 };
/// With pgx: simulations per second, for 64 games with 32 simulations each.
#[cfg(feature = "train")]
const MCTX: Peer = Peer { name: "mctx", value: 8_571.0 };
#[cfg(feature = "train")]
const MCTX_LARGE: Peer = Peer { name: "mctx", value: 658.0 };

const SIZE: u8 = 9;

impl OverviewArguments {
    /// Measures and prints.
    pub(super) fn execute(&self, json: bool) -> Result<()> {
        let mut lines = Vec::new();
        for variant in Variant::ALL {
            lines.push(self.rules(variant)?);
        }
        for (blocks, channels, peer) in [(6, 64, None), (6, 96, Some(KATAGO))] {
            lines.extend(self.network(blocks, channels, peer)?);
        }
        #[cfg(feature = "train")]
        for (blocks, channels, games, peer) in
            [(6, 64, 256, None), (6, 96, 256, Some(MCTX_LARGE)), (2, 32, 64, Some(MCTX))]
        {
            lines.extend(self.self_play(blocks, channels, games, peer)?);
        }
        for (channels, peer) in [(64, None), (96, Some(KATAGO_TREE))] {
            lines.extend(self.search(channels, peer)?);
        }
        if json {
            println!("{}", serde_json::to_string(&lines)?);
        } else {
            lines.iter().for_each(Line::print);
        }
        Ok(())
    }

    fn rules(&self, variant: Variant) -> Result<Line> {
        let game = GameChoice::new(variant, SIZE)?;
        let arguments = EngineArguments { game, seconds: self.seconds / 3.0 };
        let plies = arguments.measure()?.plies_per_s;
        let what = format!("{} random games, one core", variant.name());
        Ok(Line::new(what, plies, "plies/s", Some(RUST_BOARD)))
    }

    fn network(&self, blocks: usize, channels: usize, peer: Option<Peer>) -> Result<Vec<Line>> {
        let arguments = NetworkArguments {
            network: NetworkChoice::automatic(blocks, channels),
            size: engine::Size::try_from(SIZE)?,
            batch: 64,
            #[cfg(feature = "train")]
            learning_batch: 256,
            seconds: self.seconds,
        };
        let report = arguments.measure()?;
        let name = format!("{blocks}×{channels} network ({})", report.precision);
        let forward = report.forward_evals_per_s;
        Ok(vec![
            Line::new(format!("{name}, alone"), forward, "evaluations/s", peer),
            #[cfg(feature = "train")]
            Line::new(
                format!("{name}, against a bare product"),
                report.libtorch.share_of_product,
                "times",
                None,
            ),
            #[cfg(feature = "train")]
            Line::new(
                format!("{name}, learning"),
                report.libtorch.learner_samples_per_s,
                "samples/s",
                None,
            ),
        ])
    }

    #[cfg(feature = "train")]
    fn self_play(
        &self,
        blocks: usize,
        channels: usize,
        games: usize,
        peer: Option<Peer>,
    ) -> Result<Vec<Line>> {
        let arguments = SelfplayArguments {
            network: NetworkChoice::automatic(blocks, channels),
            game: GameChoice::new(Variant::ALL[0], SIZE)?,
            games,
            workers: 0,
            simulations: 32,
            seconds: 2.0 * self.seconds,
        };
        let report = arguments.measure()?;
        let name = format!("self-play {blocks}×{channels}, {games} games");
        Ok(vec![
            Line::new(name.clone(), report.selfplay_evals_per_s, "evaluations/s", peer),
            Line::new(format!("{name}, of the network alone"), report.efficiency, "times", None),
        ])
    }

    fn search(&self, channels: usize, peer: Option<Peer>) -> Result<Vec<Line>> {
        let arguments = SearchArguments {
            network: NetworkChoice::automatic(6, channels),
            game: GameChoice::new(Variant::ALL[0], SIZE)?,
            simulations: 1600,
            leaves: search::LEAVES_AT_ONCE,
            seconds: 2.0 * self.seconds,
        };
        let report = arguments.measure()?;
        let name = format!("one tree 6×{channels}, 1600 simulations");
        Ok(vec![
            Line::new(name.clone(), report.visits_per_s, "visits/s", peer),
            Line::new(
                format!("{name}, of the network alone"),
                report.share_of_forward,
                "times",
                None,
            ),
        ])
    }
}

impl Line {
    fn new(what: String, value: f64, unit: &'static str, peer: Option<Peer>) -> Line {
        Line { what, value, unit, peer }
    }

    fn print(&self) {
        let Line { what, value, unit, peer } = self;
        let digits = if *value < 10.0 { 2 } else { 0 };
        let compared = peer.map_or_else(String::new, |peer| {
            format!("  {:>6.1} × {} ({:.0})", value / peer.value, peer.name, peer.value)
        });
        println!("{what:<52} {value:>12.digits$} {unit:<14}{compared}");
    }
}
