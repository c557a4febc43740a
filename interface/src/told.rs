//! The state of a game in words, for onlookers and for each player.

use engine::{Color, GameResult, Move, Reason};
use game::{EndReason, Game};
use serde::Serialize;
use utoipa::ToSchema;

/// A game in words.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Told {
    /// The state of the game: whose turn it is, or who won and how.
    pub standing: String,
    /// Remarks on the position beyond the board.
    pub remarks: Vec<String>,
}

impl Told {
    /// The words for onlookers.
    pub fn to_onlooker(game: &Game) -> Told {
        Told { standing: standing(game), remarks: remarks(game, Color::name) }
    }

    /// The words for the player of `color`, addressed as "you".
    pub fn to_player(game: &Game, color: Color) -> Told {
        let name = |other| if other == color { "You" } else { "Your opponent" };
        Told { standing: standing_of(game, color), remarks: remarks(game, name) }
    }
}

fn standing(game: &Game) -> String {
    let Some(end) = game.end() else {
        return format!("{} to move", game.position().turn().name());
    };
    match end.result {
        GameResult::Draw => format!("Draw: {}", end.reason),
        GameResult::Won(winner) => {
            format!("{} wins{}", winner.name(), how(game, end.reason, winner.opponent().name()))
        }
    }
}

fn standing_of(game: &Game, player: Color) -> String {
    let Some(end) = game.end() else {
        let is_own = game.position().turn() == player;
        return format!("{} to move", if is_own { "You" } else { "Your opponent" });
    };
    match end.result {
        GameResult::Draw => format!("Draw: {}", end.reason),
        GameResult::Won(winner) if winner == player => {
            format!("You won{}", how(game, end.reason, "your opponent"))
        }
        GameResult::Won(_) => format!("You lost{}", how(game, end.reason, "you")),
    }
}

/// How a decided game was won: by how many points, or what the loser did.
fn how(game: &Game, reason: EndReason, loser: &str) -> String {
    match reason {
        EndReason::Resignation => format!(": {loser} resigned"),
        EndReason::Rules(Reason::NoMove) => format!(": {loser} had no move left"),
        EndReason::Rules(Reason::Suicide) => {
            format!(": {loser} removed only the stone just placed")
        }
        EndReason::Rules(
            Reason::Passes
            | Reason::Repetition
            | Reason::NoFreePoint
            | Reason::CaptureGoal
            | Reason::MoveLimit,
        ) => match game.position().score().map(f32::abs) {
            Some(1.0) => " by 1 point".to_owned(),
            Some(points) => format!(" by {points} points"),
            None => format!(": {reason}"),
        },
        EndReason::Fault(fault) => format!(": {loser} failed ({fault})"),
    }
}

fn remarks(game: &Game, name: impl Fn(Color) -> &'static str) -> Vec<String> {
    let position = game.position();
    let mut remarks = Vec::new();
    if game.end().is_none() && position.last_incursion() == Some(true) {
        remarks.push("The last stone was an incursion".to_owned());
    }
    if game.end().is_none() && position.passes() > 0 {
        remarks.push(format!("{} passed", name(position.turn().opponent())));
    }
    if let Some(turn) = game.turns().last().filter(|turn| turn.played == Move::Pass)
        && game.rules().returns_prisoners()
    {
        remarks.push(format!("{} returned a prisoner", name(turn.player)));
    }
    if !position.hot().is_empty() {
        remarks.push("Hot stones may not be captured by a ko play".to_owned());
    }
    remarks
}

#[cfg(test)]
mod tests {
    use engine::Rules;

    use super::*;

    fn game(rules: &str, moves: &str) -> Game {
        let mut game = Game::new(Rules::parse(rules, 2).unwrap());
        moves.split_whitespace().for_each(|played| game.play(played.parse().unwrap()).unwrap());
        game
    }

    fn standings(game: &Game) -> [String; 3] {
        let told = Color::BOTH.map(|color| Told::to_player(game, color));
        let [black, white] = told.map(|told| told.standing);
        [Told::to_onlooker(game).standing, black, white]
    }

    #[test]
    fn players_are_told_of_themselves() {
        let mut running = game("go", "A1");
        assert_eq!(standings(&running), ["White to move", "Your opponent to move", "You to move"]);
        running.resign(Color::White);
        assert_eq!(
            standings(&running),
            [
                "Black wins: White resigned",
                "You won: your opponent resigned",
                "You lost: you resigned"
            ]
        );
        let counted = game("go,komi=3", "A1 pass pass");
        assert_eq!(
            standings(&counted),
            ["Black wins by 1 point", "You won by 1 point", "You lost by 1 point"]
        );
        let drawn = game("go,komi=4", "A1 pass pass");
        assert_eq!(standings(&drawn), ["Draw: passes", "Draw: passes", "Draw: passes"]);
        let alone = |who| format!("{who} removed only the stone just placed");
        assert_eq!(
            standings(&game("alter-igo", "A1 B1 B2 B1")),
            [
                format!("Black wins: {}", alone("White")),
                format!("You won: {}", alone("your opponent")),
                format!("You lost: {}", alone("you")),
            ]
        );
        let mut stuck = game("tile", "");
        while stuck.end().is_none() {
            let first = stuck.position().legal_moves()[0];
            stuck.play(first).unwrap();
        }
        assert_eq!(
            standings(&stuck),
            [
                "White wins: Black had no move left",
                "You lost: you had no move left",
                "You won: your opponent had no move left",
            ]
        );
    }

    #[test]
    fn remarks_say_who_passed() {
        let passed = game("go", "A1 pass");
        let told = Color::BOTH.map(|color| Told::to_player(&passed, color).remarks);
        assert_eq!(told, [["Your opponent passed"], ["You passed"]]);
        assert_eq!(Told::to_onlooker(&passed).remarks, ["White passed"]);
    }
}
