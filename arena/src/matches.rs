//! Matches between two players: many games at once, one batch an evaluator.

use std::ops::ControlFlow;

use engine::{Color, IllegalMove, Move, Position, Rules};
use rayon::prelude::*;
use search::{Evaluator, EvaluatorError, Search, Settings};

use crate::openings::Openings;
use crate::player::reference_move;
use crate::report::Tally;
use crate::{GameRecord, MatchReport, Player, PlayerSetup, Random};

/// Players of a match, and games of a pair.
pub const PLAYERS: usize = 2;

/// A match to be played: every opening twice, with colours swapped.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// The rules.
    pub rules: Rules,
    /// The players; results are the first one's.
    pub players: [PlayerSetup; PLAYERS],
    /// Pairs of games.
    pub pairs: usize,
    /// Turns in each opening; `None` takes what suits the board and the number of pairs.
    pub opening_plies: Option<usize>,
    /// What all randomness comes from: equal matches with equal seeds are the same games.
    pub seed: u64,
    /// Games in progress at the same time: the largest batch an evaluator sees.
    pub games_at_once: usize,
}

/// Positions that an evaluator is asked for at once, at least, if the searches are long enough: few games have several
/// leaves each in a batch.
const LEAVES_AT_ONCE: usize = 64;

/// How far a match is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Games finished.
    pub games: usize,
    /// Games there will be.
    pub of: usize,
    /// The first player's results in the complete pairs.
    pub tally: Tally,
}

/// Why a match could not be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MatchError {
    /// An evaluator has no answer.
    #[error("{player} cannot go on: {source}")]
    Evaluator {
        /// Whose evaluator.
        player: String,
        /// What it said.
        source: EvaluatorError,
    },
    /// A player chose a move that the rules forbid.
    #[error("{player} chose {played}, which is illegal: {source}")]
    Illegal {
        /// Who.
        player: String,
        /// The move.
        played: Move,
        /// The rule.
        source: IllegalMove,
    },
    /// A player has no move in a game that goes on.
    #[error("{player} found no move in a game that is not over")]
    NoMove {
        /// Who.
        player: String,
    },
    /// A player asks for an evaluator that the match was not given.
    #[error("{player} needs evaluator number {needed}, and there are {given}")]
    MissingEvaluator {
        /// Who.
        player: String,
        /// Which, from 0.
        needed: usize,
        /// How many there are.
        given: usize,
    },
    /// No pairs, or no games at once.
    #[error("a match needs at least one pair of games, and two games at once")]
    Empty,
    /// Every opening of the length ends the game.
    #[error("no opening of {plies} plies leaves a game to play: use fewer")]
    NoOpening {
        /// The length asked for.
        plies: usize,
    },
}

/// A game in progress.
struct Game {
    index: usize,
    position: Position,
    moves: Vec<Move>,
    opening_plies: usize,
    random: Random,
}

impl Game {
    /// Whose turn it is: the first player is Black in even games.
    fn player_to_move(&self) -> usize {
        (self.index + self.position.turn().index()) % PLAYERS
    }

    fn play(&mut self, player: &PlayerSetup, played: Option<Move>) -> Result<(), MatchError> {
        let name = || player.name.clone();
        let played = played.ok_or_else(|| MatchError::NoMove { player: name() })?;
        self.position.play(played).map_err(|source| MatchError::Illegal {
            player: name(),
            played,
            source,
        })?;
        self.moves.push(played);
        Ok(())
    }
}

impl Match {
    /// A match of 100 pairs.
    pub fn new(rules: Rules, players: [PlayerSetup; PLAYERS]) -> Match {
        Match { rules, players, pairs: 100, opening_plies: None, seed: 0, games_at_once: 256 }
    }

    /// Plays the match. `progress` is told of every game that ends, and may stop the match there; what is reported then
    /// are the pairs that are complete.
    ///
    /// # Errors
    /// The first thing that goes wrong: an evaluator without an answer, an illegal move, a match that cannot be.
    pub fn play<E: Evaluator>(
        &self,
        evaluators: &mut [E],
        progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<MatchReport, MatchError> {
        self.check(evaluators.len())?;
        let openings = self.openings()?;
        let mut table = Table::new(PLAYERS * self.pairs);
        let mut waiting = 0..PLAYERS * self.pairs;
        let mut running: Vec<Game> = Vec::new();
        loop {
            let free = self.games_at_once.saturating_sub(running.len());
            running.extend(waiting.by_ref().take(free).map(|index| self.start(index, &openings)));
            if running.is_empty() {
                break;
            }
            for player in 0..PLAYERS {
                self.take_turns(player, &mut running, evaluators)?;
                if table.collect(self, &mut running, progress).is_break() {
                    return Ok(self.report(&openings, table));
                }
            }
        }
        Ok(self.report(&openings, table))
    }

    fn check(&self, evaluators: usize) -> Result<(), MatchError> {
        if self.pairs == 0 || self.games_at_once < PLAYERS {
            return Err(MatchError::Empty);
        }
        for PlayerSetup { name, player } in &self.players {
            match *player {
                Player::Searching { evaluator: needed, .. } if needed >= evaluators => {
                    let player = name.clone();
                    return Err(MatchError::MissingEvaluator { player, needed, given: evaluators });
                }
                Player::Searching { .. }
                | Player::Random
                | Player::Greedy
                | Player::Flat { .. }
                | Player::Uct { .. } => {}
            }
        }
        Ok(())
    }

    fn openings(&self) -> Result<Openings, MatchError> {
        let openings = match self.opening_plies {
            Some(plies) => Openings::draw(self.rules, plies, self.pairs, self.seed),
            None => Openings::draw_enough(self.rules, self.pairs, self.seed),
        };
        if openings.lines.is_empty() {
            return Err(MatchError::NoOpening { plies: openings.plies });
        }
        Ok(openings)
    }

    /// A new game, after its opening. Where there are fewer openings than pairs, they come round again.
    fn start(&self, index: usize, openings: &Openings) -> Game {
        let moves = openings.lines[index / PLAYERS % openings.lines.len()].clone();
        let mut position = Position::new(self.rules);
        moves.iter().for_each(|&played| position.play_unchecked(played));
        let random = Random::derive(self.seed, 1 + index as u64);
        Game { index, position, opening_plies: moves.len(), moves, random }
    }

    /// One turn in each game in which it is this player's.
    fn take_turns<E: Evaluator>(
        &self,
        player: usize,
        running: &mut [Game],
        evaluators: &mut [E],
    ) -> Result<(), MatchError> {
        let setup = &self.players[player];
        let mut games: Vec<&mut Game> =
            running.iter_mut().filter(|game| game.player_to_move() == player).collect();
        match setup.player {
            Player::Searching { evaluator, settings } => {
                search_turns(setup, &mut games, settings, &mut evaluators[evaluator])
            }
            Player::Random | Player::Greedy | Player::Flat { .. } | Player::Uct { .. } => {
                games.par_iter_mut().try_for_each(|game| {
                    let chosen = reference_move(&setup.player, &game.position, &mut game.random);
                    game.play(setup, chosen)
                })
            }
        }
    }

    fn report(&self, openings: &Openings, table: Table) -> MatchReport {
        MatchReport {
            rules: self.rules,
            players: self.players.each_ref().map(|player| player.name.clone()),
            seed: self.seed,
            opening_plies: openings.plies,
            distinct_openings: openings.lines.len(),
            tally: Tally::default(),
            reasons: Vec::new(),
            unique_games: 0,
            games: table.complete_pairs(),
        }
        .count()
    }
}

/// One search a game, all in the same batches.
fn search_turns<E: Evaluator>(
    setup: &PlayerSetup,
    games: &mut [&mut Game],
    settings: Settings,
    evaluator: &mut E,
) -> Result<(), MatchError> {
    let mut searches: Vec<Search> = games
        .iter_mut()
        .map(|game| Search::new(game.position.clone(), settings, game.random.bits()))
        .collect();
    search::run_wide(&mut searches, evaluator, LEAVES_AT_ONCE)
        .map_err(|source| MatchError::Evaluator { player: setup.name.clone(), source })?;
    games
        .iter_mut()
        .zip(searches)
        .try_for_each(|(game, search)| game.play(setup, Some(search.result().best)))
}

/// The finished games by index, and the count of complete pairs.
struct Table {
    games: Vec<Option<GameRecord>>,
    finished: usize,
    tally: Tally,
}

impl Table {
    fn new(games: usize) -> Table {
        Table { games: vec![None; games], finished: 0, tally: Tally::default() }
    }

    /// Takes the finished games out of the running ones.
    fn collect(
        &mut self,
        plan: &Match,
        running: &mut Vec<Game>,
        progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for game in running.extract_if(.., |game| game.position.outcome().is_some()) {
            let mut names = plan.players.each_ref().map(|player| player.name.clone());
            names.rotate_left(game.index % PLAYERS);
            self.games[game.index] =
                GameRecord::of(&game.position, game.moves, game.opening_plies, names);
            self.finished += 1;
            let first = game.index - game.index % PLAYERS;
            if let [Some(as_black), Some(as_white)] = &self.games[first..first + PLAYERS] {
                self.tally
                    .add(as_black.half_points(Color::Black), as_white.half_points(Color::White));
            }
            progress(&Progress { games: self.finished, of: self.games.len(), tally: self.tally })?;
        }
        ControlFlow::Continue(())
    }

    fn complete_pairs(self) -> Vec<GameRecord> {
        let mut games = self.games.into_iter();
        let mut complete = Vec::new();
        while let (Some(first), Some(second)) = (games.next(), games.next()) {
            if let (Some(first), Some(second)) = (first, second) {
                complete.extend([first, second]);
            }
        }
        complete
    }
}
