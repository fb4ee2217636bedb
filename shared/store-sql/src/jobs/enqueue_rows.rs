//! Jobs as the rows of the statement that inserts them.

use std::borrow::Cow;

use domain::lane::LaneId;
use domain::retry::Backoff;
use domain::time::Timestamp;
use store::jobs::NewJob;
use uuid::Uuid;

use super::enqueue::{stored_concurrency_key, stored_unique_key};
use super::states;
use crate::bind::{self, Cell, Parameters};
use crate::dialect::Dialect;
use crate::payloads;

/// Adds the parameters of the row source of `enqueue.sql`, for the jobs at `open`; there may be none.
pub(crate) fn add_rows_of(
    to: &mut impl Parameters,
    dialect: Dialect,
    (jobs, lanes): (&[NewJob], &[LaneId]),
    open: impl ExactSizeIterator<Item = usize> + Clone,
    now: Timestamp,
) {
    let texts: Vec<Texts<'_>> = open.clone().map(|index| Texts::of(&jobs[index])).collect();
    let cells = open.zip(&texts).enumerate().map(|(place, (index, texts))| {
        let job = &jobs[index];
        [
            Cell::Int(place as i32),
            Cell::Uuid(job.id.uuid()),
            Cell::Int(i32::from(job.queue.code())),
            Cell::Int(lanes[index].0),
            Cell::Text(first_state(job, now)),
            Cell::Int(i32::try_from(job.retries_max).unwrap_or(i32::MAX)),
            Cell::Long(job.run_at.0),
            Cell::Long(job.run_at.max(now).0),
            Cell::Int(i32::from(job.tier.code())),
            Cell::LongOrNull(job.timeout.map(|timeout| timeout.0)),
            Cell::TextOrNull(texts.backoff.as_deref()),
            Cell::TextOrNull(texts.unique_key.as_deref()),
            Cell::TextOrNull(texts.concurrency_key.as_deref()),
            Cell::TextOrNull(texts.tags.as_deref()),
            Cell::TextOrNull(job.traceparent.as_deref()),
            Cell::UuidOrNull(job.execution_id.map(domain::id::Id::uuid)),
            Cell::TextOrNull(job.node_id.as_ref().map(domain::names::NodeId::as_str)),
            Cell::Text(&texts.data),
        ]
    });
    bind::add_rows_or_none(to, dialect, SHAPE, cells);
}

/// A row of the row source of `enqueue.sql`, for its types.
const SHAPE: [Cell<'static>; 18] = [
    Cell::Int(0),
    Cell::Uuid(Uuid::nil()),
    Cell::Int(0),
    Cell::Int(0),
    Cell::Text(""),
    Cell::Int(0),
    Cell::Long(0),
    Cell::Long(0),
    Cell::Int(0),
    Cell::LongOrNull(None),
    Cell::TextOrNull(None),
    Cell::TextOrNull(None),
    Cell::TextOrNull(None),
    Cell::TextOrNull(None),
    Cell::TextOrNull(None),
    Cell::UuidOrNull(None),
    Cell::TextOrNull(None),
    Cell::Text(""),
];

/// Jobs with a concurrency key start out blocked; they are admitted in the same transaction if the key is free.
fn first_state(job: &NewJob, now: Timestamp) -> &'static str {
    if job.run_at > now {
        states::SCHEDULED
    } else if job.concurrency_key.is_some() {
        states::BLOCKED
    } else {
        states::QUEUED
    }
}

/// Columns that are made of several values.
struct Texts<'a> {
    backoff: Option<String>,
    unique_key: Option<String>,
    concurrency_key: Option<String>,
    tags: Option<String>,
    data: Cow<'a, str>,
}

impl<'a> Texts<'a> {
    fn of(job: &'a NewJob) -> Self {
        Self {
            backoff: backoff_text(&job.backoff),
            unique_key: stored_unique_key(job),
            concurrency_key: stored_concurrency_key(job),
            tags: tags_text(&job.tags),
            data: payloads::in_row(&job.data),
        }
    }
}

/// A backoff as it is stored; null for the default.
pub(crate) fn backoff_text(backoff: &Backoff) -> Option<String> {
    if *backoff == Backoff::default() { None } else { serde_json::to_string(backoff).ok() }
}

/// Tags as they are stored: a JSON array, null for none.
pub(crate) fn tags_text(tags: &[domain::names::Tag]) -> Option<String> {
    if tags.is_empty() { None } else { serde_json::to_string(tags).ok() }
}
