//! Why a request did not go out, or came to nothing.

use std::error::Error;

use super::address::AddressRule;

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
    #[error("the server redirected to an invalid URL")]
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
