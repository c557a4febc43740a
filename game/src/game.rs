//! A game being played: its turns with their positions, so that any number of them can be taken
//! back.

use engine::{Color, IllegalMove, Komi, Move, Position, PositionError, Rules};

use crate::{GameEnd, SgfRecord};

/// One turn of a game.
#[derive(Debug, Clone)]
pub struct Turn {
    /// Who took it.
    pub player: Color,
    /// What was played.
    pub played: Move,
    /// Whether it is an implied pass between two moves by the same player.
    pub implied: bool,
    /// The position after it.
    after: Position,
}

/// A game from its first position to its latest.
///
/// ```
/// use engine::Rules;
/// use game::{Game, SgfRecord};
///
/// let mut game = Game::new(Rules::parse("go", 5)?);
/// for played in ["C3", "C4", "pass", "pass"] {
///     game.play(played.parse()?)?;
/// }
/// assert!(game.end().is_some(), "two passes end it");
/// let record = SgfRecord::read(game.record().to_string().as_bytes())?;
/// let again = Game::of_record(&record, record.own_rules()?)?;
/// assert_eq!(again.moves(), game.moves());
/// assert!(game.undo() && game.end().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Game {
    /// The position at the beginning, before the other player was asked to go first.
    origin: Position,
    start: Position,
    turns: Vec<Turn>,
    resigned: Option<Color>,
    /// Number of passes since the end: see [`Game::pass_after_end`].
    passes_after_end: usize,
}

/// Why a move was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    /// A rule forbids it.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// A player has resigned.
    #[error("the game is over: {} resigned", .0.name())]
    Resigned(Color),
    /// It is the turn of the other player, who may not pass.
    #[error("it is {name}'s turn, and {name} may not pass: {rule}", name = .to_move.name())]
    OutOfTurn {
        /// Whose turn it is.
        to_move: Color,
        /// Why that player may not pass.
        rule: IllegalMove,
    },
    /// It is the turn of the other player, whose pass would end the game.
    #[error("it is {}'s turn, and a pass would end the game", .0.name())]
    WouldEnd(Color),
}

/// Why a record cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The start is impossible under these rules.
    #[error("the start of the game is impossible: {0}")]
    Start(#[from] PositionError),
    /// A turn is illegal.
    #[error("turn {turn}, {played}: {reason}")]
    Turn {
        /// The number of the turn, from 1.
        turn: usize,
        /// What was played.
        played: Move,
        /// What forbids it.
        reason: PlayError,
    },
}

impl Game {
    /// A game about to start.
    pub fn new(rules: Rules) -> Game {
        Game::from_position(Position::new(rules))
    }

    /// A game that begins from any position.
    pub fn from_position(start: Position) -> Game {
        Game {
            origin: start.clone(),
            start,
            turns: Vec::new(),
            resigned: None,
            passes_after_end: 0,
        }
    }

    /// The recorded game under `rules`. Moves out of turn are handled as in [`Game::play_as`], a
    /// resignation counts if it is the record's result, and passes are dropped after the end, where
    /// some programs write them, and as in [`Game::under`].
    ///
    /// # Errors
    /// The start or a turn is impossible under these rules.
    pub fn of_record(record: &SgfRecord, rules: Rules) -> Result<Game, ReplayError> {
        let (game, left_out) = Game::of_record_until_end(record, rules)?;
        left_out.map_or(Ok(game), Err)
    }

    /// Like [`Game::of_record`], but stops at the end of the game if the record continues after it,
    /// as that of a resumed game does. The error beside the game names the first turn that was
    /// dropped, if any.
    ///
    /// # Errors
    /// The start, or a turn before the end, is impossible under these rules.
    pub fn of_record_until_end(
        record: &SgfRecord,
        rules: Rules,
    ) -> Result<(Game, Option<ReplayError>), ReplayError> {
        let mut game = Game::from_position(record.start(rules)?);
        let turn_endings = turn_endings(record, &rules);
        for (index, turn) in record.turns.iter().enumerate() {
            let played = turn.played;
            let refused = |reason| ReplayError::Turn { turn: index + 1, played, reason };
            if game.end().is_some() {
                if played == Move::Pass {
                    continue;
                }
                return Ok((game, Some(refused(IllegalMove::GameOver.into()))));
            }
            if turn_endings.contains(&index) && game.position().turn() != turn.player {
                continue;
            }
            game.play_as(turn.player, played).map_err(refused)?;
        }
        match record.result.as_deref() {
            Some("B+R" | "B+Resign") => game.resign(Color::White),
            Some("W+R" | "W+Resign") => game.resign(Color::Black),
            _ => {}
        }
        Ok((game, None))
    }

    /// The same game under other `rules` for a board of this size. Implied passes are implied
    /// again, as far as the rules still need them, and passes that only ended a turn of several
    /// stones are left out where the turn is over without them. A game that began in the middle of
    /// another begins from that position as [`Position::under`] has it.
    ///
    /// # Errors
    /// As for [`Game::of_record`].
    pub fn under(&self, rules: Rules) -> Result<Game, ReplayError> {
        let mut again = Game::from_position(self.origin.under(rules)?);
        for (index, (before, turn)) in self.positions().zip(&self.turns).enumerate() {
            let has_ended = again.position().turn() != turn.player
                && only_ends_turn(before, turn.player, turn.played);
            let is_pass = turn.played == Move::Pass;
            if turn.implied || has_ended || is_pass && again.pass_after_end() {
                continue;
            }
            again.play_as(turn.player, turn.played).map_err(|reason| ReplayError::Turn {
                turn: index + 1,
                played: turn.played,
                reason,
            })?;
        }
        if let Some(loser) = self.resigned {
            again.resign(loser);
        }
        again.repeat_passes_after_end(self);
        Ok(again)
    }

    /// The rules in force.
    pub fn rules(&self) -> &Rules {
        self.start.rules()
    }

    /// Who moves first.
    pub fn first_player(&self) -> Color {
        self.start.turn()
    }

    /// The position now.
    pub fn position(&self) -> &Position {
        self.turns.last().map_or(&self.start, |turn| &turn.after)
    }

    /// The position at the start and after each turn.
    pub fn positions(&self) -> impl Iterator<Item = &Position> {
        std::iter::once(&self.start).chain(self.turns.iter().map(|turn| &turn.after))
    }

    /// The game after its first `turns` turns; `None` if it has fewer.
    pub fn after(&self, turns: usize) -> Option<Game> {
        if turns >= self.turns.len() {
            return (turns == self.turns.len()).then(|| self.clone());
        }
        Some(Game {
            origin: self.origin.clone(),
            start: self.start.clone(),
            turns: self.turns[..turns].to_vec(),
            resigned: None,
            passes_after_end: 0,
        })
    }

    /// The turns so far, oldest first.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// The moves so far, oldest first.
    pub fn moves(&self) -> Vec<Move> {
        self.turns.iter().map(|turn| turn.played).collect()
    }

    /// The player who resigned, if any.
    pub fn resigned(&self) -> Option<Color> {
        self.resigned
    }

    /// How the game ended, if it is over.
    pub fn end(&self) -> Option<GameEnd> {
        let by_rules = self.position().outcome().map(GameEnd::from);
        by_rules.or_else(|| self.resigned.map(GameEnd::resigned))
    }

    /// Takes a turn for the player to move.
    ///
    /// # Errors
    /// The rule that forbids it; the game is then unchanged.
    pub fn play(&mut self, played: Move) -> Result<(), PlayError> {
        self.push(played, false)
    }

    /// Takes a turn for `player`, regardless of whose turn it is. At the start, `player` then moves
    /// first. Later, the other player is taken to have passed, as most programs do when one colour
    /// moves twice in a row, but only under rules with passes: a prisoner is never returned on a
    /// player's behalf.
    ///
    /// # Errors
    /// The rule that forbids the move or the pass before it; the game is then unchanged.
    pub fn play_as(&mut self, player: Color, played: Move) -> Result<(), PlayError> {
        self.give_turn_to(player)?;
        let result = self.play(played);
        if result.is_err() {
            self.take_turn_back();
        }
        result
    }

    /// Makes it `player`'s turn. A move or [`Game::take_turn_back`] must follow.
    pub fn give_turn_to(&mut self, player: Color) -> Result<(), PlayError> {
        let to_move = self.position().turn();
        if self.end().is_some() || to_move == player {
            return Ok(());
        }
        if self.turns.is_empty() && self.origin.is_start() {
            self.start = start(&self.origin, *self.rules(), player);
            return Ok(());
        }
        if !self.rules().has_pass() {
            return Err(PlayError::OutOfTurn { to_move, rule: IllegalMove::NoPass });
        }
        self.push(Move::Pass, true).map_err(|error| match error {
            PlayError::Illegal(rule) => PlayError::OutOfTurn { to_move, rule },
            PlayError::Resigned(_) | PlayError::OutOfTurn { .. } | PlayError::WouldEnd(_) => error,
        })?;
        if self.end().is_some() {
            self.take_turn_back();
            return Err(PlayError::WouldEnd(to_move));
        }
        Ok(())
    }

    /// Undoes [`Game::give_turn_to`] if no move has followed it.
    pub fn take_turn_back(&mut self) {
        if self.turns.last().is_some_and(|turn| turn.implied) {
            self.turns.pop();
        }
        if self.turns.is_empty() {
            self.start = self.origin.clone();
        }
    }

    fn push(&mut self, played: Move, implied: bool) -> Result<(), PlayError> {
        if let Some(loser) = self.resigned {
            return Err(PlayError::Resigned(loser));
        }
        let mut after = self.position().clone();
        let player = after.turn();
        after.play(played)?;
        self.turns.push(Turn { player, played, implied, after });
        Ok(())
    }

    /// Resigns for `player`. Does nothing if the game is over.
    pub fn resign(&mut self, player: Color) {
        if self.end().is_none() {
            self.resigned = Some(player);
        }
    }

    /// Records a pass in a game that is over: nothing changes, but one [`Game::undo`] takes it
    /// back. For clients that know no ending other than consecutive passes and count the turns that
    /// they have sent. Returns `false` while the game is running.
    pub fn pass_after_end(&mut self) -> bool {
        let is_over = self.end().is_some();
        self.passes_after_end += usize::from(is_over);
        is_over
    }

    /// Records the passes after the end of `other` here, if this game is over.
    fn repeat_passes_after_end(&mut self, other: &Game) {
        for _ in 0..other.passes_after_end {
            self.pass_after_end();
        }
    }

    /// Takes back the last turn (including a pass implied by it) or the resignation. Returns
    /// `false` at the start.
    pub fn undo(&mut self) -> bool {
        if let Some(left) = self.passes_after_end.checked_sub(1) {
            self.passes_after_end = left;
            return true;
        }
        if self.resigned.take().is_some() {
            return true;
        }
        let undone = self.turns.pop().is_some();
        self.take_turn_back();
        undone
    }

    /// Changes the komi by replaying the game with it. Komi decides who won, and how many prisoners
    /// a prisoner-return game starts with. If the moves so far are impossible with those, nothing
    /// changes and it returns `false`.
    pub fn set_komi(&mut self, komi: Komi) -> bool {
        let rules = self.rules().with_komi(komi);
        let mut again = Game::from_position(start(&self.origin, rules, self.origin.turn()));
        again.start = start(&self.origin, rules, self.first_player());
        let replayed = self.turns.iter().try_for_each(|turn| again.push(turn.played, turn.implied));
        if replayed.is_err() {
            return false;
        }
        again.resigned = self.resigned.filter(|_| again.end().is_none());
        again.repeat_passes_after_end(self);
        *self = again;
        true
    }

    /// The game as an SGF record.
    pub fn record(&self) -> SgfRecord {
        let mut record = SgfRecord::new(self.rules());
        record.begin_from(&self.start);
        record.result = self.result_text();
        self.turns.iter().for_each(|turn| record.push(turn.player, turn.played));
        record
    }

    /// The game as an SGF record of chosen moves only: without implied passes, which
    /// [`Game::of_record`] adds again. A pass that no turn has followed yet is kept.
    pub fn chosen_record(&self) -> SgfRecord {
        let mut record = self.record();
        let mut implied = self.turns.iter().map(|turn| turn.implied);
        let mut left = self.turns.len();
        record.turns.retain(|_| {
            left -= 1;
            !implied.next().unwrap_or_default() || left == 0
        });
        record
    }

    /// The result in the form that SGF and GTP use, see [`GameEnd::to_sgf`]; `None` while the game
    /// is running.
    pub fn result_text(&self) -> Option<String> {
        self.end().map(|end| end.to_sgf(self.position().score()))
    }
}

/// The passes that only end a turn of several stones under the record's own rules, where these have
/// longer turns than `rules`.
fn turn_endings(record: &SgfRecord, rules: &Rules) -> Vec<usize> {
    let longer = record.own_rules().ok().filter(|own| own.stones_per_turn > rules.stones_per_turn);
    let Some(start) = longer.and_then(|own| record.start(own).ok()) else { return Vec::new() };
    let mut game = Game::from_position(start);
    let mut endings = Vec::new();
    for (index, turn) in record.turns.iter().enumerate() {
        if only_ends_turn(game.position(), turn.player, turn.played) {
            endings.push(index);
        }
        if game.play_as(turn.player, turn.played).is_err() {
            break;
        }
    }
    endings
}

/// Whether a move by `player` is a pass that only ends a turn of several stones.
fn only_ends_turn(before: &Position, player: Color, played: Move) -> bool {
    played == Move::Pass && before.is_mid_turn() && before.turn() == player
}

/// The position at the start under `rules`, with `first` to move; if the game began in mid-game,
/// the player to move does not change.
fn start(origin: &Position, rules: Rules, first: Color) -> Position {
    if !origin.is_start() {
        // What can stand does not depend on komi.
        return origin.under(rules).unwrap_or_else(|_| origin.clone());
    }
    let [black, white] = Color::BOTH.map(|color| *origin.stones(color));
    match first {
        Color::Black if (black | white).is_empty() => Position::new(rules),
        // Whether stones can stand does not depend on komi.
        Color::Black | Color::White => Position::with_stones(rules, black, white, first)
            .unwrap_or_else(|_| Position::new(rules)),
    }
}
