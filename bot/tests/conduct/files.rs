//! Games and positions are saved in files and loaded from them.

use bot::gtp::Engine;
use search::evaluators::Scripted;

use super::{ask, engine};

#[test]
fn games_are_saved_and_loaded_whole_or_up_to_a_move() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().display();
    let path = format!("{folder}/game.sgf");
    let mut saving = engine("incursion", &[5]);
    for command in ["play B C3", "play W B2", "play B D4", "play W E5", "komi 2.5"] {
        ask(&mut saving, command);
    }
    let state = ask(&mut saving, "hotstone-state");
    assert_eq!(ask(&mut saving, &format!("printsgf {path}")), "");

    let mut loading = engine("incursion", &[5, 7]);
    assert_eq!(ask(&mut loading, &format!("loadsgf {path}")), "");
    assert_eq!(ask(&mut loading, "hotstone-state"), state);
    ask(&mut loading, &format!("loadsgf {path} 3"));
    assert_eq!(ask(&mut loading, "gogui-rules_side_to_move"), "black");
    assert_eq!(loading.player().game().turns().len(), 2, "the position before move 3");
    ask(&mut loading, "undo");
    ask(&mut loading, "genmove W");

    let refused = |mut engine: Engine<Scripted>, file: &str| {
        std::fs::write(&path, file).unwrap();
        let before = ask(&mut engine, "hotstone-state");
        let reply = engine.answer(format!("loadsgf {path}").as_bytes()).unwrap().to_string();
        assert_eq!(ask(&mut engine, "hotstone-state"), before, "the game goes on");
        reply
    };
    let other = refused(engine("incursion", &[5]), "(;GM[1]SZ[5]RU[tile];B[cc])");
    assert_eq!(other, "? these are the rules tile: this model plays incursion\n\n");
    let size = refused(engine("incursion", &[5]), "(;GM[1]SZ[9];B[cc])");
    assert!(size.starts_with("? unacceptable size"), "{size}");
    let illegal = refused(engine("incursion", &[5]), "(;GM[1]SZ[5];B[cc];W[cc])");
    assert!(illegal.contains("turn 2, C3"), "{illegal}");
    let nothing = refused(engine("incursion", &[5]), "no game");
    assert!(nothing.starts_with("? cannot load file"), "{nothing}");
    let damaged = refused(engine("incursion", &[19]), "\u{feff}(;GM[1]\u{80}SZ[7];B[aa])");
    assert!(damaged.contains("is damaged"), "{damaged}");
    let unwritten = loading.answer(b"printsgf /nowhere/game.sgf").unwrap().to_string();
    assert!(unwritten.starts_with("? cannot write file"), "{unwritten}");
    for command in ["printsgf", "printposition"] {
        let first_part = format!("{folder}/{command}");
        let parted = loading.answer(format!("{command} {first_part} game.sgf").as_bytes()).unwrap();
        let parted = parted.to_string();
        assert!(parted.starts_with("? syntax error: unexpected argument 'game.sgf'"), "{parted}");
        assert!(!std::path::Path::new(&first_part).exists(), "half of a name is another file");
    }
    std::fs::write(&path, "(;GM[1]SZ[5]RU[incursion]KM[0.5];B[cc])").unwrap();
    ask(&mut loading, &format!("loadsgf {path}"));
    assert_eq!(ask(&mut loading, "get_komi"), "0.5");

    // Files of other programs are taken to be of this model's rules.
    std::fs::write(&path, "(;GM[1]SZ[5]RU[Japanese]KM[6.5]AB[cc];W[bb])").unwrap();
    assert_eq!(ask(&mut loading, &format!("loadsgf {path}")), "");
    assert_eq!(ask(&mut loading, "get_komi"), "6.5");
    assert_eq!(ask(&mut loading, "gogui-rules_side_to_move"), "black");
    std::fs::write(&path, "(;GM[1]SZ[5]AB[cc]AW[dd];W[bb])").unwrap();
    ask(&mut loading, &format!("loadsgf {path} 1"));
    assert_eq!(ask(&mut loading, "gogui-rules_side_to_move"), "white", "who takes the first turn");
    // Nobody writes other names without meaning them.
    for (rules, remark) in [
        ("Tiel", "the file's rules, 'Tiel', are unknown (did you mean 'tile'?): read as incursion"),
        ("Sunjang", "the file's rules, 'Sunjang', are unknown: read as incursion"),
        ("Incursion", ""),
    ] {
        std::fs::write(&path, format!("(;GM[1]SZ[5]RU[{rules}];B[cc])")).unwrap();
        assert_eq!(ask(&mut loading, &format!("loadsgf {path}")), remark);
    }
    std::fs::write(&path, "(;GM[1]SZ[5]RU[incursion,komi=much];B[cc])").unwrap();
    let remark = ask(&mut loading, &format!("loadsgf {path}"));
    assert!(remark.contains("are unknown (komi = 'much' is invalid: expected "), "{remark}");
    let other = refused(engine("incursion", &[5]), "(;GM[1]SZ[5]RU[Tile];B[cc])");
    assert_eq!(other, "? these are the rules tile: this model plays incursion\n\n");

    let mut closed = engine("incursion", &[5]).without_files();
    assert!(
        closed.answer(format!("loadsgf {path}").as_bytes()).unwrap().to_string().starts_with('?')
    );
}

#[test]
fn positions_are_saved_and_loaded_with_all_that_the_rules_look_at() {
    let folder = tempfile::tempdir().unwrap();
    let [path, game] =
        ["position.txt", "position.sgf"].map(|name| folder.path().join(name).display().to_string());
    let mut saving = engine("tile", &[4]);
    for command in ["play B A1", "play W B1", "play B D4", "play W A2", "play B D3", "komi 2"] {
        ask(&mut saving, command);
    }
    let text = ask(&mut saving, "printposition");
    assert!(text.lines().any(|line| line == "tiles D4"), "{text}");
    assert_eq!(ask(&mut saving, &format!("printposition {path}")), "");

    let mut loading = engine("tile", &[4]);
    assert_eq!(ask(&mut loading, &format!("loadposition {path}")), "");
    assert_eq!(ask(&mut loading, "printposition"), text);
    assert_eq!(ask(&mut loading, "hotstone-legal"), ask(&mut saving, "hotstone-legal"));
    assert_eq!(ask(&mut loading, "gogui-setup_player W"), "");
    let refused = loading.answer(b"gogui-setup_player B").unwrap().to_string();
    assert!(refused.contains("more than stones"), "{refused}");
    assert_eq!(ask(&mut loading, "printposition"), text, "nothing is lost");
    ask(&mut loading, "play W C4");
    assert_eq!(ask(&mut loading, &format!("printsgf {game}")), "");
    let now = ask(&mut loading, "printposition");

    let mut again = engine("tile", &[4]);
    assert_eq!(ask(&mut again, &format!("loadsgf {game}")), "");
    assert_eq!(ask(&mut again, "printposition"), now, "the file knows how the game began");
    ask(&mut again, "undo");
    assert_eq!(ask(&mut again, "printposition"), text);
    let refused = again.answer(b"undo").unwrap().to_string();
    assert!(refused.starts_with("? cannot undo"), "no turn is left to take back: {refused}");
    assert_eq!(ask(&mut again, "printposition"), text);
    assert_eq!(ask(&mut again, &format!("loadposition {path}")), "");
    assert!(again.answer(b"undo").unwrap().to_string().starts_with("? cannot undo"));
    assert_eq!(ask(&mut again, "printposition"), text);

    let mut refuses = |file: &str| {
        std::fs::write(&path, file).unwrap();
        let before = ask(&mut again, "printposition");
        let reply = again.answer(format!("loadposition {path}").as_bytes()).unwrap().to_string();
        assert_eq!(ask(&mut again, "printposition"), before, "the game goes on");
        reply
    };
    assert_eq!(refuses("rules"), "? cannot load file: missing line 'size'\n\n");
    let other = refuses(&text.replace("rules tile", "rules cushion"));
    assert_eq!(other, "? these are the rules cushion: this model plays tile\n\n");
    let mut closed = engine("tile", &[4]).without_files();
    assert!(
        closed.answer(b"loadposition /nowhere").unwrap().to_string().contains("not served here")
    );
}
