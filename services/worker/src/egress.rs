//! Outgoing HTTP: which addresses may be called, and a client that keeps to it and to its caps.
//!
//! The check is made on the addresses that the connection is opened to, in the resolver, so that a name that changes
//! its answer between a check and the connection gains nothing. Knows nothing of jobs.

mod address;
mod allow;
mod client;
mod error;
mod guard;
mod redirect;
mod rule;
mod tenants;

use std::time::Duration;

pub use address::{AddressRule, refused_by};
pub use allow::{AllowEntry, AllowFault};
pub use client::{EgressClient, EgressResponse};
pub use error::EgressError;
pub use guard::{Guard, Lookup, SystemLookup};
pub use redirect::EgressRequest;
pub use rule::{ProxyAddress, RuleFault, TenantRule};
pub use tenants::EgressClients;

// What outgoing calls may reach and how much they may take.

/// The options of [`EgressClient`].
#[derive(Debug, Clone)]
pub struct EgressOptions {
    /// What may be called although it is not public.
    pub allow: Vec<AllowEntry>,
    /// What may not be called although it is public or allowed.
    pub deny: Vec<AllowEntry>,
    /// Whether only what is in `allow` may be called.
    pub denies_rest: bool,
    /// The proxy that calls go through. It resolves names then, and has to keep them from inner addresses.
    pub proxy: Option<ProxyAddress>,
    /// What holds for single tenants beside it.
    pub tenants: Vec<TenantRule>,
    /// The largest response body that is read.
    pub response_bytes_max: usize,
    /// How long a call may take, redirects and the reading of the body included.
    pub timeout: Duration,
    /// How many redirects are followed.
    pub redirects_max: u32,
}

impl Default for EgressOptions {
    /// 1 MiB, 30 s, 5 redirects, nothing allow-listed.
    fn default() -> Self {
        Self {
            allow: Vec::new(),
            deny: Vec::new(),
            denies_rest: false,
            proxy: None,
            tenants: Vec::new(),
            response_bytes_max: 1024 * 1024,
            timeout: Duration::from_secs(30),
            redirects_max: 5,
        }
    }
}

impl EgressOptions {
    /// The same options with this allow list.
    pub fn allowing<'a>(mut self, entries: impl IntoIterator<Item = &'a str>) -> Result<Self, AllowFault> {
        self.allow = entries.into_iter().map(AllowEntry::parse).collect::<Result<_, _>>()?;
        Ok(self)
    }
}

#[cfg(test)]
mod tests;
