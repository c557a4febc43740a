//! Positions as text: the board as rows, and one line for each other thing that the rules depend
//! on.
//!
//! ```text
//! rules tile,tile_limit=2
//! size 4
//! ....
//! .XO.
//! ....
//! ....
//! black to move
//! turns 2
//! recent B3 C3
//! tiles C3
//! ```
//!
//! `rules`, `size` with its rows from the top, and who is to move are required. Values that a game
//! starting from these stones would have are omitted. Empty lines and lines that begin with `#` are
//! ignored.
//!
//! | line | meaning |
//! |---|---|
//! | `.` `X` `O` in a row | an empty point, a black stone, a white stone |
//! | `b` `w` in a row | an empty point that Black or White has conquered |
//! | `turns 12` | turns taken since the start |
//! | `passes 1` | passes in a row just made |
//! | `white-passes 2` | passes that White has made in an Alter Igo game |
//! | `recent C3 pass D4` | the last turns, at most five, the newest last |
//! | `last capture incursion minimal-incursion ko=C3` | what the last turn was; `ko` is the one stone that it took |
//! | `placement incursion` | the last stone placed, by either player, was an incursion (tile rules) |
//! | `prisoners 3 1`, `taken 3 1` | prisoners held, stones ever taken: Black's, White's |
//! | `tiles C3 D4=2` | points with one tile, or with the number given |
//! | `hot C3` | hot stones |
//! | `fixed D1=C1` | Conquest: the stone on D1 counts on the side of C1; `none` |
//! | `left 1`, `left 1 more` | stones that the player to move may place; `more`: after one in this turn |
//! | `history B:C3 W:D3xC3 pass` | every turn's effect, where the rules need it: `x` takes opposing stones, `-` own |
//! | `result B passes`, `result draw repetition` | how the game ended |
//!
//! A Conquest position without conquered points and without `fixed` is given the territory that its
//! stones enclose, like a position set up by hand.

mod build;
mod error;
mod read;
mod unrecorded;
mod write;

pub use error::PositionError;
