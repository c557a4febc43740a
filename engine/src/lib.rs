//! The rules of Go variants as pure values, and their encoding as tensors.
