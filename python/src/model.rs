//! `hotstone.Model`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use engine::actions;
use models::{
    Client, Device, ModelError, Network, Precision, Server, ServerSettings, StoredModel,
    model_folder,
};
use numpy::ndarray::{Array1, Array2};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use search::{Evaluation, Evaluator};

use crate::errors;
use crate::position::Position;
use crate::rules::Rules;

/// The released model that is included in the package: 3.6 MB, and plays every variant.
const UNIVERSAL: &str = "universal";
const UNIVERSAL_CARD: &[u8] = include_bytes!("../../models/released/universal/card.toml");
const UNIVERSAL_WEIGHTS: &[u8] =
    include_bytes!("../../models/released/universal/weights.safetensors");

/// Policies, values and leads.
type Evaluations<'py> =
    (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<f32>>);

/// A network that evaluates positions on the processor.
#[pyclass(frozen, module = "hotstone")]
pub struct Model {
    stored: StoredModel,
    network: Network,
    client: Client,
    /// Answers the client as long as it lives.
    server: Option<Server>,
    /// The process to which the server's threads belong.
    process: u32,
}

/// A forked process has only its own thread, so it would wait forever for the server's threads.
impl Drop for Model {
    fn drop(&mut self) {
        if self.is_of_another_process() {
            std::mem::forget(self.server.take());
        }
    }
}

#[pymethods]
impl Model {
    /// The model of a folder, of a run, or without one the universal model.
    #[classmethod]
    #[pyo3(signature = (folder = None, *, threads = None))]
    fn load(
        _: &Bound<'_, PyType>,
        py: Python<'_>,
        folder: Option<PathBuf>,
        threads: Option<usize>,
    ) -> PyResult<Model> {
        py.detach(|| Model::start(folder.as_deref(), threads)).map_err(errors::model)
    }

    /// Where it was read.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.stored.folder().to_owned()
    }

    /// The rules it has learnt; of a model that has learnt many, the first.
    #[getter]
    fn rules(&self) -> &str {
        &self.stored.card().rules
    }

    /// Columns and rows of the boards it has learnt.
    #[getter]
    fn sizes(&self) -> Vec<(usize, usize)> {
        self.stored.card().sizes.iter().map(|size| (size.width(), size.height())).collect()
    }

    /// Learning steps taken.
    #[getter]
    fn training_step(&self) -> u64 {
        self.stored.card().training_step
    }

    /// Residual blocks.
    #[getter]
    fn blocks(&self) -> usize {
        self.network.architecture().blocks
    }

    /// Whether it has learnt these rules on this size.
    fn plays(&self, rules: &Rules) -> bool {
        self.check(&rules.0).is_ok()
    }

    /// The network's parameters, by name.
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let parameters = PyDict::new(py);
        for (name, shape, values) in self.network.tensors() {
            let shape: Vec<usize> = shape.iter().map(|&side| side as usize).collect();
            parameters.set_item(name, values.to_pyarray(py).reshape(shape)?)?;
        }
        Ok(parameters)
    }

    /// Policies, values for Black, and leads of Black, of running games on boards of one size.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        positions: Vec<PyRef<'py, Position>>,
    ) -> PyResult<Evaluations<'py>> {
        if self.is_of_another_process() {
            return Err(errors::model("this process was forked: load the model again"));
        }
        let positions: Vec<&engine::Position> = positions.iter().map(|it| &it.0).collect();
        let Some(size) = positions.first().map(|first| first.size()) else {
            return Err(PyValueError::new_err("there are no positions to evaluate"));
        };
        if positions.iter().any(|position| position.size() != size) {
            return Err(PyValueError::new_err("expected boards of one size"));
        }
        if let Some(over) = positions.iter().position(|position| position.outcome().is_some()) {
            return Err(PyValueError::new_err(format!("position {over}: the game is over")));
        }
        let evaluations = py.detach(|| self.ask(&positions)).map_err(errors::model)?;
        let mut policy = Array2::zeros((positions.len(), actions(size)));
        for (mut row, evaluation) in policy.rows_mut().into_iter().zip(&evaluations) {
            for &(chosen, prior) in &evaluation.policy {
                row[chosen.action(size)] = prior;
            }
        }
        let value: Array1<f32> = evaluations.iter().map(|it| it.value).collect();
        let lead: Array1<f32> = evaluations.iter().map(|it| it.lead.unwrap_or(f32::NAN)).collect();
        Ok((policy.into_pyarray(py), value.into_pyarray(py), lead.into_pyarray(py)))
    }
}

impl Model {
    /// The model in a folder or of a run's newest checkpoint, or the one included in the package.
    fn start(folder: Option<&Path>, threads: Option<usize>) -> Result<Model, ModelError> {
        let is_named = |folder: &Path| folder == Path::new(UNIVERSAL) && !folder.exists();
        let stored = match folder.filter(|folder| !is_named(folder)) {
            Some(folder) => StoredModel::read(&model_folder(folder)?)?,
            None => StoredModel::built_in(UNIVERSAL.into(), UNIVERSAL_CARD, UNIVERSAL_WEIGHTS)?,
        };
        let network = stored.network(None)?;
        let mut settings = ServerSettings::new(Device::Cpu, Precision::F32);
        settings.threads = threads.unwrap_or(settings.threads).clamp(1, settings.threads);
        let server = Server::start(network.clone(), settings)?;
        let (client, process) = (server.client(), std::process::id());
        Ok(Model { stored, network, client, server: Some(server), process })
    }

    fn is_of_another_process(&self) -> bool {
        self.process != std::process::id()
    }

    fn check(&self, rules: &engine::Rules) -> Result<(), ModelError> {
        self.stored.card().check(self.stored.folder(), Some(rules))
    }

    fn ask(&self, positions: &[&engine::Position]) -> Result<Vec<Evaluation>, ModelError> {
        let rules: HashSet<&engine::Rules> = positions.iter().map(|it| it.rules()).collect();
        rules.into_iter().try_for_each(|rules| self.check(rules))?;
        Ok(self.client.clone().evaluate(positions)?)
    }
}
