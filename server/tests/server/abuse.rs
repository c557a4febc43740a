//! Clients that are slow, numerous, or send garbage do not affect others.

use std::io::{BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use server::{ClientLimits, Limits};

use crate::client::{
    Answer, Running, drain, follow, generous, next_event, person, program, read_head,
};

/// The server still answers quickly.
fn assert_well(server: &Running) {
    let start = Instant::now();
    assert_eq!(server.get("/healthz").text, "ok\n");
    let started = server.begin("go", 5, person(), program("go", 1));
    let (id, token) =
        (started["game"]["id"].as_str().unwrap(), started["tokens"]["B"].as_str().unwrap());
    assert_eq!(server.play(id, token, "C3").json()["moves"].as_array().unwrap().len(), 2);
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
}

/// Waits for what the server notices soon, but not at once.
fn wait_until(mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(10), "in vain");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn slow_clients_are_given_up_and_hold_nobody_back() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits {
        header_time: Duration::from_millis(600),
        request_time: Duration::from_millis(900),
        connections_per_client: 200,
        ..generous()
    };
    let server = Running::start(folder.path(), limits);
    let drip = |text: &str| {
        let mut stream = server.connect();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    };
    let heads: Vec<TcpStream> =
        (0..80).map(|_| drip("GET /api/variants HTTP/1.1\r\nx: ")).collect();
    let body = "POST /api/games HTTP/1.1\r\nhost: t\r\ncontent-type: application/json\r\ncontent-length: 90\r\n\r\n{";
    let bodies: Vec<TcpStream> = (0..40).map(|_| drip(body)).collect();
    assert_well(&server);
    for mut stream in heads {
        drain(&mut stream);
    }
    for stream in bodies {
        assert_eq!(Answer::read(&mut BufReader::new(stream)).problem().1, "too_slow");
    }
    assert_well(&server);
}

/// After 408, Chromium sends a request again by itself.
#[test]
fn a_turn_whose_answer_takes_too_long_is_taken_and_not_asked_for_again() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits { request_time: Duration::from_secs(2), ..generous() };
    let server = Running::start(folder.path(), limits);
    let started = server.begin("stoical", 5, person(), program("slow", 10));
    let (id, token) =
        (started["game"]["id"].as_str().unwrap(), started["tokens"]["B"].as_str().unwrap());
    assert_eq!(server.play(id, token, "C3").problem(), (503, "too_slow".to_owned()));
    let game = server.get(&format!("/api/games/{id}")).json();
    assert_eq!(game["moves"][0], json!({"player": "B", "move": "C3"}));
    let undo = format!("/api/games/{id}/undo");
    let undone = server.post(&undo, Some(token), &json!({})).json();
    assert_eq!(undone["moves"], json!([]), "{undone}");
}

/// Behind a proxy it is the number of all connections that has a limit: they come from one address.
#[test]
fn connections_are_counted_and_refused_beyond_the_limit() {
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let of_all = Limits { connections: 10, ..generous() };
    let of_a_client = Limits { connections_per_client: 10, ..generous() };
    for server in
        [Running::start(folders[0].path(), of_all), Running::direct(folders[1].path(), of_a_client)]
    {
        let held: Vec<TcpStream> = (0..10)
            .map(|_| {
                let mut stream = server.connect();
                stream.write_all(b"GET / HTTP/1.1\r\n").unwrap();
                stream
            })
            .collect();
        assert!(drain(&mut server.connect()).is_empty(), "the eleventh is closed at once");
        drop(held);
        wait_until(|| server.get("/healthz").status == 200);
        assert_well(&server);
    }
}

#[test]
fn bytes_that_are_no_request_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), generous());
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut byte = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    for round in 0..60 {
        let mut stream = server.connect();
        let noise: Vec<u8> = (0..round * 40).map(|_| byte()).collect();
        let _ = match round % 3 {
            0 => stream.write_all(&noise),
            1 => stream.write_all(b"POST /api/games HTTP/1.1\r\n").and_then(|()| stream.write_all(&noise)),
            _ => stream
                .write_all(format!("POST /api/games HTTP/1.1\r\nhost: t\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", noise.len()).as_bytes())
                .and_then(|()| stream.write_all(&noise)),
        };
        if round % 3 == 2 {
            let answer = Answer::read(&mut BufReader::new(stream));
            assert_eq!(answer.problem(), (400, "bad_json".to_owned()));
        } else {
            let _ = stream.shutdown(std::net::Shutdown::Write);
            drain(&mut stream);
        }
    }
    let mut endless = server.connect();
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(200_000));
    let _ = endless.write_all(long.as_bytes());
    drain(&mut endless);
    let mut chunked = server.connect();
    let _ = chunked.write_all(b"POST /api/games HTTP/1.1\r\nhost: t\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n");
    for _ in 0..100 {
        if write!(chunked, "10000\r\n{}\r\n", " ".repeat(0x10000)).is_err() {
            break;
        }
    }
    assert_well(&server);
}

#[test]
fn a_full_queue_is_said_and_no_move_is_lost_by_it() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits { searching_threads: 1, waiting_searches: 1, ..generous() };
    let server = Running::start(folder.path(), limits);
    let games: Vec<_> =
        (0..3).map(|_| server.begin("stoical", 5, person(), program("slow", 6))).collect();
    let statuses: Vec<(u16, String)> = games
        .iter()
        .map(|started| {
            let id = started["game"]["id"].as_str().unwrap();
            let path = format!("/api/games/{id}/moves");
            let answer =
                server.post(&path, started["tokens"]["B"].as_str(), &json!({"move": "C3"}));
            (answer.status, answer.text)
        })
        .collect();
    assert_eq!([statuses[0].0, statuses[1].0, statuses[2].0], [200, 200, 503], "{statuses:?}");
    assert!(statuses[2].1.contains("\"busy\""));
    let id = games[2]["game"]["id"].as_str().unwrap();
    let refused = server.get(&format!("/api/games/{id}")).json();
    assert_eq!(refused["moves"], json!([]), "a move that is refused is not played");
}

#[test]
fn one_client_holds_neither_the_whole_queue_nor_every_stream() {
    let folder = tempfile::tempdir().unwrap();
    let per_client = ClientLimits { searches: Some(2), ..ClientLimits::NONE };
    let limits =
        Limits { searching_threads: 1, connections_per_client: 2, per_client, ..generous() };
    let server = Running::start(folder.path(), limits);
    let from = |client: &str, method: &str, path: &str, token: Option<&str>, body: &Value| {
        let headers = [("content-type", "application/json"), ("x-forwarded-for", client)];
        server.ask(method, path, token, &headers, body.to_string().as_bytes())
    };
    let moved = |client| {
        let started = server.begin("stoical", 5, person(), program("slow", 6));
        let path = format!("/api/games/{}/moves", started["game"]["id"].as_str().unwrap());
        let token = started["tokens"]["B"].as_str();
        from(client, "POST", &path, token, &json!({"move": "C3"}))
    };
    assert_eq!([moved("10.0.0.1").status, moved("10.0.0.1").status], [200, 200]);
    assert_eq!(moved("10.0.0.1").problem(), (429, "too_many_searches".to_owned()));
    assert_eq!(moved("10.0.0.2").status, 200);

    let started = server.begin("go", 5, person(), person());
    let path = format!("/api/games/{}/events", started["game"]["id"].as_str().unwrap());
    let follow = |client: &str| {
        let mut stream = server.connect();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: t\r\nx-forwarded-for: {client}\r\n\r\n")
            .unwrap();
        let mut reader = BufReader::new(stream);
        (read_head(&mut reader), reader)
    };
    let followed = [follow("10.0.0.1"), follow("10.0.0.1")];
    assert!(followed.iter().all(|(head, _)| head.contains(" 200 ")), "{followed:?}");
    assert!(follow("10.0.0.1").0.contains(" 429 ") && follow("10.0.0.2").0.contains(" 200 "));
    drop(followed);
    // The server notices with the next event.
    let (id, token) = (started["game"]["id"].as_str().unwrap(), started["tokens"]["B"].as_str());
    server.play(id, token.unwrap(), "C3");
    wait_until(|| follow("10.0.0.1").0.contains(" 200 "));
}

#[test]
fn rooms_are_closed_when_there_are_many_and_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), Limits { open_games: 5, games: 30, ..generous() });
    let first = server.begin("go", 5, person(), person());
    let id = first["game"]["id"].as_str().unwrap();
    server.play(id, first["tokens"]["B"].as_str().unwrap(), "C3");
    let mut events = follow(&server, id);
    next_event(&mut events).unwrap();
    let games: Vec<_> = (0..29).map(|_| server.begin("tile", 5, person(), person())).collect();
    for started in &games {
        let id = started["game"]["id"].as_str().unwrap();
        let played = server.play(id, started["tokens"]["B"].as_str().unwrap(), "C3").json();
        assert_eq!(played["moves"].as_array().unwrap().len(), 1);
    }
    server.play(id, first["tokens"]["W"].as_str().unwrap(), "D3");
    let game = next_event(&mut events).unwrap();
    assert_eq!(game["moves"].as_array().unwrap().len(), 2, "who follows a game hears of it");
    let body = json!({"rules": "go", "size": 5, "players": {"B": person(), "W": person()}});
    assert_eq!(server.post("/api/games", None, &body).problem(), (503, "full".to_owned()));
}
