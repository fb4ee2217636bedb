//! Name resolution that only answers addresses which may be called.
//!
//! The HTTP client connects to what this resolver answers and to nothing else, so that the check and the connection
//! see the same addresses.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::error::Refusal;
use super::guard::Guard;

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
                tracing::debug!(%address, "an outgoing call is refused by what its host resolves to");
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

    #[test]
    fn only_admitted_addresses_are_answered() {
        let guard = Guard::default();
        let mixed: Vec<IpAddr> =
            ["10.0.0.1", "1.1.1.1", "::1"].map(|text| text.parse().expect("valid")).into();
        let public: Vec<IpAddr> = vec!["1.1.1.1".parse().expect("valid")];
        assert_eq!(admit(&guard, "host", &mixed, None), Ok(public));
        assert!(admit(&guard, "host", &mixed[..1], None).is_err());
        assert_eq!(admit(&guard, "host", &[], None), Ok(Vec::new()));
    }
}
