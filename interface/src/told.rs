//! The state of a game in words, for onlookers and for each player.

use bot::Effect;
use engine::{Color, GameResult, Imposed, Move, Reason};
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

/// Who is told, which decides what players are called.
#[derive(Clone, Copy)]
enum Listener {
    Onlooker,
    Player(Color),
}

impl Listener {
    /// A player at the start of a sentence.
    fn name(self, player: Color) -> &'static str {
        match self {
            Listener::Onlooker => player.name(),
            Listener::Player(own) if own == player => "You",
            Listener::Player(_) => "Your opponent",
        }
    }

    /// A player within a sentence, and what is the player's.
    fn within(self, player: Color) -> (&'static str, &'static str) {
        match (self, player) {
            (Listener::Onlooker, Color::Black) => ("Black", "Black's"),
            (Listener::Onlooker, Color::White) => ("White", "White's"),
            (Listener::Player(own), _) if own == player => ("you", "your"),
            (Listener::Player(_), _) => ("your opponent", "your opponent's"),
        }
    }
}

impl Told {
    /// The words for onlookers.
    pub fn to_onlooker(game: &Game) -> Told {
        Told { standing: standing(game), remarks: remarks(game, Listener::Onlooker) }
    }

    /// The words for the player of `color`, addressed as "you".
    pub fn to_player(game: &Game, color: Color) -> Told {
        Told { standing: standing_of(game, color), remarks: remarks(game, Listener::Player(color)) }
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

/// What the last turn did, and what follows from it.
fn remarks(game: &Game, listener: Listener) -> Vec<String> {
    let position = game.position();
    let mut remarks = Vec::new();
    let effect = last_effect(game);
    if let (Some(turn), Some(effect)) = (game.turns().last(), &effect) {
        let (name, played) = (listener.name(turn.player), turn.played);
        let deeds = effect.told();
        if !deeds.is_empty() {
            remarks.push(format!("{name} {deeds}"));
        }
        if effect.tiles.is_some() {
            remarks.push(format!("{played} has got a tile, because it followed an incursion"));
        }
        if effect.hot {
            remarks.push(format!("{played} was a ko play, so its stone is hot"));
        }
        if !effect.cooled.is_empty() {
            remarks.push("All stones have cooled".to_owned());
        }
        if turn.played == Move::Pass && game.rules().returns_prisoners() {
            remarks.push(format!("{name} returned a prisoner"));
        }
    }
    if game.end().is_none() {
        let is_last = effect.is_some_and(|effect| effect.incursion);
        remarks.extend(position.imposed().map(|imposed| follows(game, imposed, is_last, listener)));
    }
    if game.end().is_none() && position.passes() > 0 {
        remarks.push(format!("{} passed", listener.name(position.turn().opponent())));
    }
    if !position.hot().is_empty() {
        remarks.push(
            "Hot stones may not be captured by a ko play; any other turn cools them".to_owned(),
        );
    }
    remarks
}

/// What the last turn did beyond its stone.
pub(crate) fn last_effect(game: &Game) -> Option<Effect> {
    let turn = game.turns().last()?;
    let before = game.positions().nth(game.turns().len() - 1)?;
    Some(Effect::of(before, turn.played, game.position()))
}

/// What the last stone means for the player to move. `is_last` says whether it was an incursion in the last turn.
fn follows(game: &Game, imposed: Imposed, is_last: bool, listener: Listener) -> String {
    let (player, own) = listener.within(game.position().turn());
    let cause = if is_last { "That" } else { "The last stone" };
    match imposed {
        Imposed::Tile => format!("{cause} was an incursion: {own} next stone gets a tile"),
        Imposed::TileForIncursion => {
            format!("{cause} was an incursion: if {own} next stone is one too, it gets a tile")
        }
        Imposed::NoIncursion => {
            format!("{cause} was an incursion: {player} may not answer with another one")
        }
        Imposed::NoMinimalIncursion => {
            format!("{cause} was a minimal incursion: {player} may not answer with another one")
        }
        Imposed::NoCapture => format!("That was a capture: {player} may not capture now"),
    }
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

    fn remarks(rules: &str, size: u8, moves: &str) -> [Vec<String>; 3] {
        let mut game = Game::new(Rules::parse(rules, size).unwrap());
        moves.split_whitespace().for_each(|played| game.play(played.parse().unwrap()).unwrap());
        let [black, white] = Color::BOTH.map(|color| Told::to_player(&game, color).remarks);
        [Told::to_onlooker(&game).remarks, black, white]
    }

    #[test]
    fn causes_are_told_with_their_effects() {
        let tile = remarks("tile", 5, "C3 A1");
        assert_eq!(tile[0], ["That was an incursion: Black's next stone gets a tile"]);
        assert_eq!(tile[1], ["That was an incursion: your next stone gets a tile"]);
        assert_eq!(tile[2], ["That was an incursion: your opponent's next stone gets a tile"]);
        let used = "D2 has got a tile, because it followed an incursion";
        assert_eq!(remarks("tile", 5, "C3 A1 D2")[0], [used]);
        let cushion = "That was an incursion: if your next stone is one too, it gets a tile";
        assert_eq!(remarks("cushion", 5, "C3 A1")[1], [cushion]);
        let banned = "That was an incursion: you may not answer with another one";
        assert_eq!(remarks("incursion", 5, "C3 A1")[1], [banned]);
        assert_eq!(remarks("incursion", 5, "C3 A1 pass")[2], ["Your opponent passed"]);
        assert_eq!(
            remarks("stoical", 5, "A1 B1 D4 A2")[2],
            ["You captured 1 stone", "That was a capture: your opponent may not capture now"]
        );
        let conquest = remarks("conquest", 6, "A3 A1 B2 E5 C1");
        assert_eq!(conquest[0], ["Black conquered 3 points and captured 1 stone"]);
        assert_eq!(conquest[1], ["You conquered 3 points and captured 1 stone"]);
        let hot = "Hot stones may not be captured by a ko play; any other turn cools them";
        let ko = "B3 D2 C2 D4 C4 E3 D3 C3";
        assert_eq!(
            remarks("hot-stone", 5, ko)[1],
            ["Your opponent captured 1 stone", "C3 was a ko play, so its stone is hot", hot]
        );
        assert_eq!(remarks("hot-stone", 5, &format!("{ko} A1"))[0], ["All stones have cooled"]);
    }

    #[test]
    fn remarks_say_who_passed() {
        let passed = game("go", "A1 pass");
        let told = Color::BOTH.map(|color| Told::to_player(&passed, color).remarks);
        assert_eq!(told, [["Your opponent passed"], ["You passed"]]);
        assert_eq!(Told::to_onlooker(&passed).remarks, ["White passed"]);
    }
}
