//! Gumbel tree search in two halves, select and expand.
