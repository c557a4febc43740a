//! Selects games worth seeing.

use arena::MatchGame;
use engine::{Compensation, Move, Point, Position, Rules};
use game::{SgfRecord, State};
use serde_json::{Value, json};

use crate::observe::ObservedGame;

use super::folder::LabGame;
use super::laboratory::Laboratory;

/// A game and why it is worth seeing.
#[derive(Debug, Clone, PartialEq)]
pub struct ChosenGame {
    /// The reason.
    pub title: String,
    /// The game.
    pub game: MatchGame,
    /// Black's winning probability before each turn after the opening.
    pub chances: Vec<f64>,
}

/// A reason for choosing a game, and how strongly it applies; `None` where it does not.
type Choice = (&'static str, fn(&Rules, &ObservedGame) -> Option<f64>);

const CHOICES: [Choice; 5] = [
    ("The shortest game", |_, observed| Some(-(observed.turns as f64))),
    ("The longest game", |_, observed| Some(observed.turns as f64)),
    ("The largest comeback", |_, observed| {
        observed.trajectory.comeback.filter(|&came_back| came_back).and(observed.trajectory.drama)
    }),
    ("The game with the most bans", |_, observed| {
        (observed.banned > 0.0).then_some(observed.banned)
    }),
    ("A draw", |_, observed| (observed.black == 0.5).then_some(0.0)),
];

impl Laboratory {
    /// Up to six games of the rule set in question: a typical one, and those that stand out.
    pub fn games_worth_seeing(&self) -> Vec<ChosenGame> {
        let Some(start) = self.rule_sets.first() else { return Vec::new() };
        let games: Vec<(&LabGame, &ObservedGame)> = self.own_games(0).collect();
        let mut by_length = games.clone();
        by_length.sort_by_key(|(_, observed)| observed.turns);
        let mut chosen: Vec<(&str, &LabGame, &ObservedGame)> = Vec::new();
        if let Some(&(game, observed)) = by_length.get(by_length.len() / 2) {
            chosen.push(("A game of median length", game, observed));
        }
        for (title, strength) in CHOICES {
            let strengths = games.iter().filter_map(|&(game, observed)| {
                Some((strength(&start.rules, observed)?, game, observed))
            });
            if let Some((_, game, observed)) = strengths.max_by(|a, b| a.0.total_cmp(&b.0)) {
                chosen.push((title, game, observed));
            }
        }
        chosen
            .into_iter()
            .map(|(title, one, observed)| ChosenGame {
                title: title.to_owned(),
                game: one.played.game.clone(),
                chances: observed.chances.clone(),
            })
            .collect()
    }

    /// All games of a rule set as SGF, at every compensation, with a name for each file.
    pub fn records(&self) -> impl Iterator<Item = (String, game::SgfRecord)> {
        self.games.iter().map(|one| (file_name(one), one.played.game.sgf()))
    }

    /// The file and the turn of a game of a rule set in which a tile forbids a move, if there is
    /// one.
    pub(super) fn tile_example(&self, rule_set: usize) -> Option<(String, usize)> {
        self.own_games(rule_set).find_map(|(one, observed)| {
            let turn = observed.events.tiles.as_ref()?.forbidding.first()?;
            Some((file_name(one), turn + 1))
        })
    }
}

/// The name of a game's SGF file in the laboratory's folder.
fn file_name(one: &LabGame) -> String {
    let LabGame { rule_set, network, opening, played } = one;
    let rules = &played.game.rules;
    let compensation = match rules.compensation() {
        Compensation::None => String::new(),
        Compensation::Komi | Compensation::Prisoners | Compensation::Passes => {
            format!("-at-{}", rules.compensation_amount())
        }
    };
    let (rule_set, network) = (rule_set + 1, network + 1);
    format!("rules-{rule_set}{compensation}/network-{network}-{opening:03}.sgf")
}

impl ChosenGame {
    /// The position before and after every turn, for the page's viewer.
    pub(crate) fn json(&self) -> Value {
        let MatchGame { rules, moves, opening_plies, .. } = &self.game;
        let mut position = Position::new(*rules);
        let mut frames = vec![frame(&position, "", None)];
        for (turn, &played) in moves.iter().enumerate() {
            let chance = turn.checked_sub(*opening_plies).and_then(|turn| self.chances.get(turn));
            let player = position.turn().name();
            position.play_unchecked(played);
            let point = played.point().map(|point| point.to_string());
            let what = match played {
                Move::Pass if rules.returns_prisoners() => "returns a prisoner".to_owned(),
                Move::Pass | Move::Place(_) | Move::PlaceStarred(_) => played.to_string(),
            };
            let mut next = frame(&position, &format!("{}. {player}: {what}", turn + 1), point);
            next["chance"] = json!(chance.map(|chance| (100.0 * chance).round()));
            frames.push(next);
        }
        json!({
            "title": self.title,
            "width": rules.size.width(),
            "height": rules.size.height(),
            "result": self.game.end.to_sgf(self.game.score).to_string(),
            "reason": self.game.end.reason.to_string(),
            "nodes": nodes(rules, moves),
            "frames": frames,
        })
    }
}

/// The SGF nodes for these moves: any prefix of them, closed with a bracket, is a file.
pub(super) fn nodes(rules: &Rules, moves: &[Move]) -> Vec<String> {
    let text = SgfRecord::of_moves(rules, moves).to_string();
    text.trim_end().trim_end_matches(')').lines().map(str::to_owned).collect()
}

/// The appearance of the board in rows, top row first; includes only what the rules have.
pub(super) fn frame(position: &Position, caption: &str, last: Option<String>) -> Value {
    let state = serde_json::to_value(State::of(position, None)).unwrap_or_default();
    let mut frame = json!({ "caption": caption, "last": last });
    for key in ["stones", "tiles", "owner"] {
        if !state[key].is_null() {
            frame[key] = state[key].clone();
        }
    }
    if position.rules().has_hot_stones() {
        frame["hot"] = json!(hot_rows(position));
    }
    frame
}

/// The hot stones, of which the state has a list, as `X` in rows.
fn hot_rows(position: &Position) -> Vec<String> {
    let (size, hot) = (position.size(), position.hot_stones());
    let mark = |row, column| if hot.contains(Point::new(row, column)) { 'X' } else { '.' };
    let row = |row| (0..size.width()).map(|column| mark(row, column)).collect();
    (0..size.height()).rev().map(row).collect()
}

#[cfg(test)]
mod tests {
    use engine::Variant;

    use super::*;
    use crate::test_positions::{THREE_KOS, position};

    /// The page's script draws every layer of the board point by point.
    #[test]
    fn boards_are_told_in_rows() {
        for variant in Variant::ALL {
            let rules = variant.rules(5).expect("rules");
            let told = frame(&Position::new(rules), "", None);
            for key in ["stones", "tiles", "owner", "hot"] {
                let Some(rows) = told[key].as_array() else { continue };
                assert_eq!(rows.len(), 5, "{variant}: {key}");
                let is_whole = |row: &Value| row.as_str().is_some_and(|row| row.len() == 5);
                assert!(rows.iter().all(is_whole), "{variant}: {key}");
            }
            assert_eq!(told["hot"].is_array(), rules.has_hot_stones(), "{variant}");
        }
        let mut taken = position("hot-stone", THREE_KOS, "");
        taken.play("C8".parse().expect("a move")).expect("a legal move");
        let told = frame(&taken, "", None);
        assert_eq!((&told["hot"][0], &told["hot"][1]), (&json!("........."), &json!("..X......")));
    }

    #[test]
    fn a_returned_prisoner_is_told_as_one() {
        let mut game = game::Game::new(Rules::parse("tile,komi=1", 3).expect("rules"));
        for text in ["B2", "pass"] {
            game.play(text.parse().expect("a move")).expect("a legal move");
        }
        let end = game::GameEnd::resigned(engine::Color::Black);
        let game = MatchGame::new(&game, end, 0, Default::default());
        let told = ChosenGame { title: String::new(), game, chances: Vec::new() }.json();
        assert_eq!(told["frames"][1]["caption"], "1. Black: B2");
        assert_eq!(told["frames"][2]["caption"], "2. White: returns a prisoner");
    }

    #[test]
    fn any_beginning_of_the_nodes_is_a_record() {
        let rules = Rules::parse("go,stones_per_turn=2", 5).expect("rules");
        let moves: Vec<Move> =
            ["C3", "D4", "pass", "B2"].map(|text| text.parse().expect("a move")).to_vec();
        let nodes = nodes(&rules, &moves);
        assert_eq!(nodes.len(), 5);
        for turns in 0..=moves.len() {
            let text = format!("{})", nodes[..=turns].concat());
            let record = SgfRecord::read(text.as_bytes()).expect("a record");
            let played: Vec<Move> = record.turns.iter().map(|turn| turn.played).collect();
            assert_eq!(played, moves[..turns], "{text}");
            assert_eq!(record.own_rules().expect("rules"), rules);
        }
    }
}
