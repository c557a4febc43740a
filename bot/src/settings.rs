//! How a player looks for moves.

use crate::level::Level;

/// How a player looks for moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// The search of each move.
    pub search: search::Settings,
    /// What limits the search of a move.
    pub effort: Effort,
    /// The temperature at which moves are drawn from the search's policy; 0 plays the best.
    pub temperature: f32,
    /// Whether it thinks on the opponent's time, where somebody lets it: see [`crate::gtp::Engine`].
    pub pondering: bool,
    /// When it gives up; never, if there is nothing.
    pub resignation: Option<Resignation>,
    /// Nodes that the tree of a search without a fixed end may have: about 1.5 KB each on 9×9.
    pub most_nodes: usize,
    /// Decides what is left to chance: nothing, at the defaults of 0 for `temperature` and `gumbel_scale`.
    pub seed: u64,
}

/// What limits the search of a move. A clock that runs out limits it in any case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Effort {
    /// The simulations of the search's settings.
    Simulations,
    /// So many seconds.
    Seconds(f32),
    /// What the clock allows; the simulations of the settings where the game is not timed.
    Clock,
}

/// When a game is given up. Never under rules without a score, where a single move decides who moves last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resignation {
    /// The probability to win below which a turn seems lost.
    pub winrate: f32,
    /// So many own turns in a row must seem lost.
    pub turns: u16,
}

impl Default for Settings {
    /// Plays to win: no noise at the root, and simulations that a laptop makes within a second or so.
    fn default() -> Settings {
        let search =
            search::Settings { simulations: 128, gumbel_scale: 0.0, ..search::Settings::default() };
        Settings {
            search,
            effort: Effort::Simulations,
            temperature: 0.0,
            pondering: false,
            resignation: None,
            most_nodes: 200_000,
            seed: 0,
        }
    }
}

impl Settings {
    /// The same player at another strength.
    #[must_use]
    pub fn at_level(mut self, level: Level) -> Settings {
        self.search.simulations = level.simulations();
        self.temperature = level.temperature();
        self.effort = Effort::Simulations;
        self
    }

    /// The same player with all that it has: nothing left to chance, and no fewer simulations than the strongest level.
    #[must_use]
    pub fn at_full_strength(mut self) -> Settings {
        let simulations = self.search.simulations.max(Level::STRONGEST.simulations());
        self.search.simulations = simulations;
        self.temperature = Level::STRONGEST.temperature();
        self
    }
}
