//! The laboratory: the same moves under two rule sets.

use serde_json::{Value, json};
use server::{ClientLimits, LargestComparison, Limits, Rate};

use crate::client::{Answer, Running, generous, with_any_rules};

fn compare(server: &Running, size: u8, rules: [&str; 2], moves: &str, simulations: u32) -> Answer {
    let moves: Vec<&str> = moves.split_whitespace().collect();
    let wanted = json!({"size": size, "rules": rules, "moves": moves, "simulations": simulations, "occupancy": true});
    server.post("/api/laboratory", None, &wanted)
}

fn boards(answer: &Answer) -> [Value; 2] {
    assert_eq!(answer.status, 200, "{}", answer.text);
    let boards: Vec<Value> = answer.json()["boards"].as_array().unwrap().clone();
    boards.try_into().unwrap()
}

fn is_legal(board: &Value, point: &str) -> bool {
    board["state"]["legal"].as_array().unwrap().contains(&json!(point))
}

/// White has just captured D3 in a ko, and Black could capture A1 from B1.
const AFTER_A_CAPTURE: &str = "B3 E3 C4 D4 C2 D2 D3 A1 A2 C3";

#[test]
fn a_ban_that_only_one_rule_set_has_shows_in_one_position() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), generous());
    let [go, stoical] = boards(&compare(&server, 5, ["go", "stoical"], AFTER_A_CAPTURE, 16));
    assert_eq!((&go["rules"], &stoical["rules"]), (&json!("go"), &json!("stoical")));
    assert_eq!(go["state"]["stones"], stoical["state"]["stones"]);
    assert!(is_legal(&go, "B1") && !is_legal(&stoical, "B1"));
    assert_eq!(go["illegal"]["B1"], Value::Null);
    assert!(stoical["illegal"]["B1"].as_str().unwrap().contains("was a capture"), "{stoical}");
    assert_eq!(stoical["banned"], json!(["B1", "D3"]));
    for board in [&go, &stoical] {
        let opinion = &board["opinion"];
        let candidates = opinion["candidates"].as_array().unwrap();
        let (visits, shares) = candidates.iter().fold((0, 0.0), |(visits, shares), each| {
            assert!(board["state"]["legal"].as_array().unwrap().contains(&each["move"]), "{each}");
            (visits + each["visits"].as_u64().unwrap(), shares + each["share"].as_f64().unwrap())
        });
        assert!(visits >= 15 && (shares - 1.0).abs() < 0.02, "{visits} {shares}");
        assert_eq!(opinion["best"], candidates[0]["move"]);
        assert_eq!(opinion["occupancy"]["white"].as_array().unwrap().len(), 5);
    }
    let refused = compare(&server, 5, ["go", "stoical"], &format!("{AFTER_A_CAPTURE} B1"), 16);
    assert_eq!(refused.problem(), (409, "illegal_move".to_owned()));
    assert!(refused.text.contains("under stoical, turn 11, B1: "), "{}", refused.text);
}

#[test]
fn a_game_that_has_ended_under_one_rule_set_is_exact_there() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::with(with_any_rules(), folder.path(), generous());
    let [atari, go] = boards(&compare(&server, 3, ["atari-go", "go"], "B1 A1 A2", 0));
    assert_eq!((&atari["state"]["result"], &go["state"]["result"]), (&json!("B"), &Value::Null));
    let opinion = &atari["opinion"];
    assert_eq!((&opinion["winrate"], &opinion["best"]), (&json!(1.0), &Value::Null));
    assert_eq!((&opinion["candidates"], &atari["illegal"]), (&json!([]), &json!({})));
    assert!(go["opinion"]["best"].is_string() && is_legal(&go, "C3"));
    let over = compare(&server, 3, ["atari-go", "go"], "B1 A1 A2 C3", 0);
    assert_eq!(over.problem(), (409, "illegal_move".to_owned()));
    let both = boards(&compare(&server, 3, ["go", "go,komi=0.5"], "B2 pass pass", 8));
    let chances = both.each_ref().map(|board| &board["opinion"]["winrate"]);
    assert_eq!(chances, [&json!(0.5), &json!(1.0)], "nine points to Black, and komi");
}

#[test]
fn what_cannot_be_compared_is_refused_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let comparison = LargestComparison { moves: 3, simulations: 20 };
    let server = Running::start(folder.path(), Limits { comparison, ..generous() });
    for (size, rules, moves, simulations, status, code) in [
        (5, ["go", "tiel"], "", 8, 400, "bad_rules"),
        (5, ["go,komi=x", "tile"], "", 8, 400, "bad_rules"),
        (1, ["go", "tile"], "", 8, 400, "bad_request"),
        (4, ["go", "tile"], "", 8, 409, "no_model"),
        (5, ["go", "tile"], "C3 nonsense", 8, 400, "bad_request"),
        (5, ["go", "tile"], "C3 C3", 8, 409, "illegal_move"),
        (5, ["go", "tile"], "C3 pass", 8, 409, "illegal_move"),
        (5, ["go", "tile"], "A1 B1 C1 D1", 8, 400, "too_many_moves"),
        (5, ["go", "tile"], "C3", 21, 400, "too_long_search"),
        (5, ["go", "hot-stone,max_cycle=8"], "C3", 8, 400, "too_long_cycle"),
        (5, ["go,max_moves=9999", "go"], "C3", 8, 400, "too_long_game"),
    ] {
        let refused = compare(&server, size, rules, moves, simulations);
        assert_eq!(refused.problem(), (status, code.to_owned()), "{rules:?} {moves}");
    }
    boards(&compare(&server, 5, ["go", "tile"], "A1 B1 C1", 20));
    for body in [
        json!({"size": 5, "rules": ["go"], "simulations": 8}),
        json!({"size": 5, "rules": ["go", "tile", "nogo"], "simulations": 8}),
        json!({"size": 5, "rules": ["go", "tile"]}),
        json!({"size": 5, "rules": ["go", "tile"], "simulations": 8, "komi": 1}),
    ] {
        let refused = server.post("/api/laboratory", None, &body);
        assert_eq!(refused.problem(), (400, "bad_request".to_owned()), "{body}");
    }
    let german = [("content-type", "application/json"), ("accept-language", "de")];
    let body = json!({"size": 5, "rules": ["go", "tile"], "moves": ["C3", "C3"], "simulations": 8});
    let body = body.to_string();
    let refused = server.ask("POST", "/api/laboratory", None, &german, body.as_bytes());
    assert!(refused.text.contains("nach go, Zug 2, C3: "), "{}", refused.text);
}

#[test]
fn comparisons_count_against_the_quota_of_simulations() {
    let simulations = Some(Rate { burst: 100.0, per_second: 0.001 });
    let per_client = ClientLimits { simulations, ..ClientLimits::NONE };
    let statuses = |occupancy: bool| -> [u16; 3] {
        let folder = tempfile::tempdir().unwrap();
        let server = Running::start(folder.path(), Limits { per_client, ..generous() });
        let wanted = json!({"size": 3, "rules": ["go", "tile"], "moves": ["B2"], "simulations": 25, "occupancy": occupancy});
        [(); 3].map(|()| server.post("/api/laboratory", None, &wanted).status)
    };
    assert_eq!(statuses(false), [200, 200, 429], "each costs the simulations of both searches");
    assert_eq!(statuses(true), [200, 200, 429], "playing games out costs only time");
}
