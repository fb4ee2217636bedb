//! Calls of session. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use super::Calls;
use crate::error::ClientError;
use crate::models::Session;
use crate::transport::Request;

impl Calls {
    /// Show the current caller.
    /// Role and tenant of the caller; for a session also its CSRF token and expiry.
    ///
    /// Any valid API key may make this call.
    pub async fn read_session(&self) -> Result<Session, ClientError> {
        self.call(Request::new("readSession", "GET", "/v1/session")).await
    }

    /// Sign in to the console.
    /// Creates a session for the API key of this request. The response sets an `HttpOnly`, `SameSite=Strict` cookie that
    /// authenticates later requests with the key's role and tenant, for twelve hours or until the key is revoked. Requests
    /// that modify data must also send the `csrfToken` of the response in the header `X-CSRF-Token`.
    ///
    /// Any valid API key may make this call.
    pub async fn create_session(&self) -> Result<Session, ClientError> {
        self.call(Request::new("createSession", "POST", "/v1/session")).await
    }

    /// Sign out.
    /// Removes the session cookie. A copied cookie stays valid until it expires or its key is revoked.
    ///
    /// Any valid API key may make this call.
    pub async fn delete_session(&self) -> Result<(), ClientError> {
        self.call_empty(Request::new("deleteSession", "DELETE", "/v1/session")).await
    }
}
