//! The allow list: addresses that may be called although they are not public.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use super::address::embedded_v4;

/// One entry of the allow list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowEntry {
    /// A network such as `10.1.0.0/16`; a single address is a network of one.
    Network {
        /// Any address of the network.
        base: IpAddr,
        /// How many leading bits count.
        prefix: u8,
    },
    /// An address with one port.
    Socket(SocketAddr),
    /// A host name, whatever it resolves to.
    Host {
        /// The name in lower case, without a final dot.
        name: String,
        /// The only port, if one is given.
        port: Option<u16>,
    },
}

/// An entry that has none of the forms.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{entry:?} is not a network, address, address:port, host or host:port")]
pub struct AllowFault {
    /// The entry.
    pub entry: String,
}

impl AllowEntry {
    /// Reads `10.1.0.0/16`, `127.0.0.1`, `127.0.0.1:8089`, `[::1]:80`, `intranet` or `intranet:8443`.
    pub fn parse(entry: &str) -> Result<Self, AllowFault> {
        Self::read(entry).ok_or_else(|| AllowFault { entry: entry.to_owned() })
    }

    fn read(entry: &str) -> Option<Self> {
        if let Some((base, prefix)) = entry.split_once('/') {
            let base: IpAddr = base.parse().ok()?;
            let prefix: u8 = prefix.parse().ok()?;
            return (prefix <= bits_max(base)).then_some(Self::Network { base, prefix });
        }
        if let Ok(base) = entry.parse::<IpAddr>() {
            return Some(Self::Network { base, prefix: bits_max(base) });
        }
        if let Ok(socket) = entry.parse::<SocketAddr>() {
            return (socket.port() > 0).then_some(Self::Socket(socket));
        }
        let (name, port) = match entry.rsplit_once(':') {
            Some((name, port)) => (name, Some(port.parse::<u16>().ok().filter(|port| *port > 0)?)),
            None => (entry, None),
        };
        let is_name = !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'))
            && name.bytes().any(|byte| byte.is_ascii_alphabetic());
        is_name.then(|| Self::Host { name: canonical_host(name), port })
    }

    /// The port, for entries that name one.
    pub(super) const fn port(&self) -> Option<u16> {
        match self {
            Self::Network { .. } => None,
            Self::Socket(socket) => Some(socket.port()),
            Self::Host { port, .. } => *port,
        }
    }

    /// Whether the entry is of this name and port, whatever it resolves to.
    pub(super) fn names(&self, host: &str, port: Option<u16>) -> bool {
        match self {
            Self::Host { name, port: own } => {
                own.is_none_or(|own| Some(own) == port) && *name == canonical_host(host)
            }
            Self::Network { .. } | Self::Socket(_) => false,
        }
    }

    /// Whether the entry allows a connection to `address` and `port` for a URL that names `host`. A port of `None`
    /// is one that no entry names.
    pub(super) fn allows(&self, host: &str, address: IpAddr, port: Option<u16>) -> bool {
        if self.port().is_some_and(|own| Some(own) != port) {
            return false;
        }
        match self {
            Self::Network { base, prefix } => contains(*base, *prefix, address),
            Self::Socket(socket) => contains(socket.ip(), bits_max(socket.ip()), address),
            Self::Host { name, .. } => *name == canonical_host(host),
        }
    }
}

impl fmt::Display for AllowEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network { base, prefix } => write!(f, "{base}/{prefix}"),
            Self::Socket(socket) => write!(f, "{socket}"),
            Self::Host { name, port: Some(port) } => write!(f, "{name}:{port}"),
            Self::Host { name, port: None } => f.write_str(name),
        }
    }
}

const fn bits_max(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn canonical_host(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

/// Whether the network holds the address, or the IPv4 address that it carries.
fn contains(base: IpAddr, prefix: u8, address: IpAddr) -> bool {
    match (base, address) {
        (IpAddr::V4(base), IpAddr::V4(address)) => {
            prefix == 0 || (base.to_bits() ^ address.to_bits()) >> (32 - u32::from(prefix)) == 0
        }
        (IpAddr::V6(base), IpAddr::V6(address)) => {
            prefix == 0 || (base.to_bits() ^ address.to_bits()) >> (128 - u32::from(prefix)) == 0
        }
        (IpAddr::V4(_), IpAddr::V6(address)) => {
            embedded_v4(address).is_some_and(|embedded| contains(base, prefix, IpAddr::V4(embedded)))
        }
        (IpAddr::V6(_), IpAddr::V4(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(entry: &str, host: &str, address: &str, port: Option<u16>) -> bool {
        AllowEntry::parse(entry).expect("valid").allows(host, address.parse().expect("valid"), port)
    }

    #[test]
    fn entries_match_what_they_say() {
        assert!(allows("10.1.0.0/16", "x", "10.1.255.1", None));
        assert!(!allows("10.1.0.0/16", "x", "10.2.0.1", None));
        assert!(allows("0.0.0.0/0", "x", "10.2.0.1", None));
        assert!(allows("127.0.0.1", "x", "127.0.0.1", Some(80)));
        assert!(allows("127.0.0.1", "x", "::ffff:127.0.0.1", Some(80)));
        assert!(!allows("127.0.0.1", "x", "127.0.0.2", Some(80)));
        assert!(allows("127.0.0.1:8089", "x", "127.0.0.1", Some(8089)));
        assert!(!allows("127.0.0.1:8089", "x", "127.0.0.1", Some(8090)));
        assert!(!allows("127.0.0.1:8089", "x", "127.0.0.1", None));
        assert!(allows("[::1]:80", "x", "::1", Some(80)));
        assert!(allows("fd00::/8", "x", "fd12::1", None));
        assert!(allows("intranet", "Intranet.", "10.0.0.1", None));
        assert!(!allows("intranet", "intranet.example", "10.0.0.1", None));
        assert!(allows("intranet:8443", "intranet", "10.0.0.1", Some(8443)));
        assert!(!allows("intranet:8443", "intranet", "10.0.0.1", Some(443)));
    }

    #[test]
    fn other_forms_are_refused() {
        for entry in [
            "",
            "10.0.0.0/33",
            "10.0.0/8",
            "10.0.0.256",
            "http://x",
            "host:0",
            "host:http",
            "a b",
            "*",
            "127.0.0.1:0",
        ] {
            assert!(AllowEntry::parse(entry).is_err(), "{entry}");
        }
    }
}
