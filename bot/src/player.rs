//! A player: a game, and the search that finds its moves.

use std::time::Duration;

use engine::{Color, Komi, Move, Position, Rules, Size};
use game::{Game, PlayError, ReplayError};
use search::{Evaluator, Search};

use crate::choice::{Choice, GenerateError};
use crate::clock::{Clock, TimeControl};
use crate::komi::played_komi;
use crate::level::{EvaluatorChoice, Strength};
use crate::search_runner::{AnySearch, Limit, SearchRunner, Watch};
use crate::settings::Settings;
use crate::supported_rules::{SupportedRules, UnknownSize};

/// The largest number of simulations for which a search is planned. Clients that mean no limit ask
/// for a billion. The tree would not fit into memory, and the plan alone takes four bytes for each.
const MAX_PLANNED: u32 = 1 << 22;

/// A game, the rule sets to which it can be changed, and the search that finds moves for it.
///
/// ```
/// use bot::{Player, Settings, SupportedRules};
/// use engine::Color;
/// use search::evaluators::Uniform;
///
/// let mut settings = Settings::default();
/// settings.search.simulations = 8;
/// let supported = SupportedRules::new("nogo", &[5])?;
/// let mut player = Player::new(supported, Uniform, settings);
/// player.play("C3".parse()?)?;
/// let choice = player.generate(Color::White)?;
/// assert_eq!(player.game().moves(), ["C3".parse()?, choice.played]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Player<E> {
    supported: SupportedRules,
    /// The requested komi, which is kept across games and board sizes.
    komi: Option<Komi>,
    game: Game,
    /// Whether a command of its own has set up the stones at the start of the game, which can then
    /// be taken back like a turn. A loaded game begins with its stones.
    has_set_up: bool,
    /// Number of games before this one.
    pub(crate) games: u64,
    pub(crate) evaluator: E,
    pub(crate) beginner: Option<Beginner<E>>,
    pub(crate) settings: Settings,
    pub(crate) clock: Clock,
    pub(crate) runner: SearchRunner,
    /// How long the last choice took.
    pub(crate) thought_for: Duration,
    /// Number of consecutive turns that seemed lost, for Black and for White.
    lost_turns: [u16; 2],
    /// A search whose root is the current position. It is kept so that asking again is free and its
    /// results can be reused.
    pub(crate) search: Option<AnySearch>,
}

/// The evaluator for the weak levels.
pub(crate) struct Beginner<E> {
    pub(crate) evaluator: E,
    learnt: SupportedRules,
}

impl<E: Evaluator> Player<E> {
    /// A player before its first game.
    pub fn new(supported: SupportedRules, evaluator: E, settings: Settings) -> Player<E> {
        let game = Game::new(supported.first());
        Player::with_game(supported, game, evaluator, settings)
    }

    /// A player for one game, with only that game's rules.
    pub fn of_game(game: Game, evaluator: E, settings: Settings) -> Player<E> {
        Player::with_game(SupportedRules::of(*game.rules()), game, evaluator, settings)
    }

    fn with_game(
        supported: SupportedRules,
        game: Game,
        evaluator: E,
        settings: Settings,
    ) -> Player<E> {
        Player {
            supported,
            komi: None,
            game,
            has_set_up: false,
            games: 0,
            evaluator,
            beginner: None,
            settings,
            clock: Clock::new(TimeControl::Unlimited),
            runner: SearchRunner::new(settings.max_nodes),
            thought_for: Duration::ZERO,
            lost_turns: [0; 2],
            search: None,
        }
    }

    /// The same player, whose weak levels use another evaluator under the rules that it has learnt.
    #[must_use]
    pub fn with_beginner(self, evaluator: E, learnt: SupportedRules) -> Player<E> {
        Player { beginner: Some(Beginner { evaluator, learnt }), ..self }
    }

    /// The game being played.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The current position.
    pub fn position(&self) -> &Position {
        self.game.position()
    }

    /// The rules that can be played.
    pub fn supported(&self) -> &SupportedRules {
        &self.supported
    }

    /// The evaluator.
    pub fn evaluator(&mut self) -> &mut E {
        &mut self.evaluator
    }

    /// Its settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes its settings.
    pub fn set_settings(&mut self, settings: Settings) {
        self.settings = settings;
        self.runner = SearchRunner::new(settings.max_nodes);
        self.search = None;
    }

    /// The search of the current position, if there is one.
    pub fn search(&self) -> Option<&AnySearch> {
        self.search.as_ref()
    }

    /// Discards the search of the current position.
    pub fn forget(&mut self) {
        self.search = None;
    }

    /// The remaining time of both players.
    pub fn clock(&mut self) -> &mut Clock {
        &mut self.clock
    }

    /// Changes the time control of this game and later ones, with full clocks.
    pub fn set_time_control(&mut self, control: TimeControl) {
        self.clock = Clock::new(control);
    }

    /// Starts a new game with the same size and komi.
    pub fn new_game(&mut self) {
        let rules = self.rules_on(self.position().size()).unwrap_or_else(|_| *self.game.rules());
        self.start(rules);
    }

    /// Starts a new game on a board of another size, with the requested komi or that size's own.
    ///
    /// # Errors
    /// The size is not offered; the game continues.
    pub fn set_size(&mut self, size: Size) -> Result<(), UnknownSize> {
        let rules = self.rules_on(size)?;
        self.start(rules);
        Ok(())
    }

    /// The current rules on a board of `size`, with that size's komi, and its move limit unless
    /// another has been set.
    ///
    /// # Errors
    /// The size is not offered.
    pub fn rules_on(&self, size: Size) -> Result<Rules, UnknownSize> {
        self.supported.resized(self.game.rules(), size)
    }

    /// Continues under other supported rules for a board of the same size: the turns so far are
    /// replayed under them, and the requested komi stays.
    ///
    /// # Errors
    /// The first turn that they forbid; the game is then unchanged.
    pub fn set_rules(&mut self, rules: Rules) -> Result<(), ReplayError> {
        self.continue_game(self.game.under(self.with_requested_komi(rules))?);
        Ok(())
    }

    fn start(&mut self, rules: Rules) {
        self.set_game(Game::new(self.with_requested_komi(rules)));
        self.clock = Clock::new(self.clock.control());
    }

    /// The rules with the requested komi as far as they can have it, or with their own if none was
    /// requested.
    pub(crate) fn with_requested_komi(&self, rules: Rules) -> Rules {
        rules.with_komi(played_komi(&rules, self.komi.unwrap_or(rules.komi)))
    }

    /// Continues with another game, whose rules should be supported.
    pub fn set_game(&mut self, game: Game) {
        self.continue_game(game);
        self.has_set_up = false;
    }

    /// Starts a game from stones that [`Player::undo`] takes back before the first turn.
    pub(crate) fn set_up(&mut self, start: Position) {
        self.continue_game(Game::from_position(start));
        self.has_set_up = true;
    }

    /// Replaces the game by one that begins from the same stones.
    pub(crate) fn continue_game(&mut self, game: Game) {
        self.game = game;
        self.games += 1;
        self.lost_turns = [0; 2];
        self.search = None;
    }

    /// Requests a komi for this game and all later ones. It has no effect where the rules have
    /// none, and is deferred to the next game if this one's moves are impossible with it (where
    /// komi means prisoners to start with, of which there are only whole ones).
    pub fn set_komi(&mut self, komi: Komi) {
        self.komi = Some(komi);
        let komi = self.komi();
        if self.game.rules().komi != komi {
            self.game.set_komi(komi);
            self.search = None;
        }
    }

    /// The requested komi as far as the rules can have it, or the game's if none was requested.
    pub fn komi(&self) -> Komi {
        let rules = self.game.rules();
        played_komi(rules, self.komi.unwrap_or(rules.komi))
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
        let settings = self.search_settings();
        let seed = self.seed();
        // A search that cannot advance is dropped; the next move starts a fresh one.
        for turn in &self.game.turns()[before..] {
            let search = self.search.take();
            self.search = search.and_then(|search| search.after(turn.played, settings, seed).ok());
        }
        Ok(())
    }

    /// Passes in a game that is over: see [`Game::pass_after_end`].
    pub fn pass_after_end(&mut self) -> bool {
        self.game.pass_after_end()
    }

    /// Takes back the last turn or, before the first one, the stones that a command has set up;
    /// `false` at the start. Lost turns count towards a resignation from here on again.
    pub fn undo(&mut self) -> bool {
        self.search = None;
        self.lost_turns = [0; 2];
        if self.game.undo() {
            return true;
        }
        let is_empty =
            Color::BOTH.iter().all(|&color| self.game.position().stones(color).is_empty());
        let takes_stones = self.has_set_up && !is_empty;
        if takes_stones {
            self.game = Game::new(*self.game.rules());
        }
        self.has_set_up = false;
        takes_stones
    }

    /// `player` resigns.
    pub fn resign(&mut self, player: Color) {
        self.game.resign(player);
    }

    /// How its next move is found.
    pub fn strength(&self) -> Strength {
        let rules = self.game.rules();
        let knows = |beginner: &Beginner<E>| beginner.learnt.has_learnt(rules);
        self.settings.strength(rules.size, self.beginner.as_ref().is_some_and(knows))
    }

    fn search_settings(&self) -> search::Settings {
        let simulations = self.strength().simulations.min(MAX_PLANNED);
        search::Settings { simulations, ..self.settings.search }
    }

    pub(crate) fn fresh_search(&self) -> Search {
        Search::new(self.position().clone(), self.search_settings(), self.seed())
    }

    pub(crate) fn check_running(&self) -> Result<(), GenerateError> {
        self.game.result_text().map_or(Ok(()), |result| Err(GenerateError::GameOver(result)))
    }

    /// Analyses the position while `watch` allows it, or until the search is complete; later
    /// searches reuse the findings. `only` restricts the moves; such findings are useful only for a
    /// report about them: see [`Player::forget`].
    ///
    /// # Errors
    /// The game is over, or the evaluator failed.
    pub fn analyze(
        &mut self,
        only: Option<Vec<Move>>,
        watch: Watch<'_>,
    ) -> Result<(), GenerateError> {
        self.check_running()?;
        // A beginner's findings must not be part of an analysis, which is the model's.
        if self.strength().evaluator == EvaluatorChoice::Beginner {
            self.search = None;
        }
        let search = match only {
            Some(only) => self.fresh_search().with_allowed_moves(only).open(),
            None => self.search.take().map_or_else(|| self.fresh_search().open(), AnySearch::open),
        };
        let mut search = AnySearch::Open(search);
        self.runner.search(&mut search, &mut self.evaluator, Limit::default(), watch)?;
        self.search = Some(search);
        Ok(())
    }

    /// Finds a move for `player` and plays it. If it is the opponent's turn, the opponent passes
    /// first, as in [`Player::play_as`].
    ///
    /// # Errors
    /// The game is over, the opponent may not pass, or the evaluator fails; the game is then
    /// unchanged.
    pub fn generate(&mut self, player: Color) -> Result<Choice, GenerateError> {
        self.generate_watched(player, None)
    }

    /// Like [`Player::generate`], with a watch as in [`Player::think_watched`].
    ///
    /// # Errors
    /// As for [`Player::generate`].
    pub fn generate_watched(
        &mut self,
        player: Color,
        watch: Option<Watch<'_>>,
    ) -> Result<Choice, GenerateError> {
        self.as_if_to_move(player, |player| {
            let choice = player.think_watched(watch)?;
            let mover = player.position().turn();
            let choice = player.carry_out(choice)?;
            if choice.resigns {
                player.resign(mover);
            }
            Ok(choice)
        })
    }

    /// Plays the chosen move for the player to move, unless it is time to resign, which is left to
    /// the caller.
    pub(crate) fn carry_out(&mut self, choice: Choice) -> Result<Choice, GenerateError> {
        let mover = self.position().turn();
        let resigns = self.should_resign(&choice);
        if !resigns {
            self.play(choice.played)?;
        }
        self.clock.spend(mover, self.thought_for.as_secs_f32());
        Ok(Choice { resigns, ..choice })
    }

    /// Runs `act` with `color` to move. If it fails, or takes no turn, the change of turn is
    /// undone.
    ///
    /// # Errors
    /// Errors of `act`, or of changing the turn.
    pub fn as_if_to_move<T, X: From<GenerateError>>(
        &mut self,
        color: Color,
        act: impl FnOnce(&mut Player<E>) -> Result<T, X>,
    ) -> Result<T, X> {
        let is_given = color != self.position().turn();
        if is_given {
            self.search = None;
        }
        self.game.give_turn_to(color).map_err(GenerateError::from)?;
        let turns = self.game.turns().len();
        let result = act(self);
        let is_unchanged = self.game.turns().len() == turns && self.game.resigned().is_none();
        if is_unchanged {
            self.game.take_turn_back();
        }
        if result.is_err() || is_unchanged && is_given {
            self.search = None;
        }
        result
    }

    /// Whether the game has seemed lost for long enough to resign. Never under rules without a
    /// score, where a single move decides who moves last and the opponent may not find it.
    fn should_resign(&mut self, choice: &Choice) -> bool {
        let Some(resignation) = self.settings.resignation else { return false };
        let position = self.game.position();
        // A turn of several stones is judged, and given up, before its first.
        if position.is_mid_turn() {
            return false;
        }
        let mover = position.turn();
        let is_lost = choice.winrate(mover) < resignation.winrate;
        let lost_turns = &mut self.lost_turns[mover.index()];
        *lost_turns = if is_lost { lost_turns.saturating_add(1) } else { 0 };
        position.rules().has_score() && *lost_turns >= resignation.turns.max(1)
    }

    /// The seed of this turn's search.
    pub(crate) fn seed(&self) -> u64 {
        let game = self.games.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.settings.seed.wrapping_add(game).wrapping_add(u64::from(self.position().turns()))
    }
}

#[cfg(test)]
mod tests {
    use engine::Rules;
    use search::evaluators::Uniform;

    use super::*;
    use crate::settings::Effort;

    #[test]
    fn searches_without_a_limit_are_planned_within_memory() {
        let search = search::Settings::to_win(1_000_000_000);
        let settings = Settings { search, ..Settings::default() };
        let rules = Rules::parse("go", 3).expect("rules");
        let player = Player::new(SupportedRules::of(rules), Uniform, settings);
        assert_eq!(player.strength().simulations, 1_000_000_000);
        assert_eq!(player.search_settings().simulations, MAX_PLANNED);
    }

    #[test]
    fn searches_that_time_may_cut_are_not_planned_to_a_distant_end() {
        let rules = Rules::parse("go", 9).expect("rules");
        for (simulations, is_open) in [(100, false), (2000, true)] {
            let search = search::Settings::to_win(simulations);
            let effort = Effort::SimulationsWithin(60.0);
            let settings = Settings { search, effort, ..Settings::default() };
            let mut player = Player::new(SupportedRules::of(rules), Uniform, settings);
            player.think().expect("a choice");
            let search = player.search.as_ref().expect("a search");
            assert_eq!((search.is_open(), search.state().started()), (is_open, simulations));
        }
    }
}
