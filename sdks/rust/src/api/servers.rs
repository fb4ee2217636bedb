//! Calls of servers. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use super::Calls;
use crate::error::ClientError;
use crate::models::{Page, Server};
use crate::transport::Request;

impl Calls {
    /// List the processes of the deployment.
    /// Lists processes seen within the last minute, in the order in which they started. Requires a key that is not bound to
    /// a tenant.
    ///
    /// Action `servers.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_servers(&self) -> Result<Page<Server>, ClientError> {
        self.call(Request::new("listServers", "GET", "/v1/servers")).await
    }
}
