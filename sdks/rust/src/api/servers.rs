//! Calls of servers. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use super::Calls;
use crate::error::ClientError;
use crate::models::{Page, Server};
use crate::transport::Request;

impl Calls {
    /// List the processes of the deployment.
    /// Those that showed themselves within a minute, in the order of their starts. Requires a key that is not bound to a tenant.
    pub async fn list_servers(&self) -> Result<Page<Server>, ClientError> {
        self.call(Request::new("listServers", "GET", "/v1/servers")).await
    }
}
