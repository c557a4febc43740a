//! Puzzles: what is asked, and what an answer is worth.

use engine::{Color, Move};
use game::{DecidedBy, Game, Puzzle, Verification};
use serde::Serialize;
use utoipa::ToSchema;

use crate::language::{Language, Value};
use crate::playable::PlayableView;
use crate::position::{PositionView, StepView};
use crate::refusal::Refusal;
use crate::view::title;

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
    /// The komi, if it is not the variant's.
    komi: Option<String>,
    /// From 1 to `count`.
    number: usize,
    /// How many puzzles there are of the variant.
    count: usize,
    #[serde(flatten)]
    position: PositionView,
    #[serde(flatten)]
    playable: PlayableView,
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

/// The word that stands for the solution when asking about a move.
const SOLUTION: &str = "solution";

impl PuzzleList {
    /// The puzzles included in the program.
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

/// The name of a puzzle's variant; its rules may differ from the variant's in komi.
fn variant(puzzle: &Puzzle) -> &str {
    puzzle.rules.split(',').next().unwrap_or_default()
}

/// The puzzle with this number, and how many there are of its variant.
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

/// The game up to a puzzle; tests have replayed it.
fn game_of(puzzle: &Puzzle) -> Result<Game, Refusal> {
    puzzle.game().map_err(|_| Refusal::Internal)
}

impl PuzzleView {
    /// A puzzle by its variant and number, given as in a URL.
    ///
    /// # Errors
    /// There is no such puzzle.
    pub fn of(rules: &str, number: &str, language: &Language) -> Result<PuzzleView, Refusal> {
        let (puzzle, number, count) = find(rules, number)?;
        let game = game_of(puzzle)?;
        Ok(PuzzleView {
            rules: variant(puzzle).to_owned(),
            title: title(game.rules(), language),
            komi: puzzle
                .rules
                .split(',')
                .find_map(|part| part.strip_prefix("komi="))
                .map(|komi| language.value(&komi)),
            number,
            count,
            position: PositionView::of(&game, language),
            playable: PlayableView::of(&game, language),
        })
    }
}

impl AnswerView {
    /// The value of a move in a puzzle; all three are given as in a URL, and `solution` stands for
    /// the correct move.
    ///
    /// # Errors
    /// There is no such puzzle, or the move cannot be parsed or is illegal.
    pub fn of(
        rules: &str,
        number: &str,
        played: &str,
        language: &Language,
    ) -> Result<AnswerView, Refusal> {
        let (puzzle, ..) = find(rules, number)?;
        let game = game_of(puzzle)?;
        let played: Move = match played {
            SOLUTION => puzzle.solution,
            text => text.parse().map_err(|problem| Refusal::BadRequest(format!("{problem}")))?,
        };
        if played == puzzle.solution {
            Self::right(puzzle, game, language)
        } else {
            Self::wrong(puzzle, game, played, language)
        }
    }

    fn right(puzzle: &Puzzle, mut game: Game, language: &Language) -> Result<AnswerView, Refusal> {
        let solution = puzzle.solution;
        game.play(solution).map_err(Refusal::Illegal)?;
        let only = language
            .say("{move} is the only move that wins.", &[("move", &language.played(solution))]);
        let [decided, verified] = explained(puzzle, language);
        let words = vec![only, decided, verified];
        Ok(AnswerView { right: true, words, steps: vec![StepView::of(&game, language)] })
    }

    fn wrong(
        puzzle: &Puzzle,
        mut game: Game,
        played: Move,
        language: &Language,
    ) -> Result<AnswerView, Refusal> {
        let mover = game.position().turn();
        game.play(played).map_err(Refusal::Illegal)?;
        let mut steps = vec![StepView::of(&game, language)];
        let known = puzzle.wrong(played).and_then(|wrong| wrong.reply);
        let words = match known.filter(|_| game.end().is_none()) {
            None => {
                let sentence = match mover {
                    Color::Black => "{move} ends the game, and Black does not win it.",
                    Color::White => "{move} ends the game, and White does not win it.",
                };
                language.say(sentence, &[("move", &language.played(played))])
            }
            Some(reply) => {
                game.play(reply).map_err(Refusal::Illegal)?;
                steps.push(StepView::of(&game, language));
                language.say(refuted(mover, puzzle.verified), &[("reply", &language.played(reply))])
            }
        };
        Ok(AnswerView { right: false, words: vec![words], steps })
    }
}

/// What a reply has done to the player who should have won.
fn refuted(mover: Color, verified: Verification) -> &'static str {
    match (mover, verified) {
        (Color::Black, Verification::Proved) => {
            "White answers with {reply}, and Black can no longer win."
        }
        (Color::White, Verification::Proved) => {
            "Black answers with {reply}, and White can no longer win."
        }
        (Color::Black, Verification::Searched(_)) => {
            "White answers with {reply}, and Black hardly wins any more."
        }
        (Color::White, Verification::Searched(_)) => {
            "Black answers with {reply}, and White hardly wins any more."
        }
    }
}

/// How the variant's own rule decides a puzzle, and how we know that one move wins and no other
/// does.
pub fn explained(puzzle: &Puzzle, language: &Language) -> [String; 2] {
    [decided(puzzle, language), verified(puzzle, language)]
}

/// How we know that one move wins and no other does.
fn verified(puzzle: &Puzzle, language: &Language) -> String {
    match puzzle.verified {
        Verification::Proved => language.say("Proved by the solver.", &[]),
        Verification::Searched(simulations) => language.say(
            "Found by a search with {simulations} simulations after every move.",
            &[("simulations", &simulations)],
        ),
    }
}

/// Maximum number of moves listed individually.
const LISTED: usize = 4;

/// How the variant's own rule decides the puzzle.
fn decided(puzzle: &Puzzle, language: &Language) -> String {
    let solution = puzzle.solution;
    match &puzzle.decided {
        DecidedBy::Without { part, wins, .. } => {
            let part = language.translate(part);
            let others: Vec<String> =
                wins.iter().filter(|&&it| it != solution).map(|&it| language.played(it)).collect();
            let moves = language.list(&others);
            let solution_in_words = language.played(solution);
            let values: [Value<'_>; 4] = [
                ("part", &part),
                ("move", &solution_in_words),
                ("moves", &moves),
                ("count", &others.len()),
            ];
            let sentence = match (wins.contains(&solution), others.len()) {
                (true, ..=LISTED) => "Without {part}, {moves} would win too.",
                (true, _) => "Without {part}, {count} other moves would win too.",
                (false, 0) => "Without {part}, {move} would not win.",
                (false, ..=LISTED) => "Without {part}, {move} would not win, but {moves} would.",
                (false, _) => "Without {part}, {move} would not win, but {count} others would.",
            };
            language.say(sentence, &values)
        }
        DecidedBy::Conquers { after, played, points } => {
            let sentence = match (after, points) {
                (None, 1) => "{move} conquers one point.",
                (None, _) => "{move} conquers {count} points.",
                (Some(_), 1) => "After {wrong}, the reply {move} conquers one point.",
                (Some(_), _) => "After {wrong}, the reply {move} conquers {count} points.",
            };
            let wrong = after.unwrap_or(*played);
            language.say(sentence, &[("move", played), ("count", points), ("wrong", &wrong)])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_puzzle_has_one_answer_and_a_reply_to_every_other() {
        let english = Language::english();
        for list in PuzzleList::all() {
            for number in 1..=list.count {
                let number = number.to_string();
                let view =
                    serde_json::to_value(PuzzleView::of(&list.rules, &number, english).unwrap());
                let legal = view.unwrap()["state"]["legal"].clone();
                let legal: Vec<String> = serde_json::from_value(legal).unwrap();
                let answers: Vec<AnswerView> = legal
                    .iter()
                    .map(|played| AnswerView::of(&list.rules, &number, played, english).unwrap())
                    .collect();
                assert_eq!(answers.iter().filter(|answer| answer.right).count(), 1);
                let solution = AnswerView::of(&list.rules, &number, SOLUTION, english).unwrap();
                assert!(solution.right && answers.contains(&solution));
                for answer in answers.iter().filter(|answer| !answer.right) {
                    assert!([1, 2].contains(&answer.steps.len()) && !answer.words.is_empty());
                }
            }
            for number in ["0", "-1", "x", &(list.count + 1).to_string()] {
                let refused = PuzzleView::of(&list.rules, number, english).unwrap_err();
                assert_eq!(refused.code(), (404, "no_such_puzzle"));
            }
            let refused = AnswerView::of(&list.rules, "1", "Z99", english).unwrap_err();
            assert_eq!(refused.code(), (400, "bad_request"));
        }
        assert_eq!(
            PuzzleView::of("chess", "1", english).unwrap_err().code(),
            (404, "no_such_puzzle")
        );
    }
}
