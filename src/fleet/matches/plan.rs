//! A match plan, detailed enough that whoever reads it plays the same games.

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use arena::{Match, Openings, PLAYERS, Player, PlayerSetup, PlayerSpec, Sprt};
use engine::{Move, Rules, Size, join_with_spaces};
use fleet::MatchPlan;
use models::{ServerSettings, StoredModel};
use serde::{Deserialize, Serialize};

use super::StoreHandle;
use crate::model::OpenModel;
use crate::players::{ModelSource, ResolvedPlayer};

/// A match with everything that it requires. Workers need nothing else except the weights, which
/// are in the store.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The program's version; others might play differently.
    version: String,
    rules: String,
    size: Size,
    players: [PlannedPlayer; PLAYERS],
    pairs: usize,
    seed: u64,
    opening_plies: usize,
    /// The openings, each as its moves.
    openings: Vec<String>,
    /// The normalised Elo differences of the match's test.
    test: Option<[f64; 2]>,
}

/// A player, with what is needed to play as it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedPlayer {
    name: String,
    plays: Plays,
}

/// How a player chooses its moves.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Plays {
    /// A player with this name that needs nothing else.
    Reference(String),
    Network(PlannedNetwork),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlannedNetwork {
    card: String,
    /// The name of the weights in the store.
    weights: String,
    simulations: u32,
    temperature: f32,
}

/// What a match is about, besides its players.
pub struct MatchTerms {
    pub rules: Rules,
    pub pairs: usize,
    pub seed: u64,
    pub test: Option<Sprt>,
    /// Openings to use instead of drawn ones.
    pub openings: Option<Openings>,
}

impl Plan {
    /// Plans a match.
    pub fn new(players: [PlannedPlayer; PLAYERS], terms: &MatchTerms) -> Result<Plan> {
        let MatchTerms { rules, pairs, seed, test, openings } = terms;
        let mut plan = Plan {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            rules: rules.to_string(),
            size: rules.size,
            players,
            pairs: *pairs,
            seed: *seed,
            opening_plies: 0,
            openings: Vec::new(),
            test: test.map(|test| [test.elo0, test.elo1]),
        };
        let drawn = Match { openings: openings.clone(), ..plan.contest()? }.openings()?;
        plan.opening_plies = drawn.plies;
        plan.openings = drawn.lines.iter().map(join_with_spaces).collect();
        Ok(plan)
    }

    /// The plan in the form in which the store keeps it.
    pub fn in_store(&self) -> Result<MatchPlan> {
        let units = self.contest()?.units() as u64;
        Ok(MatchPlan { units, plan: serde_json::to_value(self)? })
    }

    /// Reads what the store keeps.
    pub fn read(stored: &MatchPlan) -> Result<Plan> {
        let ours = env!("CARGO_PKG_VERSION");
        let theirs = stored.plan["version"].as_str().unwrap_or("unknown");
        ensure!(
            theirs == ours,
            "the match is of version {theirs} of the program, this is {ours}: use that version"
        );
        serde_json::from_value(stored.plan.clone()).context("the plan of the match")
    }

    /// The match with these openings, with players identified by the indices of their networks.
    pub fn contest(&self) -> Result<Match> {
        let rules = Rules::parse(&self.rules, self.size)?;
        let networks = self.networks();
        let setup = |player: &PlannedPlayer| -> Result<PlayerSetup> {
            let plays = match &player.plays {
                Plays::Reference(name) => match name.parse()? {
                    PlayerSpec::Reference(reference) => Player::Reference(reference),
                    PlayerSpec::Model { .. }
                    | PlayerSpec::Policy { .. }
                    | PlayerSpec::Gtp { .. } => {
                        bail!("'{name}' is no player without a network or another program")
                    }
                },
                Plays::Network(network) => {
                    let number = networks.iter().position(|known| known.is_same(network));
                    let number = number.unwrap_or_default();
                    Player::drawing(number, network.simulations, network.temperature)
                }
            };
            Ok(PlayerSetup::new(&player.name, plays))
        };
        let [first, second] = self.players.each_ref().map(setup);
        let lines = self.openings.iter().map(|text| Move::parse_all(text));
        let lines = lines.collect::<Result<Vec<Vec<Move>>, _>>()?;
        Ok(Match {
            pairs: self.pairs,
            seed: self.seed,
            test: self.test.map(|[elo0, elo1]| Sprt::new(elo0, elo1)),
            openings: Some(Openings { plies: self.opening_plies, lines }),
            ..Match::new(rules, [first?, second?])
        })
    }

    /// The networks of the players, without duplicates.
    fn networks(&self) -> Vec<&PlannedNetwork> {
        let mut networks: Vec<&PlannedNetwork> = Vec::new();
        for player in &self.players {
            if let Plays::Network(network) = &player.plays
                && !networks.iter().any(|known| known.is_same(network))
            {
                networks.push(network);
            }
        }
        networks
    }

    /// Starts the networks, in the order of their indices.
    pub fn open_networks(
        &self,
        handle: &StoreHandle,
        settings: ServerSettings,
    ) -> Result<Vec<OpenModel>> {
        let rules = Rules::parse(&self.rules, self.size)?;
        let open = |network: &PlannedNetwork| {
            let weights = handle.get(&network.weights)?;
            let folder = PathBuf::from(format!("contents/{}", network.weights));
            let stored = StoredModel::built_in(folder, network.card.as_bytes(), weights)?;
            OpenModel::start(&stored, Some(&rules), settings)
        };
        self.networks().into_iter().map(open).collect()
    }
}

impl PlannedNetwork {
    /// Whether one network can evaluate for both players.
    fn is_same(&self, other: &PlannedNetwork) -> bool {
        (&self.card, &self.weights) == (&other.card, &other.weights)
    }
}

impl PlannedPlayer {
    /// Plans a player. If it has a network, its weights are put into the store.
    pub fn new(handle: &StoreHandle, spec: &PlayerSpec, rules: &Rules) -> Result<PlannedPlayer> {
        let plays = match ResolvedPlayer::of(spec, rules)? {
            ResolvedPlayer::Reference(reference) => Plays::Reference(reference.to_string()),
            ResolvedPlayer::Network { model, simulations, temperature } => {
                let stored = match &model {
                    ModelSource::Named(path) => handle.model(path)?,
                    ModelSource::Released(released) => released.stored()?,
                };
                stored.card().check(stored.folder(), Some(rules))?;
                let (card, weights) = (stored.card().text()?, handle.put(stored.weights())?);
                Plays::Network(PlannedNetwork { card, weights, simulations, temperature })
            }
            ResolvedPlayer::Engine { .. } => bail!(
                "'{spec}' cannot play over a store: workers may lack the program; leave out --store"
            ),
        };
        Ok(PlannedPlayer { name: spec.to_string(), plays })
    }
}
