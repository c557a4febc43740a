//! The network, its weights and the batching server: the only crate that links libtorch.
