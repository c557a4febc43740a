//! The schedule of sequential halving (Karnin, Koren and Somekh 2013) at the root.

/// For each simulation, the number of visits that its move must already have.
///
/// All `considered` = m moves take part in the first of ⌈log₂ m⌉ phases, and the better half of
/// them in each following one. In a phase with k moves left, each gets max(1, ⌊n / (⌈log₂ m⌉ · k)⌋)
/// visits, in rounds of one visit each; the last two moves share whatever remains. Because all
/// moves of a round have the same number of visits, only that number needs to be scheduled: the
/// root picks the best move that has it (as in mctx).
pub(crate) fn schedule(considered: u32, simulations: u32, levels: &mut Vec<u32>) {
    levels.clear();
    if considered <= 1 {
        levels.extend(0..simulations);
        return;
    }
    let phases = considered.next_power_of_two().ilog2();
    let mut left = considered;
    let mut level = 0;
    while levels.len() < simulations as usize {
        let visits = (simulations / (phases * left)).max(1);
        for _ in 0..visits {
            levels.extend((0..left).map(|_| level));
            level += 1;
        }
        left = (left / 2).max(2);
    }
    levels.truncate(simulations as usize);
}

#[cfg(test)]
mod tests {
    use super::schedule;

    /// How many moves get at least one visit, at least two, and so on.
    fn rounds(simulations: u32, considered: u32) -> Vec<usize> {
        let mut levels = Vec::new();
        schedule(considered, simulations, &mut levels);
        assert_eq!(levels.len(), simulations as usize);
        let last = levels.iter().max().copied().unwrap_or(0);
        (0..=last).map(|level| levels.iter().filter(|&&other| other == level).count()).collect()
    }

    #[test]
    fn visits_are_those_of_mctx() {
        assert_eq!(rounds(2, 2), [2]);
        assert_eq!(rounds(4, 4), [4]);
        assert_eq!(rounds(8, 8), [8]);
        assert_eq!(rounds(8, 4), [4, 2, 2]);
        assert_eq!(rounds(16, 16), [16]);
        assert_eq!(rounds(16, 8), [8, 4, 2, 2]);
        assert_eq!(rounds(16, 4), [4, 4, 2, 2, 2, 2]);
        assert_eq!(rounds(24, 16), [16, 8]);
        assert_eq!(rounds(32, 16), [16, 8, 4, 4]);
        assert_eq!(rounds(32, 8), [8, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2]);
        assert_eq!(rounds(48, 16), [16, 8, 4, 4, 4, 2, 2, 2, 2, 2, 2]);
        let deep = rounds(64, 16);
        assert_eq!(deep, [16, 8, 8, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2]);
        assert_eq!(deep.len(), 15, "the best two moves get fifteen visits each");
    }

    #[test]
    fn odd_numbers_of_moves_and_simulations() {
        assert_eq!(rounds(5, 1), [1, 1, 1, 1, 1]);
        assert_eq!(rounds(7, 5), [5, 2]);
        assert_eq!(rounds(9, 3), [3, 2, 2, 2]);
        assert_eq!(rounds(10, 16), [10]);
    }
}
