//! Calls of dispatch. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use super::Calls;
use crate::error::ClientError;
use crate::models::Dispatch;
use crate::transport::Request;

impl Calls {
    /// Get the state of dispatch.
    /// Returns the mode, the nodes with their relays, the shards with their owners and terms, the open offers, and the jobs
    /// that wait for an offer. The figures of a relay are updated when it renews its term, every few seconds. Requires a
    /// key that is not bound to a tenant.
    ///
    /// Action `servers.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_dispatch(&self) -> Result<Dispatch, ClientError> {
        self.call(Request::new("getDispatch", "GET", "/v1/dispatch")).await
    }
}
