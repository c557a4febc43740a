//! One random game of every variant as a text that a person can read, compared line by line.
//!
//! `UPDATE_PLAYTHROUGHS=1 cargo test -p engine --test playthroughs` rewrites the files; the
//! difference then shows what a change of the rules does to a game.

#![allow(clippy::unwrap_used, missing_docs)]

#[path = "differential/numbers.rs"]
mod numbers;

use std::fmt::Write;
use std::path::PathBuf;

use engine::{Color, Family, IllegalMove, Move, Point, Position, Rules, Variant};
use numbers::Numbers;

/// The games to choose the shown one from.
const SEEDS: u64 = 200;

/// Longer games are tedious to read.
const MAX_TURNS: usize = 50;

#[test]
fn games_go_as_written() {
    let update = std::env::var_os("UPDATE_PLAYTHROUGHS").is_some();
    for variant in Variant::ALL {
        let text = playthrough(variant);
        let path = file(variant);
        if update {
            std::fs::write(&path, text).unwrap();
            continue;
        }
        let stored = std::fs::read_to_string(&path).unwrap_or_else(|error| {
            panic!("{}: {error}; UPDATE_PLAYTHROUGHS=1 writes it", path.display())
        });
        for (number, (now, then)) in text.lines().zip(stored.lines()).enumerate() {
            assert_eq!(now, then, "{variant}, line {}", number + 1);
        }
        assert_eq!(text.lines().count(), stored.lines().count(), "{variant}: number of lines");
    }
}

fn file(variant: Variant) -> PathBuf {
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "playthroughs"].iter().collect();
    folder.join(format!("{variant}.txt"))
}

/// The most telling of some short random games.
fn playthrough(variant: Variant) -> String {
    let rules = start(variant);
    let seed = (1..=SEEDS).max_by_key(|&seed| (interest(rules, seed), std::cmp::Reverse(seed)));
    let seed = seed.unwrap();
    let mut text = format!("{variant} on {0}x{0}, random game {seed}\n", rules.size.width());
    let legend = "X Black, O White, a digit the tiles on a point, ! a hot stone, b w owned points";
    writeln!(text, "{legend}\n").unwrap();
    let mut position = Position::new(rules);
    draw(&mut text, &position);
    for (turn, chosen) in game(rules, seed).into_iter().enumerate() {
        writeln!(text, "\n{}. {} {chosen}", turn + 1, position.turn()).unwrap();
        position.play(chosen).unwrap();
        draw(&mut text, &position);
    }
    text
}

fn start(variant: Variant) -> Rules {
    let size = match variant.rules(5).unwrap().family {
        Family::Go | Family::AlterIgo => 5,
        Family::Conquest => 6,
    };
    variant.rules(size).unwrap()
}

/// A random game in which passing, and ending the game, are rarer than chance.
fn game(rules: Rules, seed: u64) -> Vec<Move> {
    let mut numbers = Numbers::new(seed);
    let mut position = Position::new(rules);
    let mut moves = Vec::new();
    while position.outcome().is_none() {
        let legal = position.legal_moves();
        let mut chosen = legal[numbers.below(legal.len())];
        for _ in 0..3 {
            let mut next = position.clone();
            next.play_unchecked(chosen);
            if next.outcome().is_none() && (chosen != Move::Pass || numbers.one_in(4)) {
                break;
            }
            chosen = legal[numbers.below(legal.len())];
        }
        position.play(chosen).unwrap();
        moves.push(chosen);
    }
    moves
}

/// How often the rules were felt in a game that came to an end in time, or 0.
fn interest(rules: Rules, seed: u64) -> usize {
    let moves = game(rules, seed);
    if moves.len() > MAX_TURNS {
        return 0;
    }
    let mut position = Position::new(rules);
    let mut felt = 0;
    for chosen in moves {
        let stones = |position: &Position| {
            Color::BOTH.iter().map(|&color| position.stones(color).count()).sum::<usize>()
        };
        let before = stones(&position);
        let starred =
            position.legal_moves().iter().filter(|m| matches!(m, Move::PlaceStarred(_))).count();
        position.play(chosen).unwrap();
        felt += usize::from(stones(&position) < before)
            + position.hot_stones().count()
            + starred
            + refused(&position).len().min(4);
    }
    felt
}

/// The empty points that are closed to the player to move by more than the suicide rule.
fn refused(position: &Position) -> Vec<(Point, IllegalMove)> {
    let judge = |point: Point| match position.check_move(Move::Place(point)) {
        Err(
            IllegalMove::GameOver
            | IllegalMove::Suicide
            | IllegalMove::SingleSuicide
            | IllegalMove::Owned(_),
        )
        | Ok(()) => None,
        Err(rule) => Some((point, rule)),
    };
    position.empty().iter().filter_map(judge).collect()
}

fn draw(text: &mut String, position: &Position) {
    let size = position.size();
    let mut facts = facts(position).into_iter();
    for row in (0..size.height()).rev() {
        let cells: String =
            (0..size.width()).map(|column| cell(position, Point::new(row, column))).collect();
        let line = format!("{:2} {cells}  {}", row + 1, facts.next().unwrap_or_default());
        writeln!(text, "{}", line.trim_end()).unwrap();
    }
    let letters: String = (0..size.width())
        .map(|column| format!(" {}", &Point::new(0, column).to_string()[..1]) + " ")
        .collect();
    writeln!(text, "   {}", letters.trim_end()).unwrap();
    assert_eq!(facts.next(), None, "every fact has its line");
    if let Some(outcome) = position.outcome() {
        writeln!(text, "   result {}: {}", outcome.result, outcome.reason).unwrap();
        return;
    }
    let legal: Vec<String> = position.legal_moves().iter().map(Move::to_string).collect();
    writeln!(text, "   legal {}", legal.join(" ")).unwrap();
    for (point, rule) in refused(position) {
        writeln!(text, "   {point} is refused: {rule}").unwrap();
    }
}

/// One point in three letters: the stone or owner, and a mark.
fn cell(position: &Position, point: Point) -> String {
    let holds = |color| position.stones(color).contains(point);
    let owns = |color| position.owned(color).contains(point);
    let stone = match () {
        () if holds(Color::Black) => 'X',
        () if holds(Color::White) => 'O',
        () if owns(Color::Black) => 'b',
        () if owns(Color::White) => 'w',
        () => '.',
    };
    let mark = match position.tiles(point) {
        0 if position.hot_stones().contains(point) => "!".to_owned(),
        0 => " ".to_owned(),
        tiles => tiles.to_string(),
    };
    format!(" {stone}{mark}")
}

/// What is not on the board, at most as many lines as the smallest board shown has rows.
fn facts(position: &Position) -> Vec<String> {
    let mut facts = vec![format!("{} to move, {} passes", position.turn(), position.passes())];
    let [black, white] = Color::BOTH.map(|color| position.prisoners(color));
    facts.push(format!("prisoners B {black} W {white}"));
    if let Some(incursion) = position.last_incursion() {
        facts.push(format!("last incursion: {}", if incursion { "yes" } else { "no" }));
    }
    if let Some(score) = position.score() {
        facts.push(format!("score {score}"));
    }
    facts
}
