//! Workers that play many games against themselves, and the store of their records.
