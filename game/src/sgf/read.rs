//! Reads SGF, leniently as long as the meaning is clear.

use engine::{Bitboard, Color, Komi, Move, Size};
use sgf_parse::go::Prop;
use sgf_parse::{
    GameTree, LexerError, ParseOptions, SgfNode, SgfParseError, SgfProp, SimpleText, go,
    parse_with_options,
};

use super::encoding::decoded;
use super::error::{MAX_NODES, MAX_POINTS, ReadError};
use super::main_line::main_line;
use super::moves;
use super::ranges::points_in_ranges;
use super::record::{SgfRecord, SgfTurn};
use super::repair::repair;
use super::setup::{Setup, setup_of};
use super::write::{POSITION, STAR, START, escaped};

impl SgfRecord {
    /// Reads the main line of the first game of a file. The file is decoded as UTF-8 if it is valid
    /// UTF-8, otherwise in the encoding that it names, otherwise in the one that it most resembles.
    ///
    /// # Errors
    /// There is no game, it is not Go, the board size is not supported, or the main line is not a
    /// sequence of moves.
    pub fn read(file: &[u8]) -> Result<SgfRecord, ReadError> {
        SgfRecord::read_text(&decoded(file))
    }

    /// The main line of the first game of a text.
    ///
    /// # Errors
    /// As for [`SgfRecord::read`].
    pub fn read_text(text: &str) -> Result<SgfRecord, ReadError> {
        let text = repair(text);
        let (line, nodes) = main_line(&text);
        if nodes > MAX_NODES {
            return Err(ReadError::TooLong(nodes));
        }
        let points = points_in_ranges(&line);
        if points > MAX_POINTS {
            return Err(ReadError::TooManyPoints(points));
        }
        let (tree, damage) = parse(&line)?;
        let GameTree::GoGame(root) = tree else { return Err(ReadError::OtherGame) };
        let mut record = SgfRecord::of_size(size(&root)?);
        record.defects.extend(damage.map(|error| damage_in_words(error).to_owned()));
        for node in root.main_variation() {
            record.take_node(node)?;
        }
        if root.properties().any(is_fox) {
            record.komi = record.komi.map(komi_of_fox);
        }
        let limits = -Komi::LIMIT..=Komi::LIMIT;
        if let Some(komi) = record.komi.filter(|komi| !limits.contains(komi)) {
            record.komi = komi.is_finite().then_some(Komi::LIMIT.copysign(komi));
            record.defects.push("damaged: its komi cannot be played".to_owned());
        }
        Ok(record)
    }

    fn take_node(&mut self, node: &SgfNode<Prop>) -> Result<(), ReadError> {
        let turns_before = self.turns.len();
        // A position written for other viewers repeats what the moves say.
        let ours = node.properties().any(|property| is_unknown(property, POSITION));
        // Some programs put root properties into the node after the root.
        let opening = node.is_root || self.turns.is_empty() && !node.properties().any(is_move);
        let mut others = Vec::new();
        for property in node.properties() {
            let taken = self.take_move(property)?
                || self.take_setup(property, ours)?
                || (opening && self.take_information(property))
                || is_unknown(property, POSITION)
                || is_unknown(property, STAR);
            if !taken {
                others.extend(text_of(property));
            }
        }
        if node.properties().any(|property| is_unknown(property, STAR)) {
            self.star_last(turns_before);
        }
        let has_turn = self.turns.len() > turns_before;
        match self.turns.last_mut() {
            Some(turn) if has_turn || ours => turn.other_properties.extend(others),
            // The turn's own node may have the same properties, which FF[4] does not allow twice, and
            // none that set something up.
            Some(turn) => turn.later_nodes.extend((!others.is_empty()).then(|| others.concat())),
            None => self.other_properties.extend(others),
        }
        Ok(())
    }

    fn take_move(&mut self, property: &Prop) -> Result<bool, ReadError> {
        let turn = self.turns.len() + 1;
        let (player, played, text) = match property {
            Prop::B(named) => {
                (Color::Black, moves::played(*named, self.size), property.to_string())
            }
            Prop::W(named) => {
                (Color::White, moves::played(*named, self.size), property.to_string())
            }
            Prop::Invalid(name, values) if name == "B" || name == "W" => {
                let player = if name == "B" { Color::Black } else { Color::White };
                let passes = values.iter().all(|value| is_written_pass(value));
                if values.len() > 1 && !passes {
                    return Err(ReadError::SeveralValues { turn, count: values.len() });
                }
                let value = values.first().map_or("", |value| value.trim());
                (player, passes.then_some(Move::Pass), value.to_owned())
            }
            _ => return Ok(false),
        };
        let played = played.ok_or(ReadError::Move { turn, text })?;
        self.push(player, played);
        Ok(true)
    }

    fn take_setup(&mut self, property: &Prop, ours: bool) -> Result<bool, ReadError> {
        let Some(setup) = setup_of(property, self.size)? else { return Ok(false) };
        if ours {
            return Ok(true);
        }
        match setup {
            Setup::ToMove(color) => {
                let is_start = self.turns.is_empty();
                if is_start {
                    self.to_move = Some(color);
                }
                Ok(is_start)
            }
            Setup::Points { color, points, strange } => {
                let defect = |value| {
                    format!("damaged: '{value}' names no point, so nothing is set up there")
                };
                self.defects.extend(strange.into_iter().map(defect));
                if !points.is_empty() && !self.turns.is_empty() {
                    return Err(ReadError::SetupInGame(self.turns.len()));
                }
                let points: Bitboard = points.into_iter().collect();
                self.stones = self.stones.map(|stones| stones.without(&points));
                if let Some(color) = color {
                    self.stones[color.index()] = self.stones[color.index()] | points;
                }
                Ok(true)
            }
        }
    }

    /// Reads a root property about the game. Returns true for everything that writing adds by
    /// itself.
    fn take_information(&mut self, property: &Prop) -> bool {
        match property {
            Prop::GM(_) | Prop::FF(_) | Prop::CA(_) | Prop::AP(_) | Prop::SZ(_) => {}
            Prop::Invalid(name, _) if ["GM", "FF", "CA", "AP", "SZ"].contains(&name.as_str()) => {}
            Prop::KM(komi) => self.komi = Some(*komi as f32),
            Prop::Invalid(name, values) if name == "KM" => {
                let value = values.first().map_or("", |value| value.trim());
                // An empty value is common, and means that the file gives no komi.
                self.komi = (!value.is_empty())
                    .then(|| value.replace(',', ".").parse().unwrap_or(f32::NAN));
            }
            Prop::RU(text) => self.rules = Some(text.text.clone()),
            Prop::Unknown(name, values) if name == START => {
                self.position = values.first().cloned();
            }
            Prop::GN(text) => self.name = Some(text.text.clone()),
            Prop::RE(text) => self.result = Some(text.text.clone()),
            Prop::PB(text) => self.players[0] = Some(text.text.clone()),
            Prop::PW(text) => self.players[1] = Some(text.text.clone()),
            Prop::C(text) => {
                let before = self.comment.take().map(|comment| comment + "\n").unwrap_or_default();
                self.comment = Some(before + &text.text);
            }
            _ => return false,
        }
        true
    }

    /// The announced choice belongs to the placement in its node.
    fn star_last(&mut self, turns_before: usize) {
        let here = self.turns.len() > turns_before;
        if let Some(SgfTurn { played, .. }) = self.turns.last_mut().filter(|_| here)
            && let Some(point) = played.point()
        {
            *played = Move::PlaceStarred(point);
        }
    }
}

/// Parses the first game; also returns what is wrong with the text if only part of it could be
/// read.
fn parse(text: &str) -> Result<(GameTree, Option<SgfParseError>), ReadError> {
    let strict = ParseOptions { convert_mixed_case_identifiers: true, lenient: false };
    let lenient = ParseOptions { convert_mixed_case_identifiers: true, lenient: true };
    let (trees, damage) = match parse_with_options(text, &strict) {
        Ok(trees) => (trees, None),
        Err(error) => {
            let trees = parse_with_options(text, &lenient).map_err(|_| ReadError::NoGame)?;
            (trees, Some(error))
        }
    };
    let first = trees.into_iter().next().ok_or(ReadError::NoGame)?;
    match &first {
        GameTree::GoGame(root) if root.properties.is_empty() && root.children.is_empty() => {
            Err(ReadError::NoGame)
        }
        GameTree::GoGame(_) | GameTree::Unknown(_) => Ok((first, damage)),
    }
}

/// What is wrong with a text of which only part could be read, for people who do not know how SGF
/// is parsed.
fn damage_in_words(error: SgfParseError) -> &'static str {
    match error {
        SgfParseError::LexerError(LexerError::UnexpectedEndOfPropertyValue)
        | SgfParseError::UnexpectedEndOfData => "damaged: it ends too early",
        SgfParseError::InvalidGameType => {
            "damaged: it does not say properly of which game it is, so it is taken for Go"
        }
        SgfParseError::LexerError(
            LexerError::UnexpectedPropertyIdentifier
            | LexerError::MissingPropertyIdentifier
            | LexerError::UnexpectedEndOfPropertyIdentifier,
        )
        | SgfParseError::UnexpectedGameTreeStart
        | SgfParseError::UnexpectedGameTreeEnd
        | SgfParseError::UnexpectedProperty
        | SgfParseError::UnexpectedGameType
        | SgfParseError::InvalidFF4Property
        | SgfParseError::NoGameTrees => {
            "damaged: a part of it is not SGF, and what follows is left out"
        }
    }
}

/// The size of the board, which may stand in a node after the root, like other root properties; 19
/// if the file does not say.
fn size(root: &SgfNode<Prop>) -> Result<Size, ReadError> {
    let mut opening = root.main_variation().take_while(|node| !node.properties().any(is_move));
    let stated =
        root.get_property("SZ").or_else(|| opening.find_map(|node| node.get_property("SZ")));
    match stated {
        None => Ok(Size::LARGEST),
        Some(Prop::SZ((columns, rows))) => Size::new((*columns).into(), (*rows).into())
            .map_err(|_| ReadError::Size(*columns, *rows)),
        Some(other) => Err(ReadError::BadSize(other.to_string())),
    }
}

/// Whether a property names the Fox server as the program that wrote the file. The server names
/// another program first.
fn is_fox(property: &Prop) -> bool {
    property.identifier() == "AP" && property.to_string().to_ascii_lowercase().contains("foxwq")
}

/// Fox counts komi in hundredths of a point, or of a stone, which is two points.
fn komi_of_fox(written: f32) -> f32 {
    match written {
        275.0 | 550.0 => 5.5,
        325.0 | 650.0 => 6.5,
        350.0 | 700.0 => 7.0,
        375.0 | 750.0 => 7.5,
        other => other,
    }
}

/// Whether a property is a turn. (`sgf-parse` counts clock properties as moves, too.)
fn is_move(property: &Prop) -> bool {
    let name = property.identifier();
    name == "B" || name == "W"
}

/// Whether the value of a move is a pass that is not written as SGF says.
fn is_written_pass(value: &str) -> bool {
    let value = value.trim();
    value.is_empty() || value.eq_ignore_ascii_case("pass")
}

fn is_unknown(property: &Prop, name: &str) -> bool {
    match property {
        Prop::Unknown(given, _) => given == name,
        _ => false,
    }
}

/// A property as SGF text; `None` for one without a name.
fn text_of(property: &Prop) -> Option<String> {
    match property {
        Prop::Unknown(name, _) | Prop::Invalid(name, _) if name.is_empty() => None,
        Prop::Unknown(name, values) | Prop::Invalid(name, values) => {
            Some(written(name, values.iter().map(|value| escaped(value)).collect()))
        }
        Prop::CR(points) => sorted("CR", points.iter().map(point)),
        Prop::DD(points) => sorted("DD", points.iter().map(point)),
        Prop::MA(points) => sorted("MA", points.iter().map(point)),
        Prop::SL(points) => sorted("SL", points.iter().map(point)),
        Prop::SQ(points) => sorted("SQ", points.iter().map(point)),
        Prop::TR(points) => sorted("TR", points.iter().map(point)),
        Prop::TB(points) => sorted("TB", points.iter().map(point)),
        Prop::TW(points) => sorted("TW", points.iter().map(point)),
        Prop::VW(points) => sorted("VW", points.iter().map(point)),
        Prop::AR(pairs) => sorted("AR", pairs.iter().map(pair)),
        Prop::LN(pairs) => sorted("LN", pairs.iter().map(pair)),
        Prop::LB(labels) => sorted("LB", labels.iter().map(label)),
        other => Some(other.to_string()),
    }
}

/// A property with its values sorted, because the parser keeps them in no fixed order.
fn sorted(name: &str, values: impl Iterator<Item = String>) -> Option<String> {
    let mut values: Vec<String> = values.collect();
    values.sort_unstable();
    Some(written(name, values))
}

/// A property with escaped values: one empty value if there are none.
fn written(name: &str, values: Vec<String>) -> String {
    format!("{name}[{}]", values.join("]["))
}

fn point(point: &go::Point) -> String {
    let letter =
        |index: u8| char::from(if index < 26 { b'a' + index } else { b'A' + (index - 26) });
    [letter(point.x), letter(point.y)].iter().collect()
}

fn pair((from, to): &(go::Point, go::Point)) -> String {
    format!("{}:{}", point(from), point(to))
}

fn label((at, text): &(go::Point, SimpleText)) -> String {
    format!("{}:{}", point(at), escaped(&text.text))
}
