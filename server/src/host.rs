//! Which host a request names.

use std::net::IpAddr;

use axum::http::{HeaderMap, header, uri::Authority};

/// Whether a request names this machine as its host, or none. A page of another site can have that
/// site's name resolve to the loopback address (DNS rebinding), so that the browser sends its
/// requests here.
pub(crate) fn names_localhost(headers: &HeaderMap) -> bool {
    let Some(named) = headers.get(header::HOST) else { return true };
    let named: Option<Authority> = named.to_str().ok().and_then(|named| named.parse().ok());
    named.is_some_and(|named| {
        let host = named.host().trim_matches(['[', ']']).to_ascii_lowercase();
        let address: Option<IpAddr> = host.parse().ok();
        let is_name = host == "localhost" || host.ends_with(".localhost");
        address.map_or(is_name, |address| address.is_loopback())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn names_of_this_machine() {
        let names = |host: &'static str| {
            let host = HeaderValue::from_static(host);
            names_localhost(&[(header::HOST, host)].into_iter().collect())
        };
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:8019", "[::1]:8019", "go.localhost"] {
            assert!(names(host), "{host}");
        }
        for host in ["", "evil.example", "localhost.evil.example:8019", "10.0.0.1", "a b", "[::2]"]
        {
            assert!(!names(host), "{host}");
        }
        assert!(names_localhost(&HeaderMap::new()));
    }
}
