//! Matches between two players, with many simultaneous games and one batch per evaluator.

use std::ops::ControlFlow;

use engine::{Move, Rules};
use rayon::prelude::*;
use search::{Evaluator, LEAVES_AT_ONCE, Search, Settings};
use solver::Solver;

use crate::error::MatchError;
use crate::openings::Openings;
use crate::report::Tally;
use crate::running_game::RunningGame;
use crate::table::{Progress, Table};
use crate::{
    EngineCommand, MatchGame, MatchReport, PLAYERS, Player, PlayerSetup, ReferencePlayer, Sprt,
};

/// A match: every opening twice, with colours swapped.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use arena::{Match, Player, PlayerSetup, ReferencePlayer};
/// use engine::Rules;
/// use search::evaluators::Uniform;
///
/// let players = [
///     PlayerSetup::new("greedy", Player::Reference(ReferencePlayer::Greedy)),
///     PlayerSetup::new("random", Player::Reference(ReferencePlayer::Random)),
/// ];
/// let plan = Match { pairs: 10, ..Match::new(Rules::parse("atari-go", 5)?, players) };
/// let report = plan.play(&mut [Uniform], &mut |_| ControlFlow::Continue(()))?;
/// assert_eq!(report.games.len(), 20);
/// assert!(report.tally.pairs.score() > 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// The rules.
    pub rules: Rules,
    /// The players; results are from the first one's perspective.
    pub players: [PlayerSetup; PLAYERS],
    /// Maximum number of pairs of games.
    pub pairs: usize,
    /// A test that ends the match early, as soon as it has a verdict.
    pub test: Option<Sprt>,
    /// Number of turns in each drawn opening; `None` chooses it by the board size and the number of
    /// pairs.
    pub opening_plies: Option<usize>,
    /// Openings to use instead of drawn ones. If there are fewer than pairs, they are repeated.
    pub openings: Option<Openings>,
    /// The seed of openings and all other randomness. Equal matches with equal seeds have the same
    /// games, unless searches are so long that several leaves of one search are evaluated together:
    /// how many depends on the other games in progress.
    pub seed: u64,
    /// Maximum number of simultaneous games. Their searches share the evaluators' batches.
    pub games_at_once: usize,
    /// The external engines that players refer to.
    pub engines: Vec<EngineCommand>,
    /// Identifies the evaluators' networks, so that a resumed match uses the same ones.
    pub networks: Vec<String>,
}

/// Maximum number of simultaneous games with an external engine, since each has its own process.
const PROCESSES_AT_ONCE: usize = 16;

/// Maximum number of playouts kept in the trees of all games in progress, at about 250 bytes each.
const KEPT_PLAYOUTS: usize = 4_000_000;

impl Match {
    /// A match of 100 pairs.
    pub fn new(rules: Rules, players: [PlayerSetup; PLAYERS]) -> Match {
        Match {
            rules,
            players,
            pairs: 100,
            test: None,
            opening_plies: None,
            openings: None,
            seed: 0,
            games_at_once: 256,
            engines: Vec::new(),
            networks: Vec::new(),
        }
    }

    /// Plays the match. `progress` is called after every game, and may stop the match; the report
    /// then covers the complete pairs.
    ///
    /// # Errors
    /// The first problem: a failing evaluator, an illegal move, or an impossible match. A fault of
    /// an external engine loses its game and is not an error.
    pub fn play<E: Evaluator>(
        &self,
        evaluators: &mut [E],
        progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<MatchReport, MatchError> {
        self.resume(Vec::new(), evaluators, progress)
    }

    /// Like [`Match::play`], continuing from the `finished` games with their indices. Every game
    /// has its own opening and random numbers, whenever it is played. `progress` is first
    /// called with the last of the finished games, since they may already be enough.
    ///
    /// # Errors
    /// Those of [`Match::play`], or a game that does not belong to this match.
    pub fn resume<E: Evaluator>(
        &self,
        finished: Vec<(usize, MatchGame)>,
        evaluators: &mut [E],
        progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<MatchReport, MatchError> {
        self.check(evaluators.len())?;
        self.resume_with(&self.openings()?, finished, evaluators, progress)
    }

    fn resume_with<E: Evaluator>(
        &self,
        openings: &Openings,
        finished: Vec<(usize, MatchGame)>,
        evaluators: &mut [E],
        progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<MatchReport, MatchError> {
        let mut table = self.table();
        let mut last = None;
        for (index, game) in finished {
            last = Some(index);
            table.enter(index, game)?;
        }
        if let Some(known) = last.and_then(|index| table.progress(index))
            && (progress(&known).is_break() || table.is_decided())
        {
            return Ok(self.report_on(openings, table));
        }
        let missing = table.missing();
        let mut foreign = Ok(());
        self.play_games(missing, openings, evaluators, &mut |games| {
            for (index, game) in games {
                foreign = table.enter(index, game);
                if let Some(state) = table.progress(index) {
                    progress(&state)?;
                }
                if foreign.is_err() || table.is_decided() {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        })?;
        foreign.map(|()| self.report_on(openings, table))
    }

    /// Plays the games with these indices, as many at once as the match allows. After each round of
    /// turns, `watch` gets those that have finished, and may stop.
    pub(crate) fn play_games<E: Evaluator>(
        &self,
        numbers: impl IntoIterator<Item = usize>,
        openings: &Openings,
        evaluators: &mut [E],
        watch: &mut dyn FnMut(Vec<(usize, MatchGame)>) -> ControlFlow<()>,
    ) -> Result<(), MatchError> {
        let mut waiting = numbers.into_iter();
        let mut running: Vec<RunningGame> = Vec::new();
        let mut solver = Solver::new(self.rules);
        loop {
            let free = self.max_at_once().saturating_sub(running.len());
            for index in waiting.by_ref().take(free) {
                running.push(self.start(index, openings)?);
            }
            if running.is_empty() {
                return Ok(());
            }
            for player in 0..PLAYERS {
                self.take_turns(player, &mut running, evaluators, &mut solver)?;
                if watch(self.take_finished(&mut running)).is_break() {
                    return Ok(());
                }
            }
        }
    }

    pub(crate) fn check(&self, evaluators: usize) -> Result<(), MatchError> {
        if self.pairs == 0 || self.games_at_once < PLAYERS {
            return Err(MatchError::Empty);
        }
        for PlayerSetup { name, player } in &self.players {
            let (what, needed, given) = match *player {
                Player::Searching { evaluator, .. } => ("evaluator", evaluator, evaluators),
                Player::External { engine } => ("engine", engine, self.engines.len()),
                Player::Reference(_) => continue,
            };
            if needed >= given {
                return Err(MatchError::Missing { player: name.clone(), what, needed, given });
            }
        }
        Ok(())
    }

    fn max_at_once(&self) -> usize {
        let most = |setup: &PlayerSetup| match setup.player {
            Player::External { .. } => PROCESSES_AT_ONCE,
            Player::Reference(ReferencePlayer::Uct { playouts }) => {
                (KEPT_PLAYOUTS / playouts.max(1) as usize).max(PLAYERS)
            }
            Player::Reference(_) | Player::Searching { .. } => usize::MAX,
        };
        self.players.iter().map(most).fold(self.games_at_once, usize::min)
    }

    /// Names of Black and White in a game: the first player is Black in even-numbered games.
    pub(crate) fn names(&self, index: usize) -> [String; PLAYERS] {
        let mut names = self.players.each_ref().map(|player| player.name.clone());
        names.rotate_left(index % PLAYERS);
        names
    }

    /// Removes the finished games from the running ones.
    fn take_finished(&self, running: &mut Vec<RunningGame>) -> Vec<(usize, MatchGame)> {
        let finished = running.extract_if(.., |game| game.end().is_some());
        let record = |game: RunningGame| {
            let (index, names) = (game.index, self.names(game.index));
            game.into_record(names).map(|record| (index, record))
        };
        finished.filter_map(record).collect()
    }

    /// The openings: those given, or those drawn with the seed.
    ///
    /// # Errors
    /// No opening exists.
    pub fn openings(&self) -> Result<Openings, MatchError> {
        let openings = match (&self.openings, self.opening_plies) {
            (Some(given), _) => given.clone(),
            (None, Some(plies)) => Openings::draw(self.rules, plies, self.pairs, self.seed),
            (None, None) => Openings::draw_enough(self.rules, self.pairs, self.seed),
        };
        if openings.lines.is_empty() {
            return Err(MatchError::NoOpening { plies: openings.plies });
        }
        Ok(openings)
    }

    /// A new game after its opening.
    fn start(&self, index: usize, openings: &Openings) -> Result<RunningGame, MatchError> {
        RunningGame::new(self.rules, index, self.seed, opening_of(index, openings))
    }

    /// Plays one turn in each game that has this player to move.
    fn take_turns<E: Evaluator>(
        &self,
        player: usize,
        running: &mut [RunningGame],
        evaluators: &mut [E],
        solver: &mut Solver,
    ) -> Result<(), MatchError> {
        let setup = &self.players[player];
        let mut games: Vec<&mut RunningGame> = running
            .iter_mut()
            .filter(|game| game.end().is_none() && game.player_to_move() == player)
            .collect();
        match setup.player {
            Player::Searching { evaluator, settings, temperature } => {
                let mut games: Vec<_> = games.into_iter().map(|game| (game, settings)).collect();
                search_turns(setup, &mut games, temperature, &mut evaluators[evaluator])
                    .map(|_values| ())
            }
            Player::Reference(ReferencePlayer::Solver) => games.iter_mut().try_for_each(|game| {
                let chosen = solver.choose(&game.game.moves(), &mut game.random);
                let chosen = chosen
                    .map_err(|source| MatchError::Solver { player: setup.name.clone(), source })?;
                game.play(setup, chosen)
            }),
            Player::External { engine } => {
                games
                    .par_iter_mut()
                    .for_each(|game| game.ask_engine(player, &self.engines[engine]));
                Ok(())
            }
            Player::Reference(reference) => games.par_iter_mut().try_for_each(|game| {
                let chosen = game.choose(player, reference);
                game.play(setup, chosen)
            }),
        }
    }

    /// The table of the match before its first game.
    pub fn table(&self) -> Table {
        Table::new(self.names(0), self.pairs, self.test)
    }

    /// The report on games that were played elsewhere.
    ///
    /// # Errors
    /// The match has no openings.
    pub fn report(&self, table: Table) -> Result<MatchReport, MatchError> {
        Ok(self.report_on(&self.openings()?, table))
    }

    fn report_on(&self, openings: &Openings, table: Table) -> MatchReport {
        MatchReport {
            rules: self.rules,
            players: self.players.each_ref().map(|player| player.name.clone()),
            seed: self.seed,
            opening_plies: openings.lengths(),
            distinct_openings: openings.lines.len(),
            tally: Tally::default(),
            reasons: Vec::new(),
            distinct_games: 0,
            repeated_pairs: 0,
            games: table.complete_pairs(),
        }
        .count()
    }
}

/// The opening of the game with this index. If there are fewer openings than pairs, they are
/// repeated.
pub(crate) fn opening_of(index: usize, openings: &Openings) -> &[Move] {
    &openings.lines[index / PLAYERS % openings.lines.len()]
}

/// Makes one search per game, all in the same batches, and plays the moves found. Returns the
/// values for Black.
pub(crate) fn search_turns<E: Evaluator>(
    setup: &PlayerSetup,
    games: &mut [(&mut RunningGame, Settings)],
    temperature: f32,
    evaluator: &mut E,
) -> Result<Vec<f32>, MatchError> {
    let mut searches: Vec<Search> = games
        .iter_mut()
        .map(|(game, settings)| Search::new(game.position().clone(), *settings, game.random.bits()))
        .collect();
    search::run_batched(&mut searches, evaluator, LEAVES_AT_ONCE)
        .map_err(|source| MatchError::Evaluator { player: setup.name.clone(), source })?;
    let turn = |((game, _), search): (&mut (&mut RunningGame, Settings), Search)| {
        let result = search.result();
        let chance = if temperature > 0.0 { game.random.uniform() } else { 0.0 };
        let chosen = result.choose(game.position(), temperature, chance);
        game.play(setup, Some(chosen))?;
        Ok(result.root_value)
    };
    games.iter_mut().zip(searches).map(turn).collect()
}
