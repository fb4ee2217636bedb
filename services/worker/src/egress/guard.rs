//! The decision whether an address may be called. Opens no connection and resolves no name.

use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::address::refused_by;
use super::allow::AllowEntry;
use super::error::Refusal;

/// Decides about URLs and addresses: what is denied is refused, what is allowed may be called, and of the rest what is
/// public, unless all of it is denied.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    allow: Vec<AllowEntry>,
    deny: Vec<AllowEntry>,
    denies_rest: bool,
}

impl Guard {
    /// A guard with this allow list.
    pub const fn new(allow: Vec<AllowEntry>) -> Self {
        Self { allow, deny: Vec::new(), denies_rest: false }
    }

    /// The same guard with a deny list; with `denies_rest` only what is allowed may be called.
    #[must_use]
    pub fn denying(mut self, deny: Vec<AllowEntry>, denies_rest: bool) -> Self {
        (self.deny, self.denies_rest) = (deny, denies_rest);
        self
    }

    /// The ports that entries name.
    pub(super) fn ports(&self) -> BTreeSet<u16> {
        self.allow.iter().chain(&self.deny).filter_map(AllowEntry::port).collect()
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
            Err(_) if self.deny.iter().any(|entry| entry.names(host, url.port_or_known_default())) => {
                Err(Refusal::Denied)
            }
            Err(_) => Ok(()),
        }
    }

    /// Checks a URL whose name somebody else resolves, such as a proxy: only names can be checked then.
    pub fn check_unresolved(&self, url: &Url) -> Result<(), Refusal> {
        self.check_url(url)?;
        let (host, port) = (url.host_str().unwrap_or_default(), url.port_or_known_default());
        let is_name = host.trim_matches(['[', ']']).parse::<IpAddr>().is_err();
        if is_name && self.denies_rest && !self.allow.iter().any(|entry| entry.names(host, port)) {
            return Err(Refusal::Denied);
        }
        Ok(())
    }

    /// Checks one address that a connection to `host` would be opened to. A port of `None` is one that no entry of
    /// the allow list names.
    pub fn check_address(&self, host: &str, address: IpAddr, port: Option<u16>) -> Result<(), Refusal> {
        if self.deny.iter().any(|entry| entry.allows(host, address, port)) {
            return Err(Refusal::Denied);
        }
        if self.allow.iter().any(|entry| entry.allows(host, address, port)) {
            return Ok(());
        }
        if self.denies_rest {
            return Err(Refusal::Denied);
        }
        refused_by(address).map_or(Ok(()), |rule| Err(Refusal::Address { rule }))
    }
}

// Name resolution that only answers addresses which may be called.
//
// The HTTP client connects to what this resolver answers and to nothing else, so that the check and the connection
// see the same addresses.

/// Finds the addresses of a name.
#[async_trait]
pub trait Lookup: Send + Sync {
    /// All addresses of `name`.
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The resolver of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemLookup;

#[async_trait]
impl Lookup for SystemLookup {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.map(|socket| socket.ip()).collect())
    }
}

/// A resolver for connections to one port (or, with `None`, to ports that the allow list does not name).
pub(super) struct GuardedResolver {
    pub(super) guard: Arc<Guard>,
    pub(super) lookup: Arc<dyn Lookup>,
    pub(super) port: Option<u16>,
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (guard, lookup, port) = (Arc::clone(&self.guard), Arc::clone(&self.lookup), self.port);
        Box::pin(async move {
            let addresses = lookup.addresses(name.as_str()).await?;
            let admitted = admit(&guard, name.as_str(), &addresses, port)?;
            // The client fills in the port of the URL.
            let sockets: Addrs = Box::new(admitted.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(sockets)
        })
    }
}

/// The addresses that may be called. A refusal only if there is none, because a name may well have a public address
/// beside one of the local network.
fn admit(guard: &Guard, name: &str, addresses: &[IpAddr], port: Option<u16>) -> Result<Vec<IpAddr>, Refusal> {
    let mut refusal = None;
    let mut admitted = Vec::with_capacity(addresses.len());
    for &address in addresses {
        match guard.check_address(name, address, port) {
            Ok(()) => admitted.push(address),
            Err(refused) => {
                // For the operator only: the caller does not learn what the name resolves to.
                tracing::debug!(%address, "an outgoing call is rejected because of the address its host resolves to");
                refusal = Some(refused);
            }
        }
    }
    match refusal {
        Some(refused) if admitted.is_empty() => Err(refused),
        _ => Ok(admitted),
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
                matches!(
                    seen,
                    Err(crate::egress::error::Refusal::Address { rule: AddressRule::Loopback, .. })
                ),
                "{host}: {seen:?}"
            );
        }
        assert!(matches!(
            check(&guard, "http://[::1]:80/"),
            Err(crate::egress::error::Refusal::Address { rule: AddressRule::Loopback, .. })
        ));
        assert!(matches!(
            check(&guard, "http://169.254.169.254/latest/meta-data/"),
            Err(crate::egress::error::Refusal::Address { rule: AddressRule::Metadata, .. })
        ));
    }

    #[test]
    fn only_plain_web_urls_pass() {
        let guard = Guard::default();
        assert_eq!(check(&guard, "https://example.com/x?y=z"), Ok(()));
        assert_eq!(check(&guard, "http://1.1.1.1:8080/"), Ok(()));
        assert_eq!(check(&guard, "ftp://example.com/"), Err(crate::egress::error::Refusal::Scheme));
        assert_eq!(check(&guard, "file:///etc/passwd"), Err(crate::egress::error::Refusal::Scheme));
        assert_eq!(check(&guard, "gopher://example.com/"), Err(crate::egress::error::Refusal::Scheme));
        assert_eq!(check(&guard, "http://user@example.com/"), Err(crate::egress::error::Refusal::Userinfo));
        assert_eq!(
            check(&guard, "http://user:word@example.com/"),
            Err(crate::egress::error::Refusal::Userinfo)
        );
        assert_eq!(check(&guard, "http://:word@example.com/"), Err(crate::egress::error::Refusal::Userinfo));
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
    fn a_refusal_names_the_rule_only() {
        let guard = Guard::default();
        let refusal = check(&guard, "http://10.1.2.3/secret?token=abc").expect_err("private");
        let text = refusal.to_string();
        assert!(text.contains("private"), "{text}");
        assert!(!text.contains("10.1.2.3") && !text.contains("secret") && !text.contains("abc"), "{text}");
        let resolved = guard.check_address("db.internal", "10.1.2.3".parse().expect("valid"), None);
        let text = resolved.expect_err("private").to_string();
        assert!(!text.contains("10.1.2.3"), "what a name resolves to is nobody's business: {text}");
    }

    fn entries(texts: &[&str]) -> Vec<AllowEntry> {
        texts.iter().map(|text| AllowEntry::parse(text).expect("valid")).collect()
    }

    #[test]
    fn what_is_denied_is_refused_whatever_is_allowed() {
        let guard = Guard::new(entries(&["10.0.0.0/8"]))
            .denying(entries(&["10.9.0.0/16", "evil.example", "odd.example:8443", "192.0.2.0/24"]), false);
        for url in [
            "http://10.9.1.1/",
            "https://evil.example/",
            "https://EVIL.example./",
            "https://odd.example:8443/",
        ] {
            assert_eq!(check(&guard, url), Err(crate::egress::error::Refusal::Denied), "{url}");
        }
        for url in ["http://10.8.1.1/", "https://odd.example/", "https://good.example/", "http://1.1.1.1/"] {
            assert_eq!(check(&guard, url), Ok(()), "{url}");
        }
        let at = |text: &str| guard.check_address("a.example", text.parse().expect("valid"), None);
        assert_eq!(at("192.0.2.7"), Err(crate::egress::error::Refusal::Denied), "by what a name resolves to");
        assert_eq!(at("1.1.1.1"), Ok(()));
    }

    #[test]
    fn all_but_what_is_allowed_can_be_denied() {
        let guard = Guard::new(entries(&["api.example", "1.1.1.1"])).denying(Vec::new(), true);
        let at = |host: &str, text: &str| guard.check_address(host, text.parse().expect("valid"), None);
        assert_eq!(at("api.example", "8.8.8.8"), Ok(()));
        assert_eq!(at("other.example", "1.1.1.1"), Ok(()));
        assert_eq!(at("other.example", "8.8.8.8"), Err(crate::egress::error::Refusal::Denied));
        let unresolved = |url: &str| guard.check_unresolved(&Url::parse(url).expect("valid"));
        assert_eq!(unresolved("https://api.example/"), Ok(()));
        assert_eq!(unresolved("https://other.example/"), Err(crate::egress::error::Refusal::Denied));
        assert_eq!(unresolved("https://8.8.8.8/"), Err(crate::egress::error::Refusal::Denied));
    }

    #[test]
    fn only_admitted_addresses_are_answered() {
        let guard = super::Guard::default();
        let mixed: Vec<IpAddr> =
            ["10.0.0.1", "1.1.1.1", "::1"].map(|text| text.parse().expect("valid")).into();
        let public: Vec<IpAddr> = vec!["1.1.1.1".parse().expect("valid")];
        assert_eq!(admit(&guard, "host", &mixed, None), Ok(public));
        assert!(admit(&guard, "host", &mixed[..1], None).is_err());
        assert_eq!(admit(&guard, "host", &[], None), Ok(Vec::new()));
    }
}
