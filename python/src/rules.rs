//! `hotstone.Rules`.

use engine::{Size, actions};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

use crate::errors;
use crate::moves::move_on_board;

/// A rule set on a board of one size.
#[pyclass(frozen, eq, hash, module = "hotstone")]
#[derive(PartialEq, Hash)]
pub struct Rules(pub engine::Rules);

#[pymethods]
impl Rules {
    #[new]
    #[pyo3(signature = (text = "go", size = None, **changes))]
    fn new(
        text: &str,
        size: Option<&Bound<'_, PyAny>>,
        changes: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Rules> {
        let size = size.map_or_else(|| Size::new(9, 9).map_err(errors::rules), size_of)?;
        let mut text = text.to_owned();
        for (field, value) in changes.into_iter().flatten() {
            text.push_str(&format!(",{field}={}", word_of(&value)?));
        }
        engine::Rules::parse(&text, size).map(Rules).map_err(errors::rules)
    }

    /// The nearest variant and what differs from it.
    #[getter]
    fn text(&self) -> String {
        self.0.to_string()
    }

    /// Columns and rows.
    #[getter]
    fn size(&self) -> (usize, usize) {
        (self.0.size.width(), self.0.size.height())
    }

    /// The variant's name, if these are a variant's rules.
    #[getter]
    fn variant(&self) -> Option<&'static str> {
        self.0.variant().map(|variant| variant.name())
    }

    /// Every part that these rules use, with its value.
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(py);
        for (field, value) in self.0.fields() {
            fields.set_item(field, value)?;
        }
        Ok(fields)
    }

    /// The length of a policy.
    #[getter]
    fn actions(&self) -> usize {
        actions(self.0.size)
    }

    /// The rules in words.
    fn explain(&self) -> String {
        bot::explain(&self.0)
    }

    /// A move's action.
    fn action(&self, r#move: &Bound<'_, PyAny>) -> PyResult<usize> {
        Ok(move_on_board(r#move, self.0.size)?.action(self.0.size))
    }

    /// An action's move.
    #[pyo3(name = "move")]
    fn word(&self, action: &Bound<'_, PyAny>) -> PyResult<String> {
        Ok(move_on_board(action, self.0.size)?.to_string())
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        format!("Rules('{}', size='{}')", self.0, self.0.size)
    }

    fn __getnewargs__(&self) -> (String, String) {
        (self.text(), self.0.size.to_string())
    }
}

/// The value of a field as rule sets write it.
fn word_of(value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.cast::<PyBool>() {
        Ok(flag) => Ok(flag.is_true().to_string()),
        Err(_) => Ok(value.str()?.to_string()),
    }
}

/// A side, a text such as `7x5`, or columns and rows.
fn size_of(given: &Bound<'_, PyAny>) -> PyResult<Size> {
    let size = if let Ok(text) = given.extract::<String>() {
        text.parse()
    } else if let Ok(side) = given.extract::<i64>() {
        side.to_string().parse()
    } else if let Ok((width, height)) = given.extract::<(usize, usize)>() {
        Size::new(width, height)
    } else {
        let given = given.repr()?;
        return Err(PyTypeError::new_err(format!(
            "invalid board size {given}: expected a side such as 9, (width, height), or '7x5'"
        )));
    };
    size.map_err(errors::rules)
}
