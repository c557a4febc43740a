//! A tree as text, for people and for the tests that compare trees.

use std::fmt;

use engine::GameResult;

use crate::SearchState;
use crate::tree::{Node, ROOT};

/// One line per node, indented by depth, in the order of legal moves: the move, its visits, its
/// searched and raw value (Black's), its prior, and any proven result; at the top level also the
/// policy target.
impl fmt::Display for SearchState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let root = self.tree.node(ROOT);
        let result = self.result();
        write!(f, "root  {} to move", root.mover)?;
        values(f, root)?;
        writeln!(f, "  best {}  improved {:+.4}", result.best, result.root_value)?;
        children(f, self, ROOT, 1)
    }
}

fn children(
    f: &mut fmt::Formatter<'_>,
    state: &SearchState,
    node: u32,
    depth: usize,
) -> fmt::Result {
    let tree = &state.tree;
    let moves = if node == ROOT { state.result().moves } else { Vec::new() };
    let mut visited: Vec<(u32, &Node)> = tree.children(node).collect();
    visited.sort_by_key(|(_, child)| child.edge);
    for (index, child) in visited {
        let edge = usize::from(child.edge);
        write!(f, "{:indent$}{}", "", tree.edges(node)[edge].played, indent = 2 * depth)?;
        write!(f, "  prior {:.4}", child.prior)?;
        if let Some(stats) = moves.get(edge) {
            write!(f, "  policy {:.4}", stats.policy)?;
        }
        values(f, child)?;
        writeln!(f)?;
        children(f, state, index, depth + 1)?;
    }
    Ok(())
}

fn values(f: &mut fmt::Formatter<'_>, node: &Node) -> fmt::Result {
    let Node { visits, value, raw_value, .. } = node;
    write!(f, "  visits {visits}  value {value:+.4}  raw {raw_value:+.4}")?;
    match node.proven {
        Some(GameResult::Won(winner)) => write!(f, "  proven {winner}+"),
        Some(GameResult::Draw) => write!(f, "  proven draw"),
        None => Ok(()),
    }
}
