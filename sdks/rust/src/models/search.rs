//! Models of search. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

/// A completion.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Suggestion {
    /// How often it occurred recently.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i64>,
    /// `detail`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// `key` or `value`.
    pub kind: String,
    /// `text`.
    pub text: String,
}

/// Completions for a part of a query.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Suggestions {
    /// Start of the replaced part, in characters from 0.
    pub from: i32,
    /// `items`.
    pub items: Vec<Suggestion>,
    /// End of the replaced part, exclusive.
    pub to: i32,
}
