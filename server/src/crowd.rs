//! Counts how many of something each client has at a time: connections, event streams, searches.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::ledger::Client;

/// All clients that have at least one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Crowd(Arc<Mutex<HashMap<Client, usize>>>);

/// One of those that a client has; released when dropped.
#[derive(Debug)]
pub(crate) struct Share {
    client: Client,
    crowd: Crowd,
}

impl Crowd {
    /// Admits one more for a client that has fewer than `most`.
    pub fn admit(&self, client: Client, most: usize) -> Option<Share> {
        let mut crowd = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if crowd.get(&client).copied().unwrap_or_default() >= most {
            return None;
        }
        *crowd.entry(client).or_default() += 1;
        Some(Share { client, crowd: self.clone() })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut crowd = self.crowd.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = crowd.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                crowd.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_has_so_many_at_a_time() {
        let crowd = Crowd::default();
        let [one, other] = [1, 2].map(|last| Client::at([10, 0, 0, last].into()));
        let held: Vec<Share> = (0..2).filter_map(|_| crowd.admit(one, 2)).collect();
        assert_eq!(held.len(), 2);
        assert!(crowd.admit(one, 2).is_none() && crowd.admit(other, 2).is_some());
        drop(held);
        assert!(crowd.admit(one, 2).is_some() && crowd.admit(one, 0).is_none());
        assert!(crowd.0.lock().unwrap().is_empty());
    }
}
