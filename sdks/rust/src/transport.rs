//! What carries calls: REST, or another way that the program or a feature brings.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use serde::Serialize;

use crate::context::CancelReason;
use crate::error::ClientError;
use crate::models::ChangeEvent;
use crate::rest::Rest;

/// Changes as they happen. A broken stream is reopened, and then starts with an event of the kind `resync`.
pub type EventStream = BoxStream<'static, Result<ChangeEvent, ClientError>>;

/// One call of the API, named as in the OpenAPI document.
#[derive(Debug, Clone)]
pub struct Request {
    /// The operation, such as `enqueueJob`.
    pub name: &'static str,
    /// The HTTP method.
    pub method: &'static str,
    /// The path, with its parameters filled in.
    pub path: String,
    /// The query.
    pub query: Vec<(String, String)>,
    /// The JSON body, if any.
    pub body: Option<Bytes>,
    /// Whether the call takes an idempotency key.
    pub keyed: bool,
}

impl Request {
    /// A call without query and body.
    pub fn new(name: &'static str, method: &'static str, path: impl Into<String>) -> Self {
        Self { name, method, path: path.into(), query: Vec::new(), body: None, keyed: false }
    }

    pub(crate) fn keyed(mut self) -> Self {
        self.keyed = true;
        self
    }

    /// Sets the query: the fields that are there.
    pub(crate) fn query(mut self, query: &impl Serialize) -> Result<Self, ClientError> {
        let json = serde_json::to_value(query).map_err(|error| ClientError::json(self.name, error))?;
        let fields = json.as_object().cloned().unwrap_or_default();
        self.query = fields
            .into_iter()
            .filter_map(|(name, value)| match value {
                serde_json::Value::Null => None,
                serde_json::Value::String(text) => Some((name, text)),
                other => Some((name, other.to_string())),
            })
            .collect();
        Ok(self)
    }

    pub(crate) fn body(mut self, body: &impl Serialize) -> Result<Self, ClientError> {
        let text = serde_json::to_vec(body).map_err(|error| ClientError::json(self.name, error))?;
        self.body = Some(text.into());
        Ok(self)
    }
}

/// Options of a call.
#[derive(Debug, Clone, Default)]
pub struct CallOptions {
    /// Timeout of the call, including retries (default: the transport's).
    pub timeout: Option<Duration>,
    /// Makes retries of a call safe (default: random).
    pub idempotency_key: Option<String>,
    /// Leaves retries to the caller.
    pub no_retry: bool,
}

/// Sends calls.
pub trait Transport: Send + Sync + 'static {
    /// What `TRUNKLINE_TRANSPORT` says.
    fn name(&self) -> &'static str;

    /// Makes a call and gives the JSON of its answer, which is empty where the call has none.
    fn call(&self, request: Request, options: CallOptions) -> BoxFuture<'_, Result<Bytes, ClientError>>;

    /// Opens the stream of changes.
    fn events(&self) -> BoxFuture<'_, Result<EventStream, ClientError>>;

    /// Whether jobs come by themselves, so that reports need not ask for the next ones.
    fn pushes(&self) -> bool {
        false
    }

    /// Sets what is called when the server says by itself that a job is not a worker's any more.
    fn on_cancel(&self, _worker_id: &str, _call: OnCancel) {}

    /// A worker takes no more jobs; its reports still come.
    fn end_delivery(&self, _worker_id: &str) {}
}

/// Takes the token of the lease of a job that is not the worker's any more, and why.
pub type OnCancel = Arc<dyn Fn(&str, CancelReason) + Send + Sync>;

/// What a transport is made of.
#[derive(Debug, Clone)]
pub(crate) struct TransportSettings {
    pub(crate) url: String,
    #[cfg_attr(
        not(feature = "grpc"),
        expect(dead_code, reason = "read by the transport of the feature grpc")
    )]
    pub(crate) grpc_url: Option<String>,
    pub(crate) api_key: Option<String>,
    pub(crate) timeout: Duration,
}

/// Opens the transport of a name.
pub(crate) fn open(name: &str, settings: &TransportSettings) -> Result<Arc<dyn Transport>, ClientError> {
    let message = match name {
        "rest" => return Ok(Arc::new(Rest::new(settings)?)),
        #[cfg(feature = "grpc")]
        "grpc" => return Ok(Arc::new(crate::grpc::Grpc::open(settings)?)),
        #[cfg(not(feature = "grpc"))]
        "grpc" => "it needs the feature grpc of trunkline-client; turn it on, or set it to rest",
        #[cfg(feature = "kafka")]
        "kafka" => {
            return Ok(Arc::new(crate::kafka::Kafka::open(settings, crate::kafka::KafkaOptions::default())?));
        }
        #[cfg(not(feature = "kafka"))]
        "kafka" => "it needs the feature kafka of trunkline-client; turn it on, or set it to rest",
        _ => "there is no such transport; it may be rest",
    };
    Err(ClientError::Configuration(format!("TRUNKLINE_TRANSPORT={name}: {message}")))
}

/// A text as a segment of a path.
pub(crate) fn segment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            // Text takes whatever is written to it.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Request, segment};
    use crate::api::ListJobsQuery;

    #[test]
    fn only_what_is_there_is_in_the_query() {
        let query = ListJobsQuery { limit: Some(5), job_type: Some("a&b".to_owned()), ..Default::default() };
        let request = Request::new("listJobs", "GET", "/v1/jobs").query(&query).expect("a query");
        let mut pairs = request.query;
        pairs.sort();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(pairs, [pair("jobType", "a&b"), pair("limit", "5")]);
        assert_eq!(segment("a b/č"), "a%20b%2F%C4%8D");
    }
}
