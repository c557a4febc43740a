//! `hotstone.Position`.

use std::time::{Duration, Instant};

use engine::{Color, Encoding, Outcome, actions, perft};
use numpy::ndarray::{Array2, Axis};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::errors::{IllegalMoveError, PositionError};
use crate::moves::{is_legal, mark_legal, move_of};
use crate::rules::Rules;

/// Deeper than anybody would wait for, and certainly not too deep for a thread's stack.
const DEEPEST: u32 = 64;

/// Number of turns that can be counted within milliseconds on any board.
const COUNTED_AT_ONCE: u32 = 2;

/// The longest that Ctrl-C may have to wait.
const PATIENCE: Duration = Duration::from_millis(100);

/// A position with the history that its rules depend on. It never changes.
#[pyclass(frozen, module = "hotstone")]
pub struct Position(pub engine::Position);

#[pymethods]
impl Position {
    #[new]
    fn new(rules: &Rules) -> Position {
        Position(engine::Position::new(rules.0))
    }

    /// Reads what `text` writes.
    #[classmethod]
    fn parse(_: &Bound<'_, PyType>, text: &str) -> PyResult<Position> {
        let read = engine::Position::parse(text);
        read.map(Position).map_err(|error| PositionError::new_err(error.to_string()))
    }

    /// The rules in force.
    #[getter]
    fn rules(&self) -> Rules {
        Rules(*self.0.rules())
    }

    /// Whose turn it is, or was when the game ended.
    #[getter]
    fn to_play(&self) -> &'static str {
        self.0.turn().word()
    }

    /// Turns taken since the start.
    #[getter]
    fn turns(&self) -> u16 {
        self.0.turns()
    }

    /// Whether the game has ended.
    #[getter]
    fn is_over(&self) -> bool {
        self.0.outcome().is_some()
    }

    /// The winner of a finished game that is not drawn.
    #[getter]
    fn winner(&self) -> Option<&'static str> {
        self.0.outcome()?.result.winner().map(Color::word)
    }

    /// Of a finished game: 1 if Black has won, 0 if it is drawn, -1 if White has won.
    #[getter]
    fn result(&self) -> Option<f32> {
        self.0.outcome().map(|outcome| outcome.result.black_value())
    }

    /// What ended the game.
    #[getter]
    fn reason(&self) -> Option<String> {
        self.0.outcome().map(|Outcome { reason, .. }| reason.to_string())
    }

    /// Black's points less White's and komi, as the board stands; None where the rules have no score.
    #[getter]
    fn score(&self) -> Option<f32> {
        self.0.score()
    }

    /// 64 bits of everything that decides how the game can continue.
    #[getter]
    fn hash(&self) -> u64 {
        self.0.hash()
    }

    /// The position with its rules and history as text.
    #[getter]
    fn text(&self) -> String {
        self.0.to_string()
    }

    /// The board with coordinates and marks.
    fn diagram(&self) -> String {
        bot::board(&self.0)
    }

    /// Rows from the bottom: 1 for Black's stones, -1 for White's, 0 for empty points.
    fn stones<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i8>> {
        let size = self.0.size();
        let mut stones = Array2::zeros((size.height(), size.width()));
        for (color, sign) in [(Color::Black, 1), (Color::White, -1)] {
            for point in self.0.stones(color).iter() {
                stones[[point.row(), point.column()]] = sign;
            }
        }
        stones.into_pyarray(py)
    }

    /// All legal moves.
    fn legal_moves(&self) -> Vec<String> {
        self.0.legal_moves().iter().map(ToString::to_string).collect()
    }

    /// The actions of all legal moves.
    fn legal_actions(&self) -> Vec<usize> {
        self.0.legal_moves().iter().map(|chosen| chosen.action(self.0.size())).collect()
    }

    /// Which actions are legal.
    fn legal_mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let mut mask = vec![false; actions(self.0.size())];
        mark_legal(&self.0, &mut mask);
        mask.into_pyarray(py)
    }

    /// Which rule forbids a move, in words; None if none does.
    fn why_illegal(&self, r#move: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        let chosen = move_of(r#move, self.0.size())?;
        Ok(self.0.check_move(chosen).err().map(|reason| reason.to_string()))
    }

    /// The position after a move.
    fn play(&self, r#move: &Bound<'_, PyAny>) -> PyResult<Position> {
        let chosen = move_of(r#move, self.0.size())?;
        // Programs ask for the legal moves first, and the position caches them.
        if !is_legal(&self.0, chosen)
            && let Err(reason) = self.0.check_move(chosen)
        {
            return Err(IllegalMoveError::new_err(format!("{chosen}: {reason}")));
        }
        let mut next = self.0.clone();
        next.play_unchecked(chosen);
        Ok(Position(next))
    }

    /// What networks see: planes and numbers, from the view of the player to move.
    fn encode<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyArray3<f32>>, Bound<'py, PyArray1<f32>>) {
        let (planes, numbers) = Encoding::arrays(&[Encoding::of(&self.0)], self.0.size());
        let planes = planes.index_axis_move(Axis(0), 0).into_pyarray(py);
        (planes, numbers.index_axis_move(Axis(0), 0).into_pyarray(py))
    }

    /// The number of sequences of this many turns.
    fn perft(&self, py: Python<'_>, depth: u32) -> PyResult<u64> {
        if depth > DEEPEST {
            let problem = format!("invalid depth {depth}: expected 0 to {DEEPEST}");
            return Err(PyValueError::new_err(problem));
        }
        py.detach(|| count(&self.0, depth, &mut Instant::now()))
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        let (rules, size) = (self.0.rules(), self.0.size());
        format!("<Position of {rules} on {size:#} after {} turns>", self.0.turns())
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        let parse = slf.get_type().getattr("parse")?;
        Ok((parse.unbind(), (slf.get().text(),)))
    }
}

/// The number of sequences of this many turns, or the exception raised by a signal. `asked` is when
/// signals were last checked.
fn count(position: &engine::Position, depth: u32, asked: &mut Instant) -> PyResult<u64> {
    if depth > COUNTED_AT_ONCE {
        let after = |&chosen| {
            let mut next = position.clone();
            next.play_unchecked(chosen);
            count(&next, depth - 1, asked)
        };
        return position.legal_moves().iter().map(after).sum();
    }
    if asked.elapsed() > PATIENCE {
        Python::attach(|py| py.check_signals())?;
        *asked = Instant::now();
    }
    Ok(perft(position, depth))
}
