//! Counts how many of something each client has at a time: connections, event streams, searches.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::rate_limiter::Client;

/// The numbers of all clients that have at least one.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClientCounter(Arc<Mutex<HashMap<Client, usize>>>);

/// One of those that a client has; released when dropped.
#[derive(Debug)]
pub(crate) struct ClientPermit {
    client: Client,
    counter: ClientCounter,
    before: usize,
}

impl ClientCounter {
    /// Admits one more for a client that has fewer than `most`.
    pub fn admit(&self, client: Client, most: usize) -> Option<ClientPermit> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = counts.get(&client).copied().unwrap_or_default();
        if before >= most {
            return None;
        }
        counts.insert(client, before + 1);
        Some(ClientPermit { client, counter: self.clone(), before })
    }
}

impl ClientPermit {
    /// How many the client had when this one was admitted.
    pub fn before(&self) -> usize {
        self.before
    }
}

impl Drop for ClientPermit {
    fn drop(&mut self) {
        let mut counts = self.counter.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_has_so_many_at_a_time() {
        let counter = ClientCounter::default();
        let [one, other] = [1, 2].map(|last| Client::at([10, 0, 0, last].into()));
        let held: Vec<ClientPermit> = (0..2).filter_map(|_| counter.admit(one, 2)).collect();
        assert_eq!(held.iter().map(ClientPermit::before).collect::<Vec<_>>(), [0, 1]);
        assert!(counter.admit(one, 2).is_none() && counter.admit(other, 2).is_some());
        drop(held);
        assert!(counter.admit(one, 2).is_some() && counter.admit(one, 0).is_none());
        assert!(counter.0.lock().unwrap().is_empty());
    }
}
