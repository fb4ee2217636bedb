//! The decision whether an address may be called. Opens no connection and resolves no name.

use std::collections::BTreeSet;
use std::net::IpAddr;

use reqwest::Url;

use super::address::refused_by;
use super::allow::AllowEntry;
use super::error::Refusal;

/// Decides about URLs and addresses by the rules and the allow list.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    allow: Vec<AllowEntry>,
}

impl Guard {
    /// A guard with this allow list.
    pub const fn new(allow: Vec<AllowEntry>) -> Self {
        Self { allow }
    }

    /// The ports that entries name.
    pub(super) fn ports(&self) -> BTreeSet<u16> {
        self.allow.iter().filter_map(AllowEntry::port).collect()
    }

    /// Checks what a URL shows: scheme, user information, and the address where the host is written as one. Names are
    /// checked when they are resolved. Odd spellings of addresses (`0x7f.1`, `2130706433`) are normal ones by now,
    /// because [`Url`] has read them as browsers do.
    pub fn check_url(&self, url: &Url) -> Result<(), Refusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refusal::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refusal::Userinfo);
        }
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(Refusal::NoHost)?;
        match host.trim_matches(['[', ']']).parse::<IpAddr>() {
            Ok(address) => self.check_address(host, address, url.port_or_known_default()),
            Err(_) => Ok(()),
        }
    }

    /// Checks one address that a connection to `host` would be opened to. A port of `None` is one that no entry of
    /// the allow list names.
    pub fn check_address(&self, host: &str, address: IpAddr, port: Option<u16>) -> Result<(), Refusal> {
        let Some(rule) = refused_by(address) else {
            return Ok(());
        };
        if self.allow.iter().any(|entry| entry.allows(host, address, port)) {
            return Ok(());
        }
        Err(Refusal::Address { address, rule })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::egress::AddressRule;

    fn check(guard: &Guard, url: &str) -> Result<(), Refusal> {
        guard.check_url(&Url::parse(url).expect("a valid URL"))
    }

    #[test]
    fn odd_spellings_of_loopback_are_loopback() {
        let guard = Guard::default();
        for host in [
            "127.0.0.1",
            "127.1",
            "127.0.1",
            "0x7f.1",
            "0x7f000001",
            "0x7F.0.0.1",
            "2130706433",
            "017700000001",
            "0177.0.0.1",
            "127.0.0.1.",
            "%31%32%37.0.0.1",
            "[::ffff:127.0.0.1]",
            "[::127.0.0.1]",
            "[64:ff9b::7f00:1]",
            "[2002:7f00:1::]",
            "①②⑦.0.0.1",
        ] {
            let seen = check(&guard, &format!("http://{host}/path"));
            assert!(
                matches!(seen, Err(Refusal::Address { rule: AddressRule::Loopback, .. })),
                "{host}: {seen:?}"
            );
        }
        assert!(matches!(
            check(&guard, "http://[::1]:80/"),
            Err(Refusal::Address { rule: AddressRule::Loopback, .. })
        ));
        assert!(matches!(
            check(&guard, "http://169.254.169.254/latest/meta-data/"),
            Err(Refusal::Address { rule: AddressRule::Metadata, .. })
        ));
    }

    #[test]
    fn only_plain_web_urls_pass() {
        let guard = Guard::default();
        assert_eq!(check(&guard, "https://example.com/x?y=z"), Ok(()));
        assert_eq!(check(&guard, "http://1.1.1.1:8080/"), Ok(()));
        assert_eq!(check(&guard, "ftp://example.com/"), Err(Refusal::Scheme));
        assert_eq!(check(&guard, "file:///etc/passwd"), Err(Refusal::Scheme));
        assert_eq!(check(&guard, "gopher://example.com/"), Err(Refusal::Scheme));
        assert_eq!(check(&guard, "http://user@example.com/"), Err(Refusal::Userinfo));
        assert_eq!(check(&guard, "http://user:word@example.com/"), Err(Refusal::Userinfo));
        assert_eq!(check(&guard, "http://:word@example.com/"), Err(Refusal::Userinfo));
    }

    #[test]
    fn the_allow_list_opens_single_ports() {
        let guard = Guard::new(vec![AllowEntry::parse("127.0.0.1:8089").expect("valid")]);
        assert_eq!(check(&guard, "http://127.0.0.1:8089/"), Ok(()));
        assert!(check(&guard, "http://127.0.0.1:8090/").is_err());
        assert!(check(&guard, "http://127.0.0.1/").is_err());
        assert_eq!(guard.ports().into_iter().collect::<Vec<_>>(), [8089]);
    }

    #[test]
    fn a_refusal_names_the_rule_and_the_address_only() {
        let refusal = check(&Guard::default(), "http://10.1.2.3/secret?token=abc").expect_err("private");
        let text = refusal.to_string();
        assert!(text.contains("10.1.2.3") && text.contains("private"), "{text}");
        assert!(!text.contains("secret") && !text.contains("abc"), "{text}");
    }
}
