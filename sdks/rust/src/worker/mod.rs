//! The worker: polls, runs handlers, renews leases, reports, drains.

mod attempt;
mod builder;
mod channel;
mod drain;
mod event;
mod handler;
mod health;
mod heartbeats;
mod leases;
mod lines;
mod reporter;
mod runner;

pub use builder::Worker;
pub(crate) use channel::{Report, ReportKind};
pub use event::Event;
pub use handler::{Handler, HandlerFuture, Middleware};
pub use health::{Health, HealthStatus};
