//! Requests, as the page sends them, and what it is told.

#![allow(clippy::unwrap_used)]

use bot::SupportedRules;
use browser::Host;
use engine::Variant;
use interface::{Catalogue, Knowledge, Model};
use search::evaluators::Scripted;
use serde_json::{Value, json};

/// A page with its worker.
struct Page {
    host: Host,
    requests: u32,
    /// What it was told of games, the last one last.
    games: Vec<Value>,
}

impl Page {
    /// A page without a network.
    fn new() -> Page {
        let scripted = || Scripted { seed: 1 };
        let model = |name: &str, knowledge| Model {
            name: name.to_owned(),
            knowledge,
            source: Box::new(scripted),
        };
        let learnt = Knowledge::Learnt(SupportedRules::new("tile", &[5]).unwrap());
        let models = vec![model("scripted", learnt), model("anything", Knowledge::AnyRules)];
        Page::with(Catalogue::new(models).unwrap())
    }

    fn with(catalogue: Catalogue) -> Page {
        Page { host: Host::new(catalogue, 7), requests: 0, games: Vec::new() }
    }

    fn send(&mut self, method: &str, path: &str, token: &Value, body: Value) -> u32 {
        self.requests += 1;
        let request = json!({"number": self.requests, "method": method, "path": path, "token": token, "body": body});
        self.host.request(request.to_string().as_bytes()).unwrap();
        self.requests
    }

    /// The answers so far, each with the number of its request.
    fn read(&mut self) -> Vec<(u32, u16, Value)> {
        let messages = serde_json::to_value(self.host.messages()).unwrap();
        let mut answers = Vec::new();
        for mut message in messages.as_array().unwrap().clone() {
            match message["kind"].as_str().unwrap() {
                "answer" => answers.push((
                    message["number"].as_u64().unwrap() as u32,
                    message["status"].as_u64().unwrap() as u16,
                    message["body"].take(),
                )),
                _ => self.games.push(message),
            }
        }
        answers
    }

    /// The answer to a request that is answered at once.
    fn ask(&mut self, method: &str, path: &str, token: &Value, body: Value) -> (u16, Value) {
        let number = self.send(method, path, token, body);
        let (answered, status, body) = self.read().pop().unwrap();
        assert_eq!(answered, number);
        (status, body)
    }

    /// Thinks until nothing is left to think about.
    fn think(&mut self) -> u32 {
        let mut steps = 1;
        while self.host.think() {
            steps += 1;
        }
        steps
    }

    /// Begins a game against a program, as Black; its address and the token.
    fn begin(&mut self, rules: &str, level: u8) -> (String, Value) {
        let players = json!({"B": {"kind": "person"}, "W": {"kind": "program", "level": level}});
        let wanted = json!({"rules": rules, "size": 5, "players": players});
        let (status, begun) = self.ask("POST", "/api/games", &Value::Null, wanted);
        assert_eq!(status, 200, "{begun}");
        (
            format!("/api/games/{}", begun["game"]["id"].as_str().unwrap()),
            begun["tokens"]["B"].clone(),
        )
    }
}

fn code(answer: &(u16, Value)) -> (u16, &str) {
    (answer.0, answer.1["error"]["code"].as_str().unwrap())
}

#[test]
fn every_variant_is_played_to_its_end_and_back() {
    for variant in Variant::ALL {
        let mut page = Page::new();
        let (game, token) = page.begin(variant.name(), 4);
        let mut turns = 0;
        loop {
            let (_, view) = page.ask("GET", &game, &Value::Null, Value::Null);
            if !view["result"].is_null() {
                break;
            }
            turns += 1;
            assert!(turns < 200, "{variant}");
            let passes = view["pass"].is_object() && view["pass"]["reason"].is_null();
            let legal = view["state"]["legal"].as_array().unwrap();
            let played = if turns > 30 && passes {
                json!("pass")
            } else {
                legal[turns * 7 % legal.len()].clone()
            };
            let (status, view) =
                page.ask("POST", &format!("{game}/moves"), &token, json!({"move": played}));
            assert_eq!(status, 200, "{variant}: {view}");
            page.think();
            page.read();
            assert_eq!(page.games.last().unwrap()["view"]["trouble"], Value::Null, "{variant}");
        }
        // Elsewhere the link alone is enough.
        let saved = page.games.last().unwrap()["saved"].clone();
        let (_, before) = page.ask("GET", &game, &Value::Null, Value::Null);
        let (status, after) = Page::new().ask("PUT", &game, &Value::Null, saved);
        assert_eq!(
            (status, &after["state"], &after["moves"]),
            (200, &before["state"], &before["moves"]),
            "{variant}"
        );
    }
}

#[test]
fn what_is_asked_while_a_program_thinks_is_answered() {
    let mut page = Page::new();
    let (game, token) = page.begin("go", 10);
    let (_, view) = page.ask("POST", &format!("{game}/moves"), &token, json!({"move": "C3"}));
    assert_eq!(view["thinking"], true);
    assert!(page.host.think() && page.host.think());
    assert_eq!(
        code(&page.ask("POST", &format!("{game}/moves"), &token, json!({"move": "D3"}))),
        (409, "not_your_turn")
    );
    let (status, view) = page.ask("POST", &format!("{game}/undo"), &token, Value::Null);
    assert_eq!((status, &view["thinking"], &view["moves"]), (200, &json!(false), &json!([])));
    assert!(!page.host.think(), "the search has ended");
    page.ask("POST", &format!("{game}/moves"), &token, json!({"move": "C3"}));
    assert!(page.think() > 10, "a search takes many short steps");
    page.read();
    let view = &page.games.last().unwrap()["view"];
    assert_eq!((view["moves"].as_array().unwrap().len(), &view["thinking"]), (2, &json!(false)));
}

#[test]
fn who_waits_for_a_program_is_answered_when_it_has_moved() {
    let mut page = Page::new();
    let (game, token) = page.begin("tile", 5);
    assert_eq!(
        code(&page.ask("POST", &format!("{game}/reply"), &token, Value::Null)),
        (409, "no_reply_due")
    );
    let number =
        page.send("POST", &format!("{game}/moves"), &token, json!({"move": "C3", "wait": true}));
    assert_eq!(page.read(), []);
    page.think();
    let answers = page.read();
    assert_eq!(
        (answers[0].0, answers[0].1, answers[0].2["moves"].as_array().unwrap().len()),
        (number, 200, 2)
    );
}

#[test]
fn who_waits_is_answered_if_the_game_is_opened_as_it_was_before() {
    let mut page = Page::new();
    let (game, token) = page.begin("tile", 5);
    let early = page.games.last().unwrap()["saved"].clone();
    let number =
        page.send("POST", &format!("{game}/moves"), &token, json!({"move": "C3", "wait": true}));
    assert_eq!(page.read(), []);
    page.send("PUT", &game, &Value::Null, early);
    let answers = page.read();
    assert_eq!((answers[0].0, answers[0].1, &answers[0].2["moves"]), (number, 200, &json!([])));
    assert!(!page.host.think(), "the search has ended");
}

#[test]
fn a_program_takes_its_whole_turn_where_that_is_more_than_one_stone() {
    let mut page = Page::new();
    let (game, token) = page.begin("go,stones_per_turn=2", 4);
    page.ask("POST", &format!("{game}/moves"), &token, json!({"move": "C3"}));
    page.think();
    page.read();
    let view = &page.games.last().unwrap()["view"];
    assert_eq!(
        (view["moves"].as_array().unwrap().len(), &view["state"]["to_move"]),
        (3, &json!("B"))
    );
    assert_eq!(view["thinking"], false);
}

#[test]
fn opinions_come_later_and_those_of_a_changed_game_never() {
    let mut page = Page::new();
    let (game, token) = page.begin("tile", 4);
    let number =
        page.send("GET", &format!("{game}/analysis?occupancy=true"), &Value::Null, Value::Null);
    assert_eq!(page.read(), []);
    page.think();
    let (answered, status, opinion) = page.read().pop().unwrap();
    assert_eq!((answered, status, opinion["model"].as_str()), (number, 200, Some("scripted")));
    assert_eq!(opinion["occupancy"]["black"].as_array().unwrap().len(), 5);
    assert_eq!(opinion["candidates"].as_array().unwrap().len(), 25);
    let graph = page.send("GET", &format!("{game}/graph"), &Value::Null, Value::Null);
    page.think();
    let (answered, _, course) = page.read().pop().unwrap();
    assert_eq!((answered, course["winrates"].as_array().unwrap().len()), (graph, 1));

    let number = page.send("GET", &format!("{game}/analysis"), &Value::Null, Value::Null);
    page.host.think();
    page.send("POST", &format!("{game}/moves"), &token, json!({"move": "C3"}));
    let answers = page.read();
    assert_eq!((answers[0].0, answers[0].1), (number, 500), "{answers:?}");
}

/// A program moves before the analysis that was asked for after it had begun to think.
#[test]
fn an_opinion_is_about_the_position_that_it_was_asked_for() {
    let mut page = Page::new();
    let (game, token) = page.begin("tile", 4);
    let (_, asked) = page.ask("POST", &format!("{game}/moves"), &token, json!({"move": "C3"}));
    assert_eq!(asked["thinking"], true);
    page.send("GET", &format!("{game}/analysis"), &Value::Null, Value::Null);
    page.think();
    let (_, status, opinion) = page.read().pop().unwrap();
    assert_eq!((status, &opinion["version"]), (200, &asked["version"]), "{opinion}");
    let view = &page.games.last().unwrap()["view"];
    assert!(view["version"].as_u64() > asked["version"].as_u64(), "{view}");
    page.send("GET", &format!("{game}/graph"), &Value::Null, Value::Null);
    page.think();
    let (_, _, course) = page.read().pop().unwrap();
    let winrates = course["winrates"].as_array().unwrap();
    assert_eq!((winrates.len(), &winrates[1]), (3, &opinion["winrate"]), "{course}");
}

#[test]
fn a_games_course_is_judged_by_one_model_whoever_plays() {
    let mut page = Page::new();
    let course = |page: &mut Page, players: Value, moves: &[Value]| {
        let wanted = json!({"rules": "tile", "size": 5, "players": players});
        let (_, begun) = page.ask("POST", "/api/games", &Value::Null, wanted);
        let game = format!("/api/games/{}", begun["game"]["id"].as_str().unwrap());
        for (played, color) in moves.iter().zip(["B", "W"]) {
            let token = &begun["tokens"][color];
            page.ask("POST", &format!("{game}/moves"), token, json!({"move": played}));
        }
        page.think();
        page.read();
        page.send("GET", &format!("{game}/graph"), &Value::Null, Value::Null);
        page.think();
        page.read().pop().unwrap().2["winrates"].clone()
    };
    let person = json!({"kind": "person"});
    let program = json!({"kind": "program", "model": "anything", "level": 9});
    let played = course(&mut page, json!({"B": person, "W": program}), &[json!("C3")]);
    let moves = page.games.last().unwrap()["view"]["moves"].clone();
    let moves: Vec<Value> =
        moves.as_array().unwrap().iter().map(|turn| turn["move"].clone()).collect();
    assert_eq!(moves.len(), 2);
    let people = json!({"B": {"kind": "person"}, "W": {"kind": "person"}});
    assert_eq!(played, course(&mut page, people, &moves), "the network judges the tile games");
}

#[test]
fn two_rule_sets_are_compared_and_a_newer_comparison_ends_an_older_one() {
    let mut page = Page::new();
    let none = Value::Null;
    let wanted = |moves: Value| json!({"size": 5, "rules": ["nogo", "tile"], "moves": moves, "simulations": 16, "occupancy": true});
    let older = page.send("POST", "/api/laboratory", &none, wanted(json!(["C3"])));
    assert!(page.host.think());
    let newer = page.send("POST", "/api/laboratory", &none, wanted(json!(["C3", "D3"])));
    let (ended, status, _) = page.read().pop().unwrap();
    assert_eq!((ended, status), (older, 500));
    assert!(page.think() > 4, "in short steps");
    let (answered, status, found) = page.read().pop().unwrap();
    assert_eq!((answered, status), (newer, 200), "{found}");
    let boards = found["boards"].as_array().unwrap();
    assert_eq!((&boards[0]["rules"], &boards[1]["rules"]), (&json!("nogo"), &json!("tile")));
    for board in boards {
        assert_eq!(board["turn"], 2);
        assert_eq!(board["opinion"]["occupancy"]["black"].as_array().unwrap().len(), 5);
    }
    let names = [&boards[0]["opinion"]["model"], &boards[1]["opinion"]["model"]];
    assert_eq!(names, ["anything", "scripted"], "each by whoever knows it");
    let refused = page.ask("POST", "/api/laboratory", &none, wanted(json!(["C3", "C3"])));
    assert_eq!(code(&refused), (409, "illegal_move"));
}

#[test]
fn an_abandoned_request_ends_its_search() {
    let mut page = Page::new();
    let none = Value::Null;
    let wanted = json!({"size": 5, "rules": ["nogo", "tile"], "moves": ["C3"], "simulations": 16, "occupancy": true});
    let compared = page.send("POST", "/api/laboratory", &none, wanted);
    assert!(page.host.think());
    let path = format!("/api/requests/{compared}");
    let ending = page.send("DELETE", &path, &none, Value::Null);
    let answers: Vec<(u32, u16)> =
        page.read().into_iter().map(|(number, status, _)| (number, status)).collect();
    assert_eq!(answers, [(compared, 500), (ending, 200)]);
    assert!(!page.host.think(), "nothing is left to search for");
    assert_eq!(page.ask("DELETE", &path, &none, Value::Null).0, 200, "it may have been answered");
    let unknown = page.ask("DELETE", "/api/requests/first", &none, Value::Null);
    assert_eq!(code(&unknown), (404, "no_such_address"));
}

#[test]
fn a_link_opens_its_game_and_damaged_ones_are_refused() {
    let mut page = Page::new();
    let (game, token) = page.begin("go", 1);
    page.ask("POST", &format!("{game}/moves"), &token, json!({"move": "C3"}));
    page.think();
    page.read();
    let early = page.games.last().unwrap()["saved"].clone();
    page.ask("POST", &format!("{game}/resign"), &token, Value::Null);
    let late = page.games.last().unwrap()["saved"].clone();
    let told = page.games.len();
    let (_, view) = page.ask("PUT", &game, &Value::Null, late);
    assert_eq!(
        (view["result"].as_str(), page.games.len()),
        (Some("W+R"), told),
        "it is open already"
    );
    let (_, view) = page.ask("PUT", &game, &Value::Null, early);
    assert_eq!((&view["result"], view["moves"].as_array().unwrap().len()), (&Value::Null, 2));
    let (status, _) = page.ask("POST", &format!("{game}/moves"), &token, json!({"move": "A1"}));
    assert_eq!(status, 200, "the seat is the same");
    for damaged in
        [json!({"sgf": "(;", "seats": "[]", "values": "[]"}), json!({"sgf": 1}), Value::Null]
    {
        assert_eq!(code(&page.ask("PUT", &game, &Value::Null, damaged)), (400, "bad_request"));
    }
}

#[test]
fn the_network_in_the_program_plays_what_it_has_learnt_and_playouts_the_rest() {
    let mut page = Page::with(browser::programs().unwrap());
    for (rules, size, player) in
        [("tile", 5, "universal"), ("tile", 10, "playouts"), ("go", 3, "universal")]
    {
        let players = json!({"B": {"kind": "program", "level": 4}, "W": {"kind": "person"}});
        let wanted = json!({"rules": rules, "size": size, "players": players});
        let (_, begun) = page.ask("POST", "/api/games", &Value::Null, wanted);
        assert_eq!(begun["game"]["players"]["B"]["model"], player, "{rules} {size}");
        page.think();
        page.read();
        let view = &page.games.last().unwrap()["view"];
        assert_eq!((view["moves"].as_array().unwrap().len(), &view["trouble"]), (1, &Value::Null));
    }
}

#[test]
fn levels_are_described_as_the_programs_play_them() {
    let mut page = Page::with(browser::programs().unwrap());
    let (_, offer) = page.ask("GET", "/api/variants", &Value::Null, Value::Null);
    let words = |level: usize, key: &str| offer["levels"][level - 1][key].as_str().unwrap();
    for (level, together, alone) in [
        (1, "plays like a beginner", "plays at a glance"),
        (2, "plays like a beginner who takes care", "plays at a glance"),
        (10, "looks at 32 positions a move", "looks at 400 positions a move"),
    ] {
        assert_eq!(
            [words(level, "manner_with_beginner"), words(level, "manner")],
            [together, alone]
        );
    }
    let variants = offer["variants"].as_array().unwrap();
    let tile = variants.iter().find(|variant| variant["rules"] == "tile").unwrap();
    let [universal, playouts] = [0, 1].map(|index: usize| &tile["models"][index]["beginner_sizes"]);
    assert!(universal.as_array().unwrap().contains(&json!(9)), "{universal}");
    assert_eq!(playouts, &json!([]));
}

#[test]
fn examples_and_earlier_positions_are_shown() {
    let mut page = Page::new();
    let none = Value::Null;
    let (status, examples) = page.ask("GET", "/api/examples", &none, json!({}));
    assert_eq!((status, examples.as_array().unwrap().len()), (200, Variant::ALL.len()));
    let step = &examples[0]["steps"][0];
    let players = json!({"B": {"kind": "person"}, "W": {"kind": "person"}});
    let upload = json!({"sgf": step["sgf"], "players": players});
    let (_, begun) = page.ask("POST", "/api/games/import", &none, upload);
    assert_eq!(begun["game"]["state"], step["state"], "an example is played on");

    let (game, token) = page.begin("tile", 1);
    let (_, start) = page.ask("GET", &game, &none, Value::Null);
    page.ask("POST", &format!("{game}/moves"), &token, json!({"move": "C3"}));
    let (status, step) = page.ask("GET", &format!("{game}/positions/0"), &none, Value::Null);
    assert_eq!((status, &step["state"]), (200, &start["state"]));
    let late = page.ask("GET", &format!("{game}/positions/9"), &none, Value::Null);
    assert_eq!(code(&late), (404, "no_such_turn"));
    page.think();
    page.read();
    let number = page.send("GET", &format!("{game}/analysis?turn=0"), &none, Value::Null);
    page.think();
    let (answered, status, opinion) = page.read().pop().unwrap();
    assert_eq!((answered, status), (number, 200));
    assert_eq!(opinion["candidates"].as_array().unwrap().len(), 25);
}

#[test]
fn nothing_that_is_asked_goes_unanswered() {
    let mut page = Page::new();
    let none = Value::Null;
    assert_eq!(code(&page.ask("GET", "/api/nothing", &none, json!({}))), (404, "no_such_address"));
    assert_eq!(
        code(&page.ask("POST", "/api/variants", &none, json!({}))),
        (404, "no_such_address")
    );
    assert_eq!(
        code(&page.ask("GET", &format!("/api/games/{}", "0".repeat(32)), &none, json!({}))),
        (404, "no_such_game")
    );
    assert_eq!(code(&page.ask("POST", "/api/games", &none, json!({}))), (400, "bad_request"));
    assert_eq!(
        code(&page.ask("GET", "/api/rules?rule=go", &none, json!({}))),
        (400, "bad_request")
    );
    // What the server answers: its events and files are news here.
    for address in [
        "GET /api/examples",
        "GET /api/games/{id}",
        "GET /api/games/{id}/analysis",
        "GET /api/games/{id}/graph",
        "GET /api/games/{id}/positions/{turn}",
        "GET /api/puzzles",
        "GET /api/puzzles/{rules}/{number}",
        "GET /api/puzzles/{rules}/{number}/{move}",
        "GET /api/rules",
        "GET /api/variants",
        "GET /api/words",
        "POST /api/games",
        "POST /api/games/import",
        "POST /api/games/{id}/moves",
        "POST /api/games/{id}/reply",
        "POST /api/games/{id}/resign",
        "POST /api/games/{id}/undo",
        "POST /api/laboratory",
    ] {
        let (method, path) = address.split_once(' ').unwrap();
        let path = path.replace("{id}", &"0".repeat(32)).replace("{turn}", "0");
        let answer = page.ask(method, &path, &none, json!({}));
        assert!(answer.0 == 200 || code(&answer).1 != "no_such_address", "{address}");
    }
    let (_, offer) = page.ask("GET", "/api/variants", &none, json!({}));
    assert_eq!((&offer["links"], offer["levels"].as_array().unwrap().len()), (&json!(false), 10));
    let (_, examined) =
        page.ask("GET", "/api/rules?rules=tile%2Cend%3Darea&size=5", &none, json!({}));
    assert_eq!(examined["variant"]["rules"], "tile,end=area");
    let half_a_letter =
        r#"{"number": 999, "method": "PUT", "path": "GAME", "body": {"sgf": "\ud800"}}"#;
    let half_a_letter = half_a_letter.replace("GAME", &format!("/api/games/{}", "0".repeat(32)));
    page.host.request(half_a_letter.as_bytes()).unwrap();
    let (number, status, refused) = page.read().pop().unwrap();
    assert_eq!((number, code(&(status, refused))), (999, (400, "bad_request")));
    assert!(page.host.request(b"{").is_err());
}

/// The page says its language with each request, and gets all messages in it, even those that it
/// has not asked for.
#[test]
fn the_page_is_told_in_its_language() {
    let mut page = Page::new();
    let players = json!({"B": {"kind": "person"}, "W": {"kind": "person"}});
    let body = json!({"rules": "tile", "size": 5, "players": players});
    let request = json!({"number": 1, "method": "POST", "path": "/api/games", "body": body, "language": "de"});
    page.host.request(request.to_string().as_bytes()).unwrap();
    page.read();
    assert_eq!(page.games.last().unwrap()["view"]["standing"], "Schwarz ist am Zug");
    let request = json!({"number": 2, "method": "GET", "path": "/nowhere", "language": "fr"});
    page.host.request(request.to_string().as_bytes()).unwrap();
    let (_, status, body) = page.read().pop().unwrap();
    assert_eq!((status, &body["error"]["message"]), (404, &json!("cette adresse n’existe pas")));
}
