//! What clients of KataGo rely on.

#![allow(clippy::unwrap_used)] // helpers of tests

#[path = "common/hopeless.rs"]
mod hopeless;

use std::io::{self, BufReader, Cursor, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use bot::gtp::Engine;
use bot::{Effort, Lines, Player, Resignation, Settings, SupportedRules, analysis};
use engine::Position;
use search::evaluators::{Scripted, Uniform};
use search::{Counted, Evaluation, Evaluator, EvaluatorError};
use serde_json::{Value, json};

use hopeless::Hopeless;

fn settings(simulations: u32) -> Settings {
    let mut settings = Settings::default();
    settings.search.simulations = simulations;
    settings
}

fn engine_of<E: Evaluator>(rules: &str, evaluator: E, settings: Settings) -> Engine<E> {
    let supported = SupportedRules::new(rules, &[3, 5, 7, 9]).unwrap();
    let mut engine = Engine::new(Player::new(supported, evaluator, settings), "test");
    ask(&mut engine, "boardsize 5");
    engine
}

fn engine(rules: &str) -> Engine<Scripted> {
    engine_of(rules, Scripted { seed: 1 }, settings(16))
}

/// The text of a successful answer.
fn ask<E: Evaluator>(engine: &mut Engine<E>, command: &str) -> String {
    let reply = engine.answer(command.as_bytes()).unwrap().to_string();
    let text = reply.strip_prefix('=').unwrap_or_else(|| panic!("{command}: {reply}"));
    text.trim().to_owned()
}

fn state<E: Evaluator>(engine: &mut Engine<E>) -> Value {
    serde_json::from_str(&ask(engine, "hotstone-state")).unwrap()
}

fn visits(reply: &str) -> u32 {
    let (_, rest) = reply.rsplit_once("rootInfo visits ").unwrap();
    rest.split(' ').next().unwrap().parse().unwrap()
}

/// The positions that are evaluated for the lines of one session, and its output.
fn session(lines: &str) -> (u64, String) {
    let mut counted = Counted::new(Scripted { seed: 1 });
    let mut engine =
        engine_of("go", &mut counted, Settings { effort: Effort::Clock, ..settings(16) });
    let mut output = Vec::new();
    engine.run(Lines::of(lines.as_bytes()), &mut output).unwrap();
    (counted.positions, String::from_utf8(output).unwrap())
}

#[test]
fn ownership_takes_no_time_that_there_is_not() {
    let (positions, output) = session("kata-genmove_analyze b 10 ownership true\n");
    assert!(positions > 100 && output.contains(" ownership "), "{positions}: {output}");

    let clock = "kata-time_settings byoyomi 0 0.01 1\n";
    let line = format!("{clock}kata-genmove_analyze b 10 ownership true\n");
    let (positions, output) = session(&line);
    assert!(output.contains("\nplay ") && !output.contains("ownership"), "{output}");
    assert!(positions < 100, "{positions}");
}

#[test]
fn ownership_is_broken_off_by_the_next_line() {
    let (positions, output) = session("kata-analyze b 10 ownership true\nname\n");
    assert!(output.contains("info move ") && output.ends_with("= Hotstone\n\n"), "{output}");
    assert!(positions < 100, "{positions}");
    let (positions, output) =
        session("kata-genmove_analyze b 10 ownership true\n# interrupt\nname\n");
    assert!(output.contains("\nplay ") && output.ends_with("= Hotstone\n\n"), "{output}");
    assert!(positions < 100, "{positions}");
}

/// Longer than any search here takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// A client that sends one line, and waits for two lines about the search before it leaves.
struct Input {
    line: Cursor<String>,
    has_seen: Receiver<()>,
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.line.read(buffer)?;
        if count == 0 {
            let _ = self.has_seen.recv_timeout(PATIENCE);
        }
        Ok(count)
    }
}

/// What the client sees.
struct Screen {
    text: String,
    has_seen: Sender<()>,
}

impl Screen {
    fn lines_about_the_search(&self) -> usize {
        self.text.lines().filter(|line| line.starts_with("info move ")).count()
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.push_str(&String::from_utf8_lossy(bytes));
        if self.lines_about_the_search() == 2 {
            let _ = self.has_seen.send(());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Takes longer for a batch than the time between two looks for input.
struct Slow;

impl Evaluator for Slow {
    fn evaluate(&mut self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvaluatorError> {
        std::thread::sleep(Duration::from_millis(60));
        Uniform.evaluate(batch)
    }
}

#[test]
fn the_first_line_does_not_wait_for_the_interval_when_evaluations_are_slow() {
    let bounded = Settings { max_nodes: 4, ..settings(16) };
    let mut engine = engine_of("go", Slow, bounded);
    let (sender, receiver) = channel();
    let line = Cursor::new("kata-analyze B 1000000\n".to_owned());
    let input = Input { line, has_seen: receiver };
    let mut screen = Screen { text: String::new(), has_seen: sender };
    engine.run(Lines::reading(BufReader::new(input)), &mut screen).unwrap();
    assert_eq!(screen.lines_about_the_search(), 2, "the first and the last: {}", screen.text);
}

#[test]
fn a_search_that_is_complete_shows_all_that_it_has_found_whatever_is_allowed() {
    for restriction in ["", " allow B C3 1"] {
        let bounded = Settings { max_nodes: 300, ..settings(16) };
        let mut engine = engine_of("go", Scripted { seed: 1 }, bounded);
        let (sender, receiver) = channel();
        let line = format!("kata-analyze B 1000000 rootInfo true{restriction}\n");
        let input = Input { line: Cursor::new(line), has_seen: receiver };
        let mut screen = Screen { text: String::new(), has_seen: sender };
        engine.run(Lines::reading(BufReader::new(input)), &mut screen).unwrap();
        assert_eq!(screen.lines_about_the_search(), 2, "the first and the last: {}", screen.text);
        assert!(visits(&screen.text) > 100, "{}", screen.text);
        let is_kept = engine.player().search().is_some();
        assert_eq!(is_kept, restriction.is_empty(), "later searches look at all moves");
    }
}

#[test]
fn a_resignation_is_reported_and_not_played() {
    let resignation = Some(Resignation { winrate: 0.05, turns: 1 });
    let mut engine = engine_of("go", Hopeless, Settings { resignation, ..settings(4) });
    for command in ["play B C3", "play W D3"] {
        ask(&mut engine, command);
    }
    let before = state(&mut engine);
    for command in ["genmove B", "kata-genmove_analyze B 100", "lz-genmove_analyze B 100"] {
        assert!(ask(&mut engine, command).ends_with("resign"), "{command}");
        assert_eq!(state(&mut engine), before, "{command}");
    }
    assert!(ask(&mut engine, "gomill-explain_last_move").starts_with("resign: "));
    ask(&mut engine, "kata-analyze");
    ask(&mut engine, "undo");
    assert_eq!(state(&mut engine)["stones"][2], "..X..", "White's last move is taken back");
    ask(&mut engine, "play W C4");
    ask(&mut engine, "play B resign");
    assert_eq!(state(&mut engine)["result"], "W", "the client may end the game");
}

#[test]
fn a_move_is_explained_as_long_as_it_is_on_the_board() {
    let mut engine = engine("go");
    let mut explains = |commands: &[&str]| {
        commands.iter().for_each(|command| drop(ask(&mut engine, command)));
        let reply = engine.answer(b"gomill-explain_last_move").unwrap().to_string();
        assert!(reply.starts_with('=') || reply.contains("no move has been generated"), "{reply}");
        reply.starts_with('=')
    };
    assert!(!explains(&[]));
    assert!(explains(&["genmove B", "play W pass"]));
    assert!(explains(&["undo"]), "only White's pass is taken back");
    assert!(!explains(&["undo"]));
    assert!(!explains(&["play B C3"]), "another move in its place");
    for other in ["clear_board", "boardsize 5", "set_position B A1"] {
        assert!(explains(&["clear_board", "genmove B"]), "{other}");
        assert!(!explains(&[other]), "{other}");
    }
}

#[test]
fn moves_are_generated_among_those_allowed() {
    let mut engine = engine("go");
    let usual = ask(&mut engine, "kata-search B");
    let searched = |engine: &mut Engine<Scripted>, restriction: &str| {
        let reply = ask(engine, &format!("kata-search_analyze B {restriction}"));
        reply.rsplit_once("play ").unwrap().1.to_owned()
    };
    assert_eq!(searched(&mut engine, "allow B A1 1"), "A1");
    assert_eq!(searched(&mut engine, "allow B pass 1"), "pass");
    assert_ne!(searched(&mut engine, &format!("avoid B {usual} 1")), usual);
    assert_eq!(searched(&mut engine, "avoid W A1 1"), usual, "that is White's affair");
    for both in ["allow B A1 1 allow W E5 1", "allow W E5 1 allow B A1 1"] {
        assert_eq!(searched(&mut engine, both), "A1", "each player has moves of their own");
    }
    assert_eq!(ask(&mut engine, "kata-search B"), usual, "for later commands all are allowed");
    assert!(ask(&mut engine, "kata-genmove_analyze B 100 allow B E1 1").ends_with("play E1"));
    assert!(ask(&mut engine, "lz-genmove_analyze W 100 allow W A5 1").ends_with("play A5"));
    assert_eq!(state(&mut engine)["stones"], json!(["O....", ".....", ".....", ".....", "....X"]));
    let nothing = engine.answer(b"kata-genmove_analyze B allow B E1 1").unwrap().to_string();
    assert!(nothing.starts_with("? syntax error: no legal move is left"), "{nothing}");
}

#[test]
fn a_winning_pass_is_not_played_where_it_is_to_be_avoided() {
    let mut engine = engine("go");
    for command in ["komi 0", "play B C3", "play W pass"] {
        ask(&mut engine, command);
    }
    assert_eq!(ask(&mut engine, "kata-search B"), "pass");
    let avoiding = ask(&mut engine, "kata-search_analyze B avoid B pass 1");
    assert!(!avoiding.ends_with("play pass"), "{avoiding}");
}

#[test]
fn a_pass_that_follows_none_does_not_end_an_analysis() {
    let mut engine = engine("go");
    // White is ahead by komi.
    for command in ["komi 25", "play B C3", "play W D3"] {
        ask(&mut engine, command);
    }
    let shows_pass = |engine: &mut Engine<Scripted>, restriction: &str| {
        let command = format!("kata-analyze W 50 minmoves 99 {restriction}");
        ask(engine, &command).contains("move pass")
    };
    assert!(!shows_pass(&mut engine, ""), "Black has not passed");
    assert!(shows_pass(&mut engine, "allow W pass 1"));
    ask(&mut engine, "play B pass");
    assert!(shows_pass(&mut engine, ""));
}

#[test]
fn the_time_and_the_visits_are_both_limits() {
    let search = "kata-search_analyze B 100 rootInfo true";
    let bounded = Settings { max_nodes: 300, ..settings(50) };
    let mut engine = engine_of("go", Scripted { seed: 1 }, bounded);
    ask(&mut engine, "kata-set-param maxVisits 8");
    ask(&mut engine, "kata-set-param maxTime 1000");
    assert_eq!(ask(&mut engine, "kata-get-param maxVisits"), "8");
    assert_eq!(ask(&mut engine, "kata-get-param maxTime"), "1000");
    assert_eq!(visits(&ask(&mut engine, search)), 9);
    ask(&mut engine, "kata-set-param maxTime 0");
    ask(&mut engine, "kata-set-param maxVisits 20000");
    assert_eq!(ask(&mut engine, "kata-get-param maxTime"), "0");
    let made = visits(&ask(&mut engine, search));
    assert!(made < 1_000, "{made}");
    ask(&mut engine, "kata-set-param maxTime unlimited");
    ask(&mut engine, "kata-set-param maxVisits 12");
    assert_eq!(visits(&ask(&mut engine, search)), 13);

    // Clients that mean no limit ask for very many visits.
    ask(&mut engine, "kata-set-param maxTime 0");
    ask(&mut engine, "kata-set-param maxVisits 1000000000");
    assert_eq!(ask(&mut engine, "kata-get-param maxVisits"), "1000000000");

    // A player that was started with a time has no other limit until it is told one.
    let timed = Settings { effort: Effort::Seconds(1e-6), ..bounded };
    let mut engine = engine_of("go", Scripted { seed: 1 }, timed);
    for limit in ["unlimited", "20000", "unlimited"] {
        ask(&mut engine, &format!("kata-set-param maxVisits {limit}"));
        assert_eq!(ask(&mut engine, "kata-get-param maxVisits"), limit);
    }
    ask(&mut engine, "kata-set-param maxVisits 20000");
    assert!(visits(&ask(&mut engine, search)) < 1_000);
    ask(&mut engine, "kata-set-param maxTime unlimited");
    let refused = engine.answer(b"kata-set-param maxVisits unlimited").unwrap().to_string();
    assert!(refused.starts_with("? parameter"), "something has to limit the search: {refused}");
}

#[test]
fn passes_stay_implied_when_the_rules_change() {
    let mut engine = engine("go");
    ask(&mut engine, "play B C3");
    let before = state(&mut engine);
    ask(&mut engine, "play B D3");
    ask(&mut engine, "kata-set-rules go,max_moves=20");
    assert!(ask(&mut engine, "hotstone-rules").contains("max_moves=20"));
    ask(&mut engine, "undo");
    let after = state(&mut engine);
    assert_eq!((&after["stones"], &after["to_move"]), (&before["stones"], &before["to_move"]));
}

#[test]
fn free_handicap_is_placed_on_every_board() {
    let supported = SupportedRules::new("go", &[2, 3, 4, 5, 6, 8, 9, 19]).unwrap();
    let mut engine = Engine::new(Player::new(supported, Uniform, settings(4)), "test");
    let placed = |engine: &mut Engine<Uniform>, side: u8, number: usize| {
        ask(engine, &format!("boardsize {side}"));
        let words = ask(engine, &format!("place_free_handicap {number}"));
        let stones = state(engine)["stones"].to_string().matches('X').count();
        assert_eq!(stones, words.split(' ').count(), "{words}");
        assert_eq!(state(engine)["to_move"], "W");
        words
    };
    assert_eq!(placed(&mut engine, 19, 9), "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10");
    assert_eq!(placed(&mut engine, 19, 3), "D4 Q16 D16", "the fixed places where they are enough");
    assert_eq!(placed(&mut engine, 5, 5), "B2 D4 B4 D2 C3");
    assert_eq!(placed(&mut engine, 2, 2), "A1 B2");
    assert_eq!(placed(&mut engine, 3, 2), "A1 C3");
    assert_eq!(placed(&mut engine, 8, 6).split(' ').count(), 6, "even boards, too");
    assert_eq!(placed(&mut engine, 9, 99).split(' ').count(), 20, "at most a quarter");
    assert_eq!(placed(&mut engine, 19, 99).split(' ').count(), 30, "at most thirty");
    for side in [4, 6] {
        assert_eq!(placed(&mut engine, side, 4).split(' ').count(), 4);
    }
    ask(&mut engine, "clear_board");
    for words in ["1", "many", "-2"] {
        let reply = engine.answer(format!("place_free_handicap {words}").as_bytes()).unwrap();
        assert!(reply.to_string().starts_with("? invalid number of stones"), "{reply}");
    }
}

#[test]
fn the_raw_network_is_asked_for_either_player() {
    let mut engine = engine("go");
    let before = state(&mut engine);
    let of_the_mover = ask(&mut engine, "kata-raw-nn 0");
    assert_eq!(ask(&mut engine, "kata-raw-nn b 0"), of_the_mover);
    assert_eq!(ask(&mut engine, "kata-raw-nn all 0.5"), of_the_mover);
    assert_ne!(ask(&mut engine, "kata-raw-nn WHITE 7 1.0"), of_the_mover);
    assert_eq!(state(&mut engine), before);
    for words in ["b", "b 8", "0 much", "green 0"] {
        let reply = engine.answer(format!("kata-raw-nn {words}").as_bytes()).unwrap().to_string();
        assert!(reply.starts_with("? syntax error"), "{words}: {reply}");
    }
}

#[test]
fn visits_of_the_edges_are_reported_when_asked_for() {
    let mut engine = engine("go");
    let reply = ask(&mut engine, "kata-analyze b 50 pvVisits true pvEdgeVisits true maxmoves 1");
    let counts = |name: &str| {
        let (_, rest) = reply.split_once(name).unwrap();
        rest.split(' ').skip(1).map_while(|word| word.parse::<u32>().ok()).collect::<Vec<_>>()
    };
    assert!(!counts("pvVisits").is_empty(), "{reply}");
    assert_eq!(counts("pvEdgeVisits"), counts("pvVisits"));
}

#[test]
fn a_resumed_game_is_loaded_up_to_its_first_end_and_the_reply_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("resumed.sgf").display().to_string();
    std::fs::write(&path, "(;GM[1]SZ[5]AB[aa][x];B[cc];W[];B[];W[dd])").unwrap();
    let mut engine = engine("go");
    assert_eq!(
        ask(&mut engine, &format!("loadsgf {path}")),
        "the file is damaged: 'x' names no point, so nothing is set up there; \
         turn 4, D2: the game is over, so the rest is left out"
    );
    assert_eq!(state(&mut engine)["reason"], "passes");
    assert_eq!(ask(&mut engine, &format!("loadsgf {path} 3")).matches("left out").count(), 0);
}

fn answers(rules: &str, fields: Value) -> Vec<Value> {
    let mut query = json!({"id": "q", "moves": [], "boardXSize": 5, "boardYSize": 5});
    for (key, value) in fields.as_object().unwrap() {
        query[key] = value.clone();
    }
    let options = analysis::Options { visits: 10, ..analysis::Options::default() };
    let supported = SupportedRules::new(rules, &[5]).unwrap();
    let mut engine = analysis::Engine::new(supported, Scripted { seed: 1 }, "test", options);
    let mut output = Vec::new();
    engine.run(Lines::of(query.to_string().as_bytes()), &mut output).unwrap();
    let text = String::from_utf8(output).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_policy_is_that_of_the_network_whatever_is_avoided() {
    let policy = |fields| answers("go", fields)[0]["policy"].clone();
    let moves = json!([["B", "C3"]]);
    let all = policy(json!({"includePolicy": true, "moves": moves}));
    let avoid = json!([{"player": "W", "moves": ["A1", "pass"], "untilDepth": 1}]);
    let allow = json!([{"player": "W", "moves": ["A1"], "untilDepth": 1}]);
    let fields = json!({"includePolicy": true, "moves": moves, "avoidMoves": avoid});
    assert_eq!(policy(fields), all);
    let fields = json!({"includePolicy": true, "moves": moves, "allowMoves": allow});
    assert_eq!(policy(fields), all);
    let illegal: Vec<usize> = (0..26).filter(|&place| all[place] == -1.0).collect();
    assert_eq!(illegal, [12], "only where a stone stands");
}

#[test]
fn turns_before_the_resumption_of_a_game_are_answered() {
    let moves =
        json!([["B", "C3"], ["W", "pass"], ["B", "pass"], ["W", "pass"], ["B", "D3"], ["W", "A1"]]);
    let found = answers("go", json!({"moves": moves, "analyzeTurns": [0, 2, 5, 6]}));
    let message = "Illegal move 4: B D3: the game is over";
    assert_eq!((&found[0]["warning"], &found[0]["field"]), (&json!(message), &json!("moves")));
    let error =
        |turn| json!({"id": "q", "isDuringSearch": false, "turnNumber": turn, "error": message});
    assert_eq!(found[1..3], [error(5), error(6)]);
    let mut turns: Vec<u64> =
        found[3..].iter().map(|answer| answer["turnNumber"].as_u64().unwrap()).collect();
    turns.sort_unstable();
    assert_eq!(turns, [0, 2]);
    assert!(found[3..].iter().all(|answer| answer["rootInfo"].is_object()));
    let found = answers("go", json!({"moves": moves, "analyzeTurns": [6, 2, 6, 2]}));
    let turns: Vec<&Value> = found.iter().map(|answer| &answer["turnNumber"]).collect();
    assert_eq!(turns, [&json!(null), &json!(6), &json!(2)], "each once, after the warning");
    for turns in [json!([5]), json!([5, 5]), json!(null)] {
        let found = answers("go", json!({"moves": moves, "analyzeTurns": turns}));
        assert_eq!(found, [json!({"id": "q", "field": "moves", "error": message})]);
    }
    let found = answers("go", json!({"moves": moves, "analyzeTurns": [7]}));
    assert_eq!(found[0]["field"], "analyzeTurns");
}

#[test]
fn white_moves_first_after_handicap_stones() {
    let first = |fields| answers("go", fields)[0]["rootInfo"]["currentPlayer"].clone();
    let two = json!([["B", "B2"], ["B", "D4"]]);
    assert_eq!(first(json!({"initialStones": two})), "W");
    assert_eq!(first(json!({"initialStones": two, "initialPlayer": "B"})), "B");
    assert_eq!(first(json!({"initialStones": [["B", "B2"]]})), "B");
    assert_eq!(first(json!({"initialStones": [["B", "B2"], ["B", "D4"], ["W", "C3"]]})), "B");
}

#[test]
fn white_gets_the_points_that_handicap_stones_give() {
    let fields = |bonus: Value| json!({"initialStones": [["B", "B2"], ["B", "D4"]], "komi": 0.5, "whiteHandicapBonus": bonus});
    let komi = |bonus| answers("go", fields(bonus))[0]["variant"]["komi"].clone();
    assert_eq!(
        [json!("N"), json!("N-1"), json!("0"), json!(0), json!(null)].map(komi),
        [2.5, 1.5, 0.5, 0.5, 0.5]
    );
    let none = answers("go", json!({"komi": 0.5, "whiteHandicapBonus": "N"}));
    assert_eq!(none[0]["variant"]["komi"], 0.5);
    let one = json!({"initialStones": [["B", "B2"], ["B", "B2"]], "komi": 0.5, "whiteHandicapBonus": "N"});
    assert_eq!(answers("go", one)[0]["variant"]["komi"], 0.5, "one stone named twice");
    for wrong in [json!("M"), json!(1), json!(true)] {
        let found = answers("go", fields(wrong));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0]["error"], "must be \"0\", \"N\" or \"N-1\"");
    }
    let found = answers("conquest", fields(json!("N")));
    assert_eq!(found[0]["field"], "whiteHandicapBonus");
    assert!(found[0]["warning"].is_string() && found[1]["rootInfo"].is_object());
}
