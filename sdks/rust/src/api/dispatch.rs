//! Calls of dispatch. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use super::Calls;
use crate::error::ClientError;
use crate::models::Dispatch;
use crate::transport::Request;

impl Calls {
    /// Get the state of dispatch.
    /// Mode, nodes with their relays, shards with owners and terms, offers that stand, and jobs that wait for one. Figures of a
    /// relay are those of its last renewal, which is every few seconds. Requires a key that is not bound to a tenant.
    pub async fn get_dispatch(&self) -> Result<Dispatch, ClientError> {
        self.call(Request::new("getDispatch", "GET", "/v1/dispatch")).await
    }
}
