//! What holds for single tenants: what they may call beside the others, what not, and by which proxy.

use std::collections::HashMap;
use std::sync::Arc;

use domain::names::TenantName;

use super::EgressOptions;
use super::client::EgressClient;
use super::error::EgressError;
use super::guard::{Lookup, SystemLookup};
use super::rule::RuleKind;

impl EgressOptions {
    /// What holds for a tenant: the common lists with its own beside them, and its own proxy in place of the common one.
    fn of_tenant(&self, tenant: &TenantName) -> Self {
        let mut own = Self { tenants: Vec::new(), ..self.clone() };
        for rule in self.tenants.iter().filter(|rule| rule.tenant == *tenant) {
            match &rule.kind {
                RuleKind::Allow(entry) => own.allow.push(entry.clone()),
                RuleKind::Deny(entry) => own.deny.push(entry.clone()),
                RuleKind::DenyRest => own.denies_rest = true,
                RuleKind::Proxy(proxy) => own.proxy = Some(proxy.clone()),
            }
        }
        own
    }
}

/// A client for each tenant that has rules of its own, and one for all others.
pub struct EgressClients {
    common: EgressClient,
    by_tenant: HashMap<TenantName, EgressClient>,
}

impl EgressClients {
    /// Clients that resolve names as the operating system does.
    pub fn new(options: EgressOptions) -> Result<Self, EgressError> {
        let lookup: Arc<dyn Lookup> = Arc::new(SystemLookup);
        let mut by_tenant = HashMap::new();
        for rule in &options.tenants {
            if !by_tenant.contains_key(&rule.tenant) {
                let client = EgressClient::with_lookup(options.of_tenant(&rule.tenant), &lookup)?;
                by_tenant.insert(rule.tenant.clone(), client);
            }
        }
        Ok(Self { common: EgressClient::with_lookup(options, &lookup)?, by_tenant })
    }

    /// The client for what a tenant calls.
    pub fn of(&self, tenant: &TenantName) -> &EgressClient {
        self.by_tenant.get(tenant).unwrap_or(&self.common)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::egress::rule::{ProxyAddress, TenantRule};

    #[test]
    fn rules_are_read_in_words() {
        for rule in [
            "acme allow 10.1.0.0/16",
            "acme  deny  evil.example:8443",
            "acme deny *",
            "acme proxy http://proxy.internal:3128",
        ] {
            assert!(TenantRule::parse(rule).is_ok(), "{rule}");
        }
        for rule in [
            "",
            "acme",
            "acme allow",
            "acme allow *",
            "acme call x",
            "acme proxy x",
            "a b c d",
            "acme deny a/b",
        ] {
            assert!(TenantRule::parse(rule).is_err(), "{rule}");
        }
    }

    #[test]
    fn a_tenant_has_its_rules_beside_the_common_ones() {
        let rules = [
            "acme allow 10.1.0.0/16",
            "acme deny evil.example",
            "umbrella deny *",
            "acme proxy http://p:3128",
        ];
        let tenants: Vec<TenantRule> = rules.map(|rule| TenantRule::parse(rule).expect("valid")).into();
        let common = EgressOptions { tenants, ..super::super::EgressOptions::default() };
        let common = common.allowing(["intranet"]).expect("valid");
        let acme = common.of_tenant(&TenantName::trusted("acme"));
        assert_eq!((acme.allow.len(), acme.deny.len(), acme.denies_rest), (2, 1, false));
        assert!(acme.proxy.is_some());
        let umbrella = common.of_tenant(&TenantName::trusted("umbrella"));
        assert_eq!((umbrella.allow.len(), umbrella.deny.len(), umbrella.denies_rest), (1, 0, true));
        assert!(umbrella.proxy.is_none());
    }

    #[test]
    fn passwords_of_proxies_are_not_shown() {
        let proxy = ProxyAddress::parse("http://user:hush@proxy:3128").expect("valid");
        assert!(!format!("{proxy:?}").contains("hush"));
    }
}
