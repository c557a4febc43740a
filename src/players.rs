//! Opens the players of matches, opening each model and engine once.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use arena::{
    EngineCommand, Match, PLAYERS, Player, PlayerSetup, PlayerSpec, ReferencePlayer, RulesOverride,
    Strength,
};
use bot::{EvaluatorChoice, Level};
use engine::{Rules, Size};
use models::{Client, ServerSettings, StoredModel};
use search::Cached;
use solver::QUICKLY_SOLVED;

use crate::model::OpenModel;
use crate::released::{BEGINNER, Released};

/// Default number of simulations of a model.
const DEFAULT_SIMULATIONS: u32 = 100;

/// Where a player's model comes from.
#[derive(PartialEq, Eq)]
pub enum ModelSource {
    /// A path or name that the user has given.
    Named(PathBuf),
    /// The program, even where a folder has the name of the model.
    Released(&'static Released),
}

impl ModelSource {
    /// What it is called in messages.
    fn path(&self) -> &Path {
        match self {
            ModelSource::Named(path) => path,
            ModelSource::Released(released) => Path::new(released.name),
        }
    }
}

/// What a player needs under the rules of a match.
pub enum ResolvedPlayer {
    /// Nothing else.
    Reference(ReferencePlayer),
    /// Tree search with a model; with 0 simulations, its policy alone.
    Network {
        /// The model.
        model: ModelSource,
        /// Simulations per move.
        simulations: u32,
        /// The temperature at which moves are drawn; 0 plays the best move.
        temperature: f32,
    },
    /// Another program.
    Engine {
        /// Its command line.
        command: String,
    },
}

impl ResolvedPlayer {
    /// What a player needs.
    pub fn of(spec: &PlayerSpec, rules: &Rules) -> Result<ResolvedPlayer> {
        Ok(match spec {
            PlayerSpec::Reference(player) => ResolvedPlayer::Reference(*player),
            PlayerSpec::Policy { path } => {
                let model = ModelSource::Named(path.clone());
                ResolvedPlayer::Network { model, simulations: 0, temperature: 0.0 }
            }
            PlayerSpec::Model { path, strength } => {
                let model = ModelSource::Named(path.clone());
                match strength.unwrap_or(Strength::Simulations(DEFAULT_SIMULATIONS)) {
                    Strength::Simulations(simulations) => {
                        ResolvedPlayer::Network { model, simulations, temperature: 0.0 }
                    }
                    Strength::Drawn { simulations, temperature } => {
                        ResolvedPlayer::Network { model, simulations, temperature }
                    }
                    Strength::Level(number) => {
                        let level: Level = number.to_string().parse()?;
                        let strength = level.strength(rules.size, BEGINNER.plays(rules));
                        let model = match strength.evaluator {
                            EvaluatorChoice::Beginner => ModelSource::Released(&BEGINNER),
                            EvaluatorChoice::Model => model,
                        };
                        let (simulations, temperature) =
                            (strength.simulations, strength.temperature);
                        ResolvedPlayer::Network { model, simulations, temperature }
                    }
                }
            }
            PlayerSpec::Gtp { command } => ResolvedPlayer::Engine { command: command.clone() },
        })
    }

    /// Whether it repeats a game whenever its opponent does, like [`Player::is_deterministic`].
    fn is_deterministic(&self) -> bool {
        match self {
            ResolvedPlayer::Network { temperature, .. } => *temperature == 0.0,
            ResolvedPlayer::Reference(_) | ResolvedPlayer::Engine { .. } => false,
        }
    }
}

/// Whether these players have only one game from each opening. Which levels draw their moves
/// depends on the rules.
pub fn play_without_chance(players: [&PlayerSpec; PLAYERS], rules: &Rules) -> bool {
    // A player that does not exist is reported by whoever opens it.
    players
        .iter()
        .all(|spec| ResolvedPlayer::of(spec, rules).is_ok_and(|player| player.is_deterministic()))
}

/// Players that are ready to play.
pub struct OpenPlayers {
    /// In the given order.
    pub setups: Vec<PlayerSetup>,
    models: Vec<(ModelSource, OpenModel)>,
    /// The models of players who are told other rules, by index. Their evaluators come after the
    /// others.
    overrides: Vec<(usize, Rules)>,
    engines: Vec<EngineCommand>,
}

impl OpenPlayers {
    /// Opens what the players need; `patience` limits the time for an external engine's answer.
    pub fn open(
        specs: &[PlayerSpec],
        rules: &Rules,
        settings: ServerSettings,
        patience: Duration,
    ) -> Result<OpenPlayers> {
        let mut open = OpenPlayers {
            setups: Vec::new(),
            models: Vec::new(),
            overrides: Vec::new(),
            engines: Vec::new(),
        };
        for spec in specs {
            let player = open.player(spec, rules, settings, patience)?;
            open.setups.push(PlayerSetup::new(spec.to_string(), player));
        }
        Ok(open)
    }

    fn player(
        &mut self,
        spec: &PlayerSpec,
        rules: &Rules,
        settings: ServerSettings,
        patience: Duration,
    ) -> Result<Player> {
        Ok(match ResolvedPlayer::of(spec, rules)? {
            ResolvedPlayer::Reference(player) => {
                if !player.is_quick_on(rules.size) {
                    eprintln!(
                        "warning: solver takes hours or days for a move on boards of more than {QUICKLY_SOLVED} points"
                    );
                }
                Player::Reference(player)
            }
            ResolvedPlayer::Network { model, simulations, temperature } => {
                let evaluator = self.evaluator(model, rules, settings)?;
                Player::drawing(evaluator, simulations, temperature)
            }
            ResolvedPlayer::Engine { command } => {
                let mut command = EngineCommand::parse(&command)?;
                command.patience = patience;
                command.check().with_context(|| format!("cannot start '{spec}'"))?;
                self.engines.push(command);
                Player::External { engine: self.engines.len() - 1 }
            }
        })
    }

    /// The index of the evaluator for a model, which is opened unless it is already open.
    fn evaluator(
        &mut self,
        source: ModelSource,
        rules: &Rules,
        settings: ServerSettings,
    ) -> Result<usize> {
        if let Some(index) = self.models.iter().position(|(open, _)| *open == source) {
            return Ok(index);
        }
        let model = match &source {
            ModelSource::Named(path) => OpenModel::open(path, Some(rules), settings)?,
            ModelSource::Released(released) => {
                OpenModel::released(released, Some(rules), settings)?
            }
        };
        self.models.push((source, model));
        Ok(self.models.len() - 1)
    }

    /// Tells a player's network rules other than those of the match, which it still plays. Call it
    /// when all players are open.
    pub fn override_rules(&mut self, player: usize, rules: Rules) -> Result<()> {
        let setup = &mut self.setups[player];
        let Player::Searching { evaluator, .. } = &mut setup.player else {
            bail!("{} knows no rules but those that are played: expected a model", setup.name)
        };
        let (source, model) = &self.models[*evaluator];
        model.card.check(source.path(), Some(&rules))?;
        self.overrides.push((*evaluator, rules));
        *evaluator = self.models.len() + self.overrides.len() - 1;
        setup.name = format!("{} told {rules}", setup.name);
        Ok(())
    }

    /// The evaluators that players refer to: one per model, and then those that are told other
    /// rules. They are cached, because a search meets much of what the last one of the same game
    /// evaluated.
    pub fn evaluators(&self) -> Vec<RulesOverride<Cached<Client>>> {
        let models =
            self.models.iter().map(|(_, model)| RulesOverride::disabled(model.cached_client()));
        let client = |model: usize| self.models[model].1.cached_client();
        let overridden =
            self.overrides.iter().map(|&(model, rules)| RulesOverride::new(client(model), rules));
        models.chain(overridden).collect()
    }

    /// A match between two of the players.
    pub fn contest(&self, rules: Rules, first: usize, second: usize) -> Match {
        let players = [self.setups[first].clone(), self.setups[second].clone()];
        let digest = |(_, model): &(ModelSource, OpenModel)| model.card.weights_sha256.clone();
        let networks = self.models.iter().map(digest).collect();
        Match { engines: self.engines.clone(), networks, ..Match::new(rules, players) }
    }
}

/// The given rules, or those of the first model among the players, which `stored` finds by its
/// path.
pub fn rules_of(
    specs: &[PlayerSpec],
    rules: Option<&str>,
    size: Option<Size>,
    stored: &dyn Fn(&Path) -> Result<StoredModel>,
) -> Result<Rules> {
    let path = specs.iter().find_map(|spec| match spec {
        PlayerSpec::Model { path, .. } | PlayerSpec::Policy { path } => Some(path),
        PlayerSpec::Reference(_) | PlayerSpec::Gtp { .. } => None,
    });
    let card = path.map(|path| stored(path)).transpose()?;
    let card = card.as_ref().map(StoredModel::card);
    let text = match (rules, card) {
        (Some(text), _) => text.to_owned(),
        (None, Some(card)) => card.rules.clone(),
        (None, None) => bail!("--rules is needed: no player is a model with rules"),
    };
    let size = match (size, card.and_then(|card| card.sizes.last().copied())) {
        (Some(size), _) | (None, Some(size)) => size,
        (None, None) => bail!("--size is needed: no player is a model with a size"),
    };
    Ok(Rules::parse(&text, size)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginner_of_a_level_is_the_released_one() {
        let rules = Rules::parse("go", 9).expect("rules");
        let source = |text: &str| {
            let player = ResolvedPlayer::of(&text.parse().expect(text), &rules).expect(text);
            let ResolvedPlayer::Network { model, .. } = player else {
                panic!("{text}: no network")
            };
            model
        };
        assert!(source("universal@level1") == ModelSource::Released(&BEGINNER));
        assert!(source("universal@level9") == ModelSource::Named("universal".into()));
        assert!(source("model:beginner@8") == ModelSource::Named("beginner".into()), "or a folder");
    }

    #[test]
    fn strong_levels_play_without_chance_and_weak_ones_draw() {
        let alone = |text: &str, rules: &str, size: u8| {
            let spec: PlayerSpec = text.parse().expect(text);
            let rules = Rules::parse(rules, size).expect("rules");
            play_without_chance([&spec, &spec], &rules)
        };
        for text in ["universal", "universal@8", "policy:universal", "universal@level8"] {
            assert!(alone(text, "go", 9), "{text}");
        }
        for text in ["universal@8~0.5", "universal@level7", "universal@level11", "random", "uct:8"]
        {
            assert!(!alone(text, "go", 9), "{text}");
        }
        // The beginner does not know this size, and without it the levels are others.
        assert!(!alone("universal@level8", "go", 13) && alone("universal@level9", "go", 13));
    }
}
