//! The default transport: JSON over HTTP.

mod events;
mod http;
mod sse;

pub(crate) use http::Rest;
