//! The Ing–Spight rules: which plays are ko plays, and the odd cycle rule.

use super::board::{Board, Play};

/// How many plays the walk back from a candidate may take, the candidate included.
const WALK_LIMIT: usize = 9;

/// The sum of the effects of some plays, one entry for each colour at each point.
struct NetEffect {
    sums: Vec<i32>,
}

impl NetEffect {
    fn none(points: usize) -> NetEffect {
        NetEffect { sums: vec![0; 2 * points] }
    }

    fn add(&mut self, play: &Play) {
        self.sums[2 * play.point + play.player.index()] += 1;
        for &point in &play.removed {
            self.sums[2 * point + play.removed_color().index()] -= 1;
        }
    }

    fn is_zero(&self) -> bool {
        self.sums.iter().all(|&sum| sum == 0)
    }
}

/// Whether some subset of odd size of these plays has no net effect.
fn has_odd_cycle_inside(plays: &[Play], points: usize) -> bool {
    (0..1_usize << plays.len()).filter(|subset| subset.count_ones() % 2 == 1).any(|subset| {
        let mut effect = NetEffect::none(points);
        for (index, play) in plays.iter().enumerate() {
            if subset >> index & 1 == 1 {
                effect.add(play);
            }
        }
        effect.is_zero()
    })
}

/// What stays the same throughout a search for a cycle.
struct CycleSearch<'a> {
    origin: &'a Board,
    max_cycle: usize,
    suicide: bool,
}

/// Whether `first`, which turns `origin` into `after`, is a ko play: the version used in play.
pub fn is_ko_play(
    origin: &Board,
    after: &Board,
    first: &Play,
    max_cycle: usize,
    suicide: bool,
) -> bool {
    let search = CycleSearch { origin, max_cycle, suicide };
    search.pruned(after, &mut vec![first.clone()])
}

/// The same question answered by going through *all* alternating sequences up to `max_cycle`,
/// leaving out only those that have too few plays left to put back what was removed.
pub fn is_ko_play_by_definition(
    origin: &Board,
    after: &Board,
    first: &Play,
    max_cycle: usize,
    suicide: bool,
) -> bool {
    let search = CycleSearch { origin, max_cycle, suicide };
    search.unrestricted(after, &mut vec![first.clone()])
}

impl CycleSearch<'_> {
    fn is_proper_cycle(&self, plays: &[Play]) -> bool {
        plays.len().is_multiple_of(2) && !has_odd_cycle_inside(plays, self.origin.points.len())
    }

    fn unrestricted(&self, current: &Board, plays: &mut Vec<Play>) -> bool {
        if current == self.origin && self.is_proper_cycle(plays) {
            return true;
        }
        let missing = missing_stones(self.origin, current);
        self.enough_plays_left(&missing, plays)
            && self.any_continuation(current, plays, Self::unrestricted)
    }

    fn pruned(&self, current: &Board, plays: &mut Vec<Play>) -> bool {
        if current == self.origin {
            // The first return decides: a longer sequence contains this one, and with it every
            // odd subset that spoils this one (all of it, if its length is odd).
            return self.is_proper_cycle(plays);
        }
        let needed = needed_plays(self.origin, current);
        self.enough_plays_left(&needed, plays)
            && self.any_continuation(current, plays, Self::pruned)
    }

    /// Tries every further play, if the limit still allows one.
    fn any_continuation(
        &self,
        current: &Board,
        plays: &mut Vec<Play>,
        search: fn(&Self, &Board, &mut Vec<Play>) -> bool,
    ) -> bool {
        if plays.len() >= self.max_cycle {
            return false;
        }
        let player = plays[plays.len() - 1].player.opponent();
        for point in 0..current.points.len() {
            if let Some(played) = current.place(point, player, self.suicide) {
                plays.push(played.play);
                let found = search(self, &played.board, plays);
                plays.pop();
                if found {
                    return true;
                }
            }
        }
        false
    }

    /// Whether the plays left suffice, for each player and together.
    fn enough_plays_left(&self, needed: &Needed, plays: &[Play]) -> bool {
        let left = self.max_cycle - plays.len();
        let player = plays[plays.len() - 1].player.opponent();
        needed.by_color[player.index()] <= left.div_ceil(2)
            && needed.by_color[player.opponent().index()] <= left / 2
            && needed.by_color[0] + needed.by_color[1] + needed.by_either <= left
    }
}

/// How many points must be played on before the stones of the origin can stand again.
#[derive(Default)]
struct Needed {
    by_color: [usize; 2],
    by_either: usize,
}

/// The stones of the origin that are gone: each takes a play of its colour to come back.
fn missing_stones(origin: &Board, current: &Board) -> Needed {
    let mut needed = Needed::default();
    for (then, now) in origin.points.iter().zip(&current.points) {
        if let (Some(color), true) = (then, then != now) {
            needed.by_color[color.index()] += 1;
        }
    }
    needed
}

/// A lower bound on the plays still needed that sees more than the missing stones.
///
/// A stone that the origin does not have must be removed with the whole string it stands in. The
/// stones of the origin in that string must then be put back, and every empty neighbour of the
/// string must be played on first. If such a neighbour is empty in the origin too, the stone
/// played there must itself be removed again, so its own empty neighbours must be played on, and so on.
fn needed_plays(origin: &Board, current: &Board) -> Needed {
    let mut must_play = vec![false; current.points.len()];
    let mut to_spread = Vec::new();
    for point in 0..current.points.len() {
        if origin.points[point] == current.points[point] {
            continue;
        }
        if origin.points[point].is_some() {
            must_play[point] = true;
        }
        if current.points[point].is_some() {
            for stone in current.joined(point) {
                if origin.points[stone].is_some() {
                    must_play[stone] = true;
                }
                to_spread.push(stone);
            }
        }
    }
    while let Some(point) = to_spread.pop() {
        for neighbour in current.neighbours(point) {
            if current.points[neighbour].is_none() && !must_play[neighbour] {
                must_play[neighbour] = true;
                if origin.points[neighbour].is_none() {
                    to_spread.push(neighbour);
                }
            }
        }
    }
    let mut needed = Needed::default();
    for point in (0..must_play.len()).filter(|&point| must_play[point]) {
        match origin.points[point] {
            Some(color) => needed.by_color[color.index()] += 1,
            None => needed.by_either += 1,
        }
    }
    needed
}

/// What the odd cycle rule remembers of a game.
#[derive(Clone, Debug, Default)]
pub struct CycleMemory {
    /// The plays of the game in order; passes and returns are not plays.
    plays: Vec<Play>,
    /// Which of them are used up.
    used_up: Vec<bool>,
    /// The odd cycles completed so far, each a set of plays.
    completed: Vec<Vec<Play>>,
}

impl CycleMemory {
    /// Whether the candidate would complete an odd cycle a second time.
    pub fn forbids(&self, candidate: &Play, points: usize) -> bool {
        self.odd_cycle(candidate, points)
            .is_some_and(|taken| self.was_completed(&self.play_set(&taken, candidate)))
    }

    /// Remembers a play that has been made.
    pub fn record(&mut self, play: &Play, points: usize) {
        let cycle = self.odd_cycle(play, points);
        if let Some(taken) = &cycle {
            self.completed.push(self.play_set(taken, play));
            for &index in taken {
                self.used_up[index] = true;
            }
        }
        self.plays.push(play.clone());
        self.used_up.push(cycle.is_some());
    }

    /// The indices of the earlier plays with which the candidate completes an odd cycle.
    fn odd_cycle(&self, candidate: &Play, points: usize) -> Option<Vec<usize>> {
        let mut touched = vec![false; points];
        let mut effect = NetEffect::none(points);
        touch(&mut touched, candidate);
        effect.add(candidate);
        let mut taken = Vec::new();
        for (index, play) in self.plays.iter().enumerate().rev() {
            if !touched[play.point] && !play.removed.iter().any(|&point| touched[point]) {
                continue;
            }
            if self.used_up[index] || taken.len() + 1 == WALK_LIMIT {
                return None;
            }
            taken.push(index);
            touch(&mut touched, play);
            effect.add(play);
            if effect.is_zero() {
                let odd = (taken.len() + 1) % 2 == 1;
                return odd.then_some(taken);
            }
        }
        None
    }

    /// The plays of a cycle, each once.
    fn play_set(&self, taken: &[usize], last: &Play) -> Vec<Play> {
        let mut set = vec![last.clone()];
        for &index in taken {
            if !set.contains(&self.plays[index]) {
                set.push(self.plays[index].clone());
            }
        }
        set
    }

    fn was_completed(&self, set: &[Play]) -> bool {
        self.completed.iter().any(|earlier| {
            earlier.len() == set.len() && set.iter().all(|play| earlier.contains(play))
        })
    }
}

fn touch(touched: &mut [bool], play: &Play) {
    touched[play.point] = true;
    for &point in &play.removed {
        touched[point] = true;
    }
}

/// Whether a play takes a hot stone of the opponent.
pub fn captures_hot(hot: &[bool], play: &Play) -> bool {
    play.is_capture() && play.removed.iter().any(|&point| hot[point])
}

/// Which stones are hot after a play.
pub fn hot_after(hot: &[bool], play: &Play, was_ko_play: bool, after: &Board) -> Vec<bool> {
    let mut next = vec![false; hot.len()];
    if was_ko_play {
        for point in 0..hot.len() {
            next[point] = hot[point] && !play.removed.contains(&point);
        }
        next[play.point] = after.points[play.point] == Some(play.player);
    }
    next
}

/// All hot stones of a position, for the outside.
pub fn hot_points(hot: &[bool]) -> Vec<usize> {
    (0..hot.len()).filter(|&point| hot[point]).collect()
}
