//! Entries of the inbox as events, and who is notified of a refusal.

use domain::failure::JobError;
use domain::workflow::execution::{Event, ExecutionStatus, NodeSettled, Refusal};
use serde_json::Value;
use store::executions::InboxEntry;

/// What an entry is, as far as its refusal goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// What became of something that the execution itself has started.
    StepInputs,
    /// Somebody sent it and may ask what became of it.
    Command,
    Retry,
}

impl Kind {
    pub(super) const fn of(entry: &InboxEntry) -> Self {
        match entry {
            InboxEntry::NodeSettled { .. }
            | InboxEntry::NodeRequeued { .. }
            | InboxEntry::ChildResumed { .. }
            | InboxEntry::ChildSettled { .. }
            | InboxEntry::Event { .. } => Self::StepInputs,
            InboxEntry::Cancel { .. }
            | InboxEntry::Signal { .. }
            | InboxEntry::UserTaskCompleted { .. }
            | InboxEntry::Callback { .. } => Self::Command,
            InboxEntry::Retry => Self::Retry,
        }
    }

    /// Whether somebody is notified of a refusal. Results that come late or twice are dropped. A retry only gets here
    /// after the execution had failed: where its state does not say so, its owner was lost, and another owner is
    /// what was asked for.
    pub(super) const fn is_notified_of(self, refusal: &Refusal, status: ExecutionStatus) -> bool {
        match (self, refusal) {
            (Self::StepInputs, _) => false,
            (Self::Retry, Refusal::NotFailed(_)) => status.is_terminal(),
            (Self::Command | Self::Retry, _) => true,
        }
    }
}

/// The event that an entry stands for, or why it stands for none.
pub(super) fn event_of(entry: InboxEntry) -> Result<Event, JobError> {
    Ok(match entry {
        InboxEntry::NodeSettled { node_id, job_id, result, attempts, started_at } => {
            let result = result.and_then(|text| read(&text, "result"));
            Event::NodeSettled(NodeSettled { node: node_id, job_id, result, attempts, started_at })
        }
        InboxEntry::NodeRequeued { node_id, job_id } => Event::NodeRequeued { node: node_id, job_id },
        InboxEntry::ChildSettled { node_id, child_id, result } => {
            let result = result.and_then(|text| read(&text, "result"));
            Event::ChildSettled { node: node_id, child_id, result }
        }
        InboxEntry::ChildResumed { node_id, child_id } => Event::ChildResumed { node: node_id, child_id },
        InboxEntry::Cancel { reason, compensate } => Event::Cancel { reason, compensate },
        InboxEntry::Retry => Event::Retry,
        InboxEntry::Signal { name, payload } => Event::Signal { name, payload: read(&payload, "payload")? },
        InboxEntry::UserTaskCompleted { node_id, round, output, actor } => {
            Event::UserTaskCompleted { node: node_id, round, output: read(&output, "output")?, actor }
        }
        InboxEntry::Event { node_id, round, output } => {
            Event::EventCame { node: node_id, round, output: read(&output, "output")? }
        }
        InboxEntry::Callback { node_id, round, payload } => {
            Event::Callback { node: node_id, round, payload: read(&payload, "payload")? }
        }
    })
}

/// Text is stored as it was sent. What is well formed can still be no value of ours: a number beyond all bounds, or
/// half of a surrogate pair. Then the node fails or the command is refused, and the execution's owner goes on.
fn read(text: &str, what: &str) -> Result<Value, JobError> {
    serde_json::from_str(text).map_err(|error| {
        JobError::coded(&format!("invalid_{what}"), format!("The {what} cannot be read: {error}."))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_that_are_no_values_fail_the_node() {
        assert_eq!(read("{\"a\":1}", "result").ok(), Some(serde_json::json!({ "a": 1 })));
        for text in ["1e999", r#""\ud800""#, ""] {
            let error = read(text, "result").expect_err("no value");
            assert_eq!(error.code.as_deref(), Some("invalid_result"), "{text}");
        }
    }

    #[test]
    fn commands_that_are_no_values_are_no_events() {
        let signal = InboxEntry::Signal { name: "go".to_owned(), payload: "1e999".to_owned() };
        assert!(event_of(signal).is_err());
    }

    #[test]
    fn nobody_is_notified_of_late_results() {
        let late = Refusal::Finished("COMPLETED");
        assert!(!Kind::StepInputs.is_notified_of(&late, ExecutionStatus::Completed));
        assert!(Kind::Command.is_notified_of(&late, ExecutionStatus::Completed));
        assert!(!Kind::Retry.is_notified_of(&Refusal::NotFailed("RUNNING"), ExecutionStatus::Running));
    }
}
