//! The verbs, one file each. Client verbs speak REST to a server and know no more than its JSON.

pub(crate) mod after_restore;
pub(crate) mod attribute;
pub(crate) mod audit;
pub(crate) mod backup;
pub(crate) mod batches;
pub(crate) mod build;
pub(crate) mod dev;
pub(crate) mod dispatching;
pub(crate) mod dlq;
pub(crate) mod doctor;
pub(crate) mod execution;
pub(crate) mod job;
pub(crate) mod key;
pub(crate) mod limits;
pub(crate) mod local;
pub(crate) mod moving;
pub(crate) mod outbox;
pub(crate) mod processes;
pub(crate) mod queue;
pub(crate) mod retention;
pub(crate) mod run;
pub(crate) mod schedule;
pub(crate) mod search;
pub(crate) mod secret;
pub(crate) mod serve;
pub(crate) mod sql;
pub(crate) mod tenant;
pub(crate) mod trigger;
pub(crate) mod user_task;
pub(crate) mod webhook;
pub(crate) mod work;
pub(crate) mod workflow;

pub(crate) mod alert;
mod batch;
mod choices;
mod command_sent;
mod dispatch;
mod find;
mod logs;

pub(crate) use command_sent::command_sent;
pub(crate) use dispatch::run_verb;
