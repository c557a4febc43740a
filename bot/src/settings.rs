//! Settings of a player.

use engine::Size;

use crate::level::{EvaluatorChoice, Level, Strength};

/// Settings of a player.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// The search of each move.
    pub search: search::Settings,
    /// What limits the search for a move.
    pub effort: Effort,
    /// A level that replaces the simulations and the temperature.
    pub level: Option<Level>,
    /// The temperature at which moves are drawn from the search's policy; 0 plays the best move.
    pub temperature: f32,
    /// Whether to ponder on the opponent's time, where supported: see [`crate::gtp::Engine`]. A
    /// level does not.
    pub pondering: bool,
    /// When the player resigns; `None` for never.
    pub resignation: Option<Resignation>,
    /// Maximum number of nodes in an open-ended search's tree, at about 1.5 KB each on 9×9.
    pub max_nodes: usize,
    /// Seed of all randomness; nothing is random at the defaults of 0 for `temperature` and
    /// `gumbel_scale`.
    pub seed: u64,
}

/// What limits the search for a move. A clock that runs out limits it in any case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Effort {
    /// The simulations of the search's settings.
    Simulations,
    /// The simulations of the search's settings, or a number of seconds, whichever is reached
    /// first.
    SimulationsWithin(f32),
    /// A number of seconds.
    Seconds(f32),
    /// The clock, or the simulations of the search's settings if the game is not timed.
    Clock,
}

/// When a player resigns. It never does under rules without a score, where a single move decides
/// who moves last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resignation {
    /// The winning probability below which a turn seems lost.
    pub winrate: f32,
    /// The number of consecutive own turns that must seem lost.
    pub turns: u16,
}

/// Minimum number of simulations when a player gives advice.
const FULL_SIMULATIONS: u32 = 400;

impl Default for Settings {
    /// Plays to win: no noise at the root, and a number of simulations that takes a laptop about a
    /// second.
    fn default() -> Settings {
        let search = search::Settings::to_win(128);
        Settings {
            search,
            effort: Effort::Simulations,
            level: None,
            temperature: 0.0,
            pondering: false,
            resignation: None,
            max_nodes: 200_000,
            seed: 0,
        }
    }
}

impl Settings {
    /// The same player at a level.
    #[must_use]
    pub fn at_level(mut self, level: Level) -> Settings {
        self.level = Some(level);
        self.effort = Effort::Simulations;
        self
    }

    /// The same player with this strength, whoever evaluates.
    #[must_use]
    pub fn with_strength(mut self, strength: Strength) -> Settings {
        self.level = None;
        self.search.simulations = strength.simulations;
        self.temperature = strength.temperature;
        self
    }

    /// The same player at full strength: no randomness, and at least 400 simulations.
    #[must_use]
    pub fn at_full_strength(mut self) -> Settings {
        self.level = None;
        self.search.simulations = self.search.simulations.max(FULL_SIMULATIONS);
        self.temperature = 0.0;
        self
    }

    /// Whether the player ponders. A level does not: it would become stronger than intended.
    pub(crate) fn ponders(&self) -> bool {
        self.pondering && self.level.is_none()
    }

    /// How a move is found on a board; `has_beginner` says whether there is a
    /// [`EvaluatorChoice::Beginner`] that knows the rules.
    pub fn strength(&self, size: Size, has_beginner: bool) -> Strength {
        let given = Strength {
            evaluator: EvaluatorChoice::Model,
            simulations: self.search.simulations,
            temperature: self.temperature,
        };
        self.level.map_or(given, |level| level.strength(size, has_beginner))
    }
}
