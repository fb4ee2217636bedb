//! Rules for the requests of one tenant, as the settings write them.

use std::fmt;

use domain::names::TenantName;
use reqwest::Url;

use super::allow::AllowEntry;

/// The address of a proxy. May hold a password, which is not shown.
#[derive(Clone, PartialEq, Eq)]
pub struct ProxyAddress(Url);

impl ProxyAddress {
    /// Reads `http://host:port` or `https://host:port`, with a user and a password if needed.
    pub fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let is_proxy =
            matches!(url.scheme(), "http" | "https") && url.host_str().is_some_and(|host| !host.is_empty());
        is_proxy.then_some(Self(url))
    }

    pub(super) const fn url(&self) -> &Url {
        &self.0
    }
}

impl fmt::Debug for ProxyAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ProxyAddress").field(&self.0.host_str()).finish()
    }
}

/// A rule for one tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TenantRule {
    pub(super) tenant: TenantName,
    pub(super) kind: RuleKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RuleKind {
    Allow(AllowEntry),
    Deny(AllowEntry),
    DenyRest,
    Proxy(ProxyAddress),
}

/// A text that is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{rule:?} is not a rule such as \"acme allow 10.1.0.0/16\", \"acme deny evil.example\", \"acme deny *\" or \"acme proxy \
     http://proxy:3128\""
)]
pub struct RuleFault {
    /// The text.
    pub rule: String,
}

impl TenantRule {
    /// Reads a tenant, `allow`, `deny` or `proxy`, and what is meant: an entry as of the allow list, `*` for all the rest
    /// (to deny), an address.
    pub fn parse(rule: &str) -> Result<Self, RuleFault> {
        Self::read(rule).ok_or_else(|| RuleFault { rule: rule.to_owned() })
    }

    fn read(rule: &str) -> Option<Self> {
        let mut words = rule.split_ascii_whitespace();
        let (tenant, verb, value) = (words.next()?, words.next()?, words.next()?);
        if words.next().is_some() {
            return None;
        }
        let tenant = TenantName::parse(tenant).ok()?;
        let kind = match (verb, value) {
            ("deny", "*") => RuleKind::DenyRest,
            ("allow", entry) => RuleKind::Allow(AllowEntry::parse(entry).ok()?),
            ("deny", entry) => RuleKind::Deny(AllowEntry::parse(entry).ok()?),
            ("proxy", address) => RuleKind::Proxy(ProxyAddress::parse(address)?),
            _ => return None,
        };
        Some(Self { tenant, kind })
    }
}
