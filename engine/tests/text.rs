//! Positions as text: what is written reads back as the same position, and errors name the line.

#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::Random;
use engine::{
    Color, Encoding, GLOBAL_NAMES, GameResult, HistoryDependence, IllegalMove, Outcome, Position,
    Reason, Rules, Size, Variant,
};

/// Combinations that reach every line of the text.
const COMBINATIONS: [&str; 14] = [
    "stoical,repetition=situational-superko,suicide=true",
    "incursion,repetition=simple",
    "minimal-incursion,repetition=hot-stone",
    "tile,tile_limit=3",
    "tile,repetition=positional-superko",
    "cushion,repetition=hot-stone,tile_limit=2",
    "hot-stone,max_cycle=10,suicide=true",
    "alter-igo,white_passes=4",
    "pure-conquest,komi=-2.5",
    "go,passes_to_end=3,suicide=true",
    "go,stones_per_turn=3,suicide=true",
    "no-pass-go,stones_per_turn=2",
    "go,capture_goal=3",
    "incursion,end=prisoner-return,komi=2",
];

fn rule_sets() -> impl Iterator<Item = Rules> {
    let sizes = ["3", "4", "5", "3x4", "7x2", "5x6", "9"];
    let names = Variant::ALL.into_iter().map(Variant::name).chain(COMBINATIONS);
    names.flat_map(move |name| {
        sizes.map(|size| Rules::parse(name, size.parse::<Size>().unwrap()).unwrap())
    })
}

fn assert_same(read: &Position, written: &Position, text: &str) {
    assert_eq!(read.hash(), written.hash(), "{text}");
    assert_eq!(Encoding::of(read), Encoding::of(written), "{text}");
    assert_eq!(read.legal_moves(), written.legal_moves(), "{text}");
    assert_eq!(read.outcome(), written.outcome(), "{text}");
    assert_eq!(read.to_string(), text);
}

/// Every position of random games of every variant is read back unchanged, and plays on in the same way.
#[test]
fn what_is_written_is_read_back() {
    for (seed, rules) in (1..).zip(rule_sets()) {
        let mut random = Random(seed);
        let mut position = Position::new(rules);
        let mut twin = position.clone();
        for turn in 0.. {
            let text = position.to_string();
            let read = Position::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_same(&read, &position, &text);
            assert_same(&Position::parse_under(&text, rules).unwrap(), &position, &text);
            // A game that is read now and then must never part from one that is not.
            if turn % 7 == 0 {
                twin = read;
            }
            if position.outcome().is_some() {
                break;
            }
            let chosen = random.pick(&position);
            position.play(chosen).unwrap();
            twin.play(chosen).unwrap();
            assert_eq!(twin.hash(), position.hash(), "after {chosen} from\n{text}");
        }
    }
}

#[test]
fn a_hand_needs_to_write_little() {
    let text = "# a corner\nrules conquest\nsize 3x2\n\nX . .\n. X O\nwhite to move\n";
    let position: Position = text.parse().unwrap();
    let stones = [common::points("A2 B1"), common::points("C1")];
    let set_up = Position::with_stones(*position.rules(), stones[0], stones[1], position.turn());
    assert_eq!(position.hash(), set_up.unwrap().hash());
    assert!(position.to_string().contains("bX"), "its stones enclose the corner: {position}");
}

/// The stones of earlier turns are known without those turns having been played here.
#[test]
fn history_forbids_what_has_stood() {
    let text = "rules go\nsize 4\n....\n.XO.\nXO.O\n.XO.\nblack to move\nhistory W:B2xC2";
    let position: Position = text.parse().unwrap();
    let refused = position.check_move("C2".parse().unwrap()).unwrap_err();
    assert!(refused.to_string().contains("superko"), "{refused}");
    let without = text.rsplit_once('\n').unwrap().0;
    let position: Position = without.parse().unwrap();
    assert!(position.check_move("C2".parse().unwrap()).is_ok());
}

/// Turns of which a text says nothing were no passes.
#[test]
fn turns_that_are_not_recorded_stay_unrecorded() {
    let text = "rules tile\nsize 3\n.X.\nXO.\n...\nblack to move\nturns 8\n";
    let mut position: Position = text.parse().unwrap();
    assert!(!position.to_string().contains("recent"), "{position}");
    position.play("C2".parse().unwrap()).unwrap();
    assert!(position.to_string().contains("\nrecent C2\n"), "{position}");
    let read: Position = position.to_string().parse().unwrap();
    assert_same(&read, &position, &position.to_string());
    let started: Position = text.replace("turns 8\n", "").parse().unwrap();
    let was_pass = |position: &Position| {
        let numbers = GLOBAL_NAMES.iter().zip(Encoding::of(position).globals);
        numbers
            .filter(|(name, _)| name.contains("was a pass"))
            .map(|(_, number)| number)
            .sum::<f32>()
    };
    assert_eq!([was_pass(&text.parse().unwrap()), was_pass(&started)], [0.0, 0.0]);
}

/// Counts that no game reaches are kept as they are.
#[test]
fn the_largest_counts_do_not_overflow() {
    let text = "rules tile\nsize 3\n.X.\nXO.\n.X.\nblack to move\nprisoners 65535 0\n";
    let mut position: Position = text.parse().unwrap();
    position.play("C2".parse().unwrap()).unwrap();
    assert_eq!(position.prisoners(Color::Black), u16::MAX);
    let text = "rules alter-igo,white_passes=3\nsize 3\n...\n...\n...\nwhite to move\npasses 255\n";
    let mut position: Position = text.parse().unwrap();
    position.play(engine::Move::Pass).unwrap();
    assert!(position.to_string().contains("passes 255"), "{position}");
}

#[test]
fn what_is_wrong_is_said() {
    let go = "rules go\nsize 3\n.X.\nXO.\n...\nblack to move\n";
    let with = |line: &str| format!("{go}{line}\n");
    for (text, wanted) in [
        (String::new(), "missing line 'rules'"),
        ("rules go\n".to_owned(), "missing line 'size'"),
        ("rules go\nsize 30\n".to_owned(), "line 2: invalid size 30: expected 2 to 19"),
        ("rules og\nsize 2\n..\n..\nblack to move".to_owned(), "line 1: unknown variant 'og'"),
        ("rules go\nsize 2\n..\n".to_owned(), "missing line 'row'"),
        ("rules go\nsize 2\n...\n..\n".to_owned(), "line 3: expected a row"),
        ("rules go\nsize 2\n..\n.?\n".to_owned(), "line 4: expected a row"),
        ("rules go\nsize 2\n..\n..\n".to_owned(), "missing line 'black to move'"),
        ("rules go\nsize 2\nX.\nOX\nblack to move".to_owned(), "the string at A1 has no liberty"),
        ("rules go\nsize 2\n..\n.b\nblack to move".to_owned(), "does not apply under these rules"),
        (with("size 3\n...\n...\n..."), "line 7: 'size' is given twice"),
        (with("white to move"), "line 7: 'to move' is given twice"),
        (with("turns 1\nrecent A1 B1"), "'turns': fewer turns than the text records"),
        (with("komi 3"), "line 7: unknown word 'komi'"),
        (with("turns many"), "line 7: expected a number"),
        (with("turns 36"), "'turns': the game has ended"),
        (with("passes 2"), "'passes': the game has ended"),
        (with("passes 300"), "'passes': the game would have ended"),
        (with("recent C9"), "C9: it is not on this board"),
        (with("recent C1 C1 C1 C1 C1 C1"), "at most five"),
        (with("recent I4"), "line 7: invalid move 'I4'"),
        (with("last atari"), "line 7: expected capture"),
        (with("prisoners 1"), "line 7: expected two numbers"),
        (with("tiles C3"), "'tiles' does not apply"),
        (with("tiles C3=x"), "line 7: expected points such as D4=2"),
        (with("tiles C3=4"), "C3: too many tiles"),
        (with("hot C3"), "C3: there is no stone that could be hot"),
        (with("hot B2"), "'hot' does not apply"),
        (with("fixed none"), "'fixed' does not apply"),
        (with("left 2"), "'left': more stones than"),
        (with("history C3"), "line 7: expected turns such as"),
        (with("history B:C3"), "history, turn 1: the stone that it places is not there"),
        (with("history B:B3xB2"), "history, turn 1: a stone that it removes is still there"),
        (with("history B:B3xC2"), "history, turn 1: under these rules it removes other stones"),
        (with("history B:B3 W:B2xK9"), "K9: it is not on this board"),
        (with("result B luck"), "line 7: expected B, W or draw"),
        (with("result W passes"), "'result': the game does not end like this here"),
        (with("passes 2\nresult B passes"), "'result': the game does not end like this here"),
        (with("result W suicide"), "'result': the game does not end like this here"),
    ] {
        let told = Position::parse(&text).map(|position| position.to_string());
        let told = told.expect_err(&text).to_string();
        assert!(told.contains(wanted), "'{told}' for\n{text}");
    }
    assert!(Position::parse(&with("passes 2\nresult W passes")).is_ok());
    let other = Rules::parse("go", 4).unwrap();
    let told = Position::parse_under(go, other).unwrap_err().to_string();
    assert_eq!(told, "the board is 3×3, but the rules are for 4×4");
}

/// Situational superko and draws by repetition tell from the number of a turn whose it was.
#[test]
fn players_alternate_where_it_matters_whose_turn_it_was() {
    let read = |rules: &str, history: &str| {
        let board = "size 3\nXX.\n...\n...\nwhite to move";
        let position = Position::parse(&format!("rules {rules}\n{board}\nhistory {history}\n"));
        position.map(|_| ()).map_err(|error| error.to_string())
    };
    let refused = Err("history, turn 1: it was the other player's turn".to_owned());
    for rules in ["go,repetition=situational-superko", "stoical"] {
        assert_eq!(read(rules, "B:A3 B:B3"), refused, "{rules}");
        assert_eq!(read(rules, "B:A3 pass B:B3"), Ok(()), "{rules}");
    }
    assert_eq!(read("go", "B:A3 B:B3"), Ok(()));

    let [two, one] = ["go,stones_per_turn=2", "go,repetition=situational-superko"]
        .map(|text| Rules::parse(text, 5).unwrap());
    let mut position = Position::new(two);
    common::play(&mut position, "A1 B1 C1");
    let under = position.under(one).unwrap();
    assert!(under.turn() == Color::Black && !under.to_string().contains("history"), "{under}");
}

#[test]
fn several_stones_a_turn_can_be_left_for_one_and_come_back() {
    let [two, one] = ["go,stones_per_turn=2", "go"].map(|text| Rules::parse(text, 5).unwrap());
    let mut position = Position::new(two);
    for played in ["A1", "B1", "C1", "D1"] {
        for (from, to) in [(two, one), (one, two)] {
            let here = position.under(from).unwrap();
            let there = here.under(to).unwrap();
            assert_eq!(there.turn(), position.turn(), "{played}");
            assert_eq!(there.stones(Color::Black), position.stones(Color::Black));
            assert!(!there.is_mid_turn() || to == two);
            assert_eq!(Position::parse(&there.to_string()).unwrap().hash(), there.hash());
        }
        position.play(played.parse().unwrap()).unwrap();
    }
}

#[test]
fn passes_in_a_row_come_along_to_rules_with_passes() {
    let mut position = Position::new(Rules::parse("go", 3).unwrap());
    common::play(&mut position, "B2 pass");
    for (there, passes) in
        [("stoical", 1), ("hot-stone", 1), ("tile", 0), ("no-pass-go", 0), ("conquest", 0)]
    {
        let under = position.under(Rules::parse(there, 3).unwrap()).unwrap();
        assert_eq!(under.passes(), passes, "{there}");
    }
}

/// More than the other rules allow: points are full there, and passes used up.
#[test]
fn what_other_rules_limit_is_at_its_limit() {
    let refused = |text: &str, there: &str, chosen: &str| {
        let position = Position::parse(text).unwrap();
        let under = position.under(Rules::parse(there, 3).unwrap()).unwrap();
        under.check_move(chosen.parse().unwrap()).unwrap_err()
    };
    let tiles = "rules tile,tile_limit=3\nsize 3\n...\n.X.\n..O\nblack to move\nplacement incursion\ntiles A1=2\n";
    let full = "A1".parse().unwrap();
    assert_eq!(refused(tiles, "tile", "A1"), IllegalMove::TileLimit(full));
    let passes =
        "rules alter-igo,white_passes=3\nsize 3\n...\n...\n...\nwhite to move\nwhite-passes 2\n";
    let none_left = IllegalMove::NoPassLeft(Color::White);
    assert_eq!(refused(passes, "alter-igo,white_passes=1", "pass"), none_left);
}

/// As many as if the turn had been played there, or one where it would be over.
#[test]
fn a_turn_has_as_many_stones_left_as_other_rules_give_it() {
    let rules = |stones: u8| Rules::parse(&format!("go,stones_per_turn={stones}"), 5).unwrap();
    for (here, moves, there, left, has_begun) in [
        (2, "", 4, 1, false),
        (2, "A1", 4, 4, false),
        (2, "A1 B1", 4, 3, true),
        (4, "A1 B1 C1", 3, 1, true),
        (3, "A1 B1", 2, 1, true),
        (3, "A1 B1 C1", 2, 1, true),
        (4, "A1 B1", 1, 1, false),
    ] {
        let mut position = Position::new(rules(here));
        common::play(&mut position, moves);
        let under = position.under(rules(there)).unwrap();
        assert_eq!(under.turn(), position.turn(), "{moves}");
        let found = (under.placements_left(), under.is_mid_turn());
        assert_eq!(found, (left, has_begun), "{here} to {there} after {moves}");
    }
}

/// Black has begun a turn, and nothing but suicide is left: that ends the turn, and loses only where it begins.
#[test]
fn a_turn_that_cannot_go_on_under_other_rules_ends() {
    let board = "size 3\n.O.\nOOO\nX.O\nblack to move\nturns 8\n";
    let parse = |rules: &str, left: &str| {
        Position::parse(&format!("rules {rules},stones_per_turn=2\n{board}left {left}\n")).unwrap()
    };
    let there = Rules::parse("no-pass-go,stones_per_turn=2", 3).unwrap();
    for position in [parse("go", "1 more").under(there).unwrap(), parse("no-pass-go", "1 more")] {
        assert_eq!((position.turn(), position.outcome()), (Color::White, None));
        assert_eq!((position.placements_left(), position.is_mid_turn()), (2, false));
        assert_eq!(Position::parse(&position.to_string()).unwrap().hash(), position.hash());
    }
    for position in [parse("go", "2").under(there).unwrap(), parse("no-pass-go", "2")] {
        assert_eq!(position.outcome().unwrap().result, GameResult::Won(Color::White));
    }
}

/// Bans depend on whether the last turn was an incursion, which other rules do not record: moves that both allow forbid the
/// same afterwards, whether the position comes from the other rules or not.
#[test]
fn what_the_last_turn_was_comes_along_to_other_rules() {
    let without =
        ["go,suicide=false", "stoical", "hot-stone", "go,suicide=false,repetition=simple"];
    let with = ["incursion", "minimal-incursion", "incursion,repetition=simple"];
    let mut forbidden = 0;
    for (seed, here) in (1..).zip(without) {
        let mut random = Random(seed);
        for game in 0..60 {
            let [here, there] =
                [here, with[game % with.len()]].map(|text| Rules::parse(text, 4).unwrap());
            let (mut position, mut other) = (Position::new(here), Position::new(there));
            let mut captured = 0;
            while position.outcome().is_none() && other.outcome().is_none() {
                // Rules that do not look back do not record which stones a larger capture took.
                if captured <= 1 || here.history_dependence() != HistoryDependence::Nothing {
                    let under = position.under(there).unwrap();
                    let legal = other.legal_points();
                    assert_eq!(under.legal_points(), legal, "under {there}:\n{position}");
                    forbidden += other.banned_points().count();
                }
                let chosen = random.pick(&position);
                let opponent = position.turn().opponent();
                let stones = position.stones(opponent).count();
                position.play(chosen).unwrap();
                captured = stones - position.stones(opponent).count();
                if other.play(chosen).is_err() {
                    break;
                }
            }
        }
    }
    assert!(forbidden > 100, "{forbidden}");
}

/// White's stones in two corners have one liberty each. Black takes one of them by the first stone of a turn.
#[test]
fn a_capture_of_the_same_turn_bans_no_other() {
    let [two, stoical] =
        ["go,stones_per_turn=2", "stoical"].map(|text| Rules::parse(text, 5).unwrap());
    let mut position = Position::new(two);
    common::play(&mut position, "C3 A1 E1 A2 E2 C5 D5 B1");
    assert!(position.is_mid_turn() && position.turn() == Color::Black);
    let under = position.under(stoical).unwrap();
    assert!(under.turn() == Color::Black && under.banned_points().is_empty());
    assert_eq!(under.check_move("D1".parse().unwrap()), Ok(()));
}

/// A tile is due after an incursion even if passes followed it.
#[test]
fn a_tile_that_is_due_comes_along_to_other_rules() {
    let [go, tile] = ["go", "tile,end=area"].map(|text| Rules::parse(text, 5).unwrap());
    for moves in ["C3 D4", "C3 D4 pass"] {
        let mut position = Position::new(go);
        common::play(&mut position, moves);
        assert_eq!(position.under(tile).unwrap().last_incursion(), Some(true), "{moves}");
        common::play(&mut position, "B2");
        assert_eq!(position.under(tile).unwrap().last_incursion(), Some(false), "{moves}");
    }
}

/// Black has taken a ko, which makes the stone hot until somebody passes.
#[test]
fn hot_stones_come_along_to_other_rules() {
    let [superko, hot] = ["go", "hot-stone"].map(|text| Rules::parse(text, 5).unwrap());
    for (moves, count) in
        [("B3 D4 C4 D2 C2 E3 A1 C3 D3", 1), ("B3 D4 C4 D2 C2 E3 A1 C3 D3 pass", 0)]
    {
        let [mut here, mut there] = [superko, hot].map(Position::new);
        common::play(&mut here, moves);
        common::play(&mut there, moves);
        assert_eq!(there.hot_stones().count(), count, "{moves}");
        let under = here.under(hot).unwrap();
        assert_eq!(under.hot_stones(), there.hot_stones(), "{moves}");
        assert_eq!(under.legal_points(), there.legal_points(), "{moves}");
    }
}

/// White's suicide at B1 leaves the stones that were there after C1, but another player to move:
/// Black has passed meanwhile.
#[test]
fn passes_among_hot_stones_come_along_to_other_rules() {
    let rules = |text: &str| Rules::parse(text, 5).unwrap();
    let superko = rules("go,suicide=true,repetition=situational-superko");
    let mut position = Position::new(rules("hot-stone,suicide=true"));
    common::play(&mut position, "A2 E5 B2 D4 C1 A1 pass");
    let under = position.under(superko).unwrap();
    assert_eq!(under.check_move("B1".parse().unwrap()), Ok(()));
}

/// Prisoners at the start are each rule set's own, as its komi is; those taken since are the game's.
#[test]
fn every_rule_set_gives_its_own_prisoners_to_begin_with() {
    let rules = |text: &str| Rules::parse(text, 3).unwrap();
    let held = |position: &Position, text: &str| {
        let under = position.under(rules(text)).unwrap();
        Color::BOTH.map(|color| under.prisoners(color))
    };
    for (here, white) in [("tile,komi=2", 2), ("tile", 0), ("go,suicide=false", 0)] {
        let mut position = Position::new(rules(here));
        assert_eq!(held(&position, "cushion,komi=3"), [0, 3], "{here}");
        common::play(&mut position, "B1 A1 C3 C1 A2");
        assert_eq!(Color::BOTH.map(|color| position.prisoners(color)), [1, white]);
        assert_eq!(held(&position, "cushion,komi=3"), [1, 3], "{here}");
        assert_eq!(held(&position, "cushion,komi=-3"), [4, 0], "{here}");
        assert_eq!(held(&position, "stoical"), [1, 0], "{here}");
        assert_eq!(held(&position, "conquest"), [0, 0], "{here}");
    }
}

#[test]
fn a_game_that_other_rules_would_have_ended_is_over_there() {
    let rules = |text: &str| Rules::parse(text, 3).unwrap();
    for (here, moves, there, result, reason) in [
        ("hot-stone", "B2 pass pass", "go,komi=0", GameResult::Won(Color::Black), Reason::Passes),
        ("hot-stone", "B2 pass pass", "go,komi=9.5", GameResult::Won(Color::White), Reason::Passes),
        ("go", "B1 A1 C3 C1 A2", "atari-go", GameResult::Won(Color::Black), Reason::CaptureGoal),
        ("nogo", "B2 A1 C1", "nogo,max_moves=3", GameResult::Draw, Reason::MoveLimit),
    ] {
        let mut position = Position::new(rules(here));
        common::play(&mut position, moves);
        assert_eq!(position.outcome(), None, "{here}");
        let over = position.under(rules(there)).unwrap().outcome();
        assert_eq!(over, Some(Outcome { result, reason }), "{here} under {there}");
    }
}

/// Komi decides who has won, and without the rule that ended a game it goes on. Black's seventh stone repeats the first
/// position of the game, which the last one does not show.
#[test]
fn a_game_that_is_over_is_judged_again_under_other_rules() {
    let rules = |text: &str, size: u8| Rules::parse(text, size).unwrap();
    let repeating = "A1 B2 B1 A2 A1 B1 A1";
    let end = |result, reason| Some(Outcome { result, reason });
    let white_won = end(GameResult::Won(Color::White), Reason::Passes);
    let drawn = end(GameResult::Draw, Reason::Repetition);
    for (here, size, moves, there, expected) in [
        ("go,komi=0", 3, "B2 pass pass", "go,komi=9.5", white_won),
        ("go,komi=0", 3, "B2 pass pass", "hot-stone", None),
        ("go,komi=0", 3, "B2 pass pass", "nogo", None),
        ("atari-go", 3, "B1 A1 C3 C1 A2", "no-pass-go", None),
        ("nogo,max_moves=3", 3, "B2 A1 C1", "nogo", None),
        ("go,repetition=draw", 2, repeating, "go,repetition=draw,komi=9.5", drawn),
        ("go,repetition=draw", 2, repeating, "go,repetition=none", None),
    ] {
        let mut position = Position::new(rules(here, size));
        common::play(&mut position, moves);
        assert!(position.outcome().is_some(), "{here}");
        let under = position.under(rules(there, size)).unwrap();
        assert_eq!(under.outcome(), expected, "{here} under {there}");
    }
}

#[test]
fn impossible_tiles_and_turns_are_refused() {
    let tiled = "rules tile\nsize 3\n...\n...\n...\nblack to move\ntiles C1 C1\n";
    assert!(Position::parse(tiled).unwrap_err().to_string().contains("C1"));
    let begun = "rules go\nsize 3\n...\n...\nX..\nwhite to move\nleft 1 more\n";
    assert!(Position::parse(begun).unwrap_err().to_string().contains("left"));
    let over = "rules go,capture_goal=2\nsize 3\n...\n...\nX..\nwhite to move\ntaken 2 0\n";
    assert!(Position::parse(over).unwrap_err().to_string().contains("result"));
}
