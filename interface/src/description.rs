//! The state of a game in words, for onlookers and for each player.

use bot::Effect;
use engine::{Color, GameResult, Move, PendingEffect, Reason};
use game::{EndReason, Game};
use serde::Serialize;
use utoipa::ToSchema;

use crate::language::{Language, Value};

/// A game in words.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct GameDescription {
    /// The state of the game: whose turn it is, or who won and how.
    pub standing: String,
    /// Remarks on the position beyond the board.
    pub remarks: Vec<String>,
}

/// Who is addressed, which decides what players are called.
#[derive(Clone, Copy)]
enum Listener {
    Onlooker,
    Player(Color),
}

/// A sentence about a player in four forms, which refer to the player as "you", "your opponent",
/// "Black" and "White".
type Wordings = [&'static str; 4];

impl Listener {
    /// The sentence that refers to `player` as this listener would.
    fn about(self, player: Color, [you, opponent, black, white]: Wordings) -> &'static str {
        match (self, player) {
            (Listener::Player(own), _) if own == player => you,
            (Listener::Player(_), _) => opponent,
            (Listener::Onlooker, Color::Black) => black,
            (Listener::Onlooker, Color::White) => white,
        }
    }
}

impl GameDescription {
    /// The words for onlookers.
    pub fn for_onlooker(game: &Game, language: &Language) -> GameDescription {
        GameDescription::for_listener(Listener::Onlooker, game, language)
    }

    /// The words for the player of `color`, addressed as "you".
    pub fn for_player(game: &Game, color: Color, language: &Language) -> GameDescription {
        GameDescription::for_listener(Listener::Player(color), game, language)
    }

    fn for_listener(listener: Listener, game: &Game, language: &Language) -> GameDescription {
        let narrator = Narrator { listener, game, language };
        GameDescription { standing: narrator.standing(), remarks: narrator.remarks() }
    }
}

/// Describes a game to a listener.
struct Narrator<'a> {
    listener: Listener,
    game: &'a Game,
    language: &'a Language,
}

impl Narrator<'_> {
    fn say(&self, english: &str, values: &[Value<'_>]) -> String {
        self.language.say(english, values)
    }

    fn say_of(&self, player: Color, sentences: Wordings, values: &[Value<'_>]) -> String {
        self.language.say(self.listener.about(player, sentences), values)
    }

    fn standing(&self) -> String {
        let Some(end) = self.game.end() else {
            let player = self.game.position().turn();
            let sentences =
                ["You to move", "Your opponent to move", "Black to move", "White to move"];
            return self.say_of(player, sentences, &[]);
        };
        let GameResult::Won(winner) = end.result else {
            let reason = self.language.translate(&end.reason.to_string());
            return self.say("Draw: {reason}", &[("reason", &reason)]);
        };
        let score = self.game.position().score().filter(|_| end.reason.is_by_score());
        match score.map(f32::abs) {
            Some(1.0) => {
                let sentences = [
                    "You won by 1 point",
                    "You lost by 1 point",
                    "Black wins by 1 point",
                    "White wins by 1 point",
                ];
                self.say_of(winner, sentences, &[])
            }
            Some(points) => {
                let sentences = [
                    "You won by {points} points",
                    "You lost by {points} points",
                    "Black wins by {points} points",
                    "White wins by {points} points",
                ];
                self.say_of(winner, sentences, &[("points", &points)])
            }
            None => {
                let sentences =
                    ["You won: {how}", "You lost: {how}", "Black wins: {how}", "White wins: {how}"];
                self.say_of(winner, sentences, &[("how", &self.how(end.reason, winner.opponent()))])
            }
        }
    }

    /// How a game that was not counted was decided: usually what the loser did.
    fn how(&self, reason: EndReason, loser: Color) -> String {
        let sentences = match reason {
            EndReason::Resignation => {
                ["you resigned", "your opponent resigned", "Black resigned", "White resigned"]
            }
            EndReason::Rules(Reason::NoMove) => [
                "you had no move left",
                "your opponent had no move left",
                "Black had no move left",
                "White had no move left",
            ],
            EndReason::Rules(Reason::Suicide) => [
                "you removed only the stone just placed",
                "your opponent removed only the stone just placed",
                "Black removed only the stone just placed",
                "White removed only the stone just placed",
            ],
            EndReason::Rules(
                Reason::Passes
                | Reason::Repetition
                | Reason::NoFreePoint
                | Reason::CaptureGoal
                | Reason::MoveLimit,
            ) => return self.language.translate(&reason.to_string()),
            // Faults occur only in engine matches, which are reported in English.
            EndReason::Fault(fault) => return fault.to_string(),
        };
        self.say_of(loser, sentences, &[])
    }

    /// What the last turn did, and what follows from it.
    fn remarks(&self) -> Vec<String> {
        let Narrator { game, language, .. } = self;
        let position = game.position();
        let mut remarks = Vec::new();
        let effect = last_effect(game);
        if let (Some(turn), Some(effect)) = (game.turns().last(), &effect) {
            let outcomes: Vec<String> =
                effect.outcomes().iter().map(|outcome| language.translate(outcome)).collect();
            if !outcomes.is_empty() {
                let sentences = [
                    "You {outcomes}",
                    "Your opponent {outcomes}",
                    "Black {outcomes}",
                    "White {outcomes}",
                ];
                let outcomes = language.list(&outcomes);
                remarks.push(self.say_of(turn.player, sentences, &[("outcomes", &outcomes)]));
            }
            let played: [Value<'_>; 1] = [("move", &turn.played)];
            if effect.tiles.is_some() {
                let tile = "{move} has got a tile, because it followed an incursion";
                remarks.push(self.say(tile, &played));
            }
            if effect.hot {
                remarks.push(self.say("{move} was a ko play, so its stone is hot", &played));
            }
            if !effect.cooled.is_empty() {
                remarks.push(self.say("All stones have cooled", &[]));
            }
            if turn.played == Move::Pass && game.rules().returns_prisoners() {
                let sentences = [
                    "You returned a prisoner",
                    "Your opponent returned a prisoner",
                    "Black returned a prisoner",
                    "White returned a prisoner",
                ];
                remarks.push(self.say_of(turn.player, sentences, &[]));
            }
        }
        if game.end().is_none() {
            let is_last = effect.is_some_and(|effect| effect.incursion);
            remarks.extend(position.pending_effects().map(|effect| self.follows(effect, is_last)));
        }
        if game.end().is_none() && position.passes() > 0 {
            let sentences = ["You passed", "Your opponent passed", "Black passed", "White passed"];
            remarks.push(self.say_of(position.turn().opponent(), sentences, &[]));
        }
        if !position.hot_stones().is_empty() {
            let hot = "Hot stones may not be captured by a ko play; any other turn cools them";
            remarks.push(self.say(hot, &[]));
        }
        remarks
    }

    /// What the last stone means for the player to move. `is_last` says whether it was an incursion
    /// in the last turn.
    fn follows(&self, effect: PendingEffect, is_last: bool) -> String {
        let player = self.game.position().turn();
        let sentences = match effect {
            PendingEffect::Tile => [
                "your next stone gets a tile",
                "your opponent's next stone gets a tile",
                "Black's next stone gets a tile",
                "White's next stone gets a tile",
            ],
            PendingEffect::TileForIncursion => [
                "if your next stone is one too, it gets a tile",
                "if your opponent's next stone is one too, it gets a tile",
                "if Black's next stone is one too, it gets a tile",
                "if White's next stone is one too, it gets a tile",
            ],
            PendingEffect::NoIncursion | PendingEffect::NoMinimalIncursion => [
                "you may not answer with another one",
                "your opponent may not answer with another one",
                "Black may not answer with another one",
                "White may not answer with another one",
            ],
            PendingEffect::NoCapture => [
                "you may not capture now",
                "your opponent may not capture now",
                "Black may not capture now",
                "White may not capture now",
            ],
        };
        let consequence = self.say_of(player, sentences, &[]);
        let values: [Value<'_>; 1] = [("consequence", &consequence)];
        match (effect, is_last) {
            (PendingEffect::NoCapture, _) => self.say("That was a capture: {consequence}", &values),
            (PendingEffect::NoMinimalIncursion, true) => {
                self.say("That was a minimal incursion: {consequence}", &values)
            }
            (PendingEffect::NoMinimalIncursion, false) => {
                self.say("The last stone was a minimal incursion: {consequence}", &values)
            }
            (
                PendingEffect::Tile | PendingEffect::TileForIncursion | PendingEffect::NoIncursion,
                true,
            ) => self.say("That was an incursion: {consequence}", &values),
            (
                PendingEffect::Tile | PendingEffect::TileForIncursion | PendingEffect::NoIncursion,
                false,
            ) => self.say("The last stone was an incursion: {consequence}", &values),
        }
    }
}

/// What the last turn did beyond placing its stone.
pub(crate) fn last_effect(game: &Game) -> Option<Effect> {
    let turn = game.turns().last()?;
    let before = game.positions().nth(game.turns().len() - 1)?;
    Some(Effect::of(before, turn.played, game.position()))
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
        let told =
            Color::BOTH.map(|color| GameDescription::for_player(game, color, Language::english()));
        let [black, white] = told.map(|told| told.standing);
        [GameDescription::for_onlooker(game, Language::english()).standing, black, white]
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
        let [black, white] = Color::BOTH
            .map(|color| GameDescription::for_player(&game, color, Language::english()).remarks);
        [GameDescription::for_onlooker(&game, Language::english()).remarks, black, white]
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
        let told = Color::BOTH
            .map(|color| GameDescription::for_player(&passed, color, Language::english()).remarks);
        assert_eq!(told, [["Your opponent passed"], ["You passed"]]);
        assert_eq!(
            GameDescription::for_onlooker(&passed, Language::english()).remarks,
            ["White passed"]
        );
    }
}
