//! Completion of queries, as it is shown.

use domain::search::SuggestAt;
use serde::Serialize;
use utoipa::ToSchema;

/// What may replace a part of a query.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Suggestions)]
pub(crate) struct SuggestResponse {
    /// First character that is replaced, from 0.
    from: usize,
    /// First character behind what is replaced.
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
    /// How often it was seen lately.
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
