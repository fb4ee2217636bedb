//! What is sent and answered, by resource: the types of the contract and their mapping to the engine's.
//!
//! Types that are read refuse unknown fields. Their names in the OpenAPI document are given by `schema(as = …)`.

pub(crate) mod access;
pub(crate) mod alerts;
pub(crate) mod attributes;
pub(crate) mod audit;
pub(crate) mod batches;
pub(crate) mod builds;
pub(crate) mod bulk;
pub(crate) mod dead_letter_groups;
pub(crate) mod dead_letters;
pub(crate) mod deliveries;
pub(crate) mod dispatch;
pub(crate) mod encryption;
pub(crate) mod events;
pub(crate) mod executions;
pub(crate) mod job_logs;
pub(crate) mod jobs;
pub(crate) mod leases;
pub(crate) mod limits;
pub(crate) mod list;
pub(crate) mod moves;
pub(crate) mod offers;
pub(crate) mod operations;
pub(crate) mod queues;
pub(crate) mod rates;
pub(crate) mod retention;
pub(crate) mod schedules;
pub(crate) mod secrets;
pub(crate) mod server;
pub(crate) mod simulations;
pub(crate) mod usage;
pub(crate) mod user_tasks;
pub(crate) mod views;
pub(crate) mod webhooks;
pub(crate) mod workflows;

mod words;

pub(crate) use list::{ListOf, RequiredFields};
pub(crate) use words::{
    DeadLetterStatusSchema, DeadReasonSchema, DeliverySourceSchema, DeliveryStatusSchema, LogLevelSchema,
    PrioritySchema, ProblemCodeSchema, ProviderSchema, QueueSchema, SecretPurposeSchema, dead_letter_status,
    dead_reason,
};
