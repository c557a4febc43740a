//! Waits for what happens in other processes.

use std::time::Duration;

pub fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..1200 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("{what} has not happened");
}
