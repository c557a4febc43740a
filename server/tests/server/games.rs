//! Whole games.

use std::time::{Duration, Instant};

use engine::Variant;
use serde_json::{Value, json};

use crate::client::{Running, follow, generous, next_event, person, program, with_any_rules};

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[test]
fn every_variant_is_played_to_the_end_and_comes_back_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), generous());
    let mut ends = Vec::new();
    for variant in Variant::ALL {
        let started = server.begin(variant.name(), 3, person(), program(variant.name(), 1));
        let (id, token) = (text(&started["game"]["id"]), text(&started["tokens"]["B"]));
        assert!(started["tokens"]["W"].is_null());
        let mut game = started["game"].clone();
        let mut turn = 0;
        while game["result"].is_null() {
            assert_eq!(game["state"]["to_move"], "B", "{game}");
            let legal = game["state"]["legal"].as_array().unwrap();
            turn += 1;
            let answer = server.play(id, token, text(&legal[turn * 7 % legal.len()]));
            assert_eq!(answer.status, 200, "{variant}: {}", answer.text);
            game = answer.json();
            assert!(!game["thinking"].as_bool().unwrap() && game["trouble"].is_null());
        }
        assert!(game["moves"].as_array().unwrap().len() > 2, "{variant}");
        assert_eq!(server.play(id, token, "A1").problem(), (409, "game_over".to_owned()));
        ends.push((id.to_owned(), game));
    }
    server.stop();

    let server = Running::start(folder.path(), generous());
    for (id, before) in ends {
        let after = server.get(&format!("/api/games/{id}")).json();
        assert!(after["version"].as_u64() > before["version"].as_u64(), "news are told from old");
        for key in ["state", "moves", "players", "result", "standing", "rules", "undo"] {
            assert_eq!(after[key], before[key], "{key}");
        }
    }
}

#[test]
fn a_game_can_be_gone_through_and_played_on_from_any_position() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), generous());
    let started = server.begin("tile", 5, person(), person());
    let (id, mut views) = (text(&started["game"]["id"]), vec![started["game"].clone()]);
    for (turn, played) in ["C3", "A1", "D2", "B2"].into_iter().enumerate() {
        let token = text(&started["tokens"][if turn % 2 == 0 { "B" } else { "W" }]);
        views.push(server.play(id, token, played).json());
    }
    let steps: Vec<Value> = (0..views.len())
        .map(|turn| server.get(&format!("/api/games/{id}/positions/{turn}")).json())
        .collect();
    for (step, view) in steps.iter().zip(&views) {
        for key in ["turn", "state", "last", "incursion", "removed", "banned", "remarks", "told_to"]
        {
            assert_eq!(step[key], view[key], "{key}");
        }
    }
    assert_eq!(steps[2]["caption"], "White plays A1");
    assert_eq!(steps[2]["remarks"][0], "That was an incursion: Black's next stone gets a tile");
    assert_eq!(views[2]["previews"]["E5"]["tiles"], 1);
    for unknown in ["5", "-1", "x", "%ff"] {
        let answer = server.get(&format!("/api/games/{id}/positions/{unknown}"));
        assert_eq!(answer.problem().0, 404, "{unknown}");
    }

    let analysis = |query: &str| server.get(&format!("/api/games/{id}/analysis?{query}"));
    let early = analysis("turn=0").json();
    assert_eq!(early["candidates"].as_array().unwrap().len(), 25);
    assert_eq!(analysis("turn=5").problem(), (404, "no_such_turn".to_owned()));

    let upload = json!({"sgf": steps[2]["sgf"], "players": {"B": person(), "W": person()}});
    let branch = server.post("/api/games/import", None, &upload).json();
    assert_eq!(branch["game"]["state"], views[2]["state"]);
    assert_eq!(branch["game"]["moves"].as_array().unwrap().len(), 2);
}

#[test]
fn a_program_takes_its_whole_turn_where_that_is_more_than_one_stone() {
    let folder = tempfile::tempdir().unwrap();
    // Even where there is one place for searches, and one for each client, and for the simulations of
    // four stones.
    let per_client = server::ClientLimits {
        searches: Some(1),
        simulations: Some(server::Rate { burst: 4.0, per_second: 0.001 }),
        ..server::ClientLimits::NONE
    };
    let limits =
        server::Limits { searching_threads: 1, waiting_searches: 0, per_client, ..generous() };
    let server = Running::with(with_any_rules(), folder.path(), limits);
    let white = json!({"kind": "program", "level": 1});
    let started = server.begin("go,stones_per_turn=2", 5, person(), white);
    let (id, token) = (text(&started["game"]["id"]), text(&started["tokens"]["B"]));
    let mut game = server.play(id, token, "C3").json();
    assert_eq!(game["moves"].as_array().unwrap().len(), 3, "{game}");
    assert_eq!((&game["state"]["to_move"], &game["thinking"]), (&json!("B"), &json!(false)));
    // The first of two stones needs no answer, and costs none.
    for _ in 0..2 {
        let placed = game["state"]["legal"][0].clone();
        game = server.play(id, token, text(&placed)).json();
        let told = (&game["state"]["to_move"], &game["trouble"]);
        assert_eq!(told, (&json!("B"), &Value::Null), "{game}");
    }
}

#[test]
fn a_turn_that_has_begun_is_ended_whatever_it_costs() {
    let folder = tempfile::tempdir().unwrap();
    // For the simulations of one stone.
    let simulations = Some(server::Rate { burst: 1.0, per_second: 0.001 });
    let per_client = server::ClientLimits { simulations, ..server::ClientLimits::NONE };
    let limits = server::Limits { per_client, ..generous() };
    let server = Running::with(with_any_rules(), folder.path(), limits);
    let white = json!({"kind": "program", "level": 1});
    let started = server.begin("go,stones_per_turn=2", 5, person(), white);
    let (id, token) = (text(&started["game"]["id"]), text(&started["tokens"]["B"]));
    let game = server.play(id, token, "C3").json();
    assert_eq!(game["moves"].as_array().unwrap().len(), 3, "{game}");
    assert_eq!((&game["state"]["to_move"], &game["trouble"]), (&json!("B"), &Value::Null));
}

#[test]
fn the_program_begins_where_it_has_black_and_is_told_apart_by_level() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), generous());
    let started = server.begin("tile", 5, program("tile", 10), person());
    let id = text(&started["game"]["id"]);
    let mut events = follow(&server, id);
    let moved = std::iter::from_fn(|| next_event(&mut events))
        .find(|game| !game["moves"].as_array().unwrap().is_empty());
    assert_eq!(moved.unwrap()["state"]["to_move"], "W");
    assert_eq!(
        started["game"]["players"]["B"],
        json!({"kind": "program", "model": "tile", "level": 10, "network": true})
    );
    assert_eq!(started["game"]["pass"]["label"], "Return a prisoner");
}

#[test]
fn any_rule_set_is_played_where_a_program_needs_no_network() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::with(with_any_rules(), folder.path(), generous());
    let anybody = json!({"kind": "program", "level": 2});
    let own = ["tile,end=area", "go,repetition=simple", "conquest,komi=3", "stoical"];
    for (rules, size) in own.into_iter().zip([4, 9, 13, 19]) {
        let started = server.begin(rules, size, person(), anybody.clone());
        let (id, token) = (text(&started["game"]["id"]), text(&started["tokens"]["B"]));
        let white = json!({"kind": "program", "model": "playouts", "level": 2, "network": false});
        assert_eq!(started["game"]["players"]["W"], white, "{rules}");
        let game = server.play(id, token, "B2").json();
        assert_eq!(game["moves"].as_array().unwrap().len(), 2, "{game}");
        assert_eq!((&game["analysis"], &game["trouble"]), (&json!(true), &Value::Null));
        let analysis = server.get(&format!("/api/games/{id}/analysis")).json();
        assert_eq!(analysis["model"], "playouts", "{analysis}");
    }
    let learnt = server.begin("tile", 5, person(), anybody);
    assert_eq!(learnt["game"]["players"]["W"]["model"], "tile-5");
    let chosen = server.begin("tile", 5, person(), program("playouts", 2));
    assert_eq!(chosen["game"]["players"]["W"]["model"], "playouts");
    let id = text(&learnt["game"]["id"]).to_owned();
    server.stop();

    let catalogue = server::Catalogue::new(vec![server::Model {
        name: "other".to_owned(),
        knowledge: server::Knowledge::AnyRules,
        source: Box::new(|| search::evaluators::Uniform),
    }]);
    let server = Running::with(catalogue.unwrap(), folder.path(), generous());
    let game = server.get(&format!("/api/games/{id}")).json();
    let stand_in = json!({"kind": "program", "model": "other", "level": 2, "network": false});
    assert_eq!(game["players"]["W"], stand_in, "the stand-in for a missing model");
}

#[test]
fn two_people_play_each_other_and_others_only_watch() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), generous());
    let started = server.begin("go", 9, person(), person());
    let id = text(&started["game"]["id"]);
    let [black, white] = ["B", "W"].map(|side| text(&started["tokens"][side]));
    assert!(black != white && black != id && id.len() == 32);
    assert!(!started.to_string().replace(&started["tokens"].to_string(), "").contains(black));
    let mut events = follow(&server, id);
    assert_eq!(next_event(&mut events).unwrap()["moves"], json!([]));

    let played = server.play(id, black, "E5").json();
    assert_eq!(next_event(&mut events).unwrap(), played);
    assert_eq!(played["illegal"], json!({"E5": "There is a stone on E5 already"}));
    assert_eq!(played["undo"], json!(["B"]));
    assert_eq!(server.play(id, black, "D5").problem(), (409, "not_your_turn".to_owned()));
    assert_eq!(server.play(id, &"0".repeat(32), "D5").problem(), (403, "no_seat".to_owned()));
    assert_eq!(server.play(id, id, "D5").problem(), (403, "no_seat".to_owned()));
    assert_eq!(server.play(id, white, "E5").problem(), (409, "illegal_move".to_owned()));
    assert_eq!(server.play(id, white, "Z5").problem(), (400, "bad_request".to_owned()));

    let path = |act: &str| format!("/api/games/{id}/{act}");
    assert_eq!(
        server.post(&path("undo"), Some(white), &json!({})).problem(),
        (409, "nothing_to_undo".to_owned())
    );
    assert_eq!(server.post(&path("undo"), Some(black), &json!({})).json()["moves"], json!([]));
    let resigned = server.post(&path("resign"), Some(white), &json!({})).json();
    assert_eq!((&resigned["result"], &resigned["state"]["result"]), (&json!("B+R"), &json!("B")));
    assert_eq!(resigned["standing"], "Black wins: White resigned");
    assert_eq!(resigned["told_to"]["W"]["standing"], "You lost: you resigned");
    assert_eq!(resigned["told_to"]["B"]["standing"], "You won: your opponent resigned");
    assert_eq!(
        server.post(&path("resign"), Some(white), &json!({})).problem(),
        (409, "game_over".to_owned())
    );
    assert_eq!(server.post(&path("resign"), None, &json!({})).problem().1, "no_seat");
    assert_eq!(server.post(&path("reply"), None, &json!({})).problem().1, "no_reply_due");
    // HTTP does not distinguish upper and lower case in the names of schemes.
    let scheme = format!("bearer {white}");
    let headers = [("authorization", scheme.as_str())];
    let undone = server.ask("POST", &path("undo"), None, &headers, b"").json();
    assert!(undone["result"].is_null(), "{undone}");
}

#[test]
fn undo_ends_a_search_and_takes_the_move_back() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), generous());
    let started = server.begin("stoical", 5, person(), program("slow", 10));
    let (id, token) = (text(&started["game"]["id"]), text(&started["tokens"]["B"]));
    let body = json!({"move": "C3"});
    let played = server.post(&format!("/api/games/{id}/moves"), Some(token), &body).json();
    assert_eq!(played["thinking"], true);
    let early = server.play(id, token, "D3").problem();
    assert_eq!(early, (409, "not_your_turn".to_owned()));
    let undone = server.post(&format!("/api/games/{id}/undo"), Some(token), &json!({})).json();
    assert_eq!((&undone["thinking"], &undone["moves"]), (&json!(false), &json!([])));
    std::thread::sleep(Duration::from_millis(1500));
    let later = server.get(&format!("/api/games/{id}")).json();
    assert_eq!(later["moves"], json!([]), "the search's answer comes too late");
    let played = server.post(&format!("/api/games/{id}/moves"), Some(token), &body);
    assert_eq!(played.status, 200);
}

#[test]
fn a_search_stops_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let limits = server::Limits { search_time: Duration::from_millis(700), ..generous() };
    let server = Running::start(folder.path(), limits);
    let started = server.begin("stoical", 5, person(), program("slow", 10));
    let (id, token) = (text(&started["game"]["id"]), text(&started["tokens"]["B"]));
    let start = Instant::now();
    let game = server.play(id, token, "C3").json();
    assert_eq!(game["moves"].as_array().unwrap().len(), 2, "{game}");
    assert!(start.elapsed() < Duration::from_secs(6));
}

#[test]
fn a_search_that_fails_is_said_and_can_be_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), generous());
    for model in ["nan", "broken"] {
        let started = server.begin("stoical", 5, person(), program(model, 3));
        let (id, token) = (text(&started["game"]["id"]), text(&started["tokens"]["B"]));
        for answer in [
            server.play(id, token, "C3"),
            server.post(&format!("/api/games/{id}/reply"), None, &json!({})),
        ] {
            let game = answer.json();
            assert_eq!(game["thinking"], false, "{model}");
            assert!(!text(&game["trouble"]).is_empty(), "{model}");
            assert_eq!(game["moves"].as_array().unwrap().len(), 1);
        }
        let undone = server.post(&format!("/api/games/{id}/undo"), Some(token), &json!({}));
        assert_eq!(undone.json()["trouble"], Value::Null);
    }
    let started = server.begin("tile", 5, person(), program("tile", 3));
    let (id, token) = (text(&started["game"]["id"]), text(&started["tokens"]["B"]));
    assert_eq!(server.play(id, token, "C3").json()["moves"].as_array().unwrap().len(), 2);
}

#[test]
fn analyses_say_what_a_model_thinks() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), generous());
    for variant in Variant::ALL {
        let started = server.begin(variant.name(), 5, person(), person());
        let (id, black) = (text(&started["game"]["id"]), text(&started["tokens"]["B"]));
        let game = server.play(id, black, "C3").json();
        let analysis = server.get(&format!("/api/games/{id}/analysis?occupancy=true")).json();
        assert_eq!(
            (&analysis["version"], &analysis["model"]),
            (&game["version"], &json!(variant.name()))
        );
        let candidates = analysis["candidates"].as_array().unwrap();
        assert_eq!(candidates.len(), game["state"]["legal"].as_array().unwrap().len());
        let sum: f64 = candidates.iter().map(|each| each["share"].as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 0.05, "{variant}: {sum}");
        let visits: u64 = candidates.iter().map(|each| each["visits"].as_u64().unwrap()).sum();
        assert_eq!(visits, 20, "{variant}");
        let rows = analysis["occupancy"]["black"].as_array().unwrap();
        assert!(rows.len() == 5 && rows.iter().all(|row| row.as_array().unwrap().len() == 5));
        let graph = server.get(&format!("/api/games/{id}/graph")).json();
        let winrates = graph["winrates"].as_array().unwrap();
        assert_eq!(winrates.len(), 2, "{variant}");
        assert!(winrates.iter().all(|rate| (0.0..=1.0).contains(&rate.as_f64().unwrap())));
        let without = server.get(&format!("/api/games/{id}/analysis")).json();
        assert!(without["occupancy"].is_null());
    }
    let started = server.begin("tile,end=area", 5, person(), person());
    let id = text(&started["game"]["id"]);
    assert_eq!(started["game"]["analysis"], false);
    for what in ["analysis", "graph"] {
        let refused = server.get(&format!("/api/games/{id}/{what}")).problem();
        assert_eq!(refused, (409, "no_model".to_owned()));
    }
}

#[test]
fn a_games_course_is_judged_by_one_model_whoever_plays() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::with(with_any_rules(), folder.path(), generous());
    let started = server.begin("tile", 5, person(), program("playouts", 9));
    let (id, token) = (text(&started["game"]["id"]), text(&started["tokens"]["B"]));
    let game = server.play(id, token, "C3").json();
    let course =
        |id: &str| server.get(&format!("/api/games/{id}/graph")).json()["winrates"].clone();
    let people = server.begin("tile", 5, person(), person());
    let same = text(&people["game"]["id"]);
    for (turn, color) in game["moves"].as_array().unwrap().iter().zip(["B", "W"]) {
        let token = text(&people["tokens"][color]);
        assert_eq!(server.play(same, token, text(&turn["move"])).status, 200);
    }
    assert_eq!(course(id), course(same), "the network knows the rules, and 'playouts' only plays");
}

#[test]
fn an_analysis_of_a_finished_game_is_exact() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), generous());
    let started = server.begin("go", 3, person(), person());
    let id = text(&started["game"]["id"]);
    let [black, white] = ["B", "W"].map(|side| text(&started["tokens"][side]));
    server.play(id, black, "B2");
    server.play(id, white, "pass");
    server.play(id, black, "pass");
    let analysis = server.get(&format!("/api/games/{id}/analysis?occupancy=true")).json();
    assert_eq!((&analysis["best"], &analysis["candidates"]), (&Value::Null, &json!([])));
    assert_eq!(
        analysis["occupancy"]["black"],
        json!([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]])
    );
    // Nine points to Black, and komi is nine.
    assert_eq!((&analysis["proven"], &analysis["winrate"]), (&json!("draw"), &json!(0.5)));
}

#[test]
fn records_go_out_and_come_in() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), generous());
    for variant in Variant::ALL {
        let started = server.begin(variant.name(), 5, person(), program(variant.name(), 1));
        let (id, token) = (text(&started["game"]["id"]), text(&started["tokens"]["B"]));
        let game = server.play(id, token, "C3").json();
        let file = server.get(&format!("/api/games/{id}/sgf"));
        assert!(file.head.contains("application/x-go-sgf") && file.head.contains("attachment"));
        let players = json!({"B": person(), "W": person()});
        let upload = json!({"sgf": file.text, "players": players});
        let copy = server.post("/api/games/import", None, &upload);
        assert_eq!(copy.status, 201, "{}", copy.text);
        let copy = copy.json();
        assert_eq!(copy["game"]["state"], game["state"], "{variant}");
        assert_ne!(copy["game"]["id"], game["id"]);
    }
    let players = json!({"B": person(), "W": program("go", 1)});
    let foreign = |sgf: &str, rules: Value| {
        let upload = json!({"sgf": sgf, "rules": rules, "players": players});
        server.post("/api/games/import", None, &upload)
    };
    let handicap = "(;GM[1]SZ[7]KM[0.5]RU[Japanese]AB[cc][ee];W[ec])";
    let unknown = handicap.replace("Japanese", "of the house");
    assert_eq!(foreign(&unknown, Value::Null).problem(), (400, "unknown_rules".to_owned()));
    // A name that players have for Go is known; the only program here plays by other rules.
    assert_eq!(foreign(handicap, Value::Null).problem(), (409, "no_model".to_owned()));
    let game = foreign(handicap, json!("go")).json()["game"].clone();
    assert_eq!(game["state"]["stones"][2], "..X.O..");
    assert_eq!(foreign("nothing", json!("go")).problem(), (400, "bad_sgf".to_owned()));
    let twice = "(;GM[1]SZ[7];B[cc];W[cc])";
    assert_eq!(foreign(twice, json!("go")).problem(), (409, "unplayable_record".to_owned()));
    assert_eq!(foreign(handicap, json!("tile")).problem(), (409, "no_model".to_owned()));
}

#[test]
fn damaged_files_and_other_encodings_are_read_as_far_as_they_go() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), generous());
    let import = |file: Value| {
        let mut upload = json!({"rules": "go", "players": {"B": person(), "W": person()}});
        upload.as_object_mut().unwrap().extend(file.as_object().unwrap().clone());
        server.post("/api/games/import", None, &upload)
    };
    let whole = import(json!({"sgf": "(;SZ[5];B[aa];W[bb])"})).json();
    assert_eq!(whole["defects"], json!([]));
    let damaged = import(json!({"sgf": "(;SZ[5]AB[a b];W[bb];B[cc"})).json();
    assert_eq!(damaged["game"]["moves"].as_array().unwrap().len(), 1, "{damaged}");
    assert_eq!(damaged["defects"].as_array().unwrap().len(), 2, "{damaged}");

    // In Shift-JIS, the second byte of the letter is that of a bracket:
    // "(;SZ[5]PB[ゾ];B[aa];W[bb])".
    let japanese = import(json!({"sgf_base64": "KDtTWls1XVBCW4NdXTtCW2FhXTtXW2JiXSk="})).json();
    assert_eq!(japanese["game"]["moves"].as_array().unwrap().len(), 2, "{japanese}");
    assert_eq!(japanese["defects"], json!([]));
    for file in [json!({}), json!({"sgf": "", "sgf_base64": ""}), json!({"sgf_base64": "?"})] {
        assert_eq!(import(file).problem(), (400, "bad_request".to_owned()));
    }
}

#[test]
fn moves_that_share_a_point_are_offered_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), generous());
    let started = server.begin("conquest", 5, person(), person());
    let id = text(&started["game"]["id"]);
    let [black, white] = ["B", "W"].map(|side| text(&started["tokens"][side]));
    let mut game = started["game"].clone();
    for (turn, played) in "D1 A4 D2 A3 D4 D3 D5 B3".split(' ').enumerate() {
        assert_eq!(game["choices"], json!({}));
        game = server.play(id, if turn % 2 == 0 { black } else { white }, played).json();
    }
    let choices = game["choices"].as_object().unwrap();
    assert_eq!(choices.keys().collect::<Vec<_>>(), ["E3"], "{game}");
    assert_eq!(
        (&choices["E3"][0]["move"], &choices["E3"][1]["move"]),
        (&json!("E3"), &json!("E3*"))
    );
    assert!(text(&choices["E3"][1]["label"]).starts_with("E3*: "));
    let played = server.play(id, black, "E3*").json();
    assert_eq!(played["moves"][8], json!({"player": "B", "move": "E3*"}));
    assert_eq!(played["state"]["owner"][0], "....b");
}
