//! The two scores of Conquest, as Black's and White's points.

use super::board::Board;
use super::conquest::Land;
use super::rules::{Color, Size};

const PLAYERS: [Color; 2] = [Color::Black, Color::White];

/// Owned points, and nothing else.
pub fn territory(land: &Land) -> [usize; 2] {
    PLAYERS.map(|player| land.owned_points(player))
}

/// Pure scoring: Bridges set aside, Salients removed, Bridges turned into territory, and the free
/// points given out.
pub fn pure(land: &Land) -> [usize; 2] {
    let bridges = PLAYERS.map(|player| land.bridges(player));
    let mut land = land.clone();
    for player in PLAYERS {
        remove_salients(&mut land, player, &bridges[player.index()]);
    }
    for player in PLAYERS {
        for &bridge in &bridges[player.index()] {
            land.give(bridge, player);
        }
    }
    let mut points = territory(&land);
    share_free_points(&land, &mut points);
    points
}

fn remove_salients(land: &mut Land, player: Color, bridges: &[usize]) {
    loop {
        let mut removed_any = false;
        for point in 0..land.owner.len() {
            if land.board.points[point] != Some(player) || bridges.contains(&point) {
                continue;
            }
            let mut without = land.clone();
            without.board.points[point] = None;
            if closed_parts_hold(&without, player)
                && enclosures(&without, player) == enclosures(land, player)
            {
                *land = without;
                removed_any = true;
            }
        }
        if !removed_any {
            return;
        }
    }
}

/// Whether every part closed by the player's stones that holds a point they own holds nothing else.
fn closed_parts_hold(land: &Land, player: Color) -> bool {
    land.regions(player).iter().all(|region| {
        let owned = region.iter().filter(|&&point| land.is_territory(point, player)).count();
        owned == 0 || owned == region.len()
    })
}

/// How many parts of the player's stones and territory, joined in eight directions, hold territory.
fn enclosures(land: &Land, player: Color) -> usize {
    let own =
        |point: usize| land.board.points[point] == Some(player) || land.is_territory(point, player);
    let mut seen = vec![false; land.owner.len()];
    let mut count = 0;
    // Every part that counts holds territory, so it is enough to start from there.
    for start in 0..land.owner.len() {
        if seen[start] || !land.is_territory(start, player) {
            continue;
        }
        count += 1;
        seen[start] = true;
        let mut to_visit = vec![start];
        while let Some(point) = to_visit.pop() {
            for neighbour in in_eight_directions(&land.board, point) {
                if own(neighbour) && !seen[neighbour] {
                    seen[neighbour] = true;
                    to_visit.push(neighbour);
                }
            }
        }
    }
    count
}

fn in_eight_directions(board: &Board, point: usize) -> Vec<usize> {
    let Size { width, height } = board.size;
    let is_near = |one: usize, two: usize| one.abs_diff(two) <= 1;
    let (row, column) = (board.row(point), board.column(point));
    let rows = row.saturating_sub(1)..=(row + 1).min(height - 1);
    rows.flat_map(|other_row| (0..width).map(move |other_column| (other_row, other_column)))
        .filter(|&(other_row, other_column)| {
            is_near(other_column, column) && (other_row, other_column) != (row, column)
        })
        .map(|(other_row, other_column)| other_row * width + other_column)
        .collect()
}

/// Gives the connected sets of free points to whom they touch, then splits those between both.
fn share_free_points(land: &Land, points: &mut [usize; 2]) {
    let mut seen = vec![false; land.owner.len()];
    let mut contested = Vec::new();
    for start in 0..land.owner.len() {
        if seen[start] || !land.is_free(start) {
            continue;
        }
        let set = land.board.flood(start, |point| land.is_free(point));
        for &point in &set {
            seen[point] = true;
        }
        match touched_players(land, &set) {
            [true, true] => contested.push(set.len()),
            [true, false] => points[0] += set.len(),
            [false, true] => points[1] += set.len(),
            [false, false] => {}
        }
    }
    contested.sort_unstable_by(|one, two| two.cmp(one));
    for size in contested {
        let odd_point_to = if points[0] < points[1] { Color::Black } else { Color::White };
        points[0] += size / 2;
        points[1] += size / 2;
        points[odd_point_to.index()] += size % 2;
    }
}

/// Whose stones or territory lie next to a set of free points.
fn touched_players(land: &Land, set: &[usize]) -> [bool; 2] {
    let mut touched = [false; 2];
    for &point in set {
        for neighbour in land.board.neighbours(point) {
            if let Some(color) = land.board.points[neighbour].or(land.owner[neighbour]) {
                touched[color.index()] = true;
            }
        }
    }
    touched
}
