//! Which ratings the results bound.

use super::encounters::Ladder;

/// Whether the results bound a player's rating against at least half of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) below: bool,
    pub(super) above: bool,
}

/// The bounds of all players.
///
/// Half a point against somebody bounds how far one can be below them, and so do half points by way
/// of others. Whoever has no such way to another player may be any distance below, as a whole group
/// may that never scored against the rest.
///
/// Half of the others suffice, because the distance to a few says little: that a beginner who lost
/// every game may be 1,000 or 2,000 Elo below must not make the others' ratings unknown. Players who
/// are bounded on both sides are bounded against each other too: the ways from one lead to at least
/// half of the others, at least half of the others have ways to another, and so the two meet.
pub(super) fn bounds(ladder: &Ladder) -> Vec<Bounds> {
    let ways = ways(ladder);
    let players = ladder.players.len();
    let bounds = |player: usize| {
        let others = || (0..players).filter(move |&other| other != player);
        let to = others().filter(|&other| ways[player][other]).count();
        let from = others().filter(|&other| ways[other][player]).count();
        let enough = |count: usize| 2 * count + 1 >= players;
        Bounds { below: enough(to), above: enough(from) }
    };
    (0..players).map(bounds).collect()
}

/// Whether points lead from each player to each other, directly or by way of others (Warshall's
/// algorithm).
fn ways(ladder: &Ladder) -> Vec<Vec<bool>> {
    let players = ladder.players.len();
    let mut ways = vec![vec![false; players]; players];
    for encounter in &ladder.encounters {
        let (first, second) = (encounter.first, encounter.second);
        let halves = || encounter.pairs.iter().flatten();
        ways[first][second] |= halves().any(|&half| half > 0);
        ways[second][first] |= halves().any(|&half| half < 2);
    }
    for middle in 0..players {
        let onward = ways[middle].clone();
        for row in ways.iter_mut().filter(|row| row[middle]) {
            row.iter_mut().zip(&onward).for_each(|(known, &new)| *known |= new);
        }
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::super::Encounter;
    use super::*;

    const BOTH: Bounds = Bounds { below: true, above: true };
    const BELOW: Bounds = Bounds { below: true, above: false };
    const ABOVE: Bounds = Bounds { below: false, above: true };

    /// Two groups: the players of each win and lose among themselves, in a row, and the strong ones
    /// win all games against the weak.
    fn groups(strong: usize, weak: usize) -> Ladder {
        let all = strong + weak;
        let mut ladder = Ladder::new((0..all).map(|number| format!("p{number}")).collect());
        for second in 0..all {
            for first in 0..second {
                let apart = first < strong && second >= strong;
                if apart || first + 1 == second {
                    let pairs = vec![if apart { [2, 2] } else { [2, 0] }; 5];
                    ladder.encounters.push(Encounter { first, second, pairs });
                }
            }
        }
        ladder
    }

    #[test]
    fn a_group_without_a_loss_has_no_upper_end() {
        let mut ladder = groups(4, 4);
        assert_eq!(bounds(&ladder), [[BELOW; 4], [ABOVE; 4]].concat());
        // One draw of any two of them bounds all.
        ladder.encounters.push(Encounter { first: 6, second: 2, pairs: vec![[1, 0]] });
        assert_eq!(bounds(&ladder), [BOTH; 8]);
    }

    #[test]
    fn the_majority_stays_bounded() {
        assert_eq!(bounds(&groups(2, 5)), [vec![BELOW; 2], vec![BOTH; 5]].concat());
        assert_eq!(bounds(&groups(5, 2)), [vec![BOTH; 5], vec![ABOVE; 2]].concat());
        assert_eq!(bounds(&groups(1, 1)), [BELOW, ABOVE]);
    }

    #[test]
    fn who_has_not_played_is_not_bounded() {
        let mut ladder = groups(3, 0);
        ladder.players.push("absent".into());
        let neither = Bounds { below: false, above: false };
        assert_eq!(bounds(&ladder), [BOTH, BOTH, BOTH, neither]);
        ladder.encounters.clear();
        assert_eq!(bounds(&ladder), [neither; 4]);
    }
}
