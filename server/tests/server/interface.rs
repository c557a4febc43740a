//! The description of the interface, the page, and refused requests.

use serde_json::{Value, json};
use server::{ClientLimits, Limits, Rate};

use crate::client::{Running, generous, person, program, with_any_rules};

#[test]
fn every_described_address_answers_and_every_answer_is_described() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), generous());
    let description = server.get("/api/openapi.json").json();
    assert!(description["openapi"].as_str().unwrap().starts_with("3."));
    let mut described = Vec::new();
    for (path, methods) in description["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            assert!(
                operation["responses"]["200"].is_object()
                    || operation["responses"]["201"].is_object()
            );
            let parameters = operation["parameters"].as_array().unwrap();
            assert!(parameters.iter().any(|each| each["name"] == "language"), "{path}");
            described.push(format!("{} {path}", method.to_uppercase()));
            let path = path.replace("{id}", &"0".repeat(32)).replace("{turn}", "0");
            let answer = server.ask(&method.to_uppercase(), &path, None, &[], b"");
            let code = if answer.status == 200 { String::new() } else { answer.problem().1 };
            assert!(!["no_such_address", "no_such_method"].contains(&code.as_str()), "{path}");
        }
    }
    described.sort();
    assert_eq!(
        described,
        [
            "GET /api/examples",
            "GET /api/games/{id}",
            "GET /api/games/{id}/analysis",
            "GET /api/games/{id}/events",
            "GET /api/games/{id}/graph",
            "GET /api/games/{id}/positions/{turn}",
            "GET /api/games/{id}/sgf",
            "GET /api/puzzles",
            "GET /api/puzzles/{rules}/{number}",
            "GET /api/puzzles/{rules}/{number}/{move}",
            "GET /api/rules",
            "GET /api/variants",
            "GET /api/words",
            "GET /healthz",
            "POST /api/games",
            "POST /api/games/import",
            "POST /api/games/{id}/moves",
            "POST /api/games/{id}/reply",
            "POST /api/games/{id}/resign",
            "POST /api/games/{id}/undo",
            "POST /api/laboratory",
        ]
    );
    // What the description refers to is there.
    let text = description.to_string();
    for reference in text.split("\"#/components/schemas/").skip(1) {
        let name = reference.split('"').next().unwrap();
        assert!(description["components"]["schemas"][name].is_object(), "{name}");
    }
}

#[test]
fn the_page_is_whole_and_asks_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), generous());
    let page = server.get("/");
    assert!(page.head.contains("text/html") && page.head.contains("default-src 'self'"));
    let named = page.text.split('"').filter(|word| word.starts_with("page/"));
    let mut files: Vec<String> = named.map(|word| format!("/{word}")).collect();
    let mut seen = 0;
    while let Some(file) = files.pop() {
        let answer = server.get(&file);
        assert_eq!(answer.status, 200, "{file}");
        let imports = answer.text.split("from \"./").skip(1);
        files.extend(imports.map(|rest| format!("/page/{}", rest.split('"').next().unwrap())));
        let elsewhere = answer.text.replace("http://www.w3.org/", "");
        assert!(!elsewhere.contains("http://") && !elsewhere.contains("https://"), "{file}");
        seen += 1;
    }
    assert!(seen >= 8, "{seen}");
}

#[test]
fn variants_say_which_models_know_them() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), generous());
    let offer = server.get("/api/variants").json();
    let variants = offer["variants"].as_array().unwrap();
    assert_eq!(variants.len(), engine::Variant::ALL.len());
    for variant in variants {
        assert_eq!(variant["models"][0]["sizes"], json!([3, 5, 7]), "{variant}");
        assert!(!variant["rule"].as_str().unwrap().is_empty());
    }
    assert_eq!(offer["levels"].as_array().unwrap().len(), 10);
    let parts = offer["parts"].as_array().unwrap();
    assert_eq!(parts.len(), engine::Rules::every_part().len());
    let tiles = parts.iter().find(|part| part["field"] == "tiles").unwrap();
    assert_eq!(tiles["about"], "whether incursions put tiles on the board");
    assert_eq!(tiles["values"][0], json!({"value": "none", "meaning": "no tiles"}));
    assert_eq!(server.get("/healthz").text, "ok\n");
}

#[test]
fn people_are_told_in_the_language_that_they_ask_for() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), generous());
    let ask = |path: &str, wanted: &str| {
        server.ask("GET", path, None, &[("accept-language", wanted)], b"").json()
    };
    let words = ask("/api/words", "de-AT,en;q=0.5");
    assert_eq!(words["language"], "de");
    assert_eq!(words["texts"]["Resign"], "Aufgeben");
    let names = words["languages"].as_array().unwrap().iter().map(|each| &each["name"]);
    assert_eq!(names.collect::<Vec<_>>(), ["English", "Deutsch", "Français"]);
    assert_eq!(ask("/api/words", "tlh")["texts"], json!({}));
    assert_eq!(ask("/api/words?language=fr", "de")["language"], "fr", "the query goes first");
    let tiles = ask("/api/rules?rules=tile&language=de&size=5", "")["variant"]["line"].clone();
    assert_eq!(tiles, words["texts"][engine::Variant::Tile.about().line], "{tiles}");
    let started = server.begin("tile", 5, person(), person());
    let id = started["game"]["id"].as_str().unwrap();
    let analysis = server.get(&format!("/api/games/{id}/analysis?language=fr&turn=0"));
    assert_eq!(analysis.status, 200, "{}", analysis.text);
    let missing = format!("/api/games/{}", "0".repeat(32));
    let refused = |wanted| ask(&missing, wanted)["error"].clone();
    let german = json!({"code": "no_such_game", "message": "dieses Spiel gibt es nicht"});
    assert_eq!(refused("de"), german);
    assert_eq!(refused("en")["message"], "no such game");
    let nowhere = ask("/nowhere", "fr")["error"]["message"].clone();
    assert_eq!(nowhere, "cette adresse n’existe pas");
    for path in ["/api/variants", "/api/rules", missing.as_str(), "/nowhere"] {
        let head = server.get(path).head;
        assert!(head.contains("cache-control: no-store"), "{path}: {head}");
    }
    let rules = ask("/api/rules?rules=tiel&size=9", "de")["reason"].clone();
    assert_eq!(rules, "Variante 'tiel' ist unbekannt: meintest du 'tile'?");
}

#[test]
fn a_rule_set_is_examined_as_it_is_typed() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::with(with_any_rules(), folder.path(), generous());
    let examine = |rules: &str, size: u32| {
        let answer = server.get(&format!("/api/rules?rules={rules}&size={size}"));
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    };
    let own = examine("tile%2C%20tile_limit%3D2", 9);
    assert_eq!((&own["reason"], &own["player"]), (&Value::Null, &json!("playouts")));
    assert_eq!(own["variant"]["rules"], "tile,tile_limit=2", "the canonical text");
    assert_eq!(own["variant"]["models"][0]["network"], false);
    assert_eq!(own["variant"]["models"][0]["sizes"].as_array().unwrap().len(), 18);
    let parts = own["parts"].as_array().unwrap();
    let limit = parts.iter().find(|part| part["field"] == "tile_limit").unwrap();
    assert_eq!(limit["value"], "2");
    assert!(parts.iter().all(|part| !part["meaning"].as_str().unwrap().is_empty()), "{own}");

    let learnt = examine("tile,komi=2", 5);
    assert_eq!(learnt["player"], "tile-5", "the one that has learnt it comes first");
    let models: Vec<&Value> = learnt["variant"]["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|model| &model["name"])
        .collect();
    assert_eq!(models, ["tile-5", "playouts"]);
    assert_eq!(examine("tile", 7)["player"], "playouts");

    for (rules, size, reason) in [
        ("tile,end=aera", 9, "area, prisoner-return or no-pass"),
        ("tiel", 9, "did you mean 'tile'"),
        ("", 9, "variant"),
        ("go,white_passes=1", 9, "white_passes"),
        ("go", 20, "size 20"),
        ("go", 300, "size 300"),
    ] {
        let refused = examine(rules, size);
        assert!(refused["variant"].is_null() && refused["player"].is_null(), "{refused}");
        assert!(refused["reason"].as_str().unwrap().contains(reason), "{refused}");
    }
    let without = tempfile::tempdir().unwrap();
    let server = Running::start(without.path(), generous());
    let nobody = server.get("/api/rules?rules=tile,end=area&size=9").json();
    assert!(nobody["variant"].is_object() && nobody["player"].is_null(), "{nobody}");
}

#[test]
fn whatever_is_wrong_is_said_in_json() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), Limits { body_bytes: 5000, ..generous() });
    let json_type = [("content-type", "application/json")];
    let post = |path: &str, body: &str| {
        server.ask("POST", path, None, &json_type, body.as_bytes()).problem()
    };
    let error = |status: u16, code: &str| (status, code.to_owned());
    assert_eq!(server.get("/nowhere").problem(), error(404, "no_such_address"));
    assert_eq!(server.get("/page/../../Cargo.toml").problem(), error(404, "no_such_address"));
    assert_eq!(server.get("/page/%2e%2e/main.js").problem(), error(404, "no_such_address"));
    assert_eq!(server.get("/api/games").problem(), error(405, "no_such_method"));
    assert_eq!(server.get("/api/games/1").problem(), error(404, "no_such_game"));
    let unknown = format!("/api/games/{}", "a".repeat(32));
    assert_eq!(server.get(&unknown).problem(), error(404, "no_such_game"));
    assert_eq!(server.get("/api/games/..%2f..%2fetc%2fpasswd").problem().0, 404);
    assert_eq!(server.get("/api/games/%ff%fe").problem(), error(404, "no_such_game"));
    let query = format!("{unknown}/analysis?occupancy=perhaps");
    assert_eq!(server.get(&query).problem(), error(400, "bad_request"));

    assert_eq!(post("/api/games", "{"), error(400, "bad_json"));
    assert_eq!(post("/api/games", "{}"), error(400, "bad_request"));
    assert_eq!(post("/api/games", "\u{0}"), error(400, "bad_json"));
    assert_eq!(post("/api/games", &" ".repeat(6000)), error(413, "too_large"));
    let untyped = server.ask("POST", "/api/games", None, &[], b"{}").problem();
    assert_eq!(untyped, error(415, "not_json"));

    let game = |rules: &str, size: u32, black: Value, white: Value| {
        let body = json!({"rules": rules, "size": size, "players": {"B": black, "W": white}});
        post("/api/games", &body.to_string())
    };
    assert_eq!(game("tiel", 5, person(), person()), error(400, "bad_rules"));
    assert_eq!(game("tile", 20, person(), person()), error(400, "bad_request"));
    assert_eq!(game("tile", 300, person(), person()), error(400, "bad_request"));
    assert_eq!(game("tile", 5, person(), program("nobody", 1)), error(400, "no_such_model"));
    assert_eq!(game("tile", 9, person(), program("tile", 1)), error(409, "no_model"));
    assert_eq!(game("go", 5, person(), program("tile", 1)), error(409, "no_model"));
    assert_eq!(game("tile", 5, person(), program("tile", 11)), error(400, "no_such_level"));
    assert_eq!(game("go,max_moves=9999", 5, person(), person()), error(400, "too_long_game"));
    let cycles = game("hot-stone,max_cycle=8", 5, person(), person());
    assert_eq!(cycles, error(400, "too_long_cycle"));
    let uploaded = json!({"sgf": "(;SZ[5];B[aa])", "rules": "hot-stone,max_cycle=10", "players": {"B": person(), "W": person()}});
    let uploaded = post("/api/games/import", &uploaded.to_string());
    assert_eq!(uploaded, error(400, "too_long_cycle"));
    let programs = game("tile", 5, program("tile", 1), program("tile", 1));
    assert_eq!(programs, error(400, "no_person"));
    let any = json!({"kind": "program", "level": 1});
    assert_eq!(game("tile,end=area", 5, person(), any), error(409, "no_model"));
    let komi =
        json!({"rules": "go", "size": 5, "komi": 0.3, "players": {"B": person(), "W": person()}});
    assert_eq!(post("/api/games", &komi.to_string()), error(400, "bad_request"));
    let fraction = json!({"rules": "go", "size": 5.5, "players": {"B": person(), "W": person()}});
    let body = fraction.to_string();
    let refused = server.ask("POST", "/api/games", None, &json_type, body.as_bytes()).json();
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("size: expected a board size such as 9 or"), "{message}");
    let extra = json!({"rules": "go", "size": 5, "file": "/etc/passwd", "players": {"B": person(), "W": person()}});
    assert_eq!(post("/api/games", &extra.to_string()), error(400, "bad_request"));
}

#[test]
fn each_client_has_limits_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let few = |burst| Some(Rate { burst, per_second: 0.001 });
    let per_client = ClientLimits {
        requests: few(12.0),
        games: few(2.0),
        simulations: few(40.0),
        thinking: None,
        searches: None,
    };
    let server = Running::start(folder.path(), Limits { per_client, ..generous() });
    let from = |client: &str, method: &str, path: &str, body: &Value| {
        let headers = [("content-type", "application/json"), ("x-forwarded-for", client)];
        server.ask(method, path, None, &headers, body.to_string().as_bytes())
    };
    let game = json!({"rules": "go", "size": 5, "players": {"B": person(), "W": person()}});
    for _ in 0..2 {
        assert_eq!(from("10.0.0.1", "POST", "/api/games", &game).status, 201);
    }
    let refused = from("10.0.0.1", "POST", "/api/games", &game);
    assert_eq!(refused.problem(), (429, "too_many_new_games".to_owned()));
    assert!(refused.head.contains("retry-after: "), "{}", refused.head);
    let unreadable = json!({"sgf": "nothing", "players": {"B": person(), "W": person()}});
    let import = || from("10.0.0.4", "POST", "/api/games/import", &unreadable).status;
    assert_eq!([import(), import(), import()], [400, 400, 429], "reading costs, too");
    // A client's own claim is ignored: the proxy adds the last address.
    assert_eq!(from("10.9.9.9, 10.0.0.1", "POST", "/api/games", &game).status, 429);
    let other = from("10.0.0.2", "POST", "/api/games", &game).json();
    let path = format!("/api/games/{}/analysis", other["game"]["id"].as_str().unwrap());
    for _ in 0..2 {
        assert_eq!(from("10.0.0.2", "GET", &path, &json!({})).status, 200);
    }
    let refused = from("10.0.0.2", "GET", &path, &json!({})).problem();
    assert_eq!(refused, (429, "too_many_simulations".to_owned()));
    let statuses: Vec<u16> =
        (0..12).map(|_| from("10.0.0.1", "GET", "/api/variants", &json!({})).status).collect();
    assert!(statuses.contains(&200) && statuses.ends_with(&[429]), "{statuses:?}");
    assert_eq!(from("10.0.0.3", "GET", "/api/variants", &json!({})).status, 200);
}
