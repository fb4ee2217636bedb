//! Outgoing HTTP: which addresses may be called, and a client that keeps to it and to its caps.
//!
//! The check is made on the addresses that the connection is opened to, in the resolver, so that a name that changes
//! its answer between a check and the connection gains nothing. Knows nothing of jobs.

mod address;
mod allow;
mod client;
mod error;
mod guard;
mod options;
mod redirect;
mod resolver;
mod tenants;

pub use address::{AddressRule, refused_by};
pub use allow::{AllowEntry, AllowFault};
pub use client::{EgressClient, EgressRequest, EgressResponse};
pub use error::{EgressError, Refusal};
pub use guard::Guard;
pub use options::EgressOptions;
pub use resolver::{Lookup, SystemLookup};
pub use tenants::{EgressClients, ProxyAddress, RuleFault, TenantRule};

#[cfg(test)]
mod tests;
