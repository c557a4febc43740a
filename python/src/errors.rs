//! The exceptions of the package, with the messages of the crates from which they come.

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(hotstone, RulesError, PyValueError, "Rules that do not exist.");
create_exception!(hotstone, MoveError, PyValueError, "A text or number that is no move.");
create_exception!(hotstone, IllegalMoveError, MoveError, "A move that the rules forbid.");
create_exception!(hotstone, PositionError, PyValueError, "A text that is no position.");
create_exception!(
    hotstone,
    ModelError,
    PyValueError,
    "A model that cannot be read, or asked about rules that it has not learnt."
);

/// An exception with the message of an error.
pub fn rules(error: impl ToString) -> PyErr {
    RulesError::new_err(error.to_string())
}

/// An exception with the message of an error.
pub fn model(error: impl ToString) -> PyErr {
    ModelError::new_err(error.to_string())
}
