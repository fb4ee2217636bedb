//! How generated calls are made. What each is stands in the other files of this module.

use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;

use crate::error::ClientError;
use crate::transport::{CallOptions, Request, Transport};

/// Every call of the interface, as it is.
#[derive(Clone)]
pub struct Calls {
    transport: Arc<dyn Transport>,
    options: CallOptions,
}

impl Calls {
    pub(crate) fn new(transport: Arc<dyn Transport>) -> Self {
        Self { transport, options: CallOptions::default() }
    }

    /// The same calls, bounded by another time.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.options.timeout = Some(limit);
        self
    }

    /// The same calls with an idempotency key: for one call, which may be repeated with the same content.
    #[must_use]
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.options.idempotency_key = Some(key.into());
        self
    }

    pub(crate) fn options(mut self, options: CallOptions) -> Self {
        self.options = options;
        self
    }

    /// Makes a call and reads its answer.
    pub(crate) async fn call<T: DeserializeOwned>(&self, request: Request) -> Result<T, ClientError> {
        let name = request.name;
        let answer = self.transport.call(request, self.options.clone()).await?;
        let text: &[u8] = if answer.is_empty() { b"null" } else { &answer };
        serde_json::from_slice(text).map_err(|error| {
            ClientError::json(format!("{name}: the answer is not what this version knows"), error)
        })
    }

    /// Makes a call whose answer is empty.
    pub(crate) async fn call_empty(&self, request: Request) -> Result<(), ClientError> {
        self.transport.call(request, self.options.clone()).await.map(drop)
    }
}
