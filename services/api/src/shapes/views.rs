//! Saved views as they are sent and shown.

use domain::search::{Order, SuggestAt};
use domain::time::Timestamp;
use domain::view::ViewSpec;
use engine::Caller;
use serde::{Deserialize, Serialize};
use store::views::ViewRecord;
use utoipa::ToSchema;

use super::list::RequiredFields;
use crate::json::present;
use crate::problem::{ApiResult, Problem};

/// A view to save.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ViewRequest)]
pub(crate) struct ViewBody {
    /// Name, up to 100 characters.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    name: Option<String>,
    /// The list, as in its path, such as `jobs`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    list: Option<String>,
    /// Query (default: everything).
    q: Option<String>,
    /// Instant to sort by.
    sort: Option<String>,
    /// `asc` or `desc`.
    order: Option<String>,
    /// Columns, in order; at most 50.
    #[serde(default)]
    columns: Vec<String>,
    /// Whether the view is visible to others who can see the same data.
    #[serde(default)]
    shared: bool,
}

impl ViewBody {
    /// What it shows.
    pub(crate) fn into_spec(self) -> ApiResult<ViewSpec> {
        let mut needed = RequiredFields::default();
        let (name, list) = (needed.field("name", self.name), needed.field("list", self.list));
        let (Some(name), Some(list)) = (name, list) else {
            return Err(needed.problem());
        };
        let order = self
            .order
            .as_deref()
            .map(|text| Order::parse(text).ok_or_else(|| Problem::fault("/order", "expected asc or desc")));
        Ok(ViewSpec {
            name,
            list,
            q: self.q.unwrap_or_default(),
            sort: self.sort,
            order: order.transpose()?,
            columns: self.columns,
            is_shared: self.shared,
        })
    }
}

/// A saved view of a list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = View)]
pub(crate) struct ViewResponse {
    #[schema(example = "viw_0193456789ab7def8123456789abcdef")]
    id: String,
    name: String,
    list: String,
    q: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sort: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<&'static str>,
    columns: Vec<String>,
    shared: bool,
    /// Who saved it.
    owner: String,
    /// Whether the caller saved it.
    own: bool,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl ViewResponse {
    /// A view as this caller sees it.
    pub(crate) fn new(caller: &Caller, view: ViewRecord) -> Self {
        Self {
            id: view.id.to_string(),
            name: view.spec.name,
            list: view.spec.list,
            q: view.spec.q,
            sort: view.spec.sort,
            order: view.spec.order.map(Order::as_str),
            columns: view.spec.columns,
            shared: view.spec.is_shared,
            own: view.owner == caller.actor,
            owner: view.owner,
            created_at: view.created_at,
            updated_at: view.changed_at,
        }
    }
}

// Completion of queries, as it is shown.

/// Completions for a part of a query.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Suggestions)]
pub(crate) struct SuggestResponse {
    /// Start of the replaced part, in characters from 0.
    from: usize,
    /// End of the replaced part, exclusive.
    to: usize,
    items: Vec<SuggestionResponse>,
}

/// A completion.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Suggestion)]
pub(crate) struct SuggestionResponse {
    text: String,
    /// `key` or `value`.
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'static str>,
    /// How often it occurred recently.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
}

impl From<SuggestAt> for SuggestResponse {
    fn from(found: SuggestAt) -> Self {
        let items = found.known.into_iter().map(|one| SuggestionResponse {
            text: one.text,
            kind: if one.is_key { "key" } else { "value" },
            detail: one.detail,
            count: one.count,
        });
        Self { from: found.from, to: found.to, items: items.collect() }
    }
}
