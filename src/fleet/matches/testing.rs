//! What tests of workers share.

use engine::Rules;
use fleet::Claim;

use super::judging::open;
use super::plan::{MatchTerms, Plan, PlannedPlayer};
use super::store_handle::StoreHandle;

/// The claim of a worker on this machine.
pub fn claim() -> Claim {
    let [nonce, host, version, device] = ["1", "here", "1", "none"].map(str::to_owned);
    Claim { nonce, host, version, device }
}

/// Opens a match of one unit between players without a network.
pub fn open_match(handle: &StoreHandle) {
    let rules = Rules::parse("go,komi=0.5,max_moves=10", 3).unwrap();
    let player = |name: &str| PlannedPlayer::new(handle, &name.parse().unwrap(), &rules).unwrap();
    let players = [player("random"), player("greedy")];
    let terms = MatchTerms { rules, pairs: 2, seed: 1, test: None, openings: None };
    open(handle, &Plan::new(players, &terms).unwrap()).unwrap();
}
