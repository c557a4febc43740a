//! The functions that the worker script calls. Text passes through the two buffers here: a plain C
//! interface needs neither generated JavaScript nor a tool of a matching version.

#![allow(unsafe_code)] // exported names

use std::cell::RefCell;

use crate::{Host, programs};

thread_local! {
    static STATE: RefCell<State> = const { RefCell::new(State { host: None, input: Vec::new(), output: Vec::new() }) };
}

struct State {
    host: Option<Host>,
    input: Vec<u8>,
    output: Vec<u8>,
}

fn with<T>(act: impl FnOnce(&mut State) -> T) -> T {
    STATE.with_borrow_mut(act)
}

/// Initialises the host with 64 random bits; `false` if the network embedded in this program is
/// damaged.
#[unsafe(no_mangle)]
extern "C" fn start(seed: u64) -> bool {
    with(|state| {
        state.host = programs().ok().map(|catalogue| Host::new(catalogue, seed));
        state.host.is_some()
    })
}

/// A buffer for a request of this many bytes.
#[unsafe(no_mangle)]
extern "C" fn input(length: usize) -> *mut u8 {
    with(|state| {
        state.input.clear();
        state.input.resize(length, 0);
        state.input.as_mut_ptr()
    })
}

/// Accepts the request in the input buffer; `false` if it is not a valid request.
#[unsafe(no_mangle)]
extern "C" fn request() -> bool {
    with(|State { host, input, .. }| host.as_mut().is_some_and(|host| host.request(input).is_ok()))
}

/// Advances a search by one batch; `false` once there is none.
#[unsafe(no_mangle)]
extern "C" fn think() -> bool {
    with(|state| state.host.as_mut().is_some_and(Host::think))
}

/// Writes the messages for the page as a JSON list into the output buffer, and returns its length
/// in bytes.
#[unsafe(no_mangle)]
extern "C" fn collect() -> usize {
    with(|state| {
        let messages = state.host.as_mut().map(Host::messages).unwrap_or_default();
        state.output = serde_json::to_vec(&messages).unwrap_or_default();
        state.output.len()
    })
}

/// The address of the output buffer.
#[unsafe(no_mangle)]
extern "C" fn output() -> *const u8 {
    with(|state| state.output.as_ptr())
}
