//! Calls of me. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use super::Calls;
use crate::error::ClientError;
use crate::models::Me;
use crate::transport::Request;

impl Calls {
    /// Show the caller, its rights, and the server.
    /// `can` lists the actions that the role and scopes allow on at least one object; scopes may restrict an action to
    /// certain names. For sessions of a read-only console, it lists only actions that change nothing.
    ///
    /// Any valid API key may make this call.
    pub async fn read_me(&self) -> Result<Me, ClientError> {
        self.call(Request::new("readMe", "GET", "/v1/me")).await
    }
}
