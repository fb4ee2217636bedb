//! How long finished things are kept: of what, for whom, and to which class a time that somebody sets is rounded up.

use crate::queue::QueueName;
use crate::time::DurationMs;

/// What is kept for a time of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RetentionSubject {
    /// COMPLETED jobs of a queue.
    Completed(QueueName),
    /// FAILED jobs of a queue, and those of requeued or archived dead letters.
    Failed(QueueName),
    /// CANCELLED jobs of a queue.
    Cancelled(QueueName),
    /// Data and results of finished jobs of a queue; the jobs may be kept for longer.
    Payloads(QueueName),
    /// Executions that ended.
    Executions,
    /// Inputs and outputs of executions that ended, and of their nodes.
    ExecutionPayloads,
    /// Dead letters that were requeued or archived.
    Archive,
    /// Deliveries.
    Deliveries,
    /// Bodies of deliveries.
    DeliveryBodies,
    /// The audit log.
    Audit,
    /// Alerts that resolved, with their notifications.
    Alerts,
}

impl RetentionSubject {
    /// All of them: those of each queue, then the others.
    pub fn all() -> impl Iterator<Item = Self> {
        let of_queues = QueueName::ALL.into_iter().flat_map(|queue| {
            [Self::Completed(queue), Self::Failed(queue), Self::Cancelled(queue), Self::Payloads(queue)]
        });
        of_queues.chain([
            Self::Executions,
            Self::ExecutionPayloads,
            Self::Archive,
            Self::Deliveries,
            Self::DeliveryBodies,
            Self::Audit,
            Self::Alerts,
        ])
    }

    /// The queue, where it is a queue's own.
    pub const fn queue(self) -> Option<QueueName> {
        match self {
            Self::Completed(queue) | Self::Failed(queue) | Self::Cancelled(queue) | Self::Payloads(queue) => {
                Some(queue)
            }
            _ => None,
        }
    }

    /// The public name: of a queue's own the part below the queue.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Completed(_) => "completed",
            Self::Failed(_) => "failed",
            Self::Cancelled(_) => "cancelled",
            Self::Payloads(_) => "payloads",
            Self::Executions => "executions",
            Self::ExecutionPayloads => "executionPayloads",
            Self::Archive => "archive",
            Self::Deliveries => "deliveries",
            Self::DeliveryBodies => "deliveryBodies",
            Self::Audit => "audit",
            Self::Alerts => "alerts",
        }
    }

    /// The stored name.
    pub fn name(self) -> String {
        match self.queue() {
            Some(queue) => format!("{queue}.{}", self.field()),
            None => self.field().to_owned(),
        }
    }

    /// The subject with this stored name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::all().find(|subject| subject.name() == text)
    }

    /// Whether a tenant can have a time of its own.
    pub const fn is_of_tenants(self) -> bool {
        !matches!(self, Self::Audit | Self::Alerts)
    }

    /// The subject of the rows whose payloads this is.
    pub const fn rows(self) -> Option<Self> {
        match self {
            Self::ExecutionPayloads => Some(Self::Executions),
            Self::DeliveryBodies => Some(Self::Deliveries),
            _ => None,
        }
    }
}

/// The shortest time that somebody can set.
pub const KEPT_MIN: DurationMs = DurationMs::from_secs(1);

/// The classes: each that is in use costs a walk of its own through the history, so that there are a few.
const CLASS_HOURS: [i64; 15] = [
    1,
    6,
    12,
    24,
    2 * 24,
    3 * 24,
    7 * 24,
    14 * 24,
    30 * 24,
    60 * 24,
    90 * 24,
    180 * 24,
    365 * 24,
    2 * 365 * 24,
    10 * 365 * 24,
];

/// The longest time that somebody can set: ten years.
pub const KEPT_MAX: DurationMs = DurationMs::from_secs(10 * 365 * 24 * 3_600);

/// The class of a time: the shortest one that is not shorter.
pub fn class_of(kept: DurationMs) -> DurationMs {
    let mut classes = CLASS_HOURS.into_iter().map(|hours| DurationMs::from_secs(hours * 3_600));
    classes.find(|class| *class >= kept).unwrap_or(KEPT_MAX)
}

/// A time that somebody set, and the class that it is rounded up to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptFor {
    /// What was set.
    pub set: DurationMs,
    /// How long things are kept by it.
    pub class: DurationMs,
}

impl KeptFor {
    /// A time with its class.
    pub fn of(set: DurationMs) -> Self {
        Self { set, class: class_of(set) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_read_back() {
        let names: std::collections::BTreeSet<String> =
            RetentionSubject::all().map(RetentionSubject::name).collect();
        assert_eq!(names.len(), 4 * 4 + 7);
        for subject in RetentionSubject::all() {
            assert_eq!(RetentionSubject::parse(&subject.name()), Some(subject));
        }
        assert_eq!(RetentionSubject::Payloads(QueueName::Node).name(), "workflow-node.payloads");
        assert_eq!(RetentionSubject::parse("completed"), None);
    }

    #[test]
    fn times_are_rounded_up_and_never_down() {
        let hours = |hours: i64| DurationMs::from_secs(hours * 3_600);
        assert_eq!(class_of(KEPT_MIN), hours(1));
        assert_eq!(class_of(hours(1)), hours(1));
        assert_eq!(class_of(DurationMs(hours(1).0 + 1)), hours(6));
        assert_eq!(class_of(hours(4 * 24)), hours(7 * 24));
        assert_eq!(class_of(KEPT_MAX), KEPT_MAX);
        let mut before = DurationMs::ZERO;
        for day in 0..4_000 {
            let (kept, class) = (hours(24 * day), class_of(hours(24 * day)));
            assert!(class >= before, "classes grow with the time");
            assert!(class >= kept || kept > KEPT_MAX);
            before = class;
        }
    }
}
