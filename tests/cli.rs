//! The program from the command line: a run of the whole loop, and errors of the user.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use common::{hotstone, hotstone_with};
use tempfile::TempDir;

/// A finished smoke run, made once for all tests that need a model, which leave it as it is. Nothing
/// deletes it but `cargo clean`.
static SMOKE: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let run = folder.path().join("run");
    let config = repository().join("configs/smoke.toml");
    let done = hotstone(&["train", "--config", text(&config), "--run", text(&run)]);
    assert!(done.status.success(), "{}", stderr(&done));
    folder
});

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn smoke_run() -> PathBuf {
    SMOKE.path().join("run")
}

/// The newest checkpoint of the smoke run, copied to a folder of the test's own.
fn copied_model() -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    let checkpoints = fs::read_dir(smoke_run().join("checkpoints")).unwrap();
    let newest = checkpoints.map(|entry| entry.unwrap().path()).max().unwrap();
    for file in ["weights.safetensors", "card.toml"] {
        fs::copy(newest.join(file), copy.path().join(file)).unwrap();
    }
    copy
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let copy = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_folder(&path, &copy);
        } else {
            fs::copy(&path, &copy).unwrap();
        }
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// One clear line on standard error, nothing on standard output, and a non-zero exit.
fn assert_refused(arguments: &[&str], expected: &str) {
    let output = hotstone(arguments);
    let error = stderr(&output);
    assert!(!output.status.success(), "{arguments:?} was accepted");
    assert_eq!(error.trim_end().lines().count(), 1, "{arguments:?}: {error}");
    assert!(error.starts_with("error: ") && error.contains(expected), "{arguments:?}: {error}");
    assert_eq!(stdout(&output), "", "{arguments:?}");
}

/// Checks a message of the command line's parser: it says what is wrong, and how the command is
/// written or where to find that.
fn assert_misused(arguments: &[&str], expected: &str) {
    let output = hotstone(arguments);
    let error = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert!(error.starts_with("error: ") && error.contains(expected), "{arguments:?}: {error}");
    assert!(error.trim_end().ends_with("try '--help'."), "{arguments:?}: {error}");
    assert_eq!(stdout(&output), "", "{arguments:?}");
}

fn answer(model: &Path, commands: &str) -> String {
    stdout(&hotstone_with(&["gtp", text(model), "--simulations", "8"], commands))
}

#[test]
fn a_run_leaves_everything_that_its_folder_should_hold() {
    let run = smoke_run();
    for part in ["config.toml", "checkpoints", "games", "tensorboard", "log.jsonl"] {
        assert!(run.join(part).exists(), "{part}");
    }
    let log = fs::read_to_string(run.join("log.jsonl")).unwrap();
    for curve in [
        "loss/policy",
        "loss/value",
        "policy/target_entropy",
        "value/calibration_error",
        "games/length",
        "speed/games_per_s",
        "speed/evaluations_per_s",
        "elo",
    ] {
        assert!(log.contains(curve), "{curve}");
    }
}

#[test]
fn unknown_words_are_refused_with_the_nearest_right_one() {
    let perft = |rules| ["perft", "--rules", rules, "--size", "3", "--depth", "1"];
    assert_refused(&perft("incurson"), "did you mean 'incursion'?");
    assert_refused(&perft("go,komy=3"), "did you mean 'komi'?");
    assert_refused(&perft("go,white_passes=2"), "white_passes");
    assert_misused(&["perft", "--rules", "go", "--size", "20", "--depth", "1"], "size 20");
    assert_misused(&["match", "rnadom", "uct:10"], "did you mean 'random'");

    let config = repository().join("configs/smoke.toml");
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let train = |change| ["train", "--config", text(&config), "--run", text(&run), "--set", change];
    assert_refused(&train("learning.bach=3"), "did you mean 'batch'?");
    assert_refused(&train("rules=stoicel"), "did you mean 'stoical'?");
    assert_refused(&train("network.channels=7"), "channels");
    assert_refused(&train("budget.positions=0"), "budget");
    assert_refused(&["train", "--config", "nowhere.toml"], "nowhere.toml");
    assert_refused(&["train", "--config", "tile-9"], "`--config 9 --rules tile`");
    assert_refused(&["train", "--config", "9"], "`--config 9 --rules tile`");
    assert!(!run.exists(), "a refused run must leave no folder");
}

#[test]
fn a_run_is_begun_once_and_held_by_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let (run, config) = (folder.path().join("run"), repository().join("configs/smoke.toml"));
    copy_folder(&smoke_run(), &run);
    let begin = ["train", "--config", text(&config), "--run", text(&run)];
    assert_refused(&begin, "--resume");
    let other = [&begin[..], &["--resume", "--set", "seed=99"]].concat();
    assert_refused(&other, "another configuration");
    assert_refused(&["train", "--resume", "--run", "nowhere"], "holds no run");

    let lock = fs::File::open(run.join("lock")).unwrap();
    lock.lock().unwrap();
    assert_refused(&["train", "--resume", "--run", text(&run)], "in use");
    drop(lock);
    let again = hotstone(&["train", "--resume", "--run", text(&run)]);
    assert!(again.status.success(), "{}", stderr(&again));
}

#[test]
fn damaged_and_foreign_weights_are_refused() {
    let model = copied_model();
    let (path, folder) = (model.path().join("weights.safetensors"), text(model.path()));
    let gtp = ["gtp", folder];
    let good = fs::read(&path).unwrap();

    fs::write(&path, &good[..good.len() / 2]).unwrap();
    assert_refused(&gtp, "weights.safetensors");
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 1;
    fs::write(&path, &flipped).unwrap();
    assert_refused(&gtp, "weights.safetensors");
    fs::remove_file(&path).unwrap();
    assert_refused(&gtp, "weights.safetensors");
    fs::write(&path, &good).unwrap();

    let spec = format!("model:{folder}@4");
    let play =
        |rules, size| ["match", &spec, "random", "--games", "2", "--rules", rules, "--size", size];
    assert_refused(&play("stoical", "4"), "incursion");
    assert_refused(&play("incursion", "5"), "size");

    let card = fs::read_to_string(model.path().join("card.toml")).unwrap();
    let newer = card.replace("own hot stones", "own lukewarm stones");
    fs::write(model.path().join("card.toml"), newer).unwrap();
    assert_refused(&gtp, "unknown input 'own lukewarm stones'");
    fs::remove_file(model.path().join("card.toml")).unwrap();
    assert_refused(&gtp, "card.toml");
    assert_refused(&["gtp", "nowhere"], "nowhere");
}

#[test]
fn a_checkpoint_that_cannot_be_written_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (run, config) = (folder.path().join("run"), repository().join("configs/smoke.toml"));
    // Files may grow to 32 KiB, as on a disk that is nearly full: games and the log fit, but no
    // checkpoint does.
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\"";
    let begin = ["train", "--config", text(&config), "--run", text(&run)];
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_hotstone")])
        .args(begin)
        .output()
        .unwrap();
    assert!(!output.status.success());
    let error = stderr(&output);
    assert!(error.lines().last().unwrap().starts_with("error: "), "{error}");

    // Without its first checkpoint it is not a run yet.
    let again = hotstone(&begin);
    assert!(again.status.success(), "{}", stderr(&again));
}

#[test]
fn gtp_answers_bad_input_and_goes_on() {
    let answers = answer(&smoke_run(), "boardsize 99\nplay B Z9\nplay B\nnonsense\n7 name\nquit\n");
    let replies: Vec<&str> = answers.split("\n\n").filter(|reply| !reply.is_empty()).collect();
    assert_eq!(replies.len(), 6, "{answers}");
    assert!(replies[..4].iter().all(|reply| reply.starts_with("? ")), "{answers}");
    assert!(replies[4].starts_with("=7 ") && replies[5].starts_with('='), "{answers}");
}

#[test]
fn a_match_with_models_prints_its_report() {
    let spec = format!("model:{}@4", text(&smoke_run()));
    let output = hotstone(&["match", &spec, "random", "--games", "4", "--json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let report: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(report["games"], 4);
    assert_eq!(report["distinct_openings"], 2);
    assert_eq!(report["rules"], "incursion");
    assert_refused(&["match", &spec, "random", "--games", "3"], "even");
    let absent = ["match", "random", "gtp:no-such-program", "--rules", "go", "--size", "3"];
    assert_refused(&absent, "cannot start 'gtp:no-such-program'");
    let endless = ["match", "random", "greedy", "--rules=go", "--size=3", "--patience=1e19"];
    assert_refused(&endless, "more than 0 and at most 1000000000");
    let output =
        hotstone(&["match", &spec, "random", "--games", "4", "--openings", "none", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(report["distinct_openings"], 1);
    let output = hotstone(&["match", &spec, &spec, "--games", "8", "--openings", "none", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(report["games"], 2, "copies are no evidence");
    let told = stderr(&output);
    assert!(told.contains("more than 2 games would repeat others"), "{told}");
}

#[test]
fn a_server_plays_a_trained_model_and_ends_when_it_is_told_to() {
    use std::io::{BufRead, BufReader, Read};
    use std::net::TcpStream;

    let data = tempfile::tempdir().unwrap();
    let mut server = Command::new(env!("CARGO_BIN_EXE_hotstone"))
        .args(["serve", text(&smoke_run()), "--port", "0", "--data", text(data.path())])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let ask = |method: &str, path: &str, token: &str, body: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str::<serde_json::Value>(body).unwrap()
    };
    let offer = ask("GET", "/api/variants", "", "");
    let known = offer["variants"].as_array().unwrap().iter();
    let variant = known.clone().find(|each| each["models"][0]["network"] == true).unwrap();
    let model = &variant["models"][0];
    assert_eq!(model["name"], "run");
    let wanted = serde_json::json!({
        "rules": variant["rules"], "size": model["sizes"][0],
        "players": {"B": {"kind": "person"}, "W": {"kind": "program", "level": 4}},
    });
    let begun = ask("POST", "/api/games", "", &wanted.to_string());
    let token = begun["tokens"]["B"].as_str().unwrap();
    let path = format!("/api/games/{}/moves", begun["game"]["id"].as_str().unwrap());
    let first = &begun["game"]["state"]["legal"][0];
    let turn = serde_json::json!({"move": first, "wait": true}).to_string();
    let game = ask("POST", &path, token, &turn);
    assert_eq!(game["moves"].as_array().unwrap().len(), 2, "{game}");
    let own = serde_json::json!({
        "rules": "tile,end=area", "size": 5,
        "players": {"B": {"kind": "program", "level": 4}, "W": {"kind": "person"}},
    });
    let own = ask("POST", "/api/games", "", &own.to_string());
    let black = serde_json::json!(
        {"kind": "program", "model": "playouts", "level": 4, "network": false}
    );
    assert_eq!(own["game"]["players"]["B"], black, "{own}");
    let examined = ask("GET", "/api/rules?rules=tile,end=area&size=5", "", "");
    assert_eq!(examined["player"], "playouts", "{examined}");

    let second =
        hotstone(&["serve", text(&smoke_run()), "--port", "0", "--data", text(data.path())]);
    let error = stderr(&second);
    assert!(!second.status.success() && error.contains("another server uses the games"), "{error}");
    Command::new("kill").arg(server.id().to_string()).status().unwrap();
    assert!(server.wait().unwrap().success());
}

#[test]
fn analysis_answers_json_and_nothing_else() {
    let mut engine = Command::new(env!("CARGO_BIN_EXE_hotstone"))
        .args(["analysis", text(&smoke_run()), "--visits", "10"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = concat!(
        r#"{"id":"a","moves":[["B","B2"]],"rules":"japanese","boardXSize":4,"boardYSize":4,"analyzeTurns":[0,1]}"#,
        "\ngenmove B\n",
        r#"{"id":"v","action":"query_version"}"#,
        "\n"
    );
    engine.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = stdout(&engine.wait_with_output().unwrap());
    let answers: Vec<serde_json::Value> =
        output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 5, "{output}");
    assert_eq!(answers.iter().filter(|answer| answer["rootInfo"]["visits"] == 10).count(), 2);
    assert_eq!(answers.iter().filter(|answer| answer["warning"].is_string()).count(), 1);
    assert_eq!(answers.iter().filter(|answer| answer["error"].is_string()).count(), 1);
    let version = answers.iter().find(|answer| answer["id"] == "v").unwrap();
    assert!(version["version"].as_str().unwrap().contains("step"), "{version}");
}

#[test]
fn players_are_chosen_and_limited_in_words_that_make_sense() {
    let run = smoke_run();
    assert_misused(&["gtp", text(&run), "--level", "11"], "expected 1 to 10");
    let both = ["gtp", text(&run), "--level", "3", "--simulations", "9"];
    assert_misused(&both, "'--simulations <SIMULATIONS>'");
    assert_misused(&both, "Usage: hotstone gtp --level <LEVEL> <MODEL>");
    assert_misused(&["perft", "--rules", "go"], "--depth <DEPTH>");
    assert_refused(&["gtp", text(&run), "--seconds", "0"], "--seconds");
    let unknown = ["play", "universal", "--rules", "go,stones_per_turn=3"];
    assert_refused(&unknown, "without a model, any rules can be played");
    assert_eq!(hotstone(&["analysis"]).status.code(), Some(0), "the universal network plays");
    let spec = format!("model:{}@level", text(&run));
    let output =
        hotstone(&["match", &format!("{spec}1"), &format!("{spec}4"), "--games", "4", "--json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_refused(&["match", &format!("{spec}0"), "random", "--games", "2"], "expected 1 to 10");
}

/// The version that GTP reports, after some commands.
fn version_after(arguments: &[&str], commands: &str) -> (String, String) {
    let arguments = [&["gtp"], arguments, &["--simulations", "4"]].concat();
    let output = hotstone_with(&arguments, &format!("{commands}7 version\ngenmove b\nquit\n"));
    let answers = stdout(&output);
    assert!(output.status.success() && !answers.contains('?'), "{answers}{}", stderr(&output));
    let version = answers.lines().find_map(|line| line.strip_prefix("=7 ")).unwrap().to_owned();
    (version, stderr(&output))
}

#[test]
fn any_rule_set_is_played_without_a_model() {
    let own = |size| version_after(&["--rules", "tile,tile_limit=2", "--size", size], "");
    let (version, told) = own("10");
    assert!(version.ends_with("(random playouts)"), "{version}");
    assert!(told.contains("10×10 is played by tree search with random playouts, "), "{told}");
    let (version, told) = own("5");
    assert!(version.contains("step"), "{version}");
    assert!(told.contains("on 5×5 is played by the released model universal"), "{told}");

    let (version, told) = version_after(&["--rules", "tile", "--size", "7"], "");
    assert!(version.contains("step"), "{version}");
    assert!(told.contains("tile on 7×7 is played by the released model universal"), "{told}");
    let (_, told) = version_after(&["--rules", "tile,end=area"], "");
    assert!(told.contains("on 9×9 is played by the released model universal"), "{told}");

    let asked = r#"{"id":"a","moves":[],"boardXSize":2,"boardYSize":2,"includeOwnership":true}"#;
    let analysis = ["analysis", "--rules", "stoical,komi=1", "--size", "2", "--visits", "4"];
    let output = hotstone_with(&analysis, asked);
    let printed = stdout(&output);
    let mut lines =
        printed.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let (warning, answer) = (lines.next().unwrap(), lines.next().unwrap());
    assert!(warning["warning"].as_str().unwrap().contains("random playouts"), "{warning}");
    assert_eq!(answer["rootInfo"]["visits"], 4, "{answer}");
    assert_eq!(answer["ownership"].as_array().unwrap().len(), 4);
    assert!(stderr(&output).contains("random playouts"), "{}", stderr(&output));

    // Three players in one batch: the model named, a released one, and random playouts.
    let query = |rules: &str, size: u8| {
        let id = format!("{rules}{size}");
        serde_json::json!({"id": id, "moves": [], "rules": rules, "boardXSize": size, "boardYSize": size})
    };
    let queries = [query("incursion", 4), query("tile", 7), query("incursion", 10)];
    let lines: String = queries.iter().map(|query| format!("{query}\n")).collect();
    let run = smoke_run();
    let output = hotstone_with(&["analysis", text(&run), "--visits", "6"], &lines);
    for query in &queries {
        let id = format!("\"id\":{}", query["id"]);
        let printed = stdout(&output);
        let answer = printed.lines().rfind(|line| line.contains(&id)).unwrap();
        let answer: serde_json::Value = serde_json::from_str(answer).unwrap();
        assert_eq!(answer["rootInfo"]["visits"], 6, "{answer}");
    }
    let told = stderr(&output);
    assert!(told.contains("released/universal"), "{told}");
    // Only of random playouts the client is warned, too.
    let playouts = "on 10×10 is played by tree search with random playouts, without";
    assert!(told.contains(playouts), "{told}");
    let warnings: Vec<String> = stdout(&output)
        .lines()
        .filter(|line| line.contains("warning"))
        .map(str::to_owned)
        .collect();
    assert!(warnings.len() == 1 && warnings[0].contains(playouts), "{warnings:?}");

    let play = ["play", "--rules", "conquest,komi=1", "--size", "10", "--simulations", "4"];
    let output = hotstone_with(&play, "B2\nhint\nquit\n");
    assert!(stdout(&output).contains("Hotstone plays"), "{}", stdout(&output));
    assert!(stderr(&output).contains("random playouts"), "{}", stderr(&output));

    assert_refused(&["gtp", "--rules", "tlie", "--size", "7"], "did you mean 'tile'");
    assert_misused(&["gtp", "--rules", "tile", "--size", "20"], "size 20");
    let (_, told) = version_after(&[], "");
    assert!(told.contains("go on 9×9 is played by the released model universal"), "{told}");
    assert_refused(&["gtp", text(&smoke_run()), "--size", "9"], "--size: size 9 is not supported");
}

#[test]
fn a_go_client_gets_whoever_plays_what_it_asks_for() {
    let run = smoke_run();
    let own = ["incursion", "4×4", "run"];
    let plays = |arguments: &[&str], commands: &str| {
        let told = version_after(arguments, commands).1;
        told.lines().rfind(|line| line.contains("is played by")).unwrap().to_owned()
    };
    let all_of = |line: String, parts: &[&str]| {
        assert!(parts.iter().all(|part| line.contains(part)), "{line}: {parts:?}");
    };
    let model = [text(&run)];
    all_of(plays(&model, "boardsize 10\n"), &["incursion", "10×10", "random playouts"]);
    all_of(plays(&model, "boardsize 7\n"), &["incursion", "7×7", "released model universal"]);
    all_of(plays(&model, "boardsize 9\nboardsize 4\n"), &own);
    all_of(plays(&model, "boardsize 9\nclear_board\nkomi 5.5\nboardsize 4\n"), &own);
    all_of(
        plays(&model, "kata-set-rules tromp-taylor\nboardsize 7\n"),
        &["go", "7×7", "universal"],
    );
    let chinese = "kata-set-rules chinese\nboardsize 5\n";
    all_of(plays(&model, chinese), &["chinese: ", "5×5", "released model universal"]);
    all_of(plays(&model, &format!("{chinese}kata-set-rules incursion\nboardsize 4\n")), &own);

    let go = ["--rules", "go"];
    for rules in ["chinese-ogs", "chinese", "japanese", "korean", "aga", "ing", "new-zealand"] {
        let commands = format!("boardsize 9\nclear_board\nkomi 7.5\nkata-set-rules {rules}\n");
        let line = plays(&go, &commands);
        all_of(line, &["9×9", "released model universal"]);
    }
    all_of(plays(&go, "boardsize 9\nboardsize 7\n"), &["go on 7×7", "released model universal"]);
    let refused = stdout(&hotstone_with(&["gtp", "--rules", "go"], "kata-set-rules sunjang\n"));
    assert!(refused.contains("available rules are tromp-taylor, chinese"), "{refused}");
    let refused = stdout(&hotstone_with(&["gtp", "--rules", "go"], "boardsize 25\n"));
    assert!(refused.contains("invalid size 25: expected 2 to 19"), "{refused}");
}

#[test]
fn a_run_cools_down_in_a_fork_and_goes_on_from_its_weights() {
    let folder = tempfile::tempdir().unwrap();
    let config = repository().join("configs/smoke.toml");
    let [forked, begun] = ["forked", "begun"].map(|name| folder.path().join(name));
    let run = folder.path().join("run");
    copy_folder(&smoke_run(), &run);
    let train = |how: &str, from: &Path, to: &Path| {
        let changes = ["--set", "budget.positions=500", "--set", "evaluation.every=0", "--quiet"];
        let paths = [how, text(from), "--config", text(&config), "--run", text(to)];
        hotstone(&[&["train"], &paths[..], &changes[..]].concat())
    };
    let output = train("--fork", &run, &forked);
    assert!(output.status.success(), "{}", stderr(&output));
    let steps = |run: &Path| models::checkpoint_steps(run).unwrap();
    assert!(steps(&forked).last() > steps(&run).last(), "it continues");
    assert!(steps(&forked).first() >= steps(&run).last());

    let output = train("--from", &run, &begun);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(steps(&begun).first(), Some(&0), "it begins from zero");
    let none = folder.path().join("none");
    assert_refused(
        &["train", "--from", text(folder.path()), "--config", text(&config), "--run", text(&none)],
        "card.toml",
    );
    assert!(!none.exists());
}
