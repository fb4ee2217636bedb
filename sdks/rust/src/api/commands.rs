//! Calls of commands. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use super::Calls;
use crate::error::ClientError;
use crate::models::Command;
use crate::transport::Request;

impl Calls {
    /// Show the status of a command.
    /// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_command(&self, position: i64) -> Result<Command, ClientError> {
        self.call(Request::new("getCommand", "GET", format!("/v1/commands/{position}"))).await
    }
}
