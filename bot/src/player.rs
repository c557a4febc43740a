//! A player: a game, and the search that finds moves for it.

use engine::{Color, Komi, Move, Position, Rules};
use search::{Evaluator, EvaluatorError, Search, SearchResult};

use crate::game::{Game, PlayError};
use crate::level::Level;
use crate::repertoire::{Repertoire, UnknownSize, with_komi};
use crate::seed::chance;

/// Positions that a long search has evaluated together: enough to keep a network on every core of a small machine busy.
pub const LEAVES_AT_ONCE: usize = 64;

/// How a player looks for moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// The search of each move.
    pub search: search::Settings,
    /// The temperature at which moves are drawn from the search's policy; 0 plays the best.
    pub temperature: f32,
    /// Decides what is left to chance: nothing, at the defaults of 0 for `temperature` and `gumbel_scale`.
    pub seed: u64,
}

impl Default for Settings {
    /// Plays to win: no noise at the root, and simulations that a laptop makes within a second or so.
    fn default() -> Settings {
        let search =
            search::Settings { simulations: 128, gumbel_scale: 0.0, ..search::Settings::default() };
        Settings { search, temperature: 0.0, seed: 0 }
    }
}

impl Settings {
    /// The same player at another strength.
    #[must_use]
    pub fn at_level(mut self, level: Level) -> Settings {
        self.search.simulations = level.simulations();
        self.temperature = level.temperature();
        self
    }
}

/// What a player would play, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The move.
    pub played: Move,
    /// Expected result for Black, from −1 to 1; exact where it is proven.
    pub value: f32,
    /// The result, if it is proven: a winner, or `Some(None)` for a draw.
    pub proven: Option<Option<Color>>,
    /// What the search thinks of each legal move, in their order; of the move alone where none was needed.
    pub candidates: Vec<Candidate>,
}

/// What a search thinks of one move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The move.
    pub played: Move,
    /// Its share in the search's policy; the shares of all moves sum to 1.
    pub share: f32,
    /// Simulations spent on it.
    pub visits: u32,
    /// Expected result for Black after it; `None` where it was not visited.
    pub value: Option<f32>,
}

impl Choice {
    pub(crate) fn of(played: Move, result: SearchResult) -> Choice {
        let value_of = |played| {
            result.values.iter().find(|(other, _)| *other == played).map(|&(_, value)| value)
        };
        let candidates = result
            .policy
            .iter()
            .zip(&result.visits)
            .map(|(&(played, share), &(_, visits))| Candidate {
                played,
                share,
                visits,
                value: value_of(played),
            })
            .collect();
        Choice { played, value: result.root_value, proven: result.proven, candidates }
    }

    /// The probability that `color` wins, a draw counted as half a win.
    pub fn winrate(&self, color: Color) -> f32 {
        (1.0 + color.sign() * self.value) / 2.0
    }
}

/// Why there is no move.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// There is nothing left to play.
    #[error("the game is over: {0}")]
    GameOver(String),
    /// It is the other player's turn.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// The search got no evaluation.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
}

/// A game, the rule sets it can be changed to, and the search that finds moves for it. Never resigns.
pub struct Player<E> {
    repertoire: Repertoire,
    /// The komi that a client asked for: outlives games and board sizes.
    komi: Option<Komi>,
    game: Game,
    evaluator: E,
    settings: Settings,
    /// A search whose root is the position now. Kept so that asking again costs nothing, and so that the evaluation
    /// of a position that has been looked at is not paid for twice.
    search: Option<Search>,
}

impl<E: Evaluator> Player<E> {
    /// A player before its first game, on the largest board it knows.
    pub fn new(repertoire: Repertoire, evaluator: E, settings: Settings) -> Player<E> {
        let game = Game::new(repertoire.largest());
        Player { repertoire, komi: None, game, evaluator, settings, search: None }
    }

    /// The game being played.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The position now.
    pub fn position(&self) -> &Position {
        self.game.position()
    }

    /// The rules that can be played.
    pub fn repertoire(&self) -> &Repertoire {
        &self.repertoire
    }

    /// How it looks for moves.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes how it looks for moves.
    pub fn set_settings(&mut self, settings: Settings) {
        self.settings = settings;
        self.search = None;
    }

    /// Starts over: same size, same komi.
    pub fn new_game(&mut self) {
        let size = self.position().size();
        let rules = self.repertoire.rules(size).unwrap_or_else(|_| *self.game.rules());
        self.start(rules);
    }

    /// Starts over on a board of another size, under the komi asked for, or that size's own.
    ///
    /// # Errors
    /// The size is not offered; the game goes on.
    pub fn set_size(&mut self, size: usize) -> Result<(), UnknownSize> {
        let rules = self.repertoire.rules(size)?;
        self.start(rules);
        Ok(())
    }

    fn start(&mut self, rules: Rules) {
        self.game = Game::new(self.komi.map_or(rules, |komi| with_komi(rules, komi)));
        self.search = None;
    }

    /// Asks for a komi, in this game and all later ones. Without effect where the rules have none; put off to the
    /// next game where this one's moves could not have been played under it (prisoners to start with).
    pub fn set_komi(&mut self, komi: Komi) {
        self.komi = Some(komi);
        self.game.set_komi(komi);
        self.search = None;
    }

    /// Takes a turn for the player to move.
    ///
    /// # Errors
    /// The rule that forbids it; the game is then unchanged.
    pub fn play(&mut self, played: Move) -> Result<(), PlayError> {
        self.play_as(self.position().turn(), played)
    }

    /// Takes a turn for `player`: see [`Game::play_as`].
    ///
    /// # Errors
    /// The rule that forbids it; the game is then unchanged.
    pub fn play_as(&mut self, player: Color, played: Move) -> Result<(), PlayError> {
        if player != self.position().turn() {
            self.search = None;
        }
        let before = self.game.turns().len();
        self.game.play_as(player, played)?;
        let settings = self.settings.search;
        let seed = self.seed();
        // A search that cannot follow is dropped; the next move then starts a fresh one.
        for turn in &self.game.turns()[before..] {
            let followed = |search: Search| search.advance(turn.played, settings, seed).ok();
            self.search = self.search.take().and_then(followed);
        }
        Ok(())
    }

    /// Takes back the last turn; `false` at the start.
    pub fn undo(&mut self) -> bool {
        self.search = None;
        self.game.undo()
    }

    /// `player` gives up.
    pub fn resign(&mut self, player: Color) {
        self.game.resign(player);
    }

    /// What the player to move should play. Asked again about the same position, answers the same at no cost.
    ///
    /// # Errors
    /// The game is over, or the evaluator failed.
    pub fn think(&mut self) -> Result<Choice, GenerateError> {
        if let Some(result) = self.game.result_text() {
            return Err(GenerateError::GameOver(result));
        }
        if let Some(choice) = winning_pass(self.position()) {
            return Ok(choice);
        }
        let seed = self.seed();
        let search = match self.search.take() {
            Some(search) => search,
            None => Search::new(self.position().clone(), self.settings.search, seed),
        };
        let mut searches = [search];
        search::run_wide(&mut searches, &mut self.evaluator, LEAVES_AT_ONCE)?;
        let [search] = searches;
        let result = search.result();
        let played = result.choose(self.settings.temperature, chance(seed));
        let choice = Choice::of(played, result);
        self.search = Some(search);
        Ok(choice)
    }

    /// Finds a move for `player` and plays it. An opponent whose turn it is passes it up first, as in
    /// [`Player::play_as`].
    ///
    /// # Errors
    /// The game is over, the opponent may not pass, or the evaluator failed; the game is then unchanged.
    pub fn generate(&mut self, player: Color) -> Result<Choice, GenerateError> {
        if player != self.position().turn() {
            self.search = None;
        }
        self.game.give_turn_to(player)?;
        let choice = self.think().and_then(|choice| {
            self.play(choice.played)?;
            Ok(choice)
        });
        if choice.is_err() {
            self.search = None;
            self.game.take_turn_back();
        }
        choice
    }

    /// The seed of this turn's search.
    fn seed(&self) -> u64 {
        self.settings.seed.wrapping_add(u64::from(self.position().turns()))
    }
}

/// A pass that wins at once, by the rules alone. The search would find it only if the network thought of it, and
/// whoever has passed in a lost position expects an answer.
pub(crate) fn winning_pass(position: &Position) -> Option<Choice> {
    let mut after = position.clone();
    after.play(Move::Pass).ok()?;
    let winner = after.outcome()?.winner?;
    (winner == position.turn()).then(|| Choice {
        played: Move::Pass,
        value: winner.sign(),
        proven: Some(Some(winner)),
        candidates: vec![Candidate {
            played: Move::Pass,
            share: 1.0,
            visits: 0,
            value: Some(winner.sign()),
        }],
    })
}
