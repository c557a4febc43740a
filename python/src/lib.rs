//! The Python package `hotstone`: rules, positions, many games at once, and models, with NumPy
//! arrays.
//!
//! This is the compiled half, `hotstone._hotstone`; the package's folder `hotstone` adds what is
//! written in Python, and its stub documents every class and function of both.

mod errors;
mod games;
mod model;
mod moves;
mod parallel;
mod position;
mod rules;

use pyo3::prelude::*;

/// The compiled half of the package hotstone.
#[pymodule]
mod _hotstone {
    use engine::{GLOBAL_NAMES, PLANE_NAMES, Variant};
    use pyo3::prelude::*;
    use pyo3::types::PyTuple;

    #[pymodule_export]
    use crate::errors::{IllegalMoveError, ModelError, MoveError, PositionError, RulesError};
    #[pymodule_export]
    use crate::games::Games;
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::position::Position;
    #[pymodule_export]
    use crate::rules::Rules;

    /// The names of all variants.
    #[pyfunction]
    fn variants() -> Vec<&'static str> {
        Variant::ALL.iter().map(|variant| variant.name()).collect()
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("PLANE_NAMES", PyTuple::new(module.py(), PLANE_NAMES)?)?;
        module.add("NUMBER_NAMES", PyTuple::new(module.py(), GLOBAL_NAMES)?)
    }
}
