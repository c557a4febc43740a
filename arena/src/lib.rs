//! Matches, ratings, statistics and reference players.
