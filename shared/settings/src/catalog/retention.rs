//! How long finished things are kept.

use super::key::{Key, key};

const RETENTION: &str = "a duration of at least 1s, such as 12h or 30d";
const PAYLOAD_RETENTION: &str = "a duration of at least 1s, or \"off\" to keep them as long as their rows";

/// The settings of all queues, and of what belongs to none.
pub(super) const KEYS: &[Key] = &[
    key("retention.completed", "Retention of completed jobs.", RETENTION),
    key("retention.failed", "Retention of failed jobs and dead letters.", RETENTION),
    key("retention.cancelled", "Retention of cancelled jobs.", RETENTION),
    key("retention.payloads", "Retention of data and results of finished jobs.", PAYLOAD_RETENTION),
    key("retention.archive", "Retention of archived dead letters.", RETENTION),
    key(
        "retention.executions",
        "Retention of finished executions with their node results and events.",
        RETENTION,
    ),
    key(
        "retention.execution_payloads",
        "Retention of inputs and outputs of finished executions and their nodes.",
        PAYLOAD_RETENTION,
    ),
    key("retention.idempotency", "Retention of responses to calls with an Idempotency-Key.", RETENTION),
    key("retention.deliveries", "Retention of webhook deliveries with their bodies.", RETENTION),
    key("retention.delivery_bodies", "Retention of bodies of webhook deliveries.", PAYLOAD_RETENTION),
    key("retention.logs", "Retention of log lines of jobs.", RETENTION),
    key("retention.audit", "Retention of the audit log.", RETENTION),
    key("retention.alerts", "Retention of resolved alerts with their notifications.", RETENTION),
];

const EXPECTED: &str = "a duration of at least 1s, or \"inherit\" for the value of all queues";

macro_rules! keys_of_queues {
    ($($queue:literal),*) => {
        /// The settings of single queues.
        pub(super) const QUEUE_KEYS: &[Key] = &[
            $(
                key(concat!("retention.queues.", $queue, ".completed"), "Retention of completed jobs.", EXPECTED),
                key(
                    concat!("retention.queues.", $queue, ".failed"),
                    "Retention of failed jobs and dead letters.",
                    EXPECTED,
                ),
                key(concat!("retention.queues.", $queue, ".cancelled"), "Retention of cancelled jobs.", EXPECTED),
                key(concat!("retention.queues.", $queue, ".payloads"), "Retention of data and results.", EXPECTED),
            )*
        ];
    };
}

keys_of_queues!("workflow-execution", "workflow-node", "workflow-scheduled", "workflow-webhook");
