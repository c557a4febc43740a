//! Disks that are full, and games that take much memory.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};
use server::{Limits, ServeError};

use crate::client::{Running, follow, generous, next_event, person, program};

/// A folder whose disk refuses this many saves of games that have this in their SGF.
fn full(folder: &Path, saves: u32, part: &str) {
    Running::start(folder, generous()).stop();
    let connection = Connection::open(folder.join("games.sqlite")).unwrap();
    connection
        .execute_batch(&format!(
            "CREATE TABLE refusals (due INTEGER);
             INSERT INTO refusals VALUES ({saves});
             CREATE TRIGGER refuse BEFORE UPDATE ON games
             WHEN NEW.sgf LIKE '%{part}%' AND (SELECT due FROM refusals) > 0
             BEGIN
                 UPDATE refusals SET due = due - 1;
                 SELECT RAISE(FAIL, 'the disk is full');
             END;"
        ))
        .unwrap();
}

/// The moves of a game on a server started anew.
fn moves_on_disk(folder: &Path, id: &str) -> usize {
    let server = Running::start(folder, generous());
    let game = server.get(&format!("/api/games/{id}/positions/0"));
    assert_eq!(game.status, 200, "{}", game.text);
    let sgf = server.get(&format!("/api/games/{id}/sgf")).text;
    sgf.matches("\n;").count()
}

/// A move that could not be saved.
fn unsaved_move(server: &Running) -> String {
    let started = server.begin("go", 5, person(), person());
    let (id, token) = (started["game"]["id"].as_str().unwrap(), started["tokens"]["B"].as_str());
    let refused = server.play(id, token.unwrap(), "C3");
    assert_eq!(refused.problem(), (500, "storage_failed".to_owned()));
    id.to_owned()
}

#[test]
fn what_could_not_be_saved_is_saved_with_the_next_request() {
    let folder = tempfile::tempdir().unwrap();
    full(folder.path(), 1, ";B[cc]");
    let limits = Limits { open_games: 2, ..generous() };
    let server = Running::start(folder.path(), limits);
    let id = unsaved_move(&server);
    for _ in 0..5 {
        server.begin("go", 5, person(), person());
    }
    let game = server.get(&format!("/api/games/{id}")).json();
    assert_eq!(game["moves"].as_array().unwrap().len(), 1, "it stays in memory until then");
    for _ in 0..5 {
        server.begin("go", 5, person(), person());
    }
    let game = server.get(&format!("/api/games/{id}")).json();
    assert_eq!(game["moves"].as_array().unwrap().len(), 1, "{game}");
    server.stop();
    assert_eq!(moves_on_disk(folder.path(), &id), 1);
}

#[test]
fn what_could_not_be_saved_is_saved_at_the_end_or_said() {
    for (refusals, moves) in [(1, 1), (9, 0)] {
        let folder = tempfile::tempdir().unwrap();
        full(folder.path(), refusals, ";B[cc]");
        let server = Running::start(folder.path(), generous());
        let id = unsaved_move(&server);
        match server.end() {
            Ok(()) => assert_eq!(moves, 1),
            Err(ServeError::Unsaved(games)) => assert_eq!((games, moves), (1, 0)),
            Err(other) => panic!("{other}"),
        }
        assert_eq!(moves_on_disk(folder.path(), &id), moves);
    }
}

#[test]
fn a_programs_move_is_saved_again_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    full(folder.path(), 1, ";W[");
    let server = Running::start(folder.path(), generous());
    let started = server.begin("go", 5, person(), program("go", 1));
    let (id, token) = (started["game"]["id"].as_str().unwrap(), started["tokens"]["B"].as_str());
    let game = server.play(id, token.unwrap(), "C3").json();
    assert_eq!(game["moves"].as_array().unwrap().len(), 2, "{game}");
    server.stop();
    assert_eq!(moves_on_disk(folder.path(), id), 2);
}

#[test]
fn a_game_that_this_version_cannot_read_is_called_so() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), generous());
    let started = server.begin("go", 5, person(), person());
    server.stop();
    let connection = Connection::open(folder.path().join("games.sqlite")).unwrap();
    let other_rules = "UPDATE games SET sgf = replace(sgf, 'RU[go]', 'RU[tomorrow]')";
    assert_eq!(connection.execute(other_rules, []), Ok(1));
    drop(connection);
    let server = Running::start(folder.path(), generous());
    let refused = server.get(&format!("/api/games/{}", started["game"]["id"].as_str().unwrap()));
    assert_eq!(refused.problem(), (500, "unreadable_game".to_owned()));
}

/// Begins a recorded game between two people, and returns the body of the answer.
fn import(server: &Running, sgf: &str) -> Value {
    let upload = json!({"sgf": sgf, "rules": "go", "players": {"B": person(), "W": person()}});
    server.post("/api/games/import", None, &upload).json()
}

#[test]
fn long_games_are_closed_before_short_ones_are_many() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), Limits { open_turns: 5, ..generous() });
    let begin = |sgf: &str| import(&server, sgf)["game"].clone();
    let version = |game: &Value| {
        let id = game["id"].as_str().unwrap();
        server.get(&format!("/api/games/{id}")).json()["version"].clone()
    };
    let long = begin("(;SZ[5];B[aa];W[bb];B[cc];W[dd])");
    let short = begin("(;SZ[5];B[aa])");
    assert_eq!(
        (version(&long), version(&short)),
        (long["version"].clone(), short["version"].clone())
    );
    begin("(;SZ[5];B[aa];W[bb])");
    assert_eq!(version(&short), short["version"], "it is still open");
    assert_ne!(version(&long), long["version"], "it has been closed, and is opened again");
}

#[test]
fn games_that_are_followed_are_closed_when_they_take_too_much_memory() {
    const TURNS: usize = 4;
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), Limits { open_turns: 5, ..generous() });
    let begin = || import(&server, "(;SZ[5];B[aa];W[bb];B[cc];W[dd])");
    let id = |started: &Value| started["game"]["id"].as_str().unwrap().to_owned();
    let length = |game: Value| game["moves"].as_array().unwrap().len();
    let followed = [begin(), begin()];
    let [mut first, mut second] = followed.each_ref().map(|started| follow(&server, &id(started)));
    for events in [&mut first, &mut second] {
        assert_eq!(next_event(events).map(length), Some(TURNS));
    }
    begin();
    let waited = Instant::now();
    assert_eq!(next_event(&mut first), None, "three times four turns are more than twice five");
    assert!(waited.elapsed() < Duration::from_secs(10), "its stream ends at once");
    let token = followed[1]["tokens"]["B"].as_str().unwrap();
    assert_eq!(server.play(&id(&followed[1]), token, "E5").status, 200);
    assert_eq!(next_event(&mut second).map(length), Some(TURNS + 1), "the other is still open");
    let mut again = follow(&server, &id(&followed[0]));
    assert_eq!(next_event(&mut again).map(length), Some(TURNS), "it is opened again");
}

#[test]
fn among_followed_games_the_longest_is_closed_first() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), Limits { open_turns: 5, ..generous() });
    let id = |started: &Value| started["game"]["id"].as_str().unwrap().to_owned();
    let length = |game: Value| game["moves"].as_array().unwrap().len();
    let short = import(&server, "(;SZ[5];B[aa];W[bb])");
    let mut of_short = follow(&server, &id(&short));
    let long = import(&server, "(;SZ[5];B[aa];W[bb];B[cc];W[dd];B[ee];W[ea])");
    let mut of_long = follow(&server, &id(&long));
    assert_eq!(next_event(&mut of_short).map(length), Some(2));
    assert_eq!(next_event(&mut of_long).map(length), Some(6));
    import(&server, "(;SZ[5];B[aa];W[bb];B[cc];W[dd])");
    assert_eq!(next_event(&mut of_long), None, "twelve turns are more than twice five");
    let token = short["tokens"]["B"].as_str().unwrap();
    assert_eq!(server.play(&id(&short), token, "E5").status, 200);
    assert_eq!(next_event(&mut of_short).map(length), Some(3), "the oldest is still open");
}
