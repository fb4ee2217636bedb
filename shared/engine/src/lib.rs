//! The use cases: load, decide, commit, wake.
//!
//! One file for each operation. An operation checks who calls, loads what the decision needs, lets `domain` decide,
//! commits through `store`, and sends hints to whoever waits. It names no database, no HTTP and no worker runtime.

mod audit;
mod bounds;
mod caller;
mod clock;
mod definitions;
mod engine;
mod entropy;
mod error;
mod group_commit;
mod metrics;
mod policy;
mod waiters;

mod access;
mod dead_letters;
mod executions;
mod jobs;
mod operations;
mod queues;
mod schedules;
mod upkeep;
mod workflows;

pub use access::SecretText;
pub use caller::Caller;
pub use clock::CalibratedClock;
pub use dead_letters::{BulkAnswer, BulkKind, BulkRequest};
pub use engine::{Engine, EngineParts};
pub use entropy::{Entropy, SystemEntropy};
pub use error::EngineError;
pub use executions::{CreatedExecution, ExecutionRequest, NodeLine, OwnerEnd, own_execution};
pub use jobs::{CompleteItem, FailItem, JobRequest, LeaseOutcome, PollRequest, PoolClaim};
pub use policy::{Policy, QueuePolicy};
pub use queues::{LimitEdit, LimitLine, LimitPart, LimitTarget};
pub use schedules::{Backfilled, Checked, JOB_TYPE_SCHEDULE_CHECK, ManualRun, ScheduleRequest, ScheduleView};
pub use upkeep::RetentionPolicy;
pub use workflows::Registration;
