//! The use cases: load, decide, commit, wake.
//!
//! One file for each operation. An operation checks who calls, loads what the decision needs, lets `domain` decide,
//! commits through `store`, and sends hints to whoever waits. It names no database, no HTTP and no worker runtime.

mod attributes;
mod audit;
mod audit_buffer;
mod believed;
mod bounds;
mod caller;
mod clock;
mod definitions;
mod encryption;
mod engine;
mod entropy;
mod erasure;
mod error;
mod fail_points;
mod group_commit;
mod halves;
mod metrics;
mod policy;
mod recorder;
mod seats;
mod traces;
mod waiters;
mod workbench;

mod access;
mod alerts;
mod backup;
mod bulk;
mod changes;
mod dead_letters;
mod dispatch;
mod doctor;
mod events;
mod executions;
mod intake;
mod jobs;
mod memory;
mod moves;
mod operations;
mod queues;
mod quotas;
mod retention;
mod schedules;
mod search;
mod secrets;
mod stats;
mod time_skip;
mod upkeep;
mod views;
mod webhooks;
mod workflows;

pub use access::{
    FinishedSignIn, IdentityFault, IdentityPolicy, IdentityProvider, KeyRequest, NewSession, SecretText,
    Session, SetUp, SignInError, SignInRequest, StartedSignIn,
};
pub use alerts::{AlertMail, AlertPolicy, AlertSender, RouteRequest, RouteView, SilenceRequest};
pub use attributes::{AttributeLine, AttributeTarget, ShownAttributes, ShownFingerprints};
pub use backup::{BackupFile, Mended, Restored, RestoredDelivery, RestoredLease, RestoredSchedule};
pub use bulk::{BatchItemLine, BulkAction, BulkAnswer, BulkRequest, BulkTarget, Samples};
pub use caller::{Caller, Door, KeyLimits, Membership, Origin};
pub use changes::{Changed, Changes, Follower};
pub use clock::CalibratedClock;
pub use dead_letters::{GroupStanding, GroupView};
pub use dispatch::{
    AcceptRequest, AcceptedJob, BrokerState, DispatchRefused, DispatchReport, OFFERS_PER_CLAIM_MAX,
    OutboxFigures, RefusedOffer,
};
pub use encryption::{EncryptionView, PayloadKeyView};
pub use engine::{Engine, EngineParts, Outside};
pub use entropy::{Entropy, SystemEntropy};
pub use error::{EngineError, FAULTS_MAX, Problem, QuotaFault};
pub use events::{EventRequest, SentEvent, TriggerRequest, TriggerView};
pub use executions::{
    AwaitedStart, CreatedExecution, ExecutionRequest, ExecutionWhy, MapLine, NodeLine, NodeWait, OwnerEnd,
    StateLine, own_execution,
};
pub use fail_points::{arm_fail_points, reach_backup, reach_move};
pub use halves::{Parts, write_by_halves};
pub use intake::IntakeStep;
pub use jobs::{
    CompleteItem, FailItem, JobRequest, LogRequest, NextPoll, PendingAck, PollReceipt, PollRequest,
    PolledJobs, PoolClaim, Rejection, ReleaseItem, ReservedSlots, SlotProvider,
};
pub use moves::{AskedMove, MoveDesk, MovePhase, MoveRequest, MoveView};
pub use operations::{ChainReport, ServerInfo};
pub use policy::retention::{QueueRetention, RetentionPolicy};
pub use policy::{DispatchPolicy, Policy, QueuePolicy, WorkbenchPolicy};
pub use queues::{
    KeyRateRequest, LimitEdit, LimitEdits, LimitLine, LimitPart, LimitTarget, OwnLimit, RateEdit, ScalingView,
};
pub use quotas::{QuotaEdit, QuotaPolicy, UsageLine, UsageView};
pub use rate_limits::{LocalLimits, Quota, RateLimits, RedisFault, RedisLimits, Verdict};
pub use retention::{RetentionEdit, RetentionLine, RetentionSource, RetentionView};
pub use schedules::{
    Backfilled, Checked, IntervalRequest, JOB_TYPE_SCHEDULE_CHECK, ManualRun, ScheduleRequest, ScheduleView,
};
pub use search::{FoundCount, ListRequest, Listed};
pub use seats::{Seat, Waiting, WaitingBound, WaitingPolicy};
pub use secrets::{SecretLine, SecretManager, SecretManagerFault, SecretRequest, SendableSecret};
pub use stats::{StatRequest, StatSeries, TenantWork};
pub use time_skip::{RequestInWork, TimeMove, TimeMoved, TimeSkip};
pub use webhooks::{
    Admission, AdmittedDelivery, Incoming, JOB_TYPE_DELIVERY, KeyFault, MadeSecret, MatchedDelivery,
    Received, RefusedDelivery, RotateSecret, SavedWebhook, SealingKeys, SecretView, TestedWebhook,
    WebhookConfig, WebhookPolicy, WebhookRateLimit, WebhookRequest, WebhookView, subscriber,
};
pub use workflows::{
    Registration, SimulatedWorkflow, Simulation, SimulationRequest, SourcePlace, SourcePlaces,
};
