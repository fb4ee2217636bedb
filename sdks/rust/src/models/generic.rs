//! Models that hold others.

use serde::{Deserialize, Serialize};

use super::Poll;

/// Part of a list. `next_cursor` is the `cursor` of the next part, absent at the end.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// Where the next part begins.
    #[serde(default)]
    pub next_cursor: Option<String>,
}

/// Reports on leased jobs.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Reports<T> {
    /// The reports.
    pub jobs: Vec<T>,
}

/// Reports that end attempts, and a poll for the next jobs.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Settlements<T> {
    /// The reports.
    pub jobs: Vec<T>,
    /// The poll.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poll: Option<Poll>,
}

/// What became of each item of a batch, in order.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct BatchResults<T> {
    /// One result for each item.
    pub results: Vec<T>,
}
