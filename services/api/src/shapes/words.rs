//! The fixed words of the interface: statuses, priorities, roles, queues. Their texts are the domain's.

use domain::access::Role;
use domain::alerting::{AlertStatus, Severity};
use domain::attribute::AttributeType;
use domain::dispatch::AcceptOutcome;
use domain::doctor::CheckStatus;
use domain::failure::{DeadLetterStatus, DeadReason, GroupState};
use domain::job::{AttemptStatus, JobStatus};
use domain::job_log::LogLevel;
use domain::problem::ProblemCode;
use domain::queue::{QueueName, Tier};
use domain::webhook::{DeliverySource, DeliveryStatus, Provider};
use domain::why::WhyReason;
use domain::workflow::execution::{ExecutionStatus, NodeStatus, TimelineEventKind, UserTaskStatus};
use domain::workflow::unique::UniquePolicy;
use serde::{Deserialize, Deserializer};
use store::batches::{BatchStatus, ItemOutcome};
use store::executions::CommandStatus;
use store::queues::QueueMode;
use utoipa::openapi::schema::{AnyOfBuilder, ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// The status of an attempt that has not ended, which is not stored.
pub(crate) const ATTEMPT_UNFINISHED: &str = JobStatus::Processing.as_str();

/// Types that only stand for a set of words in the OpenAPI document.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident as $public:literal: $values:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) enum $name {}

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                ObjectBuilder::new().schema_type(Type::String).enum_values(Some($values)).into()
            }
        }

        impl ToSchema for $name {
            fn name() -> std::borrow::Cow<'static, str> {
                $public.into()
            }
        }
    )*};
}

words! {
    /// A priority.
    PrioritySchema as "Priority": Tier::NAMES;
    /// A queue.
    QueueSchema as "QueueName": QueueName::NAMES;
    /// The status of a job.
    JobStatusSchema as "JobStatus": JobStatus::NAMES;
    /// The level of a log line.
    LogLevelSchema as "LogLevel": LogLevel::NAMES;
    /// The status of an execution.
    ExecutionStatusSchema as "ExecutionStatus": ExecutionStatus::NAMES;
    /// The status of a node of an execution.
    NodeStatusSchema as "NodeStatus": NodeStatus::NAMES;
    /// What an entry of the timeline of an execution says.
    TimelineEventKindSchema as "TimelineEventKind": TimelineEventKind::NAMES;
    /// Why a job or an execution is not running.
    WhyReasonSchema as "WhyReason": WhyReason::NAMES;
    /// The status of a command to an execution.
    CommandStatusSchema as "CommandStatus": CommandStatus::NAMES;
    /// The status of an attempt.
    AttemptStatusSchema as "AttemptStatus":
        std::iter::once(ATTEMPT_UNFINISHED).chain(AttemptStatus::NAMES);
    /// The status of a bulk operation.
    BatchStatusSchema as "BatchStatus": BatchStatus::NAMES;
    /// What became of an object of a bulk operation.
    BatchItemOutcomeSchema as "BatchItemOutcome": ItemOutcome::NAMES;
    /// The mode of a queue.
    QueueModeKindSchema as "QueueModeKind": QueueMode::NAMES;
    /// The type of a searchable attribute.
    AttributeTypeSchema as "AttributeType": AttributeType::NAMES;
    /// The severity of an alert.
    AlertSeveritySchema as "AlertSeverity": Severity::NAMES;
    /// The status of an alert.
    AlertStatusSchema as "AlertStatus": AlertStatus::NAMES;
    /// How a check of the doctor stands.
    DoctorCheckStatusSchema as "DoctorCheckStatus": CheckStatus::ALL.map(CheckStatus::as_str);
    /// The status of a user task.
    UserTaskStatusSchema as "UserTaskStatus": UserTaskStatus::NAMES;
    /// The reason of a permanent failure.
    DeadReasonSchema as "DeadReason": DeadReason::NAMES;
    /// The status of a dead letter.
    DeadLetterStatusSchema as "DeadLetterStatus": DeadLetterStatus::NAMES;
    /// The state of a group of dead letters.
    GroupStateSchema as "DeadLetterGroupState": GroupState::NAMES;
    /// The provider of a webhook endpoint.
    ProviderSchema as "WebhookProvider": Provider::NAMES;
    /// The purpose of a secret of a webhook endpoint.
    SecretPurposeSchema as "WebhookSecretPurpose": ["signature", "verifyToken"];
    /// The status of a delivery.
    DeliveryStatusSchema as "DeliveryStatus": DeliveryStatus::NAMES;
    /// How a delivery came in.
    DeliverySourceSchema as "DeliverySource": DeliverySource::NAMES;
    /// What is done while an execution with a unique key is open.
    UniquePolicySchema as "UniquePolicy": UniquePolicy::NAMES;
    /// The role of an API key.
    RoleSchema as "Role": Role::NAMES;
    /// The outcome of a report.
    LeaseOutcomeSchema as "LeaseOutcome": ["ok", "already_done", "cancelled", "lease_lost", "rejected"];
    /// The outcome of accepting a job.
    AcceptOutcomeSchema as "AcceptOutcome": AcceptOutcome::NAMES;
}

/// The code of a problem. Its words are listed, and any other text is allowed: each version may add codes, and a generated client
/// that refuses an unknown one could not show the error.
#[derive(Debug)]
pub(crate) enum ProblemCodeSchema {}

impl PartialSchema for ProblemCodeSchema {
    fn schema() -> RefOr<Schema> {
        let text = || ObjectBuilder::new().schema_type(Type::String);
        AnyOfBuilder::new()
            .schema_type(Type::String)
            .description(Some("Stable error code for programs. Later versions of the server may add codes."))
            .examples([ProblemCode::Invalid.as_str()])
            .item(text().enum_values(Some(ProblemCode::NAMES)))
            .item(text())
            .into()
    }
}

impl ToSchema for ProblemCodeSchema {
    fn name() -> std::borrow::Cow<'static, str> {
        "ProblemCode".into()
    }
}

/// Reads one of a set of words.
fn word<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    parse: fn(&str) -> Option<T>,
    expected: &[&str],
) -> Result<Option<T>, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse(&text)
        .map(Some)
        .ok_or_else(|| serde::de::Error::custom(format!("expected one of {}", expected.join(", "))))
}

/// Reads the reason of a permanent failure.
pub(crate) fn dead_reason<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<DeadReason>, D::Error> {
    word(deserializer, DeadReason::parse, &DeadReason::NAMES)
}

/// Reads the status of a dead letter.
pub(crate) fn dead_letter_status<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<DeadLetterStatus>, D::Error> {
    word(deserializer, DeadLetterStatus::parse, &DeadLetterStatus::NAMES)
}

/// Reads what is done while an execution with a unique key is open.
pub(crate) fn unique_policy<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<UniquePolicy>, D::Error> {
    word(deserializer, UniquePolicy::parse, &UniquePolicy::NAMES)
}

/// Reads a role.
pub(crate) fn role<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Role>, D::Error> {
    word(deserializer, Role::parse, &Role::NAMES)
}
