//! What handlers take from a request. Every rejection is a problem document.

mod body;
mod caller;
mod filter_query;
mod list_query;
mod pages;
mod path;
mod query;
mod traceparent;
mod workflow_body;

pub(crate) use body::{JsonBody, NoBody, OptionalJsonBody, has_media_type, read_body, utf8};
pub(crate) use caller::{Identity, SessionToken};
pub(crate) use filter_query::{
    AuditFilterQuery, read_parameter, read_query, searchable_of, with_default_status,
};
pub(crate) use list_query::{
    ArchiveQuery, AuditQuery, BatchesQuery, DeliveriesQuery, ExecutionsQuery, JobsQuery, LettersQuery,
    RunsQuery, SchedulesQuery, UserTasksQuery, WorkersQuery,
};
pub(crate) use pages::{PagesQuery, name_cursor, page, page_limit, position_cursor};
pub(crate) use path::PathOf;
pub(crate) use query::{NoQuery, Query, TenantQuery};
pub(crate) use traceparent::{Traceparent, is_traceparent};
pub(crate) use workflow_body::WorkflowBody;
