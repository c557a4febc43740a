//! Puzzles: what is asked, and what an answer is worth.

use std::collections::BTreeMap;

use bot::Effect;
use engine::Move;
use game::{Game, Puzzle, Verified};
use serde::Serialize;
use utoipa::ToSchema;

use crate::position::{PositionView, StepView};
use crate::preview::{PreviewView, previews};
use crate::refusal::Refusal;
use crate::view::{illegal, title};

/// How many puzzles there are of a variant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PuzzleList {
    /// The variant, as a new game names it.
    rules: String,
    /// The puzzles are numbered from 1 to this, the easy ones first.
    count: usize,
}

/// A position in which exactly one move keeps the win.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct PuzzleView {
    /// The variant, as a new game names it.
    rules: String,
    /// Its displayed name.
    title: String,
    /// The rules of the puzzle, which may differ from the variant's in komi.
    setting: String,
    /// From 1 to `count`.
    number: usize,
    /// How many puzzles there are of the variant.
    count: usize,
    /// The name of the player to move, who wins.
    mover: String,
    #[serde(flatten)]
    position: PositionView,
    /// The points where no stone may be placed, with the reason.
    illegal: BTreeMap<String, String>,
    /// The points where a stone would do more than stand there, with what it would do.
    previews: BTreeMap<String, PreviewView>,
}

/// What a move in a puzzle is worth.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct AnswerView {
    /// Whether it is the move that keeps the win.
    right: bool,
    /// What there is to say about it: sentences.
    words: Vec<String>,
    /// The position after it and, if it is wrong, after the reply that shows it.
    steps: Vec<StepView>,
}

/// What stands for the solution where a move is asked about.
const SOLUTION: &str = "solution";

impl PuzzleList {
    /// The puzzles that come with the program.
    pub fn all() -> Vec<PuzzleList> {
        let mut lists: Vec<PuzzleList> = Vec::new();
        for puzzle in Puzzle::shipped() {
            let name = variant(puzzle);
            match lists.iter_mut().find(|list| list.rules == name) {
                Some(list) => list.count += 1,
                None => lists.push(PuzzleList { rules: name.to_owned(), count: 1 }),
            }
        }
        lists
    }
}

/// The name of a puzzle's variant: its rules may differ from that in komi.
fn variant(puzzle: &Puzzle) -> &str {
    puzzle.rules.split(',').next().unwrap_or_default()
}

/// The puzzle of this number, and how many there are of its variant.
fn find(rules: &str, number: &str) -> Result<(&'static Puzzle, usize, usize), Refusal> {
    let puzzles: Vec<&Puzzle> =
        Puzzle::shipped().iter().filter(|puzzle| variant(puzzle) == rules).collect();
    let missing = || Refusal::NoSuchPuzzle {
        rules: rules.to_owned(),
        number: number.to_owned(),
        count: puzzles.len(),
    };
    let number: usize = number.parse().map_err(|_| missing())?;
    let index = number.checked_sub(1).ok_or_else(missing)?;
    Ok((puzzles.get(index).ok_or_else(missing)?, number, puzzles.len()))
}

/// The game up to a puzzle, which tests have played.
fn game_of(puzzle: &Puzzle) -> Result<Game, Refusal> {
    puzzle.game().map_err(|_| Refusal::Internal)
}

impl PuzzleView {
    /// A puzzle by its variant and number, as in an address.
    ///
    /// # Errors
    /// There is none.
    pub fn of(rules: &str, number: &str) -> Result<PuzzleView, Refusal> {
        let (puzzle, number, count) = find(rules, number)?;
        let game = game_of(puzzle)?;
        Ok(PuzzleView {
            rules: variant(puzzle).to_owned(),
            title: title(game.rules()),
            setting: puzzle.rules.clone(),
            number,
            count,
            mover: game.position().turn().name().to_owned(),
            position: PositionView::of(&game),
            illegal: illegal(&game),
            previews: previews(&game),
        })
    }
}

impl AnswerView {
    /// What a move is worth in a puzzle; all three as in an address, and `solution` is the move that is right.
    ///
    /// # Errors
    /// There is no such puzzle, or the move is none or illegal.
    pub fn of(rules: &str, number: &str, played: &str) -> Result<AnswerView, Refusal> {
        let (puzzle, ..) = find(rules, number)?;
        let game = game_of(puzzle)?;
        let played: Move = match played {
            SOLUTION => puzzle.solution,
            text => text.parse().map_err(|problem| Refusal::BadRequest(format!("{problem}")))?,
        };
        if played == puzzle.solution {
            Self::right(puzzle, game)
        } else {
            Self::wrong(puzzle, game, played)
        }
    }

    fn right(puzzle: &Puzzle, mut game: Game) -> Result<AnswerView, Refusal> {
        let mover = game.position().turn();
        let solution = puzzle.solution;
        let effect = play(&mut game, solution)?;
        let words = vec![
            format!("{solution} is the only move that wins{effect}."),
            puzzle.decided_in_words(mover),
            puzzle.verified_in_words(),
        ];
        Ok(AnswerView { right: true, words, steps: vec![StepView::of(&game)] })
    }

    fn wrong(puzzle: &Puzzle, mut game: Game, played: Move) -> Result<AnswerView, Refusal> {
        let mover = game.position().turn().name();
        play(&mut game, played)?;
        let mut steps = vec![StepView::of(&game)];
        let mut words = Vec::new();
        let known = puzzle.wrong(played).and_then(|wrong| wrong.reply);
        match known.filter(|_| game.end().is_none()) {
            None => words.push(format!("{played} ends the game, and {mover} does not win it.")),
            Some(reply) => {
                let opponent = game.position().turn().name();
                let effect = play(&mut game, reply)?;
                steps.push(StepView::of(&game));
                let after = match puzzle.verified {
                    Verified::Proved => format!("{mover} can no longer win"),
                    Verified::Searched(_) => format!("{mover} hardly wins any more"),
                };
                words.push(format!("{opponent} answers with {reply}{effect}, and {after}."));
            }
        }
        Ok(AnswerView { right: false, words, steps })
    }
}

/// Plays a move, and says what it does besides: ": it captures 2 stones", or nothing.
fn play(game: &mut Game, played: Move) -> Result<String, Refusal> {
    let before = game.position().clone();
    game.play(played).map_err(Refusal::Illegal)?;
    let effect = Effect::of(&before, played, game.position()).told();
    let name = before.turn().name();
    Ok(if effect.is_empty() { String::new() } else { format!(" ({name} {effect})") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_puzzle_has_one_answer_and_a_reply_to_every_other() {
        for list in PuzzleList::all() {
            for number in 1..=list.count {
                let number = number.to_string();
                let view = serde_json::to_value(PuzzleView::of(&list.rules, &number).unwrap());
                let legal = view.unwrap()["state"]["legal"].clone();
                let legal: Vec<String> = serde_json::from_value(legal).unwrap();
                let answers: Vec<AnswerView> = legal
                    .iter()
                    .map(|played| AnswerView::of(&list.rules, &number, played).unwrap())
                    .collect();
                assert_eq!(answers.iter().filter(|answer| answer.right).count(), 1);
                let solution = AnswerView::of(&list.rules, &number, SOLUTION).unwrap();
                assert!(solution.right && answers.contains(&solution));
                for answer in answers.iter().filter(|answer| !answer.right) {
                    assert!([1, 2].contains(&answer.steps.len()) && !answer.words.is_empty());
                }
            }
            for number in ["0", "-1", "x", &(list.count + 1).to_string()] {
                let refused = PuzzleView::of(&list.rules, number).unwrap_err();
                assert_eq!(refused.code(), (404, "no_such_puzzle"));
            }
            let refused = AnswerView::of(&list.rules, "1", "Z99").unwrap_err();
            assert_eq!(refused.code(), (400, "bad_request"));
        }
        assert_eq!(PuzzleView::of("chess", "1").unwrap_err().code(), (404, "no_such_puzzle"));
    }
}
