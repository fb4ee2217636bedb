//! Calls of triggers. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::{EventTrigger, EventTriggerRequest, Page};
use crate::transport::{Request, segment};

impl Calls {
    /// List triggers of events, newest first.
    /// Action `triggers.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_triggers(&self, query: &ListTriggersQuery) -> Result<Page<EventTrigger>, ClientError> {
        self.call(Request::new("listTriggers", "GET", "/v1/triggers").query(query)?).await
    }

    /// Create a trigger.
    /// From now on, matching events start executions of its workflow.
    ///
    /// Action `triggers.write`: requires role `admin` or `operator`.
    pub async fn create_trigger(&self, body: &EventTriggerRequest) -> Result<EventTrigger, ClientError> {
        self.call(Request::new("createTrigger", "POST", "/v1/triggers").keyed().body(body)?).await
    }

    /// Show a trigger.
    /// Action `triggers.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_trigger(&self, id: &str) -> Result<EventTrigger, ClientError> {
        self.call(Request::new("getTrigger", "GET", format!("/v1/triggers/{}", segment(id)))).await
    }

    /// Replace a trigger.
    /// ID and tenant are kept.
    ///
    /// Action `triggers.write`: requires role `admin` or `operator`.
    pub async fn replace_trigger(
        &self,
        id: &str,
        body: &EventTriggerRequest,
    ) -> Result<EventTrigger, ClientError> {
        self.call(
            Request::new("replaceTrigger", "PUT", format!("/v1/triggers/{}", segment(id)))
                .keyed()
                .body(body)?,
        )
        .await
    }

    /// Delete a trigger.
    /// Later events no longer start executions through it. Existing executions are kept.
    ///
    /// Action `triggers.write`: requires role `admin` or `operator`.
    pub async fn delete_trigger(&self, id: &str) -> Result<(), ClientError> {
        self.call_empty(
            Request::new("deleteTrigger", "DELETE", format!("/v1/triggers/{}", segment(id))).keyed(),
        )
        .await
    }
}

/// The query of [`Calls::list_triggers`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListTriggersQuery {
    /// Name of the tenant.
    pub tenant: Option<String>,
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}
