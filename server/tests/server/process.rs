//! The server as a separate process, and its shutdown.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Answer, person, program};

/// Builds the example, which `cargo test --test server` alone does not, and returns its path.
fn example() -> PathBuf {
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--package", "server", "--example", "serve"]);
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    assert!(build.status().unwrap().success());
    let tests = std::env::current_exe().unwrap();
    tests.ancestors().nth(2).unwrap().join("examples/serve")
}

fn start(program: &Path, data: &Path) -> (Child, String) {
    let mut child = Command::new(program)
        .args(["--slow", "300", "--trust", "--data"])
        .arg(data)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("http://").unwrap().trim_end_matches('/').to_owned();
    (child, address)
}

fn ask(address: &str, method: &str, path: &str, token: &str, body: &Value) -> Answer {
    let body = body.to_string();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    Answer::read(&mut BufReader::new(stream))
}

#[cfg(unix)]
#[test]
fn told_to_end_it_finishes_the_move_in_hand_and_saves() {
    let (program_file, folder) = (example(), tempfile::tempdir().unwrap());
    let (mut child, address) = start(&program_file, folder.path());
    // Four simulations of 300 ms each: the search is running when the signal arrives.
    let begin = json!({"rules": "go", "size": 5, "players": {"B": person(), "W": program("go-beginner", 5)}});
    let started = ask(&address, "POST", "/api/games", "", &begin).json();
    let (id, token) =
        (started["game"]["id"].as_str().unwrap(), started["tokens"]["B"].as_str().unwrap());
    let path = format!("/api/games/{id}");
    let played = ask(&address, "POST", &format!("{path}/moves"), token, &json!({"move": "C3"}));
    assert_eq!(played.json()["thinking"], true);
    std::thread::sleep(Duration::from_millis(100));

    let kill = Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(kill.success());
    let status = child.wait().unwrap();
    assert!(status.success(), "{status}");

    let (mut child, address) = start(&program_file, folder.path());
    let game = ask(&address, "GET", &path, "", &json!({})).json();
    assert_eq!(game["moves"].as_array().unwrap().len(), 2, "{game}");
    assert_eq!(game["thinking"], false);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn killed_outright_it_has_every_move_that_it_confirmed() {
    let (program_file, folder) = (example(), tempfile::tempdir().unwrap());
    let (mut child, address) = start(&program_file, folder.path());
    let begin = json!({"rules": "tile", "size": 5, "players": {"B": person(), "W": program("tile-beginner", 5)}});
    let started = ask(&address, "POST", "/api/games", "", &begin).json();
    let (id, token) =
        (started["game"]["id"].as_str().unwrap(), started["tokens"]["B"].as_str().unwrap());
    let path = format!("/api/games/{id}");
    let played = ask(&address, "POST", &format!("{path}/moves"), token, &json!({"move": "C3"}));
    assert_eq!(played.status, 200);
    child.kill().unwrap();
    child.wait().unwrap();

    let (mut child, address) = start(&program_file, folder.path());
    let game = ask(&address, "GET", &path, "", &json!({})).json();
    assert_eq!(game["moves"].as_array().unwrap().len(), 1, "{game}");
    assert_eq!(game["thinking"], true, "the program takes its turn up again");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn what_is_addressed_to_another_machine_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, address) = start(&example(), folder.path());
    let ask = |host: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        write!(stream, "GET /api/variants HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n")
            .unwrap();
        Answer::read(&mut BufReader::new(stream))
    };
    assert_eq!(ask(&address).status, 200);
    assert_eq!(ask("rebound.example:8019").problem(), (403, "foreign_host".to_owned()));
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Plays on the page with Chromium; screenshots are kept in `target/browser`. Needs Node, npm and a
/// browser: see ARCHITECTURE.md.
#[test]
#[ignore = "needs Node and Chromium"]
fn the_page_is_played_in_a_browser() {
    let program_file = example();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    let pictures = program_file.ancestors().nth(3).unwrap().join("browser");
    let mut npm = Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund"]).current_dir(&folder);
    assert!(npm.status().unwrap().success());
    let chromium = std::env::var("CHROMIUM").unwrap_or_else(|_| "/usr/bin/chromium".to_owned());
    let mut check = Command::new("node");
    check.arg("check.mjs").args([&program_file, &pictures]).arg(chromium).current_dir(&folder);
    assert!(check.status().unwrap().success());
}
