//! Every text that people read is in every language, and nothing else is.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::{
    Color, IllegalMove, Move, MoveParseError, Point, Reason, Rules, RulesError, SetupError, Variant,
};
use game::{Game, GoName, PlayError, ReadError, RecordRulesError, SgfRecord};
use interface::{
    Catalogue, ExampleView, GameView, Language, Offer, Refusal, Seat, Table, ViewContext, template,
};
use syn::visit::{self, Visit};

use crate::problem::{Problem, STORAGE, UNSAVED};

/// The sources in which the English texts of the interface are.
const SPEAKING: [&str; 8] = [
    "interface/src/examples.rs",
    "interface/src/language.rs",
    "interface/src/playable.rs",
    "interface/src/position.rs",
    "interface/src/puzzles.rs",
    "interface/src/refusal.rs",
    "interface/src/description.rs",
    "interface/src/variants.rs",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn source(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// The literal texts of Rust code, without tests, names of places, and what is not in words.
#[derive(Default)]
struct Literals(BTreeSet<String>);

impl<'ast> Visit<'ast> for Literals {
    fn visit_item_mod(&mut self, _: &'ast syn::ItemMod) {}

    fn visit_expr_tuple(&mut self, _: &'ast syn::ExprTuple) {}

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        let text = text.value();
        if text.contains(' ') && text.contains(char::is_alphabetic) || text == "Pass" {
            self.0.insert(text);
        }
    }
}

/// What the server and the engine are asked to say in other languages.
fn of_the_interface() -> BTreeSet<String> {
    let mut literals = Literals::default();
    for path in SPEAKING {
        visit::visit_file(&mut literals, &syn::parse_file(&source(path)).unwrap());
    }
    literals.0
}

/// The words of the engine about rule sets.
fn of_rules() -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for variant in Variant::ALL {
        let about = variant.about();
        words.extend(
            [about.title, about.line, about.rule, about.inventor, about.example.caption]
                .map(str::to_owned),
        );
    }
    let more = ["go,capture_goal=1", "go,capture_goal=3", "go,stones_per_turn=2"];
    let more = more.map(|text| Rules::parse(text, 9).unwrap());
    let named = Variant::ALL.map(|variant| variant.rules(9).unwrap());
    for rules in named.into_iter().chain(more) {
        words.extend(rules.parts().into_iter().map(|part| part.meaning));
    }
    let several = Rules::parse("go,stones_per_turn=2", 9).unwrap();
    for rules in named.into_iter().chain([several]) {
        words.extend(rules.distinctive_parts().into_iter().map(|part| part.name.to_owned()));
    }
    for part in Rules::every_part() {
        words.insert(part.about.to_owned());
        words.extend(part.values.iter().map(|choice| choice.meaning.to_owned()));
    }
    words
}

/// What is wrong with rule sets, in the engine's words.
fn of_wrong_rules() -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let mut values = vec!["?", "0", "1", "2", "3"];
    let parts = Rules::every_part();
    values.extend(parts.iter().flat_map(|part| part.values).map(|choice| choice.word));
    let starts = Variant::ALL.map(|variant| variant.name().to_owned());
    let two = "go,stones_per_turn=2".to_owned();
    for start in starts.into_iter().chain([two]) {
        for part in &parts {
            for value in &values {
                match Rules::parse(&format!("{start},{}={value}", part.field), 9) {
                    Err(RulesError::Value { expected, .. }) => words.insert(expected),
                    Err(RulesError::Unused { reason, .. }) => words.insert(reason.to_owned()),
                    Err(RulesError::Unknown { what, .. }) => words.insert(what.to_owned()),
                    _ => false,
                };
            }
        }
    }
    for text in ["tiel", "go,kmoi=1"] {
        if let Err(RulesError::Unknown { what, .. }) = Rules::parse(text, 9) {
            words.insert(what.to_owned());
        }
    }
    words.insert(RulesError::Size(20).to_string());
    words.insert(RulesError::NoSize("x".to_owned()).to_string());
    words
}

/// Why a move is illegal, once for every reason. This does not compile until a new reason is
/// listed.
fn of_illegal_moves() -> BTreeSet<String> {
    let point = Point::new(2, 2);
    let every = [
        IllegalMove::GameOver,
        IllegalMove::OffBoard(point),
        IllegalMove::Occupied(point),
        IllegalMove::Suicide,
        IllegalMove::SingleSuicide,
        IllegalMove::Ko,
        IllegalMove::PositionalSuperko,
        IllegalMove::SituationalSuperko,
        IllegalMove::Incursion,
        IllegalMove::MinimalIncursion,
        IllegalMove::StoicalCapture,
        IllegalMove::HotStone,
        IllegalMove::OddCycle,
        IllegalMove::CaptureForbidden,
        IllegalMove::TileLimit(point),
        IllegalMove::NoPass,
        IllegalMove::NoPassLeft(Color::Black),
        IllegalMove::NoPassLeft(Color::White),
        IllegalMove::NoPrisoner,
        IllegalMove::Owned(point),
        IllegalMove::NoChoice(Move::PlaceStarred(point)),
    ];
    let listed = syn::parse_file(&source("engine/src/illegal_move.rs")).unwrap();
    let values = listed.items.iter().find_map(|item| match item {
        syn::Item::Enum(listed) => Some(listed.variants.len()),
        _ => None,
    });
    assert_eq!(values, Some(every.len() - 1), "every reason once, and one for both colours");
    every.iter().map(ToString::to_string).collect()
}

/// What stones do, in the words of `bot`, for one and for more.
fn of_effects() -> BTreeSet<String> {
    let mut words: BTreeSet<String> = [
        "is an incursion",
        "is a minimal incursion",
        "puts down a tile under its stone",
        "puts down tile number 2 under its stone",
        "is a ko play, after which its stone is hot",
    ]
    .map(str::to_owned)
    .into();
    for (number, ending) in [(1, ""), (2, "s")] {
        words.extend([
            format!("makes {number} point{ending} yours"),
            format!("captures {number} stone{ending}"),
            format!("turns {number} stone{ending} of your own into territory"),
            format!("removes {number} stone{ending} of your own"),
            format!("conquered {number} point{ending}"),
            format!("captured {number} stone{ending}"),
            format!("turned {number} own stone{ending} into territory"),
            format!("removed {number} own stone{ending}"),
        ]);
    }
    words
}

/// Refused requests about games that are said in the words of their own errors.
fn of_refusals() -> BTreeSet<String> {
    let mut words: BTreeSet<String> = [
        Refusal::NoSuchAddress,
        Refusal::NoSuchGame,
        Refusal::NoSuchTurn { turn: "9".to_owned(), turns: 3 },
        Refusal::BadRequest("the game in this link is damaged".to_owned()),
        Refusal::BadRequest(MoveParseError("x".to_owned()).to_string()),
        Refusal::NoSuchModel("x".to_owned()),
        Refusal::NoModel,
        Refusal::NoSuchLevel(11),
        Refusal::NoPerson,
        Refusal::NoSeat,
        Refusal::NotYourTurn,
        Refusal::TooManyMoves { given: 2, most: 1 },
        Refusal::TooLongGame { given: 2, most: 1 },
        Refusal::TooLongCycle { given: 2, most: 1 },
        Refusal::TooLongSearch { given: 2, most: 1 },
        Refusal::GameOver,
        Refusal::NothingToUndo,
        Refusal::NoReplyDue,
        Refusal::Unreadable,
        Refusal::Internal,
    ]
    .map(|refusal| refusal.to_string())
    .into();
    words.extend(["the game has changed", "it ended without an answer"].map(str::to_owned));
    words.extend(Color::BOTH.map(|color| PlayError::Resigned(color).to_string()));
    words.extend(Color::BOTH.map(|color| PlayError::WouldEnd(color).to_string()));
    words
}

/// Requests that the server itself refuses.
fn of_problems() -> BTreeSet<String> {
    let second = Duration::from_secs(1);
    let mut words: BTreeSet<String> = [
        Problem::NoSuchMethod,
        Problem::ForeignHost,
        Problem::NotJson,
        Problem::TooLarge(1),
        Problem::TooSlow(second),
        Problem::TooManyRequests(second),
        Problem::TooManyNewGames(second),
        Problem::TooManySimulations(second),
        Problem::TooMuchThinking(second),
        Problem::TooManySearches,
        Problem::TooManyStreams,
        Problem::Busy,
        Problem::Full,
        Problem::Stopping,
    ]
    .map(|problem| problem.to_string())
    .into();
    words.extend([STORAGE, UNSAVED].map(str::to_owned));
    words
}

/// What is wrong with files, and what is said about their rules.
fn of_files() -> BTreeSet<String> {
    let mut words: BTreeSet<String> = [
        ReadError::NoGame,
        ReadError::OtherGame,
        ReadError::TooLong(1),
        ReadError::TooManyPoints(1),
        ReadError::Size(1, 1),
        ReadError::BadSize("x".to_owned()),
        ReadError::SetupOffBoard,
        ReadError::Move { turn: 1, text: "x".to_owned() },
        ReadError::SeveralValues { turn: 1, count: 2 },
        ReadError::SetupInGame(1),
    ]
    .map(|error| error.to_string())
    .into();
    for file in [
        "(;SZ[5]AB[a b])",
        "(;SZ[5]KM[x])",
        "(;SZ[5]KM[650])",
        "(;SZ[5]GM[Go];B[aa])",
        "(;SZ[5];B[aa];W[b",
        "(;SZ[5];B[aa];W)",
    ] {
        let damaged = SgfRecord::read_text(file).unwrap().defects;
        assert_eq!(damaged.len(), 1, "{file}");
        words.extend(damaged);
    }
    let point = Point::new(2, 2);
    words.extend(
        [SetupError::OffBoard, SetupError::TwoStones(point), SetupError::NoLiberty(point)]
            .map(|error| error.to_string()),
    );
    words.extend(GoName::find("Japanese").and_then(|name| name.remark()));
    let source = RulesError::Size(1);
    words.extend(
        [RecordRulesError::Missing, RecordRulesError::Unknown { given: "x".to_owned(), source }]
            .map(|error| error.to_string()),
    );
    words
}

/// What ended a game.
fn of_ends() -> BTreeSet<String> {
    Reason::ALL.map(|reason| reason.to_string()).into()
}

/// The texts of the page: what its HTML shows or reads out, and what its scripts say.
fn of_the_page() -> BTreeSet<String> {
    let page = source("server/src/page/index.html");
    let mut texts = BTreeSet::new();
    let body = page.split_once("<body>").unwrap().1;
    for name in ["aria-label=\"", "placeholder=\"", "title=\"", "name=\"description\" content=\""] {
        let named = page.split(name).skip(1);
        texts.extend(named.map(|rest| rest.split('"').next().unwrap().to_owned()));
    }
    let shown = body.split('>').skip(1).map(|rest| rest.split('<').next().unwrap().trim());
    texts.extend(shown.filter(|text| !text.is_empty()).map(str::to_owned));
    for folder in ["server/src/page", "browser/page"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "js") {
                let script = fs::read_to_string(&path).unwrap();
                texts.extend(script.split("say(").skip(1).flat_map(first_argument));
            }
        }
    }
    texts
}

/// The texts that the first argument of a call can be: one, or one of two.
fn first_argument(call: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let (mut depth, mut rest) = (0, call);
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        match letter {
            '"' => {
                let (text, after) = rest.split_once('"').unwrap();
                let compared = ["=== ", "!== "]
                    .iter()
                    .any(|sign| call[..call.len() - rest.len() - 1].ends_with(sign));
                if !compared {
                    texts.push(text.to_owned());
                }
                rest = after;
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ',' if depth == 0 => break,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    texts
}

/// Every English text.
fn english() -> BTreeSet<String> {
    let put_together = [
        of_rules(),
        of_wrong_rules(),
        of_illegal_moves(),
        of_effects(),
        of_ends(),
        of_refusals(),
        of_problems(),
        of_files(),
    ];
    let put_together = put_together.into_iter().flatten().map(|words| template(&words).0);
    let english = put_together.chain(of_the_interface()).chain(of_the_page());
    english.filter(|text| text.contains(char::is_alphabetic) || text.contains('{')).collect()
}

/// The names of the places in a text.
fn places(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0)).collect()
}

#[test]
fn every_language_has_every_text_and_no_other() {
    let english = english();
    for language in Language::all().skip(1) {
        let texts = language.texts();
        let missing: Vec<&String> =
            english.iter().filter(|text| !texts.contains_key(*text)).collect();
        assert!(missing.is_empty(), "{} lacks {missing:#?}", language.tag());
        let unused: Vec<&String> = texts.keys().filter(|text| !english.contains(*text)).collect();
        assert!(unused.is_empty(), "{} has {unused:#?}, which nobody says", language.tag());
        for (text, translated) in texts {
            assert_eq!(places(text), places(translated), "{}: {text}", language.tag());
            assert!(!translated.trim().is_empty(), "{}: {text}", language.tag());
        }
    }
}

/// The texts of an answer, without those that are the same in every language.
fn read(answer: &serde_json::Value, texts: &mut Vec<String>) {
    match answer {
        serde_json::Value::String(text) => texts.push(text.clone()),
        serde_json::Value::Array(items) => items.iter().for_each(|item| read(item, texts)),
        serde_json::Value::Object(fields) => {
            let same = ["title", "inventor", "source", "sgf", "rules", "state", "field", "value"];
            let said = fields.iter().filter(|(name, _)| !same.contains(&name.as_str()));
            said.for_each(|(_, item)| read(item, texts));
        }
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
    }
}

/// The texts of games, examples and rule sets are in the requested language, and none is in
/// English.
#[test]
fn every_variant_is_played_and_explained_in_every_language() {
    let catalogue = Catalogue::new(Vec::new()).unwrap();
    for language in Language::all().skip(1) {
        let compare = |ours: serde_json::Value, english: serde_json::Value, what: &str| {
            let (mut said, mut meant) = (Vec::new(), Vec::new());
            read(&ours, &mut said);
            read(&english, &mut meant);
            assert_eq!(said.len(), meant.len(), "{what}");
            for (said, meant) in said.iter().zip(&meant) {
                let is_sentence = meant.trim_start_matches(char::is_alphanumeric).starts_with(' ');
                assert!(!is_sentence || said != meant, "{}: {what}: {said}", language.tag());
            }
        };
        let english = Language::english();
        let examples = |language| serde_json::to_value(ExampleView::all(language)).unwrap();
        compare(examples(language), examples(english), "examples");
        let offer = |language| serde_json::to_value(Offer::of(&catalogue, true, language)).unwrap();
        compare(offer(language), offer(english), "offer");
        for variant in Variant::ALL {
            let mut game = Game::new(variant.rules(4).unwrap());
            while game.end().is_none() && game.turns().len() < 60 {
                let legal = game.position().legal_moves();
                game.play(legal[game.turns().len() * 7 % legal.len()]).unwrap();
                let view = |language| {
                    let id = "0".repeat(32).parse().unwrap();
                    let catalogue = &catalogue;
                    let context = ViewContext {
                        id,
                        version: 0,
                        thinking: false,
                        trouble: None,
                        catalogue,
                        language,
                    };
                    let seat = || Seat::Person { token: id };
                    let table = Table::new(game.clone(), [seat(), seat()]);
                    serde_json::to_value(GameView::of(&table, context)).unwrap()
                };
                compare(view(language), view(english), variant.name());
            }
        }
    }
}
