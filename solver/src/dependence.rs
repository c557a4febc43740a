//! What parts of the history the result of a node depends on.
//!
//! A result is reused after another history if nothing that its evidence names differs there. So
//! the evidence must name every way in which the history enters the game: which placements it
//! forbids, and, because a player may have none left, whose turn it is and whether the game is
//! over.

use engine::{Color, HistoryDependence, IllegalMove, Move, Position, Reason};

use crate::evidence::Evidence;
use crate::proof::Prover;
use crate::state::{Node, bit};

impl Prover<'_> {
    /// Records whether a move may be illegal after other plays. Without suicide, no odd cycle ends
    /// on a point where the mover has never had a stone, because the stones there would not be what
    /// they were before it.
    pub(super) fn compare_plays(&self, node: &Node, played: Move, evidence: &mut Evidence) {
        let Some(point) =
            played.point().filter(|_| self.limits.history == HistoryDependence::Plays)
        else {
            return;
        };
        let mover = node.position.turn().index();
        let point = bit(point, node.position.size());
        if node.position.rules().has_suicide() || node.ever_occupied[mover] & point != 0 {
            evidence.plays = true;
        } else {
            evidence.fresh[mover] |= point;
        }
    }

    /// A proof that no move helps depends on the moves that only the history forbids. Of the other
    /// moves, another history can only forbid more, and those do not help; but having no move left
    /// may.
    pub(super) fn compare_banned(&self, node: &Node, evidence: &mut Evidence) {
        match self.limits.history {
            HistoryDependence::Nothing | HistoryDependence::Counts => {}
            HistoryDependence::Plays => {
                evidence.plays |= node.bans_odd_cycle();
                if !self.goal.is_worst_without_a_move() && may_lack_a_move(&node.position) {
                    self.compare_one_placement(node, evidence);
                }
            }
            HistoryDependence::Stones | HistoryDependence::StonesAndMover => {
                for point in node.position.empty().without(&node.position.legal_points()).iter() {
                    let played = Move::Place(point);
                    if let Err(IllegalMove::PositionalSuperko | IllegalMove::SituationalSuperko) =
                        node.position.check_move(played)
                    {
                        self.path.compare(&node.after(played), played, evidence);
                    }
                }
            }
        }
    }

    /// The history decides how a game ends where a player may have no placement left: a player
    /// without one loses, and one with a placement goes on, to a draw at the move limit.
    pub(super) fn compare_end(&self, node: &Node, evidence: &mut Evidence) {
        let position = &node.position;
        if !self.history_forbids() {
            return;
        }
        match position.outcome().map(|outcome| outcome.reason) {
            // Nothing records which rule forbids a placement in a finished game, so all forbidden
            // ones count.
            Some(Reason::NoMove) => {
                for point in position.banned_points().iter() {
                    evidence.plays |= self.limits.history == HistoryDependence::Plays;
                    let played = Move::Place(point);
                    self.path.compare(&node.after(played), played, evidence);
                }
            }
            Some(Reason::MoveLimit) if may_lack_a_move(position) => {
                self.compare_one_placement(node, evidence);
            }
            Some(
                Reason::Passes
                | Reason::Repetition
                | Reason::Suicide
                | Reason::NoFreePoint
                | Reason::CaptureGoal
                | Reason::MoveLimit,
            )
            | None => {}
        }
    }

    /// Without passes, a turn of several stones ends as soon as no placement is left, and after
    /// another history it might continue. (Where it continues, the moves that follow are compared,
    /// so that it continues wherever they can be made.)
    pub(super) fn compare_early_end(&self, node: &Node, next: &Node, evidence: &mut Evidence) {
        let (mover, position) = (node.position.turn(), &next.position);
        let rules = position.rules();
        let ended = position.turn() != mover && node.position.placements_left() > 1;
        if !ended || rules.has_pass() || !self.history_forbids() {
            return;
        }
        // The same stones at the start of a game, where no history forbids anything.
        let [black, white] = Color::BOTH.map(|color| *position.stones(color));
        let start = Position::with_stones(*rules, black, white, mover)
            .unwrap_or_else(|error| unreachable!("stones after a placement: {error}"));
        let start = Node::start(start);
        for point in start.position.legal_points().iter() {
            let played = Move::Place(point);
            self.path.compare(&start.after(played), played, evidence);
        }
    }

    /// Records that the player to move has some legal placement, which a finished game does not
    /// show.
    fn compare_one_placement(&self, node: &Node, evidence: &mut Evidence) {
        let position = &node.position;
        for point in position.empty().without(&position.banned_points()).iter() {
            let played = Move::Place(point);
            let next = node.after(played);
            self.path.compare(&next, played, evidence);
            self.compare_plays(node, played, evidence);
            // A stone that stays is no suicide, so this one is legal. Otherwise, any of them may be
            // the legal one.
            if next.position.stones(position.turn()).contains(point) {
                return;
            }
        }
    }

    /// Whether a placement may be forbidden because of turns before the last one.
    fn history_forbids(&self) -> bool {
        match self.limits.history {
            HistoryDependence::Nothing | HistoryDependence::Counts => false,
            HistoryDependence::Stones | HistoryDependence::StonesAndMover => !self.limits.draws,
            HistoryDependence::Plays => true,
        }
    }
}

/// Whether the player to move depends on a placement because nothing else is possible.
fn may_lack_a_move(position: &Position) -> bool {
    let rules = position.rules();
    let returns = rules.returns_prisoners() && position.prisoners(position.turn()) > 0;
    !rules.has_pass() && !returns
}
