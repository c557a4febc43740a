//! How a conquest is stopped in Conquest: beside the stones that threaten it, or from afar.
//! `cargo run --release -p solver --example blocks -- 8 10 < GAMES`, where GAMES has the moves of one game on each line.
//!
//! A *threat* is a position in which a player who has conquered nothing yet forces a conquest of at least as many points as
//! the second number says, by up to three more stones, the first of them now, but not by a single one. What a player
//! conquers depends on that player's stones only, so the opponent's stones matter as points that are taken; what the
//! opponent could conquer meanwhile is left out.
//!
//! The opponent is to move in that position instead, and every placement is tried: it *blocks* if nothing can be forced any
//! more. A block is *from afar* if none of the eight points around it holds a stone of the player who threatens.

use std::fmt::{Display, Formatter};
use std::io::BufRead;
use std::process::ExitCode;

use engine::{Bitboard, Color, Move, Point, Position, Rules, Size};

/// The sets of two and of three points that would reach the goal, none of them needless.
struct Threats {
    size: Size,
    /// For each point, those that reach the goal with it.
    second: Vec<Bitboard>,
    /// For each two points, those that reach the goal with both.
    third: Vec<Vec<Bitboard>>,
}

impl Threats {
    /// `None` if one point is enough.
    fn of(stones: &Bitboard, free: &Bitboard, rules: Rules, goal: usize) -> Option<Threats> {
        let reaches = |added: &[Point]| {
            let all = *stones | added.iter().copied().collect();
            Position::with_stones(rules, all, Bitboard::EMPTY, Color::White)
                .is_ok_and(|position| position.owned(Color::Black).count() >= goal)
        };
        if free.iter().any(|point| reaches(&[point])) {
            return None;
        }
        let area = rules.size.area();
        let none = Bitboard::EMPTY;
        let (second, third) = (vec![none; area], vec![vec![none; area]; area]);
        let mut threats = Threats { size: rules.size, second, third };
        let pairs = || free.iter().flat_map(|a| after(free, a).map(move |b| [a, b]));
        for [a, b] in pairs().filter(|pair| reaches(pair)) {
            threats.second[a.index(rules.size)].insert(b);
            threats.second[b.index(rules.size)].insert(a);
        }
        for [a, b] in pairs() {
            let [with_a, with_b] = [threats.with(a), threats.with(b)];
            if with_a.contains(b) {
                continue;
            }
            for c in after(free, b).filter(|&c| !(with_a | with_b).contains(c)) {
                if reaches(&[a, b, c]) {
                    threats.add_three([a, b, c]);
                }
            }
        }
        Some(threats)
    }

    fn add_three(&mut self, points: [Point; 3]) {
        let [a, b, c] = points;
        for [one, two, last] in [[a, b, c], [b, a, c], [a, c, b], [c, a, b], [b, c, a], [c, b, a]] {
            self.third[one.index(self.size)][two.index(self.size)].insert(last);
        }
    }

    fn with(&self, point: Point) -> Bitboard {
        self.second[point.index(self.size)]
    }

    /// Whether the player, to move, forces the goal on the points that are free.
    fn force(&self, free: &Bitboard) -> bool {
        free.iter().any(|first| {
            let left = but(free, first);
            let threatened = self.with(first) & left;
            threatened.count() >= 2 || self.force_after(first, &left, threatened)
        })
    }

    /// Whether the goal is forced by two more stones, with at most one of these points threatened.
    fn force_after(&self, first: Point, free: &Bitboard, threatened: Bitboard) -> bool {
        let answers = if threatened.is_empty() { *free } else { threatened };
        answers.iter().all(|answer| {
            let free = but(free, answer);
            free.iter().any(|second| {
                let three = self.third[first.index(self.size)][second.index(self.size)];
                let last = self.with(first) | self.with(second) | three;
                (last & but(&free, second)).count() >= 2
            })
        })
    }

    /// The opponent's placements after which nothing is forced.
    fn blocks(&self, free: &Bitboard) -> Bitboard {
        free.iter().filter(|&point| !self.force(&but(free, point))).collect()
    }
}

/// The points of a set that come after one.
fn after(points: &Bitboard, point: Point) -> impl Iterator<Item = Point> + use<> {
    points.iter().filter(move |&other| other > point).collect::<Vec<_>>().into_iter()
}

fn but(points: &Bitboard, point: Point) -> Bitboard {
    points.without(&Bitboard::of(point))
}

/// The points that touch none of these stones, not even at a corner.
fn afar(stones: &Bitboard, size: Size) -> Bitboard {
    let near =
        |a: Point, b: Point| a.row().abs_diff(b.row()).max(a.column().abs_diff(b.column())) <= 1;
    size.points().filter(|&point| !stones.iter().any(|stone| near(point, stone))).collect()
}

#[derive(Default)]
struct Counts {
    threats: usize,
    lost: usize,
    some_afar: usize,
    only_afar: usize,
    blocks: usize,
    blocks_afar: usize,
    example: Option<String>,
}

impl Counts {
    fn add(&mut self, position: &Position, threatening: Color, goal: usize) {
        let rules = *position.rules();
        let stones = position.stones(threatening);
        let free = position.legal_points();
        let Some(threats) = Threats::of(stones, &free, rules, goal) else { return };
        if !threats.force(&free) {
            return;
        }
        self.threats += 1;
        let blocks = threats.blocks(&free);
        let from_afar = blocks & afar(stones, rules.size);
        self.lost += usize::from(blocks.is_empty());
        self.some_afar += usize::from(!from_afar.is_empty());
        self.blocks += blocks.count();
        self.blocks_afar += from_afar.count();
        if !blocks.is_empty() && from_afar == blocks {
            self.only_afar += 1;
            self.example.get_or_insert_with(|| {
                let points: Vec<String> = blocks.iter().map(|point| point.to_string()).collect();
                format!("{position}\n{threatening} threatens; only {} block", points.join(" "))
            });
        }
    }
}

/// Looks at every position of a game until somebody has conquered something.
fn look(moves: &str, rules: Rules, goal: usize, counts: &mut Counts) -> Result<(), String> {
    let mut position = Position::new(rules);
    for word in moves.split_whitespace() {
        let told = |error: &dyn std::error::Error| format!("{word} after {position}: {error}");
        let played = word.parse::<Move>().map_err(|error| told(&error))?;
        position.clone().play(played).map_err(|error| told(&error))?;
        position.play_unchecked(played);
        let threatening = position.turn().opponent();
        if position.outcome().is_some() || !position.owned(threatening).is_empty() {
            break;
        }
        counts.add(&position, threatening, goal);
    }
    Ok(())
}

fn run() -> Result<Counts, String> {
    let mut arguments = std::env::args().skip(1);
    let size = arguments.next().and_then(|text| text.parse::<Size>().ok());
    let goal = arguments.next().and_then(|text| text.parse::<usize>().ok());
    let (Some(size), Some(goal)) = (size, goal) else {
        return Err("expected the side of the board and the points of a conquest".to_owned());
    };
    let rules = Rules::parse("conquest", size).map_err(|error| error.to_string())?;
    let mut counts = Counts::default();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        look(&line, rules, goal, &mut counts)?;
    }
    Ok(counts)
}

impl Display for Counts {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{} threats, {} of them not to be blocked", self.threats, self.lost)?;
        writeln!(f, "{} with a block from afar, {} with no other", self.some_afar, self.only_afar)?;
        write!(f, "{} blocks, {} from afar", self.blocks, self.blocks_afar)?;
        self.example.iter().try_for_each(|example| write!(f, "\n{example}"))
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(counts) => {
            println!("{counts}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
