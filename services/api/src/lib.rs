//! The REST interface: HTTP in, one call of the engine, JSON out.
//!
//! `router` puts it together. A request passes `gate` (time limit, key, rate, idempotency), is read by `extract` and
//! `json`, handled in `routes`, and answered with `shapes` or a `problem`. The only crate that serves HTTP; it decides
//! nothing, holds no state of its own beyond rate limits, and knows no database.

mod admission;
mod bodies;
mod compression;
mod extract;
mod gate;
mod json;
mod openapi;
mod options;
mod pages;
mod problem;
mod proxies;
mod rights;
mod router;
mod routes;
mod shapes;
mod state;

pub use admission::Admission;
pub use gate::require_host;
pub use openapi::openapi_json;
pub use options::{
    ApiOptions, EnvironmentOptions, IngressOptions, LiveRateLimit, RateLimit, SessionCookie, SharedBodies,
    SignInOptions,
};
pub use proxies::{ProxyFault, TrustedProxies};
pub use router::{router, unavailable_router};
