use engine::{Bitboard, Color, IllegalMove, Move, Point, Position, Rules, Variant};
use search::Random;

use super::*;
use crate::test_positions::{THREE_KOS, position};

/// What happens from a position given as text, and the last position.
fn told(start: Position, moves: &str) -> (Events, Position) {
    let moves: Vec<Move> = moves.split_whitespace().map(|text| text.parse().expect(text)).collect();
    let mut positions = vec![start];
    for &played in &moves {
        let mut next = positions[positions.len() - 1].clone();
        next.play(played).expect("a legal move");
        positions.push(next);
    }
    let last = positions[positions.len() - 1].clone();
    (Events::between(&positions, &moves), last)
}

fn events(rules: &str, rows: &str, moves: &str) -> Events {
    told(position(rules, rows, ""), moves).0
}

fn point(text: &str) -> Point {
    text.parse().expect(text)
}

fn fights(rules: &str, moves: &str) -> Vec<KoFight> {
    events(rules, THREE_KOS, moves).ko_fights.expect("kos")
}

#[test]
fn a_ko_fight_goes_from_its_first_capture_to_its_last() {
    let fought = fights("go", "C8 E5 E4 B8 J9 J8 C8 H1 B8");
    // White may not take back at once, nor Black, nor White again.
    let expected = KoFight { first: 0, last: 6, captures: 3, threats: 2, banned: 3 };
    assert_eq!(fought, [expected]);
    assert_eq!(expected.turns(), 7);
}

#[test]
fn a_ko_that_is_not_taken_back_is_no_fight() {
    assert_eq!(fights("go", "C8 E5 B8"), []);
    // White has had another turn and could have taken back: a new fight, of one capture.
    assert_eq!(fights("go", "C8 E5 E4 F5 F4 B8"), []);
    // It goes on from there.
    let [fight] = fights("go", "C8 E5 E4 F5 F4 B8 J9 J8 C8")[..] else { panic!("one fight") };
    assert_eq!((fight.first, fight.last, fight.threats), (5, 8, 1));
}

#[test]
fn a_pass_is_no_threat() {
    let [fight] = fights("go", "C8 pass E4 B8")[..] else { panic!("one fight") };
    assert_eq!((fight.last, fight.threats), (3, 0));
}

#[test]
fn one_fight_may_be_for_several_kos() {
    // Takes, takes another, takes a third; then two of them back.
    let events = events("hot-stone", THREE_KOS, "C8 G8 C2 pass F8 B8");
    let [fight] = events.ko_fights.expect("kos")[..] else { panic!("one fight") };
    assert_eq!((fight.first, fight.last, fight.captures, fight.threats), (0, 5, 5, 0));
    let hot = events.hot_stones.expect("hot stones");
    let turns: Vec<usize> = hot.stones.iter().map(|stone| stone.turn).collect();
    assert_eq!(turns, [0, 1, 2, 4, 5]);
    assert!(hot.stones.iter().all(|stone| stone.is_simple));
    assert_eq!((hot.unusual_bans, hot.odd_cycles), (vec![], 0));
}

#[test]
fn where_nothing_can_be_taken_back_there_are_no_kos() {
    for rules in ["nogo", "atari-go", "alter-igo", "conquest", "go,stones_per_turn=2"] {
        let rules = Rules::parse(rules, 5).expect("rules");
        assert_eq!(told(Position::new(rules), "").0.ko_fights, None, "{rules}");
    }
}

/// Bans during a ko fight: White's incursion at B8 right after Black's capture, which was one too.
#[test]
fn bans_are_met_in_ko_fights() {
    for (rules, reason) in [
        ("incursion", IllegalMove::Incursion),
        ("minimal-incursion", IllegalMove::MinimalIncursion),
        ("stoical", IllegalMove::StoicalCapture),
        ("cushion", IllegalMove::Ko),
    ] {
        let events = events(rules, THREE_KOS, "C8 E5 E4 B8");
        let bans = events.bans.as_ref().expect("bans");
        let retake = BannedPlacement { turn: 1, point: point("B8"), reason };
        assert!(bans.contains(&retake), "{rules}: {bans:?}");
        let [fight] = events.ko_fights.expect("kos")[..] else { panic!("{rules}: one fight") };
        assert_eq!((fight.captures, fight.threats), (2, 1), "{rules}");
        assert!(fight.banned >= 2, "{rules}: {fight:?}");
    }
}

/// Black takes two stones, which White could take back by a throw-in and a capture.
#[test]
fn a_quite_ordinary_play_may_be_a_ko_play() {
    let told = events("hot-stone", "OXXO. OXXXO .OOXX XO.X. OOOXX", "A3");
    let hot = told.hot_stones.expect("hot stones");
    assert_eq!(hot.stones, [HotStone { turn: 0, point: point("A3"), is_simple: false }]);
    assert_eq!(hot.unusual_bans, [1]);
    let banned = BannedPlacement { turn: 1, point: point("A4"), reason: IllegalMove::HotStone };
    assert_eq!(told.bans.expect("bans"), [banned]);
}

#[test]
fn odd_cycles_are_counted() {
    let events = events("hot-stone", "X.X. XOO. OOOX O.X.", "B1 D1 C1 pass B1 D1");
    let hot = events.hot_stones.expect("hot stones");
    assert_eq!((hot.odd_cycles, hot.stones), (1, vec![]));
    let forbidden = BannedPlacement { turn: 6, point: point("C1"), reason: IllegalMove::OddCycle };
    assert!(events.bans.expect("bans").contains(&forbidden));
}

#[test]
fn tiles_are_told_with_their_turn_and_height() {
    let rows = ".XO.. .XO.. .XO.. .XO.. .XO..";
    for (rules, quiet) in [("tile", 1), ("cushion", 0)] {
        let tile = Tile { turn: 1, point: point("A3"), height: 1 };
        assert_eq!(events(rules, rows, "E3 A3").tiles.expect("tiles").tiles, [tile], "{rules}");
        let other = events(rules, rows, "E3 E4").tiles.expect("tiles");
        assert_eq!((other.tiles.len(), usize::from(other.highest())), (quiet, quiet), "{rules}");
    }
    let lines = "placement incursion\ntiles A3 E1";
    let stacked = told(position("tile,tile_limit=2", rows, lines), "A3").0.tiles.expect("tiles");
    assert_eq!((stacked.highest(), stacked.forbidding), (2, vec![]));
}

#[test]
fn full_points_forbid_moves() {
    let rows = ".XO.. .XO.. .XO.. .XO.. .XO..";
    let lines = "placement incursion\ntiles A3 E1";
    for (rules, banned) in [("tile", vec!["E1", "A3"]), ("cushion", vec!["E1"])] {
        let told = told(position(rules, rows, lines), "").0;
        assert_eq!(told.tiles.expect("tiles").forbidding, [0], "{rules}");
        let ban = |text| {
            let point = point(text);
            BannedPlacement { turn: 0, point, reason: IllegalMove::TileLimit(point) }
        };
        assert_eq!(told.bans.expect("bans"), banned.into_iter().map(ban).collect::<Vec<_>>());
    }
}

#[test]
fn returned_prisoners_and_passes_are_two_things() {
    let start = position("cushion", ".XO.. .XO.. .XO.. .XO.. .XO..", "prisoners 2 0");
    let returned = told(start, "pass E1 pass").0;
    assert_eq!((returned.returned, returned.passes), (Some(2), None));
    let rows = "..... ..... ..... ..... .....";
    let passed = events("go", rows, "pass B2 pass C3 pass pass");
    assert_eq!((passed.returned, passed.passes), (None, Some(2)));
    assert_eq!(events("alter-igo", rows, "C3").passes, None);
    assert_eq!(events("alter-igo,white_passes=2", rows, "C3 pass").passes, Some(1));
}

#[test]
fn the_stones_that_complete_a_wall_conquer() {
    let stones = "A5 B6 C7 D8 E8 F7 G6 H5 H4 G3 F2 E1";
    let stones: Bitboard = stones.split(' ').map(point).collect();
    let rules = Rules::parse("conquest", 8).expect("rules");
    let start = Position::with_stones(rules, stones, Bitboard::EMPTY, Color::Black);
    let (events, last) = told(start.expect("a position"), "D1");
    let events = events.conquests.expect("conquests");
    let expected =
        Conquest { turn: 0, player: Color::Black, points: 33, reconquered: 0, stones: 0, walls: 2 };
    assert_eq!((events.conquests, events.kept), (vec![expected], [0, 0, 33]));
    assert_eq!(last.owned(Color::Black).count(), 51);
}

#[test]
fn a_region_is_conquered_with_all_that_is_in_it() {
    // A stone in the corner.
    let (told, last) = told_of(position("conquest", "..... ..... ..... XX... O....", ""), "B1");
    assert!(last.owned(Color::Black).contains(point("A1")));
    let one =
        Conquest { turn: 0, player: Color::Black, points: 1, reconquered: 0, stones: 1, walls: 2 };
    assert_eq!(told.conquests, [one]);
    // Three stones, and the corner that they had conquered.
    let (told, last) = told_of(position("conquest", "..... ..... XX... OOX.. wO...", ""), "C1");
    assert_eq!(last.owned(Color::White).count(), 0);
    assert_eq!(told.conquests, [Conquest { points: 4, reconquered: 1, stones: 3, ..one }]);
    assert_eq!((told.kept, told.largest()), ([0, 0, 4], told.conquests.first()));
}

#[test]
fn the_last_point_is_worth_what_either_player_makes_of_it() {
    let last = |rules, rows| told_of(position(rules, rows, ""), "C1").0.last;
    let worth = |worth, decides| Some(LastPoint { worth, decides });
    // Black takes C2, which has one wall; White takes nothing.
    assert_eq!(last("conquest", "bbX OXO wO."), worth(1, false));
    assert_eq!(last("conquest,komi=1.5", "bbX OXO wO."), worth(1, true));
    // C2 stands with the rest of White's stones.
    assert_eq!(last("conquest", "bXX XOO wO."), worth(0, false));
    assert_eq!(last("conquest", "bXX XO. wO."), None, "the game goes on");
}

#[test]
fn the_other_way_of_scoring_may_have_another_result() {
    for (variant, other) in [("conquest", "pure-conquest"), ("pure-conquest", "conquest")] {
        let [rules, other] = [variant, other].map(|name| Rules::parse(name, 3).expect(name));
        let mut random = Random::new(3);
        let mut different = 0;
        for _ in 0..200 {
            let (positions, moves) = random_game(rules, &mut random);
            let mut same = Position::new(other);
            moves.iter().for_each(|&played| same.play(played).expect("a legal move"));
            let results =
                [&positions[moves.len()], &same].map(|last| last.outcome().expect("an end").result);
            let told = Events::between(&positions, &moves).conquests.expect("conquests");
            assert_eq!(told.other_result, Some(results[0] != results[1]), "{variant}: {moves:?}");
            different += usize::from(results[0] != results[1]);
        }
        assert!((1..200).contains(&different), "{variant}: {different}");
    }
}

fn told_of(start: Position, moves: &str) -> (ConquestEvents, Position) {
    let (events, last) = told(start, moves);
    (events.conquests.expect("conquests"), last)
}

/// A random game that prefers captures, and passes only if a pass is drawn twice, so that kos
/// occur.
fn random_game(rules: Rules, random: &mut Random) -> (Vec<Position>, Vec<Move>) {
    let (mut positions, mut moves) = (vec![Position::new(rules)], Vec::new());
    loop {
        let mut next = positions[positions.len() - 1].clone();
        let mut played = arena::greedy_move(&next, random);
        if played == Some(Move::Pass) {
            played = arena::greedy_move(&next, random);
        }
        let Some(played) = played else { return (positions, moves) };
        next.play(played).expect("a legal move");
        positions.push(next);
        moves.push(played);
    }
}

/// What is told fits the rules and the final position, whatever is played.
#[test]
fn whatever_happens_adds_up() {
    for variant in Variant::ALL {
        let mut fought = 0;
        for (side, games) in [(3, 100), (5, 20)] {
            let rules = variant.rules(side).expect("rules");
            let mut random = Random::new(5);
            for _ in 0..games {
                let (positions, moves) = random_game(rules, &mut random);
                let last = &positions[positions.len() - 1];
                let told = Events::between(&positions, &moves);
                let passes = moves.iter().filter(|&&played| played == Move::Pass).count();
                assert_eq!(told.bans.is_some(), !rules.possible_bans().is_empty(), "{variant}");
                let bans = told.bans.as_ref();
                for ban in bans.into_iter().flatten() {
                    let refused = positions[ban.turn].check_move(Move::Place(ban.point));
                    assert_eq!(refused, Err(ban.reason), "{variant}");
                    assert!(ban.reason.ban().is_some(), "{variant}: {ban:?}");
                }
                for fight in told.ko_fights.iter().flatten() {
                    assert!(fight.captures >= 2 && fight.turns() >= fight.captures, "{fight:?}");
                    assert!(3 * fight.threats < fight.turns(), "{fight:?}");
                    assert!(fight.last < moves.len(), "{fight:?}");
                    fought += 1;
                }
                if let Some(tiles) = &told.tiles {
                    let all: usize =
                        rules.size.points().map(|point| usize::from(last.tiles(point))).sum();
                    assert_eq!(tiles.tiles.len(), all, "{variant}");
                    assert!(tiles.highest() <= rules.tile_limit, "{variant}");
                }
                if let Some(conquests) = &told.conquests {
                    let owned: usize =
                        Color::BOTH.into_iter().map(|color| last.owned(color).count()).sum();
                    let kept: usize = conquests.kept.iter().sum();
                    assert!(kept <= owned, "{variant}: {conquests:?}");
                    assert!(conquests.conquests.iter().all(|one| one.walls <= 2), "{variant}");
                    let won: usize = conquests.conquests.iter().map(|one| one.points).sum();
                    assert!(kept <= won, "{variant}: {conquests:?}");
                    let most = 2 * rules.size.area();
                    let fits =
                        |last: LastPoint| last.worth <= most && (last.worth > 0 || !last.decides);
                    assert!(conquests.last.is_none_or(fits), "{variant}: {conquests:?}");
                }
                assert!(told.returned.is_none_or(|returned| returned == passes), "{variant}");
                assert!(told.passes.is_none_or(|before| before <= passes), "{variant}");
            }
        }
        let rules = variant.rules(5).expect("rules");
        assert_eq!(fought > 0, rules.has_kos(), "{variant}: {fought} ko fights");
    }
}
