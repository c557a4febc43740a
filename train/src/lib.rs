//! The learner and the whole self-play training loop.
