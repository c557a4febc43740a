//! The analysis engine: every query gets its own answer, whatever else is queried.

#![allow(clippy::unwrap_used)] // helpers of tests

#[path = "../common/mod.rs"]
mod common;
mod mixed_queries;

use bot::analysis::{Engine, Options};
use bot::{Lines, SupportedRules};
use engine::{Position, Variant};
use search::Evaluator;
use search::evaluators::{Nan, Scripted};
use serde_json::{Value, json};

fn answers_by<E: Evaluator>(rules: &str, sizes: &[u8], evaluator: E, lines: &str) -> Vec<Value> {
    let supported = SupportedRules::new(rules, sizes).unwrap();
    let options = Options { visits: 20, ..Options::default() };
    let mut output = Vec::new();
    let mut engine = Engine::new(supported, evaluator, "test", options);
    engine.run(Lines::of(lines.as_bytes()), &mut output).unwrap();
    let text = String::from_utf8(output).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
        .collect()
}

fn answers(rules: &str, lines: &str) -> Vec<Value> {
    answers_by(rules, &[5, 7, 19], Scripted { seed: 1 }, lines)
}

/// The one answer to a query.
fn answer(rules: &str, query: &Value) -> Value {
    let mut found = answers(rules, &query.to_string());
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn query(fields: Value) -> Value {
    let mut query =
        json!({"id": "q", "moves": [], "rules": "go", "boardXSize": 5, "boardYSize": 5});
    for (key, value) in fields.as_object().unwrap() {
        query[key] = value.clone();
    }
    query
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

#[test]
fn the_example_of_katagos_description() {
    let line = r#"{"id":"foo","initialStones":[["B","Q4"],["B","C4"]],"moves":[["W","P5"],["B","P6"]],"rules":"tromp-taylor","komi":7.5,"boardXSize":19,"boardYSize":19,"analyzeTurns":[0,1,2],"maxVisits":30}"#;
    let mut found = answers("go", line);
    found.sort_by_key(|answer| answer["turnNumber"].as_u64());
    let turns: Vec<&Value> = found.iter().map(|answer| &answer["turnNumber"]).collect();
    assert_eq!(turns, [0, 1, 2]);
    for (answer, mover) in found.iter().zip(["W", "B", "W"]) {
        assert_eq!((&answer["id"], &answer["isDuringSearch"]), (&json!("foo"), &json!(false)));
        assert_eq!(answer["rootInfo"]["currentPlayer"], mover);
        assert_eq!(answer["rootInfo"]["visits"], 30);
        let moves = answer["moveInfos"].as_array().unwrap();
        let visits: u64 = moves.iter().map(|info| info["visits"].as_u64().unwrap()).sum();
        assert_eq!(visits, 29);
        for (order, info) in moves.iter().enumerate() {
            assert_eq!(info["order"], order);
            assert_eq!(info["pv"][0], info["move"]);
            assert!((0.0..=1.0).contains(&number(&info["winrate"])), "{info}");
            assert!(number(&info["lcb"]) <= number(&info["winrate"]));
            let lead = number(&info["scoreLead"]);
            assert_eq!(number(&info["scoreMean"]), lead);
            // Of one evaluation; the means of several may lie on different sides.
            if info["visits"] == 1 {
                let agrees = (number(&info["winrate"]) - 0.5) * lead >= 0.0;
                assert!(agrees && info["scoreStdev"] == 0.0, "{info}");
            }
        }
        // The evaluator's lead is half the board times its value, so it is averaged over the same
        // moves as the value.
        let root = &answer["rootInfo"];
        let expected = (2.0 * number(&root["winrate"]) - 1.0) * 361.0 / 2.0;
        assert!((number(&root["scoreLead"]) - expected).abs() < 0.05, "{root}");
        assert_eq!(root["scoreMean"], root["scoreLead"]);
        assert_eq!(answer["variant"]["variant"], "go");
    }
    assert_eq!(found[2]["variant"]["stones"][13], "..............X....");
    assert_eq!(found[2]["variant"]["komi"], 7.5);
}

#[test]
fn actions_are_echoed() {
    let lines = r#"{"id":"v","action":"query_version"}
{"id":"m","action":"query_models","extra":[1]}
{"id":"c","action":"clear_cache"}
{"id":"x","action":"dance"}
{"id":"t","action":"terminate"}
"#;
    let found = answers("tile", lines);
    assert_eq!(
        found[0],
        json!({"id":"v","action":"query_version","version":"test","git_hash":"<omitted>"})
    );
    assert_eq!(found[1]["models"][0]["variant"], "tile");
    assert_eq!(found[1]["extra"], json!([1]));
    assert_eq!(found[2], json!({"id":"c","action":"clear_cache"}));
    assert_eq!(found[3]["field"], "action");
    assert_eq!((&found[4]["field"], &found[4]["id"]), (&json!("terminateId"), &json!("t")));
}

#[test]
fn each_error_names_its_field_and_its_query() {
    let cases = [
        (json!({"boardXSize": 6, "boardYSize": 6}), "boardXSize"),
        (json!({"boardYSize": 7}), "boardYSize"),
        (json!({"boardXSize": null}), "boardXSize"),
        (json!({"rules": "tile"}), "rules"),
        (json!({"rules": {"variant": "cushion"}}), "rules"),
        (json!({"komi": "7.5"}), "komi"),
        (json!({"komi": 1e300}), "komi"),
        (json!({"moves": null}), "moves"),
        (json!({"moves": [["B", "A1"], ["W", "A1"]]}), "moves"),
        (json!({"moves": [["B", "Z1"]]}), "moves"),
        (json!({"moves": [["X", "A1"]]}), "moves"),
        (json!({"moves": [["B"]]}), "moves"),
        (json!({"moves": "A1"}), "moves"),
        (json!({"moves": [["B", "(5,0)"]]}), "moves"),
        (json!({"initialStones": [["B", "pass"]]}), "initialStones"),
        (json!({"initialStones": [["B", "A1"], ["W", "B1"], ["W", "A2"]]}), "initialStones"),
        (json!({"initialPlayer": "green"}), "initialPlayer"),
        (json!({"analyzeTurns": [1]}), "analyzeTurns"),
        (json!({"analyzeTurns": [-1]}), "analyzeTurns"),
        (json!({"analyzeTurns": []}), "analyzeTurns"),
        (json!({"analyzeTurns": "all"}), "analyzeTurns"),
        (json!({"maxVisits": 0}), "maxVisits"),
        (json!({"maxVisits": 1e12}), "maxVisits"),
        (json!({"maxVisits": "many"}), "maxVisits"),
        (json!({"analysisPVLen": 0}), "analysisPVLen"),
        (json!({"includePolicy": 1}), "includePolicy"),
        (json!({"includeMovesOwnership": "yes"}), "includeMovesOwnership"),
        (json!({"reportDuringSearchEvery": 0}), "reportDuringSearchEvery"),
        (json!({"priority": 0.5}), "priority"),
        (json!({"priorities": [1, 2]}), "priorities"),
        (json!({"overrideSettings": []}), "overrideSettings"),
        (json!({"overrideSettings": {"maxTime": -1}}), "overrideSettings"),
        (json!({"overrideSettings": {"humanSLProfile": "rank_8k"}}), "overrideSettings"),
        (json!({"overrideSettings": {"reportAnalysisWinratesAs": "GREEN"}}), "overrideSettings"),
        (json!({"avoidMoves": [{"player": "B", "moves": ["A1"]}]}), "avoidMoves"),
        (json!({"allowMoves": [{"player": "B", "moves": ["A9"], "untilDepth": 1}]}), "allowMoves"),
    ];
    for (fields, field) in cases {
        let found = answer("go", &query(fields.clone()));
        assert_eq!(found["field"], field, "{fields} {found}");
        assert_eq!(found["id"], "q", "{fields}");
        assert!(found["error"].as_str().is_some_and(|words| !words.is_empty()), "{found}");
    }
    for line in ["{", "[]", "genmove B", "\u{0}", "{\"moves\":[]}", "{\"id\":7}"] {
        let found = answers("go", line);
        assert_eq!(found.len(), 1, "{line:?}");
        assert!(found[0]["error"].is_string() && found[0].get("turnNumber").is_none());
    }
    assert!(answers("go", "genmove B")[0]["error"].as_str().unwrap().contains("gtp command"));
}

#[test]
fn warnings_come_with_an_answer() {
    let cases = [
        (json!({"rules": "japanese"}), "rules"),
        (json!({"rules": "{\"ko\":\"SIMPLE\"}"}), "rules"),
        (json!({"rules": 7}), "rules"),
        (json!({"komi": 6.3}), "komi"),
        (json!({"komi": 1e9}), "komi"),
        (json!({"includeOwnershipStdev": true}), "includeOwnershipStdev"),
        (json!({"overrideSettings": {"gravity": 9.81}}), "overrideSettings"),
        (json!({"mood": "good"}), "mood"),
    ];
    for (fields, field) in cases {
        let found = answers("go", &query(fields.clone()).to_string());
        assert_eq!(found.len(), 2, "{fields} {found:?}");
        assert!(found[0]["warning"].is_string(), "{found:?}");
        assert_eq!((&found[0]["field"], &found[0]["id"]), (&json!(field), &json!("q")));
        assert_eq!(found[1]["turnNumber"], 0);
    }
    // Fields that clients send with every query cause no warnings.
    let usual = json!({"rules": "go", "overrideSettings": {"wideRootNoise": 0.04, "maxTime": 8.0,
        "reportAnalysisWinratesAs": "BLACK"}, "includeMovesOwnership": false, "priority": -100});
    assert_eq!(answers("go", &query(usual).to_string()).len(), 1);
}

#[test]
fn winrates_are_reported_as_asked() {
    let winrate = |view: &str| {
        let settings = json!({"reportAnalysisWinratesAs": view});
        let moves = json!([["B", "C3"]]);
        let found = answer("go", &query(json!({"moves": moves, "overrideSettings": settings})));
        number(&found["rootInfo"]["winrate"])
    };
    let (black, white, mover) = (winrate("BLACK"), winrate("WHITE"), winrate("sidetomove"));
    assert!((black + white - 1.0).abs() < 1e-6 && (white - mover).abs() < 1e-6);
}

#[test]
fn what_is_included_has_the_shape_that_clients_expect() {
    for variant in Variant::ALL {
        let fields = json!({"rules": variant.name(), "includeOwnership": true, "includePolicy": true,
            "includeMovesOwnership": true, "includePVVisits": true, "maxVisits": 8});
        let found = answer(variant.name(), &query(fields));
        for info in found["moveInfos"].as_array().unwrap() {
            let after = info["ownership"].as_array().unwrap();
            assert!(after.len() == 25 && after.iter().all(|share| number(share).abs() <= 1.0));
        }
        let ownership = found["ownership"].as_array().unwrap();
        assert_eq!(ownership.len(), 25, "{variant}");
        assert!(ownership.iter().all(|share| number(share).abs() <= 1.0));
        let policy = found["policy"].as_array().unwrap();
        assert_eq!(policy.len(), 26);
        let legal: f64 = policy.iter().map(number).filter(|&prior| prior >= 0.0).sum();
        assert!((legal - 1.0).abs() < 1e-3, "{variant}: {legal}");
        let position = Position::new(variant.rules(5).unwrap());
        assert_eq!(number(&policy[25]) < 0.0, !position.can_pass(), "{variant}");
        assert_eq!(found["variant"]["illegal"].get("pass").is_some(), !position.can_pass());
        let info = &found["moveInfos"][0];
        assert_eq!(
            info["pvVisits"].as_array().unwrap().len(),
            info["pv"].as_array().unwrap().len()
        );
        assert!(number(&found["rootInfo"]["scoreLead"]).abs() <= 25.0, "{variant}");
        assert!(number(&found["rootInfo"]["scoreStdev"]) >= 0.0, "{variant}");
    }
}

#[test]
fn the_variant_is_told_with_the_reasons_for_what_is_forbidden() {
    // White's incursion forbids Black's; a hot stone; tiles; and a game that is over.
    let moves = json!([["B", "B2"], ["W", "D4"], ["B", "D2"]]);
    let found = answer(
        "incursion",
        &query(json!({"rules": "incursion", "moves": [["B", "B2"], ["W", "E5"]]})),
    );
    assert_eq!(found["variant"]["last_incursion"], true);
    assert_eq!(found["variant"]["illegal"]["B2"], Value::Null);
    let found = answer(
        "tile",
        &query(json!({"rules": "tile", "moves": [["B", "B2"], ["W", "E5"], ["B", "C3"]]})),
    );
    assert!(found["variant"]["tiles"][2].as_str().unwrap().contains('1'), "{found}");
    assert_eq!(
        found["variant"]["illegal"]["pass"],
        "you hold no prisoner to return, and there is no other way to pass under these rules"
    );
    let legal = found["variant"]["legal"].as_array().unwrap();
    let illegal = found["variant"]["illegal"].as_object().unwrap();
    assert_eq!(legal.len() + illegal.len(), 25 - 3 + 1);
    let found = answer("go", &query(json!({"moves": moves})));
    assert_eq!(found["variant"]["prisoners"], json!({"B": 0, "W": 0}));
}

#[test]
fn a_komi_named_with_the_rules_counts() {
    let over = json!([["B", "C3"], ["W", "pass"], ["B", "pass"]]);
    let lead = |fields: Value| {
        let mut wanted = query(fields);
        wanted["moves"] = over.clone();
        number(&answer("go", &wanted)["rootInfo"]["scoreLead"]).abs()
    };
    assert_eq!(lead(json!({"rules": "go,komi=3"})), 22.0);
    assert_eq!(lead(json!({"rules": {"rules": "go,komi=3"}})), 22.0);
    assert_eq!(lead(json!({"rules": "go,komi=3", "komi": 4.5})), 20.5);
    assert_eq!(lead(json!({"rules": "go,komi=3", "komi": 3})), 22.0);
}

#[test]
fn komi_that_is_prisoners_or_not_played_is_cut_with_a_warning() {
    let found = answers("nogo", &query(json!({"rules": "nogo", "komi": 6.5})).to_string());
    assert_eq!(found[0]["warning"], "komi 6.5 is taken as 0, because these rules have none");
    assert_eq!((&found[0]["field"], &found[1]["variant"]["komi"]), (&json!("komi"), &json!(0.0)));
    assert_eq!(answers("nogo", &query(json!({"rules": "nogo", "komi": 0})).to_string()).len(), 1);
    for (fields, field) in [
        (json!({"rules": "tile", "komi": 6.5}), "komi"),
        (json!({"rules": "tile,komi=6.5"}), "rules"),
    ] {
        let found = answers("tile", &query(fields).to_string());
        assert_eq!(found[0]["field"], field, "{found:?}");
        assert_eq!(
            found[0]["warning"],
            "komi 6.5 is taken as 6, because it is prisoners here, which are whole"
        );
        let variant = &found[1]["variant"];
        assert_eq!((&variant["komi"], &variant["prisoners"]["W"]), (&json!(6.0), &json!(6)));
    }
    for fields in [json!({"rules": "tile", "komi": 6}), json!({"rules": "tile"})] {
        assert_eq!(answers("tile", &query(fields).to_string()).len(), 1);
    }
}

#[test]
fn a_finished_game_is_answered_by_its_result() {
    let moves = json!([["B", "C3"], ["W", "pass"], ["B", "pass"]]);
    let wanted = json!({"moves": moves, "analyzeTurns": [0, 3], "includePolicy": true,
        "includeOwnership": true, "komi": 0, "overrideSettings": {"reportAnalysisWinratesAs": "BLACK"}});
    let found = answers("go", &query(wanted).to_string());
    let end = found.iter().find(|answer| answer["turnNumber"] == 3).unwrap();
    assert_eq!(end["rootInfo"]["winrate"], 1.0);
    // Clients that do not know how the game ends ask for a move.
    let moves: Vec<&Value> =
        end["moveInfos"].as_array().unwrap().iter().map(|info| &info["move"]).collect();
    assert_eq!((moves, &end["policy"][25]), (vec![&json!("pass")], &json!(1.0)));
    assert_eq!(end["rootInfo"]["scoreLead"], 25.0);
    assert_eq!(end["ownership"], json!(vec![1.0; 25]));
    assert_eq!(end["variant"]["result"], "B");
    assert_eq!(found.len(), 2);
    let more = json!([["B", "C3"], ["W", "pass"], ["B", "pass"], ["W", "pass"]]);
    let found = answer("go", &query(json!({"moves": more, "komi": 0})));
    assert_eq!((&found["turnNumber"], &found["variant"]["result"]), (&json!(4), &json!("B")));
}

#[test]
fn moves_can_be_avoided_or_be_the_only_ones() {
    let named = |found: &Value| -> Vec<String> {
        let infos = found["moveInfos"].as_array().unwrap();
        infos.iter().map(|info| info["move"].as_str().unwrap().to_owned()).collect()
    };
    let allow = json!([{"player": "B", "moves": ["C3", "(0,0)"], "untilDepth": 3}]);
    let mut found = named(&answer("go", &query(json!({"allowMoves": allow.clone()}))));
    found.sort();
    assert_eq!(found, ["A5", "C3"], "coordinates count from the top left");
    let best = named(&answer("go", &query(json!({}))))[0].clone();
    let avoid = json!([{"player": "B", "moves": [best], "untilDepth": 1}]);
    assert!(!named(&answer("go", &query(json!({"avoidMoves": avoid})))).contains(&best));
    let every: Vec<String> = Position::new(Variant::Go.rules(5).unwrap())
        .legal_moves()
        .iter()
        .map(ToString::to_string)
        .collect();
    let avoid = json!([{"player": "B", "moves": every, "untilDepth": 1}]);
    let found = answer("go", &query(json!({"avoidMoves": avoid})));
    assert_eq!(found["noResults"], true, "as KataGo does");
    let moves = json!([["B", "C3"]]);
    let others = answer("go", &query(json!({"moves": moves, "allowMoves": allow})));
    assert!(named(&others).len() > 2, "they were Black's moves");
}

#[test]
fn higher_priorities_are_answered_first_and_equal_ones_in_order() {
    let mut lines = String::new();
    for index in 0..40 {
        let id = format!("{index}");
        lines += &format!("{}\n", query(json!({"id": id, "priority": index / 10})));
    }
    let supported = SupportedRules::new("go", &[5]).unwrap();
    let options = Options { parallel: 1, visits: 3, ..Options::default() };
    let mut output = Vec::new();
    let mut engine = Engine::new(supported, Scripted { seed: 1 }, "test", options);
    engine.run(Lines::of(lines.as_bytes()), &mut output).unwrap();
    let order: Vec<usize> = String::from_utf8(output)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|answer| answer["id"].as_str().unwrap().parse().unwrap())
        .collect();
    let expected: Vec<usize> = (0..4).rev().flat_map(|ten| 10 * ten..10 * ten + 10).collect();
    assert_eq!(order, expected);
}

#[test]
fn terminated_queries_are_still_answered_once() {
    let long = |id: &str| {
        query(json!({"id": id, "maxVisits": 1_000_000, "analyzeTurns": [0, 1],
        "moves": [["B", "C3"]]}))
    };
    let lines = [
        long("a").to_string(),
        long("b").to_string(),
        json!({"id": "t1", "action": "terminate", "terminateId": "a", "turnNumbers": [0]})
            .to_string(),
        json!({"id": "t2", "action": "terminate_all"}).to_string(),
        json!({"id": "t3", "action": "terminate", "terminateId": "nobody"}).to_string(),
    ];
    let found = answers("go", &lines.join("\n"));
    let of = |id: &str| found.iter().filter(|answer| answer["id"] == id).count();
    assert_eq!([of("a"), of("b"), of("t1"), of("t2"), of("t3")], [2, 2, 1, 1, 1], "{found:?}");
    let waiting = found.iter().find(|answer| answer["id"] == "a").unwrap();
    assert_eq!(
        *waiting,
        json!({"id": "a", "isDuringSearch": false, "noResults": true, "turnNumber": 0})
    );
}

#[test]
fn reports_during_the_search_end_with_one_that_is_not() {
    let found = answers(
        "go",
        &query(json!({"reportDuringSearchEvery": 1e-9, "maxVisits": 400})).to_string(),
    );
    assert!(found.len() > 2, "{}", found.len());
    let (last, others) = found.split_last().unwrap();
    assert!(others.iter().all(|answer| answer["isDuringSearch"] == true));
    assert_eq!(
        (&last["isDuringSearch"], &last["rootInfo"]["visits"]),
        (&json!(false), &json!(400))
    );
    let visits: Vec<u64> =
        found.iter().map(|answer| answer["rootInfo"]["visits"].as_u64().unwrap()).collect();
    assert!(visits.is_sorted());
}

#[test]
fn an_evaluator_that_fails_leaves_no_query_without_an_answer() {
    let lines: String =
        (0..30).map(|index| format!("{}\n", query(json!({"id": index.to_string()})))).collect();
    let found = answers_by("go", &[5], Nan, &lines);
    assert_eq!(found.len(), 30);
    assert!(found.iter().all(|answer| answer["error"].is_string() && answer["turnNumber"] == 0));
}

#[test]
fn locations_are_points_of_the_board() {
    let found = answer("go", &query(json!({"moves": [["B", "(4,0)"], ["W", "pass"]]})));
    assert_eq!(found["variant"]["stones"][0], "....X", "columns and rows from the top left");
}
