//! The laboratory: the same moves under two rule sets, side by side.

use bot::{Choice, Ownership};
use engine::{Move, MoveParseError, Position, Rules, Size};
use game::Game;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::analysis::OpinionView;
use crate::catalogue::Catalogue;
use crate::language::Language;
use crate::playable::PlayableView;
use crate::position::PositionView;
use crate::refusal::Refusal;
use crate::requests::affordable;
use crate::view::title;

/// Two rule sets to compare after the same moves.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// Side of the board, 2 to 19, or width and height as `3x4`.
    #[schema(value_type = game::BoardSize)]
    size: Size,
    /// The two rule sets, each a variant's name and changes to it: `tile`, `cushion,end=area`.
    #[schema(min_items = 2, max_items = 2)]
    rules: Vec<String>,
    /// The moves, which must be legal under both: `D4`, `E9*`, `pass`.
    #[serde(default)]
    moves: Vec<String>,
    /// Simulations of the search under each rule set.
    simulations: u32,
    /// Whether to estimate the final ownership as well, which takes longer than the rest.
    #[serde(default)]
    occupancy: bool,
}

/// The limits of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LargestComparison {
    /// Moves.
    pub moves: usize,
    /// Simulations under each rule set.
    pub simulations: u32,
}

/// The largest comparison, on a server unless it is told otherwise, and in a browser.
pub const LARGEST_COMPARISON: LargestComparison =
    LargestComparison { moves: 1_000, simulations: 256 };

/// Two games with the same moves, and what to find out about their last positions.
#[derive(Debug)]
pub struct ComparedGames {
    games: [Game; 2],
    /// Simulations of the search under each rule set.
    pub simulations: u32,
    /// Whether to estimate the final ownership.
    pub occupancy: bool,
}

/// The findings about a position: no choice if the game is over, no ownership if it was not
/// requested or took too long.
pub type PositionFindings = (Option<Choice>, Option<Ownership>);

/// The same moves under two rule sets.
#[derive(Debug, Serialize, ToSchema)]
pub struct ComparisonView {
    /// Simulations of the search under each rule set.
    simulations: u32,
    /// Under the first rule set, and under the second.
    boards: Vec<BoardView>,
}

/// The position under one of the rule sets.
#[derive(Debug, Serialize, ToSchema)]
struct BoardView {
    #[serde(flatten)]
    board: Board,
    /// What a model thinks of it.
    opinion: OpinionView,
}

/// A position and its rules.
#[derive(Debug, Serialize, ToSchema)]
struct Board {
    /// The rules, as a new game can name them.
    rules: String,
    /// The rules' displayed name.
    title: String,
    #[serde(flatten)]
    position: PositionView,
    #[serde(flatten)]
    playable: PlayableView,
}

/// What clients see of compared games apart from the findings. It takes a small part of the memory
/// of the games.
#[derive(Debug)]
pub struct ComparedBoards {
    simulations: u32,
    positions: [Position; 2],
    boards: [Board; 2],
}

impl Comparison {
    /// Plays the two games.
    ///
    /// # Errors
    /// The comparison is too large, does not have two rule sets, names unknown rules, or contains a
    /// move that cannot be parsed or is illegal under one of them.
    pub fn play(self, largest: LargestComparison) -> Result<ComparedGames, Refusal> {
        let LargestComparison { moves: most, simulations } = largest;
        if self.moves.len() > most {
            return Err(Refusal::TooManyMoves { given: self.moves.len(), most });
        }
        if self.simulations > simulations {
            let given = self.simulations;
            return Err(Refusal::TooLongSearch { given, most: simulations });
        }
        let read = |text: &String| text.parse();
        let moves: Result<Vec<Move>, MoveParseError> = self.moves.iter().map(read).collect();
        let moves = moves.map_err(|error| Refusal::BadRequest(error.to_string()))?;
        let [first, second] = self.rules.as_slice() else {
            let given = self.rules.len();
            return Err(Refusal::BadRequest(format!("expected two rule sets, given {given}")));
        };
        let game = |text: &str| played(affordable(Rules::parse(text, self.size)?)?, &moves);
        Ok(ComparedGames {
            games: [game(first)?, game(second)?],
            simulations: self.simulations,
            occupancy: self.occupancy,
        })
    }
}

fn played(rules: Rules, moves: &[Move]) -> Result<Game, Refusal> {
    let mut game = Game::new(rules);
    for (index, &played) in moves.iter().enumerate() {
        game.play(played).map_err(|reason| Refusal::NotUnderBoth {
            rules: game.rules().to_string(),
            turn: index + 1,
            played,
            reason,
        })?;
    }
    Ok(game)
}

impl ComparedGames {
    /// The position under each rule set.
    pub fn positions(&self) -> [Position; 2] {
        self.games.each_ref().map(|game| game.position().clone())
    }

    /// The models that evaluate the position under each rule set, by index in the catalogue.
    ///
    /// # Errors
    /// No model knows one of the rule sets.
    pub fn models(&self, catalogue: &Catalogue) -> Result<[usize; 2], Refusal> {
        let [first, second] = self.games.each_ref().map(|game| catalogue.model_for(game.rules()));
        first.zip(second).map(|(first, second)| [first, second]).ok_or(Refusal::NoModel)
    }

    /// What clients see apart from the findings.
    pub fn boards(&self, language: &Language) -> ComparedBoards {
        ComparedBoards {
            simulations: self.simulations,
            positions: self.positions(),
            boards: self.games.each_ref().map(|game| Board::of(game, language)),
        }
    }
}

impl ComparedBoards {
    /// What clients see, given the findings of the named models.
    pub fn view(self, found: [(&str, PositionFindings); 2]) -> ComparisonView {
        let ComparedBoards { simulations, positions, boards } = self;
        let boards = boards.into_iter().zip(&positions).zip(found);
        let boards = boards.map(|((board, position), (model, (choice, ownership)))| BoardView {
            board,
            opinion: OpinionView::of(model, position, choice, ownership),
        });
        ComparisonView { simulations, boards: boards.collect() }
    }
}

impl Board {
    fn of(game: &Game, language: &Language) -> Board {
        Board {
            rules: game.rules().to_string(),
            title: title(game.rules(), language),
            position: PositionView::of(game, language),
            playable: PlayableView::of(game, language),
        }
    }
}
