//! The settings of the REST interface. Reads no settings itself.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use domain::time::DurationMs;

use crate::bodies::BodyRoom;
use crate::proxies::TrustedProxies;

/// Bounds of the REST interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiOptions {
    /// The largest request body, in bytes.
    pub max_body_bytes: usize,
    /// The same of requests that carry one thing: all but batches and what workers report.
    pub max_single_body_bytes: usize,
    /// What the bodies of all requests under way may take together, in bytes.
    pub bodies_bytes_max: usize,
    /// The room of so many bytes: one for all interfaces whose options are copies of each other.
    pub bodies: SharedBodies,
    /// How long a body may take before its rate counts.
    pub body_grace: DurationMs,
    /// How many bytes of a body must come in a second from then on.
    pub body_rate_min_bytes: usize,
    /// How many requests each API key may make.
    pub rate_limit: LiveRateLimit,
    /// How long a request may take, waiting calls included.
    pub request_timeout: DurationMs,
    /// How deep JSON may be nested.
    pub json_depth_max: usize,
    /// Whether `/v1` and the documentation are served.
    pub serves_rest: bool,
    /// Whether webhook ingress (`/hooks`) is served.
    pub serves_hooks: bool,
    /// Bounds of webhook ingress.
    pub ingress: IngressOptions,
    /// How many requests with keys that are not valid each source address may make. Valid ones are never counted.
    pub unknown_keys: Option<RateLimit>,
    /// How the cookie of sessions is written.
    pub session_cookie: SessionCookie,
    /// Where browsers that sign in by an identity provider come back to; `None` where they cannot.
    pub sign_in: Option<SignInOptions>,
    /// What people call this server.
    pub environment: EnvironmentOptions,
    /// Proxies that may say where a request comes from.
    pub trusted_proxies: TrustedProxies,
    /// Whether callers on this machine are administrators without a key while there is no key at all.
    pub is_open: bool,
}

/// The room for the bodies of all requests under way, for whoever serves them. It is made when it is first asked for.
#[derive(Debug, Clone, Default)]
pub struct SharedBodies(Arc<OnceLock<Arc<BodyRoom>>>);

impl SharedBodies {
    /// The room; only the first to ask says how large it is.
    pub(crate) fn room(&self, bytes_max: usize) -> Arc<BodyRoom> {
        Arc::clone(self.0.get_or_init(|| BodyRoom::new(bytes_max)))
    }
}

/// Options are the same whoever shares the room.
impl PartialEq for SharedBodies {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for SharedBodies {}

/// How the cookie of sessions is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionCookie {
    /// Below which path browsers send it; begins and ends with a slash.
    pub path: String,
    /// Whether browsers send it over TLS only.
    pub is_secure: bool,
}

impl Default for SessionCookie {
    fn default() -> Self {
        Self { path: "/".to_owned(), is_secure: false }
    }
}

/// Sign-in by an identity provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInOptions {
    /// The address under which browsers reach the server, without a slash at its end.
    pub public_url: String,
}

/// What people call this server, so that nobody takes one for another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnvironmentOptions {
    /// Its name; empty for none.
    pub name: String,
    /// Its color, as `#rrggbb`; empty for none.
    pub color: String,
    /// Whether sessions of the console only look, whatever their role.
    pub is_read_only: bool,
}

/// Bounds of webhook ingress, where senders have no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IngressOptions {
    /// How long the body of a request may take before its rate counts.
    pub body_timeout: DurationMs,
    /// The most bytes of all header lines of a request together.
    pub header_bytes_max: usize,
}

/// So many requests in each span of time, and so many at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// How many requests the span allows.
    pub requests: u32,
    /// The span.
    pub per: DurationMs,
    /// How many requests a caller that was idle may make at once.
    pub burst: u32,
}

/// A rate limit that can be changed while the server runs; without one, callers are not counted. Clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct LiveRateLimit(Arc<RwLock<Option<RateLimit>>>);

impl LiveRateLimit {
    /// A limit to begin with.
    pub fn new(limit: Option<RateLimit>) -> Self {
        Self(Arc::new(RwLock::new(limit)))
    }

    /// The present limit.
    pub fn get(&self) -> Option<RateLimit> {
        *self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another limit from the next request on.
    pub fn set(&self, limit: Option<RateLimit>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = limit;
    }
}

impl PartialEq for LiveRateLimit {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for LiveRateLimit {}

impl Default for ApiOptions {
    fn default() -> Self {
        Self {
            max_body_bytes: 32 * 1024 * 1024,
            max_single_body_bytes: 4 * 1024 * 1024,
            bodies_bytes_max: 256 * 1024 * 1024,
            bodies: SharedBodies::default(),
            body_grace: DurationMs::from_secs(10),
            body_rate_min_bytes: 4 * 1024,
            rate_limit: LiveRateLimit::default(),
            request_timeout: DurationMs::from_secs(60),
            json_depth_max: 64,
            serves_rest: true,
            serves_hooks: true,
            ingress: IngressOptions::default(),
            unknown_keys: Some(RateLimit { requests: 100, per: DurationMs::from_secs(1), burst: 1_000 }),
            session_cookie: SessionCookie::default(),
            sign_in: None,
            environment: EnvironmentOptions::default(),
            trusted_proxies: TrustedProxies::default(),
            is_open: false,
        }
    }
}

impl Default for IngressOptions {
    fn default() -> Self {
        Self { body_timeout: DurationMs::from_secs(20), header_bytes_max: 64 * 1024 }
    }
}
