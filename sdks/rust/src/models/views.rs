//! Models of views. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use crate::timestamp::Timestamp;

/// A saved view of a list.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct View {
    /// `columns`.
    pub columns: Vec<String>,
    /// `createdAt`.
    pub created_at: Timestamp,
    /// `id`.
    pub id: String,
    /// `list`.
    pub list: String,
    /// `name`.
    pub name: String,
    /// `order`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    /// Whether the caller saved it.
    pub own: bool,
    /// Who saved it.
    pub owner: String,
    /// `q`.
    pub q: String,
    /// `shared`.
    pub shared: bool,
    /// `sort`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
    /// `updatedAt`.
    pub updated_at: Timestamp,
}

/// A view to save.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ViewRequest {
    /// Columns, in order; at most 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<String>>,
    /// The list, as in its path, such as `jobs`.
    pub list: String,
    /// Name, up to 100 characters.
    pub name: String,
    /// `asc` or `desc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    /// Query (default: everything).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Whether the view is visible to others who can see the same data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<bool>,
    /// Instant to sort by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
}
