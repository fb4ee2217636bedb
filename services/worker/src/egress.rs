//! Outgoing HTTP: which addresses may be called, and a client that keeps to it and to its caps.
//!
//! The check is made on the addresses that the connection is opened to, in the resolver, so that a name that changes
//! its answer between a check and the connection gains nothing. Knows nothing of jobs.

mod address;
mod allow;
mod client;
mod guard;
mod redirect;
mod tenants;

use std::error::Error;
use std::time::Duration;

pub use address::{AddressRule, refused_by};
pub use allow::{AllowEntry, AllowFault};
pub use client::{EgressClient, EgressRequest, EgressResponse};
pub use guard::{Guard, Lookup, SystemLookup};
pub use tenants::{EgressClients, ProxyAddress, RuleFault, TenantRule};

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

// What can go wrong with an outgoing call.

/// A call that is not made, and the rule that forbids it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The host is or resolves to an address that is not public.
    #[error(
        "The address of the host is refused: {rule} addresses can only be called when they are allow-listed."
    )]
    Address {
        /// The rule. The address is not shown: what names resolve to reveals the network.
        rule: AddressRule,
    },
    /// The operator denies it.
    #[error("The host is refused: the operator does not allow calls to it.")]
    Denied,
    /// Neither http nor https.
    #[error("The URL scheme is refused: only http and https can be called.")]
    Scheme,
    /// `https://user:password@host`, which hides the host from the reader and leaks into logs.
    #[error("URLs with a user name or a password are refused; use an authorization header.")]
    Userinfo,
    /// There is no host.
    #[error("URLs without a host are refused.")]
    NoHost,
}

/// A failed call. No text of it holds the URL, whose query may be a secret.
#[derive(Debug, thiserror::Error)]
pub enum EgressError {
    /// A rule forbids it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The request cannot be sent as it is.
    #[error("the request is not valid HTTP")]
    Invalid(#[source] reqwest::Error),
    /// More redirects than are followed.
    #[error("the server redirected more than {redirects_max} times")]
    Redirects {
        /// How many are followed.
        redirects_max: u32,
    },
    /// A redirect to nowhere.
    #[error("the server redirected to something that is no URL")]
    RedirectTarget,
    /// A redirect would have carried the body to another origin.
    #[error("the server redirected a request with a body to another origin")]
    RedirectOrigin,
    /// The response is larger than is read.
    #[error("the response is larger than {bytes_max} bytes")]
    TooLarge {
        /// The cap.
        bytes_max: usize,
    },
    /// The whole call took too long.
    #[error("the call did not end within {timeout_ms} ms")]
    TimedOut {
        /// The cap.
        timeout_ms: u128,
    },
    /// The connection could not be made or broke.
    #[error("the connection failed")]
    Connection(#[source] reqwest::Error),
}

impl From<reqwest::Error> for EgressError {
    fn from(error: reqwest::Error) -> Self {
        if let Some(refusal) = refusal_in(&error) {
            return Self::Refused(refusal);
        }
        let error = error.without_url();
        if error.is_builder() { Self::Invalid(error) } else { Self::Connection(error) }
    }
}

/// The refusal that the resolver answered with, somewhere in the chain of causes.
fn refusal_in(error: &reqwest::Error) -> Option<Refusal> {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(current) = cause {
        if let Some(refusal) = current.downcast_ref::<Refusal>() {
            return Some(refusal.clone());
        }
        cause = current.source();
    }
    None
}

#[cfg(test)]
mod tests;
