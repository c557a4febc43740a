//! What the sessions of all interfaces have in common.

use std::fs;
use std::path::Path;

use bot::{Level, Player, Settings, SupportedRules};
use engine::Color;
use search::evaluators::Scripted;

/// How a session is set up.
pub(crate) struct Script {
    rules: String,
    sizes: Vec<u8>,
    simulations: u32,
    level: Option<Level>,
    pub(crate) human: Color,
}

impl Script {
    /// Reads the settings of a session.
    pub(crate) fn read(text: &str) -> Script {
        let mut script = Script {
            rules: "go".to_owned(),
            sizes: vec![5],
            simulations: 16,
            level: None,
            human: Color::Black,
        };
        for setting in text.lines().filter_map(|line| line.strip_prefix("% ")) {
            match setting.split_once(' ').unwrap() {
                ("rules", rules) => script.rules = rules.to_owned(),
                ("sizes", sizes) => {
                    script.sizes = sizes.split(' ').map(|size| size.parse().unwrap()).collect();
                }
                ("level", number) => script.level = Some(number.parse().unwrap()),
                ("simulations", number) => script.simulations = number.parse().unwrap(),
                ("human", "black") => script.human = Color::Black,
                ("human", "white") => script.human = Color::White,
                other => panic!("no such setting: {other:?}"),
            }
        }
        script
    }

    pub(crate) fn player(&self) -> Player<Scripted> {
        let mut settings = Settings::default();
        settings.search.simulations = self.simulations;
        let settings = self.level.map_or(settings, |level| settings.at_level(level));
        let supported = SupportedRules::new(&self.rules, &self.sizes).unwrap();
        Player::new(supported, Scripted { seed: 1 }, settings)
    }
}

/// Plays every session of a folder, which must hold exactly the sessions `names`, and compares.
pub(crate) fn check(folder: &str, ending: &str, names: &[&str], play: fn(&str) -> String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut found: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    let expected: Vec<String> = names.iter().map(|name| format!("{name}.{ending}")).collect();
    assert_eq!(found, expected, "the files, and the sessions that there must be");

    for file in expected {
        let path = folder.join(&file);
        let text = fs::read_to_string(&path).unwrap();
        let session = play(&text);
        if std::env::var_os("UPDATE_SESSIONS").is_some() {
            fs::write(&path, session).unwrap();
        } else {
            compare(&file, &text, &session);
        }
    }
}

fn compare(file: &str, expected: &str, found: &str) {
    if expected == found {
        return;
    }
    let differing = found.lines().zip(expected.lines()).position(|(now, then)| now != then);
    let line = differing.unwrap_or_else(|| found.lines().count().min(expected.lines().count()));
    panic!(
        "{file}, line {}: expected {:?}, got {:?}",
        line + 1,
        expected.lines().nth(line),
        found.lines().nth(line)
    );
}
