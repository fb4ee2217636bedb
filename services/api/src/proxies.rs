//! Where a request comes from when proxies of ours stand before the server. Believes nobody else about it.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::http::{HeaderMap, HeaderValue};
use domain::access::Network;

/// Each proxy adds the address that it was called from at the end.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// The most addresses that are looked at, from the end.
const HOPS_MAX: usize = 32;

/// Proxies whose word counts. Cheap to clone; none by default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrustedProxies(Arc<[Network]>);

/// An entry that is no network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a network such as 10.0.0.0/8 or an address, got {entry:?}")]
pub struct ProxyFault {
    /// The entry.
    pub entry: String,
}

impl TrustedProxies {
    /// Reads networks (`10.0.0.0/8`, `fd00::/8`) and addresses.
    pub fn parse<'a>(entries: impl IntoIterator<Item = &'a str>) -> Result<Self, ProxyFault> {
        let read = |entry: &str| Network::parse(entry).ok_or_else(|| ProxyFault { entry: entry.to_owned() });
        entries.into_iter().map(read).collect::<Result<Vec<_>, _>>().map(|networks| Self(networks.into()))
    }

    /// The address of whoever a request comes from: the peer's, or, where the peer is a trusted proxy, the last one of
    /// `X-Forwarded-For` that is none. What stands before that one was written by strangers.
    pub(crate) fn source(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut source = peer.to_canonical();
        let lines: Vec<&[u8]> = headers.get_all(FORWARDED_FOR).iter().map(HeaderValue::as_bytes).collect();
        let hops = lines.iter().rev().flat_map(|line| line.rsplit(|byte| *byte == b','));
        for hop in hops.take(HOPS_MAX) {
            if !self.trusts(source) {
                break;
            }
            let Some(address) = address_of(hop) else { break };
            source = address;
        }
        source
    }

    /// Whether an address is one of them.
    pub fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.holds(address))
    }
}

/// An address, which some proxies write with its port.
fn address_of(hop: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(hop.trim_ascii()).ok()?;
    let address = text.parse::<IpAddr>().ok().or_else(|| Some(text.parse::<SocketAddr>().ok()?.ip()));
    address.map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(trusted: &[&str], peer: &str, lines: &[&'static str]) -> String {
        let proxies = TrustedProxies::parse(trusted.iter().copied()).expect("networks");
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(FORWARDED_FOR, line.parse().expect("a header"));
        }
        proxies.source(peer.parse().expect("an address"), &headers).to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        let ours: &[&str] = &["10.0.0.0/8", "::1"];
        // Trusted, peer, header lines, expected.
        let table: &[(&[&str], &str, &[&'static str], &str)] = &[
            (&[], "10.0.0.1", &["192.0.2.1"], "10.0.0.1"),
            (ours, "192.0.2.9", &["192.0.2.1"], "192.0.2.9"),
            (ours, "10.0.0.1", &[], "10.0.0.1"),
            (ours, "10.0.0.1", &["192.0.2.1"], "192.0.2.1"),
            (ours, "::ffff:10.0.0.1", &["::ffff:192.0.2.1"], "192.0.2.1"),
            (ours, "::1", &["192.0.2.1, 10.9.9.9"], "192.0.2.1"),
            // What a stranger wrote before our proxy did.
            (ours, "10.0.0.1", &["198.51.100.7, 192.0.2.1"], "192.0.2.1"),
            (ours, "10.0.0.1", &["198.51.100.7", "192.0.2.1"], "192.0.2.1"),
            (ours, "10.0.0.1", &["10.1.1.1, 192.0.2.1"], "192.0.2.1"),
            (ours, "10.0.0.1", &["192.0.2.1, unknown"], "10.0.0.1"),
            (ours, "10.0.0.1", &["192.0.2.1, unknown, 10.0.0.2"], "10.0.0.2"),
            (ours, "10.0.0.1", &["192.0.2.1:4711"], "192.0.2.1"),
            (ours, "10.0.0.1", &["[2001:db8::1]:4711"], "2001:db8::1"),
            (&["0.0.0.0/0"], "10.0.0.1", &["10.0.0.3,10.0.0.2"], "10.0.0.3"),
        ];
        for (trusted, peer, lines, expected) in table {
            assert_eq!(source(trusted, peer, lines), *expected, "{peer} {lines:?}");
        }
    }

    #[test]
    fn entries_are_networks() {
        assert!(TrustedProxies::parse(["10.0.0.0/8", "fd00::/8", "127.0.0.1", "::1", "0.0.0.0/0"]).is_ok());
        for entry in ["", "proxy", "10.0.0.0/33", "::/129", "10.0.0.1:80", "10.0.0/8"] {
            assert!(TrustedProxies::parse([entry]).is_err(), "{entry}");
        }
    }
}
