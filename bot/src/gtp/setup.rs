//! The commands that set up positions and load or save games.

use std::cmp::Reverse;

use engine::{
    Bitboard, Color, Komi, Move, Point, Position, Rules, RulesError, Size, join_with_spaces,
};
use game::{RecordRulesError, SgfRecord};
use search::Evaluator;

use super::arguments::{arguments, color, exactly, moves, stones, syntax};
use super::command::CommandError;
use super::core::{Answer, DONE, one_line, set_komi};
use crate::Player;
use crate::files::write_file;
use crate::katago_rules::{RulesMismatch, plays};
use game::Game;

/// Maximum number of fixed handicap stones; the minimum is 2.
const MAX_FIXED: usize = 9;

/// The largest free handicap, as with KataGo.
const MAX_FREE: usize = 30;

/// `fixed_handicap`: the places given by the GTP standard; small boards have none.
pub(super) fn fixed_handicap<E: Evaluator>(player: &mut Player<E>, words: &[String]) -> Answer {
    let [given] = arguments(words)?;
    let size = player.position().size();
    let most = most_fixed(size);
    if most == 0 {
        return Err(CommandError::NoHandicap);
    }
    let number = given.parse().ok().filter(|number| (2..=most).contains(number));
    let number = number.ok_or_else(|| CommandError::Handicap { given: given.to_owned(), most })?;
    place(player, &handicap_points(size, number))
}

/// `place_free_handicap`: the fixed places if there are enough, and others between them otherwise.
/// At most a quarter of the board, as in KataGo.
pub(super) fn place_free_handicap<E: Evaluator>(
    player: &mut Player<E>,
    words: &[String],
) -> Answer {
    let [given] = arguments(words)?;
    let size = player.position().size();
    let most = (size.area() / 4).clamp(2, MAX_FREE);
    let number = given.parse().ok().filter(|&number: &usize| number >= 2);
    let number = number.ok_or_else(|| CommandError::Handicap { given: given.to_owned(), most })?;
    place(player, &free_points(size, number.min(most)))
}

fn place<E: Evaluator>(player: &mut Player<E>, points: &[Point]) -> Answer {
    begin_from(player, [points.iter().copied().collect(), Bitboard::EMPTY], Color::White)?;
    Ok(join_with_spaces(points))
}

/// `set_free_handicap`: any points.
pub(super) fn set_free_handicap<E: Evaluator>(player: &mut Player<E>, words: &[String]) -> Answer {
    let bad = |problem: String| Err(CommandError::VertexList(problem));
    let mut black = Bitboard::EMPTY;
    for word in words {
        let next = match word.parse::<Move>() {
            Ok(Move::Place(next)) => next,
            Ok(Move::PlaceStarred(_) | Move::Pass) => {
                return bad(format!("'{word}' is not a point of the board"));
            }
            Err(problem) => return bad(problem.to_string()),
        };
        if black.contains(next) {
            return bad(format!("{next} is named twice"));
        }
        black.insert(next);
    }
    if black.count() < 2 {
        return bad("there are at least two handicap stones".to_owned());
    }
    begin_from(player, [black, Bitboard::EMPTY], Color::White)?;
    DONE
}

/// The number of standard places on a board.
fn most_fixed(size: Size) -> usize {
    match size.side() {
        None | Some(0..7) => 0,
        Some(7 | 8) => 4,
        Some(side) if side.is_multiple_of(2) => 4,
        Some(_) => MAX_FIXED,
    }
}

/// The first `number` places: corners crosswise, then the sides, and the centre if the number is
/// odd.
fn handicap_points(size: Size, number: usize) -> Vec<Point> {
    let side = size.width();
    let low = if side >= 13 { 3 } else { 2 };
    let (middle, high) = (side / 2, side - 1 - low);
    let at = |column: usize, row: usize| Point::new(row, column);
    let corners = [at(low, low), at(high, high), at(low, high), at(high, low)];
    let sides = [at(low, middle), at(high, middle), at(middle, low), at(middle, high)];
    let pairs = if number >= 5 { number - number % 2 } else { number };
    let mut points: Vec<Point> = corners.into_iter().chain(sides).take(pairs).collect();
    if points.len() < number {
        points.push(at(middle, middle));
    }
    points
}

/// Places for any number of stones that leaves most of the board empty: the fixed ones if they
/// suffice. Otherwise all of them (or the corners, if there are none), and then repeatedly the
/// point farthest from all others.
fn free_points(size: Size, number: usize) -> Vec<Point> {
    let fixed = most_fixed(size);
    if number <= fixed {
        return handicap_points(size, number);
    }
    let mut points = if fixed > 0 { handicap_points(size, fixed) } else { corners(size) };
    points.truncate(number);
    while points.len() < number {
        let others = size.points().filter(|point| !points.contains(point));
        let apart = |point: &Point| points.iter().map(|other| distance(*point, *other)).min();
        // Of equally far points, prefer the one nearest the centre, then the first; the edge only
        // if nothing else is left.
        let rank = |point: &Point| {
            (!is_on_edge(*point, size), apart(point), Reverse((off_centre(*point, size), *point)))
        };
        match others.max_by_key(rank) {
            Some(next) => points.push(next),
            None => break,
        }
    }
    points
}

/// A point near each corner, crosswise.
fn corners(size: Size) -> Vec<Point> {
    let ends = |side: usize| {
        let low = match side {
            0..4 => 0,
            4..7 => 1,
            7..13 => 2,
            13.. => 3,
        };
        (low, side - 1 - low)
    };
    let ((left, right), (bottom, top)) = (ends(size.width()), ends(size.height()));
    [(bottom, left), (top, right), (top, left), (bottom, right)]
        .map(|(row, column)| Point::new(row, column))
        .into()
}

fn is_on_edge(point: Point, size: Size) -> bool {
    let is_end = |index: usize, side: usize| index == 0 || index + 1 == side;
    is_end(point.row(), size.height()) || is_end(point.column(), size.width())
}

/// The square of twice the distance from the centre.
fn off_centre(point: Point, size: Size) -> usize {
    let off = |index: usize, side: usize| (2 * index).abs_diff(side - 1).pow(2);
    off(point.row(), size.height()) + off(point.column(), size.width())
}

/// The square of the distance.
fn distance(one: Point, other: Point) -> usize {
    one.row().abs_diff(other.row()).pow(2) + one.column().abs_diff(other.column()).pow(2)
}

/// Starts a game with stones on an empty board.
fn begin_from<E: Evaluator>(
    player: &mut Player<E>,
    stones: [Bitboard; 2],
    first: Color,
) -> Result<(), CommandError> {
    let is_empty = Color::BOTH.iter().all(|&color| player.position().stones(color).is_empty());
    if !player.game().turns().is_empty() || !is_empty {
        return Err(CommandError::NotEmpty);
    }
    player.set_up(with_stones(player, stones, first)?);
    Ok(())
}

/// The position with these stones, under the current rules.
fn with_stones<E: Evaluator>(
    player: &Player<E>,
    [black, white]: [Bitboard; 2],
    first: Color,
) -> Result<Position, CommandError> {
    Ok(Position::with_stones(*player.game().rules(), black, white, first)?)
}

/// `set_position` and `gogui-setup`: a new game from any stones, Black to move.
pub(super) fn set_position<E: Evaluator>(player: &mut Player<E>, words: &[String]) -> Answer {
    player.set_up(with_stones(player, stones(words)?, Color::Black)?);
    DONE
}

/// `gogui-setup_player`: sets the player to move in a position that was set up.
pub(super) fn setup_player<E: Evaluator>(player: &mut Player<E>, words: &[String]) -> Answer {
    let [who] = arguments(words)?;
    let who = color(who)?;
    if !player.game().turns().is_empty() {
        return Err(CommandError::NotEmpty);
    }
    let position = player.position();
    if who == position.turn() {
        return DONE;
    }
    // Tiles, prisoners, bans and the like cannot be set up.
    if !position.is_start() {
        return Err(CommandError::MoreThanStones);
    }
    let stones = Color::BOTH.map(|color| *position.stones(color));
    let start = with_stones(player, stones, who)?;
    player.continue_game(Game::from_position(start));
    DONE
}

/// `gogui-play_sequence`: all of the moves, or none.
pub(super) fn play_sequence<E: Evaluator>(player: &mut Player<E>, words: &[String]) -> Answer {
    let moves = moves(words)?;
    let mut game = player.game().clone();
    for (who, played) in moves {
        let is_after_end = played == Move::Pass && game.pass_after_end();
        if !is_after_end {
            game.play_as(who, played)?;
        }
    }
    player.continue_game(game);
    DONE
}

/// `loadsgf`: the position before move `MOVE_NUMBER`, or at the end. The reply says what in the
/// file could not be read. A file that names no rules, or unknown ones, is read under those in
/// force; without komi, it has the requested one or that of its size. The reply says so of unknown
/// rules, except usual names of rules of Go, which clients write into every file. A file of other
/// rules of ours is refused by a player of one rule set.
pub(super) fn loadsgf<E: Evaluator>(player: &mut Player<E>, words: &[String]) -> Answer {
    let [path] = arguments(words)?;
    let before = match words.get(1) {
        None => usize::MAX,
        Some(number) => number
            .parse::<usize>()
            .map_err(|_| syntax(format!("invalid move number '{number}'")))?
            .max(1),
    };
    let mut record = SgfRecord::read(&contents(path)?)
        .map_err(|error| CommandError::File(format!("{path}: {error}")))?;
    let is_empty = record.turns.is_empty() && record.stones.iter().all(Bitboard::is_empty);
    if let Some(defect) = record.defects.first().filter(|_| is_empty) {
        return Err(CommandError::File(format!("{path} is {defect}")));
    }
    let (rules, komi, remark) = rules_of(player, &record)?;
    if before <= record.turns.len() {
        record.truncate(before - 1);
    }
    // The command sets up a position to look at or to continue from, even if somebody resigned in
    // it.
    record.result = None;
    let (game, left_out) = Game::of_record_until_end(&record, rules)?;
    let komi_remark = continue_with(player, game, komi);
    let defects = record.defects.iter().map(|defect| format!("the file is {defect}"));
    let left_out = left_out.iter().map(|turn| format!("{turn}, so the rest is left out"));
    let mut remarks: Vec<String> =
        remark.into_iter().chain([komi_remark]).chain(defects).chain(left_out).collect();
    remarks.retain(|remark| !remark.is_empty());
    Ok(one_line(&remarks.join("; ")))
}

/// The rules under which a file is read, the komi that it asks for, and what to say of the rules.
fn rules_of<E: Evaluator>(
    player: &Player<E>,
    record: &SgfRecord,
) -> Result<(Rules, Option<Komi>, Option<String>), CommandError> {
    let (rules, komi, remark) = match record.own_rules() {
        Ok(rules) => (admitted(player, rules)?, record.names_komi().then_some(rules.komi), None),
        Err(error) => {
            let ours = player.rules_on(record.size)?;
            let komi = record.komi.and_then(Komi::nearest);
            (ours, komi, remark_on_rules(record, &error, &ours))
        }
    };
    let rules = match komi {
        Some(komi) => rules.with_komi(komi),
        None => player.with_requested_komi(rules),
    };
    Ok((rules, komi, remark))
}

/// What to say of a file whose rules are unknown and which is therefore read under `ours`.
fn remark_on_rules(record: &SgfRecord, error: &RecordRulesError, ours: &Rules) -> Option<String> {
    let RecordRulesError::Unknown { source, .. } = error else { return None };
    let is_usual_name = record.nearest_rules().is_ok();
    if is_usual_name {
        return None;
    }
    let hint = match source {
        RulesError::Unknown { nearest: Some(name), .. } => format!(" (did you mean '{name}'?)"),
        RulesError::Unknown { nearest: None, .. } => String::new(),
        other => format!(" ({other})"),
    };
    Some(format!("{error}{hint}: read as {}", plays(ours)))
}

fn contents(path: &str) -> Result<Vec<u8>, CommandError> {
    game::read_file(path.as_ref()).map_err(|error| CommandError::File(format!("{path}: {error}")))
}

/// The rules of a file, if this player plays them.
fn admitted<E: Evaluator>(player: &Player<E>, rules: Rules) -> Result<Rules, CommandError> {
    let ours = player.rules_on(rules.size)?;
    if player.supported().is_open() || rules.is_same_kind(&ours) {
        Ok(rules)
    } else {
        Err(RulesMismatch::other_game(&ours, &rules).into())
    }
}

/// Continues with a loaded game. The komi that its file asks for is kept for later games, unless
/// the rules have none. Returns what there is to say if they play only a part of it.
fn continue_with<E: Evaluator>(player: &mut Player<E>, game: Game, komi: Option<Komi>) -> String {
    let komi = komi.filter(|_| game.rules().has_komi());
    player.set_game(game);
    komi.map_or_else(String::new, |komi| set_komi(player, komi))
}

/// `loadposition`: starts a game from a position given as text. Rules that this player does not
/// play are refused.
pub(super) fn loadposition<E: Evaluator>(player: &mut Player<E>, words: &[String]) -> Answer {
    let [path] = arguments(words)?;
    let text = String::from_utf8_lossy(&contents(path)?).into_owned();
    let position = Position::parse(&text)?;
    let rules = admitted(player, *position.rules())?;
    let named = text.lines().find_map(|line| line.strip_prefix("rules "));
    let komi = named.is_some_and(|named| Rules::names(named, "komi")).then_some(rules.komi);
    Ok(continue_with(player, Game::from_position(position), komi))
}

/// `printposition`: the position as text, or nothing if it goes to a file.
pub(super) fn printposition(position: &Position, words: &[String]) -> Answer {
    print(position.to_string(), words)
}

/// `printsgf`: the game as SGF, or nothing if it goes to a file.
pub(super) fn printsgf(game: &Game, words: &[String]) -> Answer {
    print(game.record().to_string(), words)
}

/// The first part of a name with a space is refused: it would be another file.
fn print(text: String, words: &[String]) -> Answer {
    let text = text.trim_end().to_owned();
    if words.is_empty() {
        return Ok(text);
    }
    let [path] = exactly(words)?;
    if path == "-" {
        return Ok(text);
    }
    let written = write_file(path.as_ref(), &(text + "\n"));
    written.map_err(|error| CommandError::Write(format!("{path}: {error}")))?;
    DONE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(side: usize) -> Size {
        Size::try_from(side).unwrap()
    }

    fn words(side: usize, number: usize) -> String {
        let points = handicap_points(square(side), number);
        join_with_spaces(points)
    }

    #[test]
    fn handicap_stones_stand_where_the_standard_puts_them() {
        assert_eq!(words(19, 2), "D4 Q16");
        assert_eq!(words(19, 4), "D4 Q16 D16 Q4");
        assert_eq!(words(19, 5), "D4 Q16 D16 Q4 K10");
        assert_eq!(words(19, 6), "D4 Q16 D16 Q4 D10 Q10");
        assert_eq!(words(19, 9), "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10");
        assert_eq!(words(9, 3), "C3 G7 C7");
        assert_eq!(words(7, 4), "C3 E5 C5 E3");
        let most = [6, 7, 8, 13].map(|side| most_fixed(square(side)));
        assert_eq!(most, [0, 4, 4, 9]);
        assert_eq!(most_fixed(Size::new(9, 13).unwrap()), 0);
    }
}
