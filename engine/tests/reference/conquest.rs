//! Conquest: regions and walls, settling, inside stones and Bridges.

use super::board::Board;
use super::rules::{Color, Size};

/// A quarter of the board, by halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quadrant {
    upper: bool,
    right: bool,
}

impl Quadrant {
    fn is_diagonally_opposite(self, other: Quadrant) -> bool {
        self.upper != other.upper && self.right != other.right
    }
}

/// Stones, owned points, and the lasting quadrants of T-bone stones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Land {
    pub board: Board,
    pub owner: Vec<Option<Color>>,
    pub fixed: Vec<Option<Quadrant>>,
}

/// In which order equally large regions are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieOrder {
    LowestFirst,
    HighestFirst,
}

/// The four edges: a line of points along a row (bottom, top) or a column (left, right).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    Bottom,
    Top,
    Left,
    Right,
}

const EDGES: [Edge; 4] = [Edge::Bottom, Edge::Top, Edge::Left, Edge::Right];

/// A stone on an edge next to a point of a region on that edge.
struct Connection {
    stone: usize,
    /// The neighbouring points of the region along the edge, at least one, ascending.
    beside: Vec<usize>,
}

/// What one settling found.
pub struct Settled {
    pub conquered: Vec<Vec<usize>>,
    pub fixed: Vec<Option<Quadrant>>,
}

impl Edge {
    fn holds(self, board: &Board, point: usize) -> bool {
        match self {
            Edge::Bottom => board.row(point) == 0,
            Edge::Top => board.row(point) + 1 == board.size.height,
            Edge::Left => board.column(point) == 0,
            Edge::Right => board.column(point) + 1 == board.size.width,
        }
    }
}

impl Land {
    pub fn empty(size: Size) -> Land {
        Land::bare(Board::empty(size))
    }

    /// Stones without any territory.
    pub fn bare(board: Board) -> Land {
        let points = board.points.len();
        Land { board, owner: vec![None; points], fixed: vec![None; points] }
    }

    pub fn is_free(&self, point: usize) -> bool {
        self.board.points[point].is_none() && self.owner[point].is_none()
    }

    fn has_stone(&self, point: usize, player: Color) -> bool {
        self.board.points[point] == Some(player)
    }

    pub fn is_territory(&self, point: usize, player: Color) -> bool {
        self.owner[point] == Some(player)
    }

    pub fn owned_points(&self, player: Color) -> usize {
        self.owner.iter().filter(|&&owner| owner == Some(player)).count()
    }

    /// The maximal sets of points without a stone of the player, by lowest point.
    pub fn regions(&self, player: Color) -> Vec<Vec<usize>> {
        let mut in_a_region = vec![false; self.owner.len()];
        let mut regions = Vec::new();
        for point in 0..self.owner.len() {
            if !self.has_stone(point, player) && !in_a_region[point] {
                let region = self.board.flood(point, |other| !self.has_stone(other, player));
                for &member in &region {
                    in_a_region[member] = true;
                }
                regions.push(region);
            }
        }
        regions
    }

    /// How many board edges a region has a point on.
    fn walls(&self, region: &[usize]) -> usize {
        let touches = |edge: &&Edge| region.iter().any(|&point| edge.holds(&self.board, point));
        EDGES.iter().filter(touches).count()
    }

    fn connections(&self, region: &[usize], player: Color) -> Vec<Connection> {
        let mut connections = Vec::new();
        for edge in EDGES {
            let on_edge = |point: &usize| edge.holds(&self.board, *point);
            for stone in (0..self.owner.len()).filter(on_edge) {
                if !self.has_stone(stone, player) {
                    continue;
                }
                let beside: Vec<usize> = self
                    .board
                    .neighbours(stone)
                    .filter(on_edge)
                    .filter(|point| region.contains(point))
                    .collect();
                if !beside.is_empty() {
                    connections.push(Connection { stone, beside });
                }
            }
        }
        connections
    }

    /// Whether a point is the middle of an edge of odd length.
    fn is_t_bone(&self, point: usize) -> bool {
        let Size { width, height } = self.board.size;
        let (row, column) = (self.board.row(point), self.board.column(point));
        let on_bottom_or_top = row == 0 || row + 1 == height;
        let on_left_or_right = column == 0 || column + 1 == width;
        (on_bottom_or_top && width % 2 == 1 && column == width / 2)
            || (on_left_or_right && height % 2 == 1 && row == height / 2)
    }

    /// The quadrant of a point that is on no middle line; of a middle line, the upper or right one.
    fn quadrant(&self, point: usize) -> Quadrant {
        let Size { width, height } = self.board.size;
        Quadrant {
            upper: self.board.row(point) >= height / 2,
            right: self.board.column(point) >= width / 2,
        }
    }

    /// The quadrant a stone counts as while it is a connection of a two-wall region.
    fn quadrant_as_connection(
        &self,
        connection: &Connection,
        fixed: &[Option<Quadrant>],
    ) -> Quadrant {
        if !self.is_t_bone(connection.stone) {
            return self.quadrant(connection.stone);
        }
        fixed[connection.stone].unwrap_or_else(|| {
            // A neighbour of the middle of an edge, along that edge, lies in one quadrant only:
            // the stone's own on that side.
            self.quadrant(connection.beside[0])
        })
    }

    /// Goes through the player's regions in their order and says which are conquered. Nothing of
    /// the land changes.
    pub fn settle(&self, player: Color, ties: TieOrder) -> Settled {
        let mut regions = self.regions(player);
        regions.sort_by_key(|region| {
            let owned_whole = region.iter().all(|&point| self.is_territory(point, player));
            let lowest = region[0] as isize;
            let rank = if ties == TieOrder::LowestFirst { lowest } else { -lowest };
            (!owned_whole, region.len(), rank)
        });
        let mut fixed = self.fixed.clone();
        regions.retain(|region| self.conquers(region, player, &mut fixed));
        Settled { conquered: regions, fixed }
    }

    /// Whether this region is conquered; if so, its T-bone stones get fixed.
    fn conquers(&self, region: &[usize], player: Color, fixed: &mut [Option<Quadrant>]) -> bool {
        let walls = self.walls(region);
        if walls != 2 {
            return walls < 2;
        }
        let connections = self.connections(region, player);
        let quadrants: Vec<Quadrant> = connections
            .iter()
            .map(|connection| self.quadrant_as_connection(connection, fixed))
            .collect();
        let opposed = |one: &Quadrant| quadrants.iter().any(|two| one.is_diagonally_opposite(*two));
        if quadrants.iter().any(opposed) {
            return false;
        }
        for (connection, quadrant) in connections.iter().zip(quadrants) {
            if self.is_t_bone(connection.stone) && fixed[connection.stone].is_none() {
                fixed[connection.stone] = Some(quadrant);
            }
        }
        true
    }

    /// One whole turn: the stone, the settling, and the stones inside.
    pub fn turn(&self, player: Color, point: usize, ties: TieOrder) -> Land {
        let mut land = self.clone();
        land.board.points[point] = Some(player);
        let settled = land.settle(player, ties);
        land.fixed = settled.fixed;
        for &conquered in settled.conquered.iter().flatten() {
            land.give(conquered, player);
        }
        land.dissolve_inside_stones(player);
        land
    }

    /// The turn with equally large regions in the opposite order, if that makes a difference.
    pub fn starred_turn(&self, player: Color, point: usize) -> Option<Land> {
        let mut with_stone = self.clone();
        with_stone.board.points[point] = Some(player);
        let order_can_matter = (0..self.owner.len()).any(|stone| {
            with_stone.has_stone(stone, player)
                && with_stone.is_t_bone(stone)
                && with_stone.fixed[stone].is_none()
        });
        if !order_can_matter {
            // Regions influence each other by fixing T-bone stones, and in no other way.
            return None;
        }
        let starred = self.turn(player, point, TieOrder::HighestFirst);
        (starred != self.turn(player, point, TieOrder::LowestFirst)).then_some(starred)
    }

    /// Takes away whatever stands on a point and makes it the player's.
    pub fn give(&mut self, point: usize, player: Color) {
        self.board.points[point] = None;
        self.fixed[point] = None;
        self.owner[point] = Some(player);
    }

    fn dissolve_inside_stones(&mut self, player: Color) {
        loop {
            let mut removed_any = false;
            for point in 0..self.owner.len() {
                if self.is_among_own(point, player) && self.holds_without(point, player) {
                    self.give(point, player);
                    removed_any = true;
                }
            }
            if !removed_any {
                return;
            }
        }
    }

    /// A stone whose neighbours are all the player's stones or territory, at least one territory.
    fn is_among_own(&self, point: usize, player: Color) -> bool {
        self.has_stone(point, player)
            && self.board.neighbours(point).all(|neighbour| {
                self.has_stone(neighbour, player) || self.is_territory(neighbour, player)
            })
            && self.board.neighbours(point).any(|neighbour| self.is_territory(neighbour, player))
    }

    /// Whether, in a settling without this stone, every point the player owns (its point among
    /// them) still lies in a conquered region.
    fn holds_without(&self, stone: usize, player: Color) -> bool {
        let mut without = self.clone();
        without.give(stone, player);
        let settled = without.settle(player, TieOrder::LowestFirst);
        let mut conquered = vec![false; self.owner.len()];
        for point in settled.conquered.into_iter().flatten() {
            conquered[point] = true;
        }
        (0..conquered.len()).all(|point| !without.is_territory(point, player) || conquered[point])
    }

    /// The stones that touch only the player's stones and territory, and yet must stay.
    pub fn bridges(&self, player: Color) -> Vec<usize> {
        (0..self.owner.len())
            .filter(|&point| self.is_among_own(point, player) && !self.holds_without(point, player))
            .collect()
    }
}
