//! Rate limits: a token bucket for each limited resource of each client.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::settings::{ClientLimits, Rate};

/// Maximum number of remembered clients.
const CLIENTS: usize = 10_000;

/// The limited resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resource {
    Requests,
    Games,
    Simulations,
    Thinking,
}

const RESOURCES: usize = 4;

/// A client whose requests are counted together: an address, or the network of one subscriber.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Client(IpAddr);

impl Client {
    /// The client at an address. A subscriber has 2⁶⁴ IPv6 addresses.
    pub fn at(address: IpAddr) -> Client {
        Client(match address.to_canonical() {
            IpAddr::V6(address) => {
                IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)))
            }
            address @ IpAddr::V4(_) => address,
        })
    }
}

/// Allowances of all clients.
pub(crate) struct RateLimiter {
    limits: ClientLimits,
    allowances: Mutex<HashMap<Client, Allowance>>,
}

/// What is left of each resource, as of `updated`.
struct Allowance {
    left: [f64; RESOURCES],
    updated: Instant,
}

impl RateLimiter {
    pub fn new(limits: ClientLimits) -> RateLimiter {
        RateLimiter { limits, allowances: Mutex::default() }
    }

    /// Takes `amount` if anything is left, possibly going into debt, because the cost of a search
    /// is known only afterwards. The error is how long to wait.
    pub fn charge(&self, client: Client, resource: Resource, amount: f64) -> Result<(), Duration> {
        self.charge_at(client, resource, amount, Instant::now())
    }

    /// Whether anything is left. The error is how long to wait.
    pub fn check(&self, client: Client, resource: Resource) -> Result<(), Duration> {
        self.charge(client, resource, 0.0)
    }

    /// Takes `amount`, whatever is left.
    pub fn take(&self, client: Client, resource: Resource, amount: f64) {
        if let Some(rate) = self.rate(resource) {
            let mut allowances = self.allowances.lock().unwrap_or_else(PoisonError::into_inner);
            let left = &mut self.allowance(&mut allowances, client, Instant::now()).left;
            // A large debt would lock a client out because of a single slow search.
            left[resource as usize] = (left[resource as usize] - amount).max(-rate.burst);
        }
    }

    fn charge_at(
        &self,
        client: Client,
        resource: Resource,
        amount: f64,
        now: Instant,
    ) -> Result<(), Duration> {
        let Some(rate) = self.rate(resource) else { return Ok(()) };
        let mut allowances = self.allowances.lock().unwrap_or_else(PoisonError::into_inner);
        let left = &mut self.allowance(&mut allowances, client, now).left[resource as usize];
        // The smallest unit is one; thinking time is counted in fractions.
        let least = amount.min(1.0);
        if *left < least || *left <= 0.0 {
            let missing = least.max(0.1) - *left;
            return Err(Duration::from_secs_f64((missing / rate.per_second).clamp(1.0, 3600.0)));
        }
        *left -= amount;
        Ok(())
    }

    /// The client's allowance, refilled for the time since its last use.
    fn allowance<'a>(
        &self,
        allowances: &'a mut HashMap<Client, Allowance>,
        client: Client,
        now: Instant,
    ) -> &'a mut Allowance {
        if allowances.len() >= CLIENTS && !allowances.contains_key(&client) {
            let oldest = allowances.iter().min_by_key(|(_, allowance)| allowance.updated);
            if let Some(oldest) = oldest.map(|(&client, _)| client) {
                allowances.remove(&oldest);
            }
        }
        let full = || Allowance { left: self.rates().map(|(burst, _)| burst), updated: now };
        let allowance = allowances.entry(client).or_insert_with(full);
        let seconds = now.saturating_duration_since(allowance.updated).as_secs_f64();
        for (left, (burst, per_second)) in allowance.left.iter_mut().zip(self.rates()) {
            *left = (*left + seconds * per_second).min(burst);
        }
        allowance.updated = now;
        allowance
    }

    fn rates(&self) -> [(f64, f64); RESOURCES] {
        [Resource::Requests, Resource::Games, Resource::Simulations, Resource::Thinking]
            .map(|resource| self.rate(resource).map_or((0.0, 0.0), |r| (r.burst, r.per_second)))
    }

    fn rate(&self, resource: Resource) -> Option<Rate> {
        match resource {
            Resource::Requests => self.limits.requests,
            Resource::Games => self.limits.games,
            Resource::Simulations => self.limits.simulations,
            Resource::Thinking => self.limits.thinking,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(text: &str) -> Client {
        Client::at(text.parse().unwrap())
    }

    #[test]
    fn a_bucket_empties_and_fills_for_each_client_alone() {
        let limits = ClientLimits {
            requests: Some(Rate { burst: 3.0, per_second: 0.5 }),
            ..ClientLimits::NONE
        };
        let limiter = RateLimiter::new(limits);
        let start = Instant::now();
        let charge = |address: &str, seconds| {
            let now = start + Duration::from_secs(seconds);
            limiter.charge_at(client(address), Resource::Requests, 1.0, now)
        };
        for _ in 0..3 {
            assert_eq!(charge("10.0.0.1", 0), Ok(()));
        }
        assert_eq!(charge("10.0.0.1", 0), Err(Duration::from_secs(2)));
        assert_eq!(charge("10.0.0.2", 0), Ok(()));
        assert_eq!(charge("10.0.0.1", 2), Ok(()));
        assert!(charge("10.0.0.1", 2).is_err());
        let unlimited = |_| limiter.charge(client("10.0.0.1"), Resource::Games, 1e9);
        assert!((0..100).map(unlimited).all(|charged| charged.is_ok()));
    }

    #[test]
    fn a_debt_is_paid_back_and_has_an_end() {
        let limits = ClientLimits {
            thinking: Some(Rate { burst: 10.0, per_second: 1.0 }),
            ..ClientLimits::NONE
        };
        let limiter = RateLimiter::new(limits);
        let someone = client("10.0.0.1");
        assert_eq!(limiter.check(someone, Resource::Thinking), Ok(()));
        limiter.take(someone, Resource::Thinking, 1e6);
        assert!(limiter.check(someone, Resource::Thinking).unwrap_err() < Duration::from_secs(12));
    }

    #[test]
    fn a_subscriber_of_version_6_is_one_client_and_mapped_addresses_are_of_version_4() {
        assert_eq!(client("2001:db8:1:2::1"), client("2001:db8:1:2:ffff::9"));
        assert_ne!(client("2001:db8:1:2::1"), client("2001:db8:1:3::1"));
        assert_eq!(client("::ffff:10.0.0.1"), client("10.0.0.1"));
    }

    #[test]
    fn the_number_of_clients_is_bounded() {
        let limiter = RateLimiter::new(ClientLimits::default());
        for number in 0..(CLIENTS as u32 + 500) {
            let address = IpAddr::from(number.to_be_bytes());
            limiter.take(Client::at(address), Resource::Requests, 1.0);
        }
        assert_eq!(limiter.allowances.lock().unwrap().len(), CLIENTS);
    }
}
