//! Calls of views. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::{Page, View, ViewRequest};
use crate::transport::{Request, segment};

impl Calls {
    /// List saved views, newest first.
    /// Returns the caller's own views and the views that others share.
    ///
    /// Action `views.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_views(&self, query: &ListViewsQuery) -> Result<Page<View>, ClientError> {
        self.call(Request::new("listViews", "GET", "/v1/views").query(query)?).await
    }

    /// Save a view.
    /// At most 100 views per API key or person.
    ///
    /// Action `views.write`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn add_view(&self, body: &ViewRequest) -> Result<View, ClientError> {
        self.call(Request::new("addView", "POST", "/v1/views").keyed().body(body)?).await
    }

    /// Show a saved view.
    /// Action `views.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_view(&self, id: &str) -> Result<View, ClientError> {
        self.call(Request::new("getView", "GET", format!("/v1/views/{}", segment(id)))).await
    }

    /// Change a saved view.
    /// Operators can also change views that others share.
    ///
    /// Action `views.write`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn change_view(&self, id: &str, body: &ViewRequest) -> Result<View, ClientError> {
        self.call(Request::new("changeView", "PUT", format!("/v1/views/{}", segment(id))).keyed().body(body)?)
            .await
    }

    /// Delete a saved view.
    /// Action `views.write`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn delete_view(&self, id: &str) -> Result<(), ClientError> {
        self.call_empty(Request::new("deleteView", "DELETE", format!("/v1/views/{}", segment(id))).keyed())
            .await
    }
}

/// The query of [`Calls::list_views`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListViewsQuery {
    /// Only views of this list, such as `jobs`.
    pub list: Option<String>,
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}
