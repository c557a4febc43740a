//! The server with an evaluator that only counts points, for the page and the tests without a
//! network:
//!
//!     cargo run -p server --example serve --
//!         [--data DIR] [--port N] [--slow MILLISECONDS] [--trust] [--any-host]
//!
//! `--slow` makes each evaluation take a while, and `--trust` lifts all limits; `--any-host`
//! answers requests for any host name, as behind a proxy.

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use bot::SupportedRules;
use engine::{Position, Variant};
use search::evaluators::Uniform;
use search::{Evaluation, Evaluator, EvaluatorError};
use server::{Catalogue, ClientLimits, Knowledge, Limits, Model, Server, ServerSettings};

/// Predicts that the player with more points wins, with a uniform policy, after a delay.
#[derive(Clone)]
struct Counter {
    delay: Duration,
}

impl Evaluator for Counter {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        std::thread::sleep(self.delay);
        let mut evaluations = Uniform.evaluate(batch)?;
        for (evaluation, position) in evaluations.iter_mut().zip(batch) {
            let [black, white] = position.ownership().map(|points| points.iter().count() as f32);
            evaluation.value = 0.9 * (black - white) / (black + white).max(1.0);
        }
        Ok(evaluations)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut data = std::env::temp_dir().join("hotstone-example");
    let (mut port, mut slow, mut trust, mut any_host) = (0_u16, 0, false, false);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--data" => data = PathBuf::from(value()?),
            "--port" => port = value()?.parse()?,
            "--slow" => slow = value()?.parse()?,
            "--trust" => trust = true,
            "--any-host" => any_host = true,
            other => return Err(format!("there is no {other}").into()),
        }
    }
    let evaluator = Counter { delay: Duration::from_millis(slow) };
    let model = |variant: Variant| {
        let evaluator = evaluator.clone();
        Ok::<Model, Box<dyn Error>>(Model {
            name: format!("{variant}-beginner"),
            knowledge: Knowledge::Learnt(SupportedRules::new(variant.name(), &[3, 5, 7, 9])?),
            source: Box::new(move || evaluator.clone()),
        })
    };
    let mut models = Variant::ALL.into_iter().map(model).collect::<Result<Vec<_>, _>>()?;
    let anything = evaluator.clone();
    models.push(Model {
        name: "counter".to_owned(),
        knowledge: Knowledge::AnyRules,
        source: Box::new(move || anything.clone()),
    });
    let mut limits = Limits::default();
    if trust {
        limits.per_client = ClientLimits::NONE;
        limits.connections_per_client = limits.connections;
    }
    let address = ([127, 0, 0, 1], port).into();
    let settings = ServerSettings { address, data, behind_proxy: any_host, limits };
    let server = Server::bind(&settings, Catalogue::new(models)?)?;
    println!("http://{}/", server.address());
    server.run()?;
    println!("stopped");
    Ok(())
}
