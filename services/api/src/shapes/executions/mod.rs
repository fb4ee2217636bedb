//! Executions: what is sent to start and steer them, and how they are shown.

mod command;
mod node;
mod shape;
mod start;
mod timeline;
mod why;

pub(crate) use command::{CancelBody, CompletionBody, RerunBody, RoundBody, SignalBody};
pub(crate) use node::NodeShape;
pub(crate) use shape::ExecutionShape;
pub(crate) use start::{CreatedShape, ExecutionBatchBody, ExecutionBody};
pub(crate) use timeline::TimelineShape;
pub(crate) use why::ExecutionWhyShape;
