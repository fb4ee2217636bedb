//! What HTTP nodes may call and how much they may take.

use std::net::{IpAddr, SocketAddr};

use domain::time::DurationMs;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::values::{ByteSize, secret};

/// Outgoing calls of HTTP nodes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EgressSettings {
    /// Private, loopback, link-local and metadata addresses that may be called all the same. Each entry is a network
    /// (`10.1.0.0/16`), an address (`127.0.0.1`), or either a host name or an address with a port (`intranet:8443`).
    pub allow: Vec<String>,
    /// What may not be called, allowed or not: entries as in `allow`, or `*` for all that is not in `allow`.
    pub deny: Vec<String>,
    /// The proxy that calls go through; absent where there is none. Secret, because it may hold a password.
    #[serde(with = "secret::optional_address", skip_serializing_if = "Option::is_none")]
    pub proxy: Option<SecretString>,
    /// The same for single tenants, beside it: a tenant, `allow`, `deny` or `proxy`, and an entry or an address.
    pub tenants: Vec<String>,
    /// The largest response that is read.
    pub response_bytes_max: ByteSize,
    /// How long a call may take, redirects included.
    pub timeout: DurationMs,
    /// How many redirects are followed.
    pub redirects_max: u32,
}

impl Default for EgressSettings {
    fn default() -> Self {
        Self {
            allow: Vec::new(),
            deny: Vec::new(),
            proxy: None,
            tenants: Vec::new(),
            response_bytes_max: ByteSize::mebibytes(1),
            timeout: DurationMs::from_secs(30),
            redirects_max: 5,
        }
    }
}

/// Whether `entry` has a form that [`EgressSettings::deny`] describes.
pub(crate) fn is_deny_entry(entry: &str) -> bool {
    entry == "*" || is_allow_entry(entry)
}

/// Whether `url` is the address of a proxy.
pub(crate) fn is_proxy(url: &str) -> bool {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let host = rest.map(|rest| rest.rsplit_once('@').map_or(rest, |(_, host)| host).trim_end_matches('/'));
    host.is_some_and(|host| {
        !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.:[]".contains(&byte))
    })
}

/// Whether `rule` has a form that [`EgressSettings::tenants`] describes. It is shown as it is: its proxy has no password.
pub(crate) fn is_tenant_rule(rule: &str) -> bool {
    match rule.split_ascii_whitespace().collect::<Vec<_>>()[..] {
        [tenant, verb, value] => {
            domain::names::TenantName::parse(tenant).is_ok()
                && match verb {
                    "allow" => is_allow_entry(value),
                    "deny" => is_deny_entry(value),
                    "proxy" => is_proxy(value) && !value.contains('@'),
                    _ => false,
                }
        }
        _ => false,
    }
}

/// Whether `entry` has a form that [`EgressSettings::allow`] describes.
pub(crate) fn is_allow_entry(entry: &str) -> bool {
    if entry.contains('/') || entry.parse::<IpAddr>().is_ok() {
        return is_network(entry);
    }
    if entry.parse::<SocketAddr>().is_ok() {
        return true;
    }
    let (host, port) = entry.rsplit_once(':').map_or((entry, None), |(host, port)| (host, Some(port)));
    is_host_name(host) && port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0))
}

/// Whether `entry` is a network (`10.1.0.0/16`) or an address, which is a network of one.
pub(crate) fn is_network(entry: &str) -> bool {
    let (address, prefix) =
        entry.split_once('/').map_or((entry, None), |(address, bits)| (address, Some(bits)));
    address.parse::<IpAddr>().is_ok_and(|address| {
        let bits_max = if address.is_ipv4() { 32 } else { 128 };
        prefix.is_none_or(|prefix| prefix.parse::<u8>().is_ok_and(|bits| bits <= bits_max))
    })
}

/// Letters, digits, hyphens and dots; not all digits and dots, which would be a mistyped address.
fn is_host_name(host: &str) -> bool {
    let label_ok = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    host.len() <= 253 && host.split('.').all(label_ok) && host.bytes().any(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::{is_allow_entry, is_deny_entry, is_proxy, is_tenant_rule};

    #[test]
    fn rules_of_tenants_are_checked_word_by_word() {
        for rule in
            ["acme allow 10.1.0.0/16", "acme deny *", "acme deny evil.example", "acme proxy http://p:3128"]
        {
            assert!(is_tenant_rule(rule), "{rule}");
        }
        for rule in
            ["acme", "acme allow *", "acme proxy http://u:pw@p:3128", "acme proxy p:3128", "acme call x", ""]
        {
            assert!(!is_tenant_rule(rule), "{rule}");
        }
        assert!(is_deny_entry("*") && !is_deny_entry("**"));
        assert!(is_proxy("http://user:word@proxy:3128/") && !is_proxy("http://") && !is_proxy("socks5://x"));
    }

    #[test]
    fn entries_are_networks_addresses_and_hosts() {
        for entry in [
            "10.0.0.0/8",
            "fd00::/8",
            "127.0.0.1",
            "::1",
            "127.0.0.1:8089",
            "[::1]:80",
            "localhost",
            "intranet.example:8443",
        ] {
            assert!(is_allow_entry(entry), "{entry}");
        }
        for entry in [
            "",
            "10.0.0.0/33",
            "10.0.0/8",
            "10.0.0.256",
            "http://x",
            "host:0",
            "host:http",
            "-a.b",
            "a b",
            "*",
        ] {
            assert!(!is_allow_entry(entry), "{entry}");
        }
    }
}
