//! Networks of addresses, as `10.0.0.0/8` or a single address.

use std::fmt;
use std::net::IpAddr;

/// A network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    base: IpAddr,
    prefix: u8,
}

impl Network {
    /// Reads a network (`10.0.0.0/8`, `fd00::/8`) or an address. `None` for anything else.
    pub fn parse(entry: &str) -> Option<Self> {
        let (base, prefix) = entry.split_once('/').map_or((entry, None), |(base, bits)| (base, Some(bits)));
        let base: IpAddr = base.parse().ok()?;
        let prefix = prefix.map_or(Ok(bits_of(base)), str::parse).ok()?;
        (prefix <= bits_of(base)).then_some(Self { base, prefix })
    }

    /// Whether an address lies in it. An IPv4 address that is written as IPv6 is not seen as IPv4: give its canonical form.
    pub fn holds(&self, address: IpAddr) -> bool {
        let shift = u32::from(bits_of(self.base) - self.prefix);
        match (self.base, address) {
            (IpAddr::V4(base), IpAddr::V4(address)) => {
                (base.to_bits() ^ address.to_bits()).checked_shr(shift).unwrap_or(0) == 0
            }
            (IpAddr::V6(base), IpAddr::V6(address)) => {
                (base.to_bits() ^ address.to_bits()).checked_shr(shift).unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.base, self.prefix)
    }
}

const fn bits_of(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(network: &str, address: &str) -> bool {
        Network::parse(network).expect("a network").holds(address.parse().expect("an address"))
    }

    #[test]
    fn addresses_lie_in_their_networks() {
        assert!(holds("10.0.0.0/8", "10.200.1.1") && !holds("10.0.0.0/8", "11.0.0.1"));
        assert!(holds("0.0.0.0/0", "192.0.2.1") && !holds("0.0.0.0/0", "::1"));
        assert!(holds("fd00::/8", "fd12::1") && !holds("fd00::/8", "fe80::1"));
        assert!(holds("192.0.2.1", "192.0.2.1") && !holds("192.0.2.1", "192.0.2.2"));
        assert_eq!(
            Network::parse("192.0.2.1").map(|network| network.to_string()).as_deref(),
            Some("192.0.2.1/32")
        );
        for entry in ["", "proxy", "10.0.0.0/33", "::/129", "10.0.0.1:80", "10.0.0/8", "10.0.0.0/"] {
            assert_eq!(Network::parse(entry), None, "{entry}");
        }
    }
}
