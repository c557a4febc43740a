//! A test server, and a minimal HTTP client.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use bot::SupportedRules;
use engine::{Position, Variant};
use search::evaluators::{Nan, Scripted};
use search::{Evaluation, Evaluator, EvaluatorError};
use serde_json::{Value, json};
use server::{
    Catalogue, ClientLimits, Knowledge, Limits, Model, ServeError, Server, ServerSettings,
};
use tokio::sync::Notify;

/// A server that ends with its test.
pub(crate) struct Running {
    pub address: SocketAddr,
    end: Arc<Notify>,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

/// Limits that no test meets by accident.
pub(crate) fn generous() -> Limits {
    Limits {
        per_client: ClientLimits::NONE,
        searching_threads: 2,
        analysis_simulations: 20,
        ..Limits::default()
    }
}

/// Takes half a second for a batch.
#[derive(Clone)]
struct Slow;

impl Evaluator for Slow {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        std::thread::sleep(Duration::from_millis(500));
        Scripted { seed: 1 }.evaluate(batch)
    }
}

/// Panics.
#[derive(Clone)]
struct Broken;

impl Evaluator for Broken {
    fn evaluate(&mut self, _: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        panic!("this evaluator is made to panic")
    }
}

/// A model of every variant, and of `stoical` some that misbehave.
fn catalogue() -> Catalogue {
    let knowledge =
        |rules: &str| Knowledge::Learnt(SupportedRules::new(rules, &[3, 5, 7]).unwrap());
    let mut models: Vec<Model> = Variant::ALL
        .into_iter()
        .map(|variant| Model {
            name: variant.to_string(),
            knowledge: knowledge(variant.name()),
            source: Box::new(|| Scripted { seed: 1 }),
        })
        .collect();
    let stoical = |name: &str, source| Model {
        name: name.to_owned(),
        knowledge: knowledge("stoical"),
        source,
    };
    models.push(stoical("slow", Box::new(|| Slow)));
    models.push(stoical("nan", Box::new(|| Nan)));
    models.push(stoical("broken", Box::new(|| Broken)));
    Catalogue::new(models).unwrap()
}

/// One model, of Tile Go on 5×5, and a player without a model.
pub(crate) fn with_any_rules() -> Catalogue {
    let anything = Model {
        name: "playouts".to_owned(),
        knowledge: Knowledge::AnyRules,
        source: Box::new(|| Scripted { seed: 1 }),
    };
    let tile = Model {
        name: "tile-5".to_owned(),
        knowledge: Knowledge::Learnt(SupportedRules::new("tile", &[5]).unwrap()),
        source: Box::new(|| Scripted { seed: 1 }),
    };
    Catalogue::new(vec![anything, tile]).unwrap()
}

impl Running {
    pub fn start(data: &Path, limits: Limits) -> Running {
        Running::with(catalogue(), data, limits)
    }

    pub fn with(catalogue: Catalogue, data: &Path, limits: Limits) -> Running {
        Running::bind(catalogue, data, limits, true)
    }

    /// Without a proxy between it and its clients.
    pub fn direct(data: &Path, limits: Limits) -> Running {
        Running::bind(catalogue(), data, limits, false)
    }

    fn bind(catalogue: Catalogue, data: &Path, limits: Limits, behind_proxy: bool) -> Running {
        let address = ([127, 0, 0, 1], 0).into();
        let settings = ServerSettings { address, data: data.to_owned(), behind_proxy, limits };
        let server = Server::bind(&settings, catalogue).unwrap();
        let (address, end) = (server.address(), Arc::new(Notify::new()));
        let stop = Arc::clone(&end);
        let thread = std::thread::spawn(move || {
            let end = async move {
                stop.notified().await;
                Ok(())
            };
            server.run_until(end)
        });
        Running { address, end, thread: Some(thread) }
    }

    pub fn stop(self) {
        self.end().unwrap();
    }

    pub fn end(mut self) -> Result<(), ServeError> {
        self.end.notify_one();
        self.thread.take().unwrap().join().unwrap()
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, None, &[], b"")
    }

    pub fn post(&self, path: &str, token: Option<&str>, body: &Value) -> Answer {
        let body = body.to_string();
        let json = [("content-type", "application/json")];
        self.ask("POST", path, token, &json, body.as_bytes())
    }

    pub fn ask(
        &self,
        method: &str,
        path: &str,
        token: Option<&str>,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n");
        if let Some(token) = token {
            head.push_str(&format!("authorization: Bearer {token}\r\n"));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
        let mut stream = self.connect();
        // A server may close the connection before it has read everything.
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
        Answer::read(&mut BufReader::new(stream))
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Begins a game, and returns the body of the answer.
    pub fn begin(&self, rules: &str, size: u8, black: Value, white: Value) -> Value {
        let body = json!({"rules": rules, "size": size, "players": {"B": black, "W": white}});
        let answer = self.post("/api/games", None, &body);
        assert_eq!(answer.status, 201, "{}", answer.text);
        assert!(answer.head.contains("location: /api/games/"));
        answer.json()
    }

    /// Takes a turn and waits for the program's.
    pub fn play(&self, id: &str, token: &str, played: &str) -> Answer {
        let body = json!({"move": played, "wait": true});
        self.post(&format!("/api/games/{id}/moves"), Some(token), &body)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

pub(crate) fn person() -> Value {
    json!({"kind": "person"})
}

pub(crate) fn program(model: &str, level: u8) -> Value {
    json!({"kind": "program", "model": model, "level": level})
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub status: u16,
    pub head: String,
    pub text: String,
}

impl Answer {
    pub fn read(reader: &mut impl BufRead) -> Answer {
        let head = read_head(reader);
        let mut body = Vec::new();
        let _ = reader.read_to_end(&mut body);
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        Answer { status, head, text: String::from_utf8(body).unwrap() }
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {}", self.text))
    }

    /// The status and code of an error, which must be JSON with a sentence.
    pub fn problem(&self) -> (u16, String) {
        let body = self.json();
        assert!(self.head.contains("content-type: application/json"), "{}", self.head);
        assert!(!body["error"]["message"].as_str().unwrap().is_empty());
        (self.status, body["error"]["code"].as_str().unwrap().to_owned())
    }
}

/// Status line and headers, in lower case.
pub(crate) fn read_head(reader: &mut impl BufRead) -> String {
    let mut head = String::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
            return head;
        }
        head.push_str(&line.to_ascii_lowercase());
    }
}

/// The next event of a stream: the game as it was then. `None` at its end.
pub(crate) fn next_event(reader: &mut impl BufRead) -> Option<Value> {
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(data) = line.strip_prefix("data:") {
            return Some(serde_json::from_str(data.trim()).unwrap());
        }
    }
}

/// Opens the stream of a game's events.
pub(crate) fn follow(server: &Running, id: &str) -> BufReader<TcpStream> {
    let mut stream = server.connect();
    let head = "host: test\r\nconnection: close\r\n\r\n";
    write!(stream, "GET /api/games/{id}/events HTTP/1.1\r\n{head}").unwrap();
    let mut reader = BufReader::new(stream);
    let head = read_head(&mut reader);
    assert!(head.contains(" 200 ") && head.contains("text/event-stream"), "{head}");
    assert!(head.contains("x-accel-buffering: no"), "nginx would hold events back: {head}");
    reader
}

/// Reads until the server closes the connection.
pub(crate) fn drain(stream: &mut TcpStream) -> Vec<u8> {
    let mut all = Vec::new();
    if let Err(error) = stream.read_to_end(&mut all) {
        let is_open = matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
        assert!(!is_open, "the server leaves the connection open");
    }
    all
}
