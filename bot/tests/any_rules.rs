//! A player whose evaluator takes any rules, behind GTP and the analysis protocol.

#![allow(clippy::unwrap_used)]

use bot::gtp::Engine;
use bot::{Lines, Player, Settings, SupportedRules, analysis};
use engine::Rules;
use search::Evaluator;
use search::evaluators::Scripted;
use serde_json::{Value, json};

/// An engine made for Go on 5×5, with a player for everything else.
fn engine() -> Engine<Scripted> {
    let supported = SupportedRules::new("go", &[5]).unwrap().with_all_others();
    let mut settings = Settings::default();
    settings.search.simulations = 4;
    Engine::new(Player::new(supported, Scripted { seed: 1 }, settings), "first").on_new_rules(who)
}

fn who<E: Evaluator>(_: &mut E, rules: &Rules) -> String {
    format!("{rules} on {}", rules.size)
}

/// The text of the answer, without its sign.
fn reply(engine: &mut Engine<Scripted>, sign: char, line: &str) -> String {
    let answer = engine.answer(line.as_bytes()).unwrap().to_string();
    assert!(answer.starts_with(sign), "{line}: {answer}");
    answer[1..].trim().to_owned()
}

#[test]
fn rules_and_sizes_change_back_and_forth() {
    let engine = &mut engine();
    let mut ask = |line: &str| reply(engine, '=', line);
    assert_eq!(ask("version"), "first");
    for (line, version) in [
        ("boardsize 9", "go on 9"),
        ("kata-set-rules chinese", "go,repetition=simple,suicide=false on 9"),
        ("boardsize 13", "go,repetition=simple,suicide=false on 13"),
        ("kata-set-rule ko POSITIONAL", "go,suicide=false on 13"),
        ("kata-set-rules tile,tile_limit=2", "tile,tile_limit=2 on 13"),
        ("clear_board", "tile,tile_limit=2 on 13"),
        (
            r#"kata-set-rules {"ko":"SITUATIONAL","suicide":true}"#,
            "go,repetition=situational-superko on 13",
        ),
        ("boardsize 5", "go,repetition=situational-superko on 5"),
        ("kata-set-rules tromp-taylor", "go on 5"),
    ] {
        assert_eq!(ask(line), "", "{line}");
        assert_eq!(ask("version"), version, "{line}");
    }
    assert!(ask("kata-get-models").contains(r#""variant":"go","sizes":[5]"#));
    assert!(ask("kata-set-rules japanese").contains("area in its place"));
    assert!(
        ask("kata-get-models")
            .contains(r#""variant":"go,repetition=simple,suicide=false","sizes":[5]"#)
    );
    ask("komi 6.5");
    ask("boardsize 7");
    assert_eq!(ask("get_komi"), "6.5");
    // A rule set that names its komi asks for it, whatever is played.
    for rules in
        ["tromp-taylor", "go,komi=3", "incursion,komi=2", "{\"rules\":\"incursion,komi=4\"}"]
    {
        ask(&format!("kata-set-rules {rules}"));
    }
    assert_eq!(ask("get_komi"), "4");
    assert!(ask("genmove b").len() >= 2);
}

#[test]
fn an_oblong_board_is_described_by_its_two_sides() {
    let engine = &mut engine();
    reply(engine, '=', "rectangular_boardsize 9 7");
    let description = reply(engine, '=', "gomill-describe_engine");
    assert_eq!(description, "Hotstone go on 9x7\nplays go on 9×7");
}

#[test]
fn the_first_query_under_each_rule_set_and_size_tells_who_plays_it() {
    fn warning(_: &mut Scripted, rules: &Rules) -> Option<String> {
        (rules.size.area() > 25).then(|| format!("{rules} on {} is guessed", rules.size))
    }
    let supported = SupportedRules::new("go", &[6]).unwrap().with_all_others();
    let options = analysis::Options { visits: 2, ..analysis::Options::default() };
    let engine = analysis::Engine::new(supported, Scripted { seed: 1 }, "test", options);
    let query = |(id, (rules, size)): (usize, (&str, u32))| json!({"id": id.to_string(), "moves": [], "rules": rules, "boardXSize": size, "boardYSize": size});
    let queries =
        [("go", 6), ("tile", 6), ("tile", 4), ("tile", 6), ("tile,komi=3", 6), ("tile", 7)];
    let lines: String =
        queries.into_iter().enumerate().map(|numbered| format!("{}\n", query(numbered))).collect();
    let mut output = Vec::new();
    engine.on_new_rules(warning).run(Lines::of(lines.as_bytes()), &mut output).unwrap();
    let text = String::from_utf8(output).unwrap();
    let answers = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let (warnings, answers): (Vec<Value>, Vec<Value>) =
        answers.partition(|answer: &Value| answer["warning"].is_string());
    let warned = |id: &str, rules: &str| json!({"warning": format!("{rules} is guessed"), "field": "rules", "id": id});
    assert_eq!(
        warnings,
        [warned("0", "go on 6"), warned("1", "tile on 6"), warned("5", "tile on 7")]
    );
    assert_eq!(answers.len(), queries.len());
}

#[test]
fn komi_is_cut_where_it_is_prisoners_or_not_played_and_the_reply_says_so() {
    let engine = &mut engine();
    let mut ask = |line: &str| reply(engine, '=', line);
    let cut = "komi is 6, because it is prisoners here, which are whole";
    assert_eq!(ask("kata-set-rules tile"), "");
    assert_eq!((ask("komi 6.5").as_str(), ask("get_komi").as_str()), (cut, "6"));
    assert!(ask("hotstone-state").contains(r#""komi":6.0"#), "in all that is shown");
    // It is still what was asked for, for rules and games to come.
    assert_eq!((ask("kata-set-rules go"), ask("get_komi")), (String::new(), "6.5".to_owned()));
    assert_eq!((ask("kata-set-rules tile"), ask("get_komi")), (String::new(), "6".to_owned()));
    ask("clear_board");
    assert!(ask("hotstone-state").contains(r#""prisoners":{"B":0,"W":6}"#));
    ask("komi 0");
    // Where there is none, that is said, and the komi asked for waits for other rules.
    ask("komi 6.5");
    assert_eq!((ask("kata-set-rules nogo"), ask("get_komi")), (String::new(), "0".to_owned()));
    assert_eq!(ask("komi 7.5"), "komi is 0, because these rules have none");
    ask("boardsize 7");
    assert_eq!((ask("kata-set-rules go"), ask("get_komi")), (String::new(), "7.5".to_owned()));
    assert_eq!(ask("kata-set-rules cushion,komi=6.5"), cut);
    assert_eq!(ask("komi -6.5"), cut.replace('6', "-6"));
}

#[test]
fn a_move_limit_that_is_asked_for_outlives_games_and_sizes() {
    let engine = &mut engine();
    for rules in ["go", "stoical"] {
        reply(engine, '=', &format!("kata-set-rules {rules},max_moves=20"));
        for line in ["clear_board", "boardsize 5", "boardsize 7"] {
            reply(engine, '=', line);
            let rules = reply(engine, '=', "hotstone-rules");
            assert!(rules.contains("max_moves=20"), "{line}: {rules}");
        }
    }
}

#[test]
fn moves_stay_where_the_new_rules_allow_them() {
    let engine = &mut engine();
    for line in ["boardsize 3", "play B B1", "play W B2", "kata-set-rules chinese"] {
        assert_eq!(reply(engine, '=', line), "", "{line}");
    }
    assert!(reply(engine, '=', "hotstone-why B2").contains("there is a stone on B2"));
    // A suicide of two stones, legal under Tromp–Taylor rules.
    for line in ["boardsize 3", "kata-set-rules tromp-taylor"] {
        assert_eq!(reply(engine, '=', line), "", "{line}");
    }
    for line in ["B A2", "W A1", "B B2", "W pass", "B C1", "W B1"] {
        assert_eq!(reply(engine, '=', &format!("play {line}")), "", "{line}");
    }
    let refused = reply(engine, '?', "kata-set-rules chinese");
    assert!(refused.contains("clear the board first"), "{refused}");
    assert_eq!(reply(engine, '=', "version"), "go on 3");
}

#[test]
fn what_cannot_be_played_is_refused_with_what_can() {
    let engine = &mut engine();
    for line in
        ["kata-set-rules sunjang", "kata-set-rules {\"scoring\":\"TERRITORY\"}", "kgs-rules 1"]
    {
        let refused = reply(engine, '?', line);
        assert!(refused.contains("available rules are tromp-taylor, chinese,"), "{refused}");
    }
    let refused = reply(engine, '?', "boardsize 20");
    assert!(refused.contains("invalid size 20: expected 2 to 19"), "{refused}");
    assert_eq!(reply(engine, '=', "version"), "first");
}

#[test]
fn records_of_other_rules_and_sizes_are_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    let engine = &mut engine();
    for line in ["kata-set-rules stoical", "boardsize 7", "play B D4"] {
        reply(engine, '=', line);
    }
    reply(engine, '=', &format!("printsgf {}", path.display()));
    let mut other = self::engine();
    reply(&mut other, '=', &format!("loadsgf {}", path.display()));
    assert_eq!(reply(&mut other, '=', "version"), "stoical on 7");
}

#[test]
fn the_komi_of_a_file_counts_as_if_it_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    let load = |before: &str, file: &str| {
        let mut engine = engine();
        reply(&mut engine, '=', before);
        std::fs::write(&path, file).unwrap();
        let remark = reply(&mut engine, '=', &format!("loadsgf {}", path.display()));
        (engine, remark)
    };
    // Of a file without komi, the board has its own, as after `boardsize`, and so has the next.
    let (mut engine, remark) = load("boardsize 5", "(;SZ[9];B[ee])");
    assert_eq!((reply(&mut engine, '=', "get_komi"), remark.as_str()), ("7".to_owned(), ""));
    reply(&mut engine, '=', "boardsize 5");
    assert_eq!(reply(&mut engine, '=', "get_komi"), "25");
    let (mut engine, _) = load("komi 6.5", "(;SZ[9];B[ee])");
    assert!(reply(&mut engine, '=', "hotstone-state").contains(r#""komi":6.5"#));
    // Names of rules of ours say nothing of komi either.
    let (mut engine, _) = load("boardsize 7", "(;SZ[5]RU[go];B[cc])");
    assert_eq!(reply(&mut engine, '=', "get_komi"), "25");
    reply(&mut engine, '=', "boardsize 9");
    assert_eq!(reply(&mut engine, '=', "get_komi"), "7");

    let (mut engine, remark) = load("komi 3", "(;SZ[5]RU[tile]KM[6.5];B[cc])");
    assert_eq!(remark, "komi is 6, because it is prisoners here, which are whole");
    assert_eq!(reply(&mut engine, '=', "get_komi"), "6");
    assert!(reply(&mut engine, '=', "hotstone-state").contains(r#""komi":6.0"#));
    let position = folder.path().join("position.txt");
    std::fs::write(&position, "rules tile,komi=6.5\nsize 2\n..\n..\nblack to move\n").unwrap();
    let loaded = reply(&mut engine, '=', &format!("loadposition {}", position.display()));
    assert_eq!(loaded, remark);

    // Rules without komi leave the one asked for to other rules.
    let (mut engine, remark) = load("komi 6.5", "(;SZ[5]RU[nogo]KM[0];B[cc])");
    assert_eq!((reply(&mut engine, '=', "get_komi"), remark.as_str()), ("0".to_owned(), ""));
    reply(&mut engine, '=', "kata-set-rules go");
    assert_eq!(reply(&mut engine, '=', "get_komi"), "6.5");
}

#[test]
fn queries_may_name_any_rules_of_ours_and_any_size() {
    let supported = SupportedRules::new("go", &[5]).unwrap().with_all_others();
    let options = analysis::Options { visits: 4, ..analysis::Options::default() };
    let mut engine = analysis::Engine::new(supported, Scripted { seed: 1 }, "test", options);
    let query = |id: &str, rules: &str, size: u32| json!({"id": id, "moves": [], "rules": rules, "boardXSize": size, "boardYSize": size});
    let queries = [
        query("own", "go", 5),
        query("large", "go", 9),
        query("other", "tile,end=area", 4),
        query("foreign", "japanese", 6),
        query("huge", "go", 20),
    ];
    let lines: String = queries.iter().map(|query| format!("{query}\n")).collect();
    let mut output = Vec::new();
    engine.run(Lines::of(lines.as_bytes()), &mut output).unwrap();
    let answers: Vec<Value> = String::from_utf8(output)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |id: &str| answers.iter().filter(|answer| answer["id"] == id).collect::<Vec<_>>();
    for (id, rules) in [("own", "go"), ("large", "go"), ("other", "tile,end=area")] {
        assert_eq!(of(id)[0]["variant"]["variant"], rules, "{}", of(id)[0]);
    }
    assert!(of("foreign")[0]["warning"].is_string() && of("foreign")[1]["rootInfo"].is_object());
    assert!(
        of("huge")[0]["error"].as_str().unwrap().contains("expected 2 to 19"),
        "{:?}",
        of("huge")
    );
}
