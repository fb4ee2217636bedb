//! Which addresses are not public, and why. Pure tables; knows no allow list and no names.
//!
//! Sources: the special-purpose address registries of IANA for IPv4 and IPv6 (RFC 6890 and later entries), and the
//! published metadata addresses of cloud providers.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why an address is not called unless it is allow-listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressRule {
    /// The instance metadata service of a cloud provider, which issues credentials.
    Metadata,
    /// This machine.
    Loopback,
    /// A private network (RFC 1918, and the retired site-local addresses).
    Private,
    /// A unique local address (RFC 4193).
    UniqueLocal,
    /// The local link.
    LinkLocal,
    /// Shared address space of carrier-grade NAT (RFC 6598).
    CarrierNat,
    /// The unspecified address and "this network".
    Unspecified,
    /// Multicast.
    Multicast,
    /// Reserved for benchmarks.
    Benchmarking,
    /// Reserved for documentation.
    Documentation,
    /// Reserved otherwise, a tunnel's, or outside the globally routed space.
    Reserved,
}

impl AddressRule {
    /// The rule's name in error texts.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Metadata => "cloud metadata",
            Self::Loopback => "loopback",
            Self::Private => "private",
            Self::UniqueLocal => "unique local",
            Self::LinkLocal => "link-local",
            Self::CarrierNat => "carrier-grade NAT",
            Self::Unspecified => "unspecified",
            Self::Multicast => "multicast",
            Self::Benchmarking => "benchmarking",
            Self::Documentation => "documentation",
            Self::Reserved => "reserved",
        }
    }
}

impl fmt::Display for AddressRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Azure's wire server is a public address by its number, and reachable from inside only.
const METADATA_V4: [Ipv4Addr; 4] = [
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(192, 0, 0, 192),
];

const METADATA_V6: [Ipv6Addr; 2] = [
    Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254),
    Ipv6Addr::new(0xfd20, 0x00ce, 0, 0, 0, 0, 0, 0x0254),
];

const NETWORKS_V4: [(Ipv4Addr, u32, AddressRule); 16] = [
    (Ipv4Addr::UNSPECIFIED, 8, AddressRule::Unspecified),
    (Ipv4Addr::new(10, 0, 0, 0), 8, AddressRule::Private),
    (Ipv4Addr::new(100, 64, 0, 0), 10, AddressRule::CarrierNat),
    (Ipv4Addr::new(127, 0, 0, 0), 8, AddressRule::Loopback),
    (Ipv4Addr::new(169, 254, 0, 0), 16, AddressRule::LinkLocal),
    (Ipv4Addr::new(172, 16, 0, 0), 12, AddressRule::Private),
    (Ipv4Addr::new(192, 0, 0, 0), 24, AddressRule::Reserved),
    (Ipv4Addr::new(192, 0, 2, 0), 24, AddressRule::Documentation),
    // The retired anycast relay of 6to4.
    (Ipv4Addr::new(192, 88, 99, 0), 24, AddressRule::Reserved),
    (Ipv4Addr::new(192, 168, 0, 0), 16, AddressRule::Private),
    (Ipv4Addr::new(198, 18, 0, 0), 15, AddressRule::Benchmarking),
    (Ipv4Addr::new(198, 51, 100, 0), 24, AddressRule::Documentation),
    (Ipv4Addr::new(203, 0, 113, 0), 24, AddressRule::Documentation),
    (Ipv4Addr::new(233, 252, 0, 0), 24, AddressRule::Documentation),
    (Ipv4Addr::new(224, 0, 0, 0), 4, AddressRule::Multicast),
    (Ipv4Addr::new(240, 0, 0, 0), 4, AddressRule::Reserved),
];

const NETWORKS_V6: [(Ipv6Addr, u32, AddressRule); 8] = [
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, AddressRule::UniqueLocal),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, AddressRule::LinkLocal),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, AddressRule::Private),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, AddressRule::Multicast),
    (Ipv6Addr::new(0x2001, 0x0db8, 0, 0, 0, 0, 0, 0), 32, AddressRule::Documentation),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, AddressRule::Documentation),
    (Ipv6Addr::new(0x2001, 0x0002, 0, 0, 0, 0, 0, 0), 48, AddressRule::Benchmarking),
    // Protocol assignments, among them Teredo, whose addresses hide an IPv4 address in scrambled form.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, AddressRule::Reserved),
];

/// The rule by which an address is refused; `None` for a public one.
///
/// IPv6 addresses that carry an IPv4 address (mapped, compatible, NAT64, 6to4, ISATAP) are judged by that one, because
/// that is where the packets may end up.
pub fn refused_by(address: IpAddr) -> Option<AddressRule> {
    match address {
        IpAddr::V4(address) => refused_v4(address),
        IpAddr::V6(address) => refused_v6(address),
    }
}

fn refused_v4(address: Ipv4Addr) -> Option<AddressRule> {
    if METADATA_V4.contains(&address) {
        return Some(AddressRule::Metadata);
    }
    let bits = address.to_bits();
    NETWORKS_V4
        .iter()
        .find(|(base, prefix, _)| (bits ^ base.to_bits()) >> (32 - prefix) == 0)
        .map(|(_, _, rule)| *rule)
}

fn refused_v6(address: Ipv6Addr) -> Option<AddressRule> {
    if address.is_unspecified() {
        return Some(AddressRule::Unspecified);
    }
    if address.is_loopback() {
        return Some(AddressRule::Loopback);
    }
    if METADATA_V6.contains(&address) {
        return Some(AddressRule::Metadata);
    }
    let bits = address.to_bits();
    let listed = NETWORKS_V6
        .iter()
        .find(|(base, prefix, _)| (bits ^ base.to_bits()) >> (128 - prefix) == 0)
        .map(|(_, _, rule)| *rule);
    if listed.is_some() {
        return listed;
    }
    if let Some(embedded) = embedded_v4(address) {
        return refused_v4(embedded);
    }
    // Only 2000::/3 is routed globally today.
    (bits >> 125 != 0b001).then_some(AddressRule::Reserved)
}

/// The IPv4 address that an IPv6 address carries.
pub(super) fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let segments = address.segments();
    let low = Ipv4Addr::from_bits(address.to_bits() as u32);
    match segments {
        // 6to4.
        [0x2002, high, next, ..] => Some(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(next))),
        // Mapped (::ffff:a.b.c.d) and the retired compatible form (::a.b.c.d), NAT64 with the well-known prefix,
        // ISATAP.
        [0, 0, 0, 0, 0, 0xffff | 0, ..]
        | [0x64, 0xff9b, 0, 0, 0, 0, ..]
        | [_, _, _, _, 0x0000 | 0x0200, 0x5efe, ..] => Some(low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> Option<AddressRule> {
        refused_by(text.parse().expect("a valid address"))
    }

    #[test]
    fn every_class_of_address() {
        use AddressRule::{
            Benchmarking, CarrierNat, Documentation, LinkLocal, Loopback, Metadata, Multicast, Private,
            Reserved, UniqueLocal, Unspecified,
        };
        let table = [
            ("0.0.0.0", Unspecified),
            ("0.1.2.3", Unspecified),
            ("10.0.0.1", Private),
            ("10.255.255.255", Private),
            ("100.64.0.1", CarrierNat),
            ("100.127.255.255", CarrierNat),
            ("100.100.100.200", Metadata),
            ("127.0.0.1", Loopback),
            ("127.255.255.254", Loopback),
            ("168.63.129.16", Metadata),
            ("169.254.0.1", LinkLocal),
            ("169.254.169.254", Metadata),
            ("172.16.0.1", Private),
            ("172.31.255.255", Private),
            ("192.0.0.8", Reserved),
            ("192.0.0.192", Metadata),
            ("192.0.2.1", Documentation),
            ("192.88.99.1", Reserved),
            ("192.168.0.1", Private),
            ("198.18.0.1", Benchmarking),
            ("198.19.255.255", Benchmarking),
            ("198.51.100.1", Documentation),
            ("203.0.113.1", Documentation),
            ("224.0.0.1", Multicast),
            ("239.255.255.255", Multicast),
            ("240.0.0.1", Reserved),
            ("255.255.255.255", Reserved),
            ("::", Unspecified),
            ("::1", Loopback),
            ("fc00::1", UniqueLocal),
            ("fd12:3456::1", UniqueLocal),
            ("fd00:ec2::254", Metadata),
            ("fd20:ce::254", Metadata),
            ("fe80::1", LinkLocal),
            ("fec0::1", Private),
            ("ff02::1", Multicast),
            ("2001:db8::1", Documentation),
            ("3fff::1", Documentation),
            ("2001:2::1", Benchmarking),
            ("2001::1", Reserved),
            ("100::1", Reserved),
            ("5f00::1", Reserved),
            ("64:ff9b:1::1", Reserved),
            ("4000::1", Reserved),
        ];
        for (text, expected) in table {
            assert_eq!(rule(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn embedded_addresses_are_classified_by_what_they_carry() {
        use AddressRule::{Loopback, Metadata, Private};
        let table = [
            ("::ffff:127.0.0.1", Some(Loopback)),
            ("::ffff:10.0.0.1", Some(Private)),
            ("::ffff:169.254.169.254", Some(Metadata)),
            ("::ffff:93.184.216.34", None),
            ("::127.0.0.1", Some(Loopback)),
            ("64:ff9b::10.0.0.1", Some(Private)),
            ("64:ff9b::93.184.216.34", None),
            ("2002:7f00:1::", Some(Loopback)),
            ("2002:a9fe:a9fe::1", Some(Metadata)),
            ("2002:5db8:d822::1", None),
            ("2606:4700::5efe:192.168.1.1", Some(Private)),
            ("2606:4700::200:5efe:10.0.0.1", Some(Private)),
        ];
        for (text, expected) in table {
            assert_eq!(rule(text), expected, "{text}");
        }
    }

    #[test]
    fn public_addresses_pass() {
        for text in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.1",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.0.1",
            "172.32.0.1",
        ] {
            assert_eq!(rule(text), None, "{text}");
        }
        for text in
            ["126.255.255.255", "128.0.0.1", "192.167.1.1", "198.17.1.1", "198.20.0.1", "223.255.255.255"]
        {
            assert_eq!(rule(text), None, "{text}");
        }
        for text in ["2606:4700:4700::1111", "2a00:1450:4001::1", "2001:4860:4860::8888", "3ffe::1"] {
            assert_eq!(rule(text), None, "{text}");
        }
    }
}
