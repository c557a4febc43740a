//! `hotstone.Games`: many games that take their turns together.

use engine::{Encoding, GLOBALS, GameResult, Move, Outcome, PLANES, actions};
use numpy::ndarray::{Array1, Array2, Array4};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray4, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use search::Random;

use crate::errors::IllegalMoveError;
use crate::moves::{is_legal, mark_legal, move_of_action};
use crate::parallel;
use crate::position::Position;
use crate::rules::Rules;

/// Number of random turns of all games together between two checks for Ctrl-C: about half a second
/// on one core.
const TURNS_AT_ONCE: usize = 500_000;

/// Maximum number of simultaneous games: their encodings on the largest board take 3 GB.
const MAX_GAMES: usize = 65_536;

/// Results for Black of the games that end with a step, and a mask of these games.
type Step<'py> = (Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<bool>>);

/// Games of one rule set.
#[pyclass(module = "hotstone")]
pub struct Games {
    start: engine::Position,
    positions: Vec<engine::Position>,
    resets: bool,
    threads: usize,
}

#[pymethods]
impl Games {
    #[new]
    #[pyo3(signature = (start, count, *, auto_reset = false, threads = None))]
    fn new(
        start: &Bound<'_, PyAny>,
        count: usize,
        auto_reset: bool,
        threads: Option<usize>,
    ) -> PyResult<Games> {
        if count > MAX_GAMES {
            let problem = format!("{count} games: expected at most {MAX_GAMES}");
            return Err(PyValueError::new_err(problem));
        }
        let start = match (start.cast::<Rules>(), start.cast::<Position>()) {
            (Ok(rules), _) => engine::Position::new(rules.get().0),
            (_, Ok(position)) => position.get().0.clone(),
            (Err(_), Err(_)) => return Err(PyTypeError::new_err("expected Rules or a Position")),
        };
        if auto_reset && start.outcome().is_some() {
            return Err(PyValueError::new_err("the game is over where it would start again"));
        }
        let threads = threads.unwrap_or_else(models::available_threads);
        Ok(Games { positions: vec![start.clone(); count], start, resets: auto_reset, threads })
    }

    /// Their rules.
    #[getter]
    fn rules(&self) -> Rules {
        Rules(*self.start.rules())
    }

    fn __len__(&self) -> usize {
        self.positions.len()
    }

    fn __getitem__(&self, index: isize) -> PyResult<Position> {
        let place = if index < 0 { index + self.positions.len() as isize } else { index };
        let found = usize::try_from(place).ok().and_then(|place| self.positions.get(place));
        let count = self.positions.len();
        let missing = || PyIndexError::new_err(format!("no game {index}: there are {count}"));
        found.cloned().map(Position).ok_or_else(missing)
    }

    /// Whose turn it is.
    #[getter]
    fn black_to_play<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        PyArray1::from_iter(py, self.positions.iter().map(|it| it.turn().index() == 0))
    }

    /// Turns taken.
    #[getter]
    fn turns<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u16>> {
        PyArray1::from_iter(py, self.positions.iter().map(|it| it.turns()))
    }

    /// Which games are over.
    #[getter]
    fn finished<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        PyArray1::from_iter(py, self.positions.iter().map(|it| it.outcome().is_some()))
    }

    /// Of finished games 1, 0 or -1, for Black; 0 of the others.
    #[getter]
    fn results<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        PyArray1::from_iter(py, self.positions.iter().map(|it| reward(it.outcome())))
    }

    /// Which actions are legal.
    fn legal_mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<bool>> {
        let mask = py.detach(|| {
            let width = actions(self.start.size());
            let mut mask = Array2::from_elem((self.positions.len(), width), false);
            let rows = mask.as_slice_mut().unwrap_or_default().chunks_exact_mut(width);
            let games: Vec<_> = self.positions.iter().zip(rows).collect();
            parallel::map(self.threads, games, |_, (position, row)| mark_legal(position, row));
            mask
        });
        mask.into_pyarray(py)
    }

    /// Planes and numbers of all games.
    fn encode<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyArray4<f32>>, Bound<'py, PyArray2<f32>>) {
        let (planes, numbers) = py.detach(|| {
            let (count, size) = (self.positions.len(), self.start.size());
            let mut planes = Array4::zeros((count, PLANES, size.height(), size.width()));
            let mut numbers = Array2::zeros((count, GLOBALS));
            let rows = planes.outer_iter_mut().zip(numbers.outer_iter_mut());
            let games = self.positions.iter().zip(rows).collect();
            parallel::map(self.threads, games, |_, (position, (planes, numbers))| {
                Encoding::of(position).write(planes, numbers);
            });
            (planes, numbers)
        });
        (planes.into_pyarray(py), numbers.into_pyarray(py))
    }

    /// Takes one action in each game: results for Black of the games that end with it, and which these are.
    fn step<'py>(&mut self, py: Python<'py>, actions: &Bound<'py, PyAny>) -> PyResult<Step<'py>> {
        let actions = integers(actions)?;
        let actions = actions.as_array();
        let (count, given) = (self.positions.len(), actions.len());
        if given != count {
            let problem = format!("{given} actions for {count} games: expected one for each");
            return Err(PyValueError::new_err(problem));
        }
        let outcomes = py.detach(|| self.play(actions.iter().copied()));
        let outcomes = outcomes.map_err(IllegalMoveError::new_err)?;
        let rewards: Array1<f32> = outcomes.iter().map(|&outcome| reward(outcome)).collect();
        let finished: Array1<bool> = outcomes.iter().map(Option::is_some).collect();
        Ok((rewards.into_pyarray(py), finished.into_pyarray(py)))
    }

    /// Plays random legal moves; returns their number. Games that start again need a limit.
    #[pyo3(signature = (turns = None, *, seed = 0))]
    fn play_random(&mut self, py: Python<'_>, turns: Option<usize>, seed: u64) -> PyResult<usize> {
        if self.resets && turns.is_none() {
            return Err(PyValueError::new_err(
                "with auto_reset no game stays over: expected a number of turns",
            ));
        }
        let count = self.positions.len();
        let mut random: Vec<_> =
            (0..count as u64).map(|place| Random::derive(seed, place)).collect();
        let (mut left, mut played) = (turns.unwrap_or(usize::MAX), 0);
        while left > 0 {
            let turns = left.min(TURNS_AT_ONCE / count.max(1));
            let taken = py.detach(|| self.take_random_turns(turns, &mut random));
            if taken == 0 {
                break;
            }
            left -= turns;
            played += taken;
            py.check_signals()?;
        }
        Ok(played)
    }

    /// Starts all games again.
    fn reset(&mut self) {
        self.positions.fill(self.start.clone());
    }
}

impl Games {
    /// Takes random turns in every running game, up to a limit; returns the number of turns taken.
    fn take_random_turns(&mut self, turns: usize, random: &mut [Random]) -> usize {
        let games = self.positions.iter_mut().zip(random).collect();
        let taken = parallel::map(self.threads, games, |_, (position, random)| {
            let takes_turn = |_: &usize| {
                let has_moved = take_random_turn(position, random);
                if self.resets && position.outcome().is_some() {
                    position.clone_from(&self.start);
                }
                has_moved
            };
            (0..turns).take_while(takes_turn).count()
        });
        taken.iter().sum()
    }

    /// Takes a turn in every running game if all moves are legal; returns the outcomes of the games
    /// that end with it.
    fn play(&mut self, actions: impl Iterator<Item = i64>) -> Result<Vec<Option<Outcome>>, String> {
        let asked = self.positions.iter().zip(actions).collect();
        let checked = parallel::map(self.threads, asked, |_, (position, action)| {
            let is_over = position.outcome().is_some();
            if is_over { Ok(None) } else { legal_move(position, action).map(Some) }
        });
        let named = |(game, chosen): (usize, Result<_, _>)| {
            chosen.map_err(|problem: String| format!("game {game}: {problem}"))
        };
        let chosen = checked.into_iter().enumerate().map(named);
        let chosen: Vec<Option<Move>> = chosen.collect::<Result<_, _>>()?;
        let games = self.positions.iter_mut().zip(chosen).collect();
        Ok(parallel::map(self.threads, games, |_, (position, chosen)| {
            position.play_unchecked(chosen?);
            let outcome = position.outcome();
            if self.resets && outcome.is_some() {
                position.clone_from(&self.start);
            }
            outcome
        }))
    }
}

/// The move of an action, or why it cannot be played.
fn legal_move(position: &engine::Position, action: i64) -> Result<Move, String> {
    let chosen = move_of_action(action, position.size())?;
    if is_legal(position, chosen) {
        return Ok(chosen);
    }
    let reason = position.check_move(chosen).err().map(|reason| reason.to_string());
    Err(format!("{chosen}: {}", reason.unwrap_or_default()))
}

/// Plays one of the legal moves, each with the same probability; returns whether there was one.
fn take_random_turn(position: &mut engine::Position, random: &mut Random) -> bool {
    let count = position.count_legal_moves();
    if count == 0 {
        return false;
    }
    let (points, starred) = (position.legal_points(), position.starred_points());
    let number = random.below(count);
    let chosen = match points.nth(number) {
        Some(point) => Move::Place(point),
        None => match starred.nth(number - points.count()) {
            Some(point) => Move::PlaceStarred(point),
            None => Move::Pass,
        },
    };
    position.play_unchecked(chosen);
    true
}

/// A game's result for Black; 0 while it is running.
fn reward(outcome: Option<Outcome>) -> f32 {
    outcome.map_or(0.0, |Outcome { result, .. }| GameResult::black_value(result))
}

/// Integers of any kind as an array; other numbers would be truncated.
fn integers<'py>(given: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray1<'py, i64>> {
    let array = given.py().import("numpy")?.call_method1("asarray", (given,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if !["i", "u"].contains(&kind.as_str()) {
        return Err(PyTypeError::new_err("expected a whole number for each game"));
    }
    let array = array.call_method1("astype", ("int64",))?;
    let array = array.cast_into::<PyArray1<i64>>();
    let array =
        array.map_err(|_| PyValueError::new_err("expected one action for each game in a row"))?;
    Ok(array.readonly())
}
