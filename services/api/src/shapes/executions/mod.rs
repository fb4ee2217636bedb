//! Executions: what is sent to start and steer them, and how they are shown.

mod command;
mod node;
mod shape;
mod start;
mod state;
mod timeline;
mod why;

pub(crate) use command::{CancelBody, CompletionBody, RerunBody, RoundBody, SignalBody};
pub(crate) use node::NodeResponse;
pub(crate) use shape::{ExecutionErrorResponse, ExecutionResponse};
pub(crate) use start::{CreatedResponse, ExecutionBatchBody, ExecutionBody};
pub(crate) use state::StateResponse;
pub(crate) use timeline::TimelineResponse;
pub(crate) use why::ExecutionWhyResponse;
