//! What the interface is put together from, and the head of a call as REST would see it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Extensions, HeaderMap, Method, Request, Response, Uri};
use domain::access::Action;
use domain::error::Fault;
use domain::time::DurationMs;
use engine::{Caller, Door, Engine};

use crate::meter::MessageRoom;
use crate::options::GrpcOptions;

/// Lets callers in, as REST does. The errors are the answers that REST would give.
#[async_trait]
pub trait Gate: Send + Sync + 'static {
    /// Who makes a request, by its head.
    async fn identify(&self, head: Request<Body>) -> Result<Caller, Response<Body>>;

    /// The same, counted against the key's rate, if the caller may do it.
    async fn admit(&self, head: Request<Body>, action: Action) -> Result<Caller, Response<Body>>;

    /// Lets a unary call in before its message is read, if its caller may make the call of REST that it mirrors: who that is, and
    /// the most bytes that the message may have. REST asks again when it carries the call out, and counts it.
    async fn admit_call(
        &self,
        head: Request<Body>,
        call: RestCall<'_>,
    ) -> Result<(Caller, usize), Response<Body>>;

    /// Room for a message of a caller.
    fn room(&self, caller: &Caller) -> MessageRoom;

    /// Counts a call against the key's rate; answers when to come again where that is one too many.
    async fn count(&self, caller: &Caller) -> Option<DurationMs>;

    /// What is refused in all JSON.
    fn check_json(&self, text: &str) -> Result<(), Fault>;
}

/// A call of REST.
#[derive(Debug, Clone, Copy)]
pub struct RestCall<'a> {
    /// Its method.
    pub method: &'a Method,
    /// Its path, with parameters in braces.
    pub path: &'a str,
    /// What its query always has.
    pub query: &'a str,
}

/// What the interface is put together from.
#[derive(Clone)]
pub struct GrpcParts {
    /// The use cases, for streams.
    pub engine: Engine,
    /// The REST interface, which carries unary calls out.
    pub rest: Router,
    /// Lets callers in.
    pub gate: Arc<dyn Gate>,
    /// The bounds.
    pub options: GrpcOptions,
}

/// Headers of a call that REST gets to see. Cookies are not among them: sessions are for browsers.
const FORWARDED: [&str; 11] = [
    "authorization",
    "idempotency-key",
    "traceparent",
    "tracestate",
    "user-agent",
    "x-request-id",
    "x-forwarded-for",
    "x-real-ip",
    "forwarded",
    "origin",
    "host",
];

/// The head of a call, from which requests of REST are made.
#[derive(Clone)]
pub(crate) struct Head {
    headers: HeaderMap,
    peer: Option<ConnectInfo<SocketAddr>>,
}

impl Head {
    /// What of a call's head counts.
    pub(crate) fn of(headers: &HeaderMap, uri: &Uri, extensions: &Extensions) -> Self {
        let mut kept = HeaderMap::with_capacity(FORWARDED.len());
        for name in FORWARDED {
            for value in headers.get_all(name) {
                kept.append(name, value.clone());
            }
        }
        // HTTP/2 says the host by its authority.
        if !kept.contains_key("host")
            && let Some(host) = uri.authority().and_then(|authority| authority.as_str().parse().ok())
        {
            kept.insert("host", host);
        }
        Self { headers: kept, peer: extensions.get::<ConnectInfo<SocketAddr>>().copied() }
    }

    /// A request of REST with this head.
    pub(crate) fn request(&self, method: Method, uri: Uri, body: Body) -> Request<Body> {
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = uri;
        *request.headers_mut() = self.headers.clone();
        request.extensions_mut().insert(Door::Grpc);
        if let Some(peer) = self.peer {
            request.extensions_mut().insert(peer);
        }
        request
    }

    /// A request that is only asked who makes it.
    pub(crate) fn bare(&self) -> Request<Body> {
        self.request(Method::POST, Uri::from_static("/"), Body::empty())
    }
}

// `grpc-timeout`: how long a caller waits for an answer.

/// What the caller asks for; `None` where it says nothing, or nothing that can be read.
pub(crate) fn of(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get("grpc-timeout")?.to_str().ok()?;
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.is_empty() || digits.len() > 8 {
        return None;
    }
    let value: u64 = digits.parse().ok()?;
    Some(match unit {
        "H" => Duration::from_secs(value * 3_600),
        "M" => Duration::from_secs(value * 60),
        "S" => Duration::from_secs(value),
        "m" => Duration::from_millis(value),
        "u" => Duration::from_micros(value),
        "n" => Duration::from_nanos(value),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_distinguished() {
        let read = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert("grpc-timeout", axum::http::HeaderValue::from_static(text));
            of(&headers)
        };
        assert_eq!(read("2M"), Some(Duration::from_mins(2)));
        assert_eq!(read("250m"), Some(Duration::from_millis(250)));
        for text in ["", "5", "m", "-1S", "999999999S", "1x"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
