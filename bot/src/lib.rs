//! One player behind GTP and the other protocols people use.
