//! Values for each of the two players.

use engine::Color;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A value for each player.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Sides<T> {
    /// Black's.
    #[serde(rename = "B")]
    pub black: T,
    /// White's.
    #[serde(rename = "W")]
    pub white: T,
}

impl<T> Sides<T> {
    /// The value of `each` for each player.
    pub fn each(each: impl Fn(Color) -> T) -> Sides<T> {
        Sides { black: each(Color::Black), white: each(Color::White) }
    }
}
