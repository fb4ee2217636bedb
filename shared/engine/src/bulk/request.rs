//! What a bulk operation was asked, and the text form in which another process takes it over.

use domain::bulk::{BulkPace, BulkVerb};
use domain::names::NodeId;
use domain::queue::Tier;
use domain::search::Search;
use serde::{Deserialize, Serialize};
use store::batches::{BatchRecord, REQUEUED_TOGETHER_MAX};
use store::dead_letters::{DeadLetterRecord, RequeueEdit};
use store::executions::ExecutionRecord;
use store::jobs::JobRecord;
use store::webhooks::DeliveryRecord;
use uuid::Uuid;

use crate::schedules::ScheduleView;

/// What is done to each object.
#[derive(Debug, Clone, PartialEq)]
pub enum BulkAction {
    /// Cancels jobs.
    CancelJobs,
    /// Makes waiting jobs due now.
    RetryJobs,
    /// Moves waiting jobs to a tier.
    ReprioritizeJobs(Tier),
    /// Cancels executions.
    CancelExecutions {
        /// Whether what completed is undone first.
        compensate: bool,
    },
    /// Lets failed executions go on.
    RetryExecutions,
    /// Starts ended executions again.
    RerunExecutions {
        /// From this node on.
        from: NodeId,
        /// With this input as raw JSON text.
        input: Option<String>,
    },
    /// Puts the jobs of dead letters back, with these changes.
    RequeueDeadLetters(RequeueEdit),
    /// Archives dead letters.
    ArchiveDeadLetters,
    /// Replays deliveries.
    ReplayDeliveries {
        /// Whether triggers that have started their workflows do so again.
        all_triggers: bool,
    },
    /// Pauses schedules.
    PauseSchedules,
    /// Resumes schedules.
    ResumeSchedules,
}

impl BulkAction {
    /// Its verb.
    pub const fn verb(&self) -> BulkVerb {
        match self {
            Self::CancelJobs => BulkVerb::CancelJobs,
            Self::RetryJobs => BulkVerb::RetryJobs,
            Self::ReprioritizeJobs(_) => BulkVerb::ReprioritizeJobs,
            Self::CancelExecutions { .. } => BulkVerb::CancelExecutions,
            Self::RetryExecutions => BulkVerb::RetryExecutions,
            Self::RerunExecutions { .. } => BulkVerb::RerunExecutions,
            Self::RequeueDeadLetters(_) => BulkVerb::RequeueDeadLetters,
            Self::ArchiveDeadLetters => BulkVerb::ArchiveDeadLetters,
            Self::ReplayDeliveries { .. } => BulkVerb::ReplayDeliveries,
            Self::PauseSchedules => BulkVerb::PauseSchedules,
            Self::ResumeSchedules => BulkVerb::ResumeSchedules,
        }
    }

    /// How many objects may be changed together.
    pub(super) const fn together_max(&self) -> usize {
        match self {
            Self::RequeueDeadLetters(RequeueEdit { data: None, tier: None, retries_max: _ }) => {
                REQUEUED_TOGETHER_MAX
            }
            _ => 1,
        }
    }
}

/// To which objects it is done.
#[derive(Debug, Clone, PartialEq)]
pub enum BulkTarget {
    /// To all that a search finds.
    Filter(Search),
    /// To these.
    Ids(Vec<Uuid>),
}

/// A bulk operation.
#[derive(Debug, Clone, PartialEq)]
pub struct BulkRequest {
    /// What is done.
    pub action: BulkAction,
    /// To which objects.
    pub target: BulkTarget,
    /// Has to be set where the filter is empty: nobody changes everything by a forgotten filter.
    pub all: bool,
    /// Whether the caller gave a condition.
    pub has_filter: bool,
    /// Only counts.
    pub dry_run: bool,
    /// How it is carried out.
    pub pace: BulkPace,
    /// Why, for people.
    pub reason: Option<String>,
}

/// What a bulk operation answers.
#[derive(Debug, Clone, PartialEq)]
pub enum BulkAnswer {
    /// What matches (dry run).
    Matches {
        /// How many.
        count: u64,
        /// Whether there are no more.
        is_exact: bool,
        /// The first ten.
        samples: Samples,
    },
    /// It has begun.
    Batch(Box<BatchRecord>),
}

/// The request as it is stored with the batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoredBulk {
    pub(super) verb: BulkVerb,
    /// What is looked for, with the instant of the call as a bound; absent where objects were named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) search: Option<Search>,
    #[serde(default)]
    pub(super) pace: BulkPace,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    priority: Option<Tier>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_retries: Option<u32>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    compensate: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from_node: Option<NodeId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    all_triggers: bool,
}

impl StoredBulk {
    pub(super) fn of(request: &BulkRequest, search: Option<Search>) -> Self {
        let mut stored = Self {
            verb: request.action.verb(),
            search,
            pace: request.pace,
            priority: None,
            data: None,
            max_retries: None,
            compensate: false,
            from_node: None,
            input: None,
            all_triggers: false,
        };
        match &request.action {
            BulkAction::ReprioritizeJobs(tier) => stored.priority = Some(*tier),
            BulkAction::CancelExecutions { compensate } => stored.compensate = *compensate,
            BulkAction::RerunExecutions { from, input } => {
                (stored.from_node, stored.input) = (Some(from.clone()), input.clone());
            }
            BulkAction::RequeueDeadLetters(edit) => {
                (stored.data, stored.priority, stored.max_retries) =
                    (edit.data.clone(), edit.tier, edit.retries_max);
            }
            BulkAction::ReplayDeliveries { all_triggers } => stored.all_triggers = *all_triggers,
            _ => {}
        }
        stored
    }

    /// What is done; `None` where the request does not say all of it.
    pub(super) fn action(&self) -> Option<BulkAction> {
        Some(match self.verb {
            BulkVerb::CancelJobs => BulkAction::CancelJobs,
            BulkVerb::RetryJobs => BulkAction::RetryJobs,
            BulkVerb::ReprioritizeJobs => BulkAction::ReprioritizeJobs(self.priority?),
            BulkVerb::CancelExecutions => BulkAction::CancelExecutions { compensate: self.compensate },
            BulkVerb::RetryExecutions => BulkAction::RetryExecutions,
            BulkVerb::RerunExecutions => {
                BulkAction::RerunExecutions { from: self.from_node.clone()?, input: self.input.clone() }
            }
            BulkVerb::RequeueDeadLetters => BulkAction::RequeueDeadLetters(RequeueEdit {
                data: self.data.clone(),
                tier: self.priority,
                retries_max: self.max_retries,
            }),
            BulkVerb::ArchiveDeadLetters => BulkAction::ArchiveDeadLetters,
            BulkVerb::ReplayDeliveries => BulkAction::ReplayDeliveries { all_triggers: self.all_triggers },
            BulkVerb::PauseSchedules => BulkAction::PauseSchedules,
            BulkVerb::ResumeSchedules => BulkAction::ResumeSchedules,
        })
    }
}

/// Objects of a list.
#[derive(Debug, Clone, PartialEq)]
pub enum Samples {
    /// Jobs.
    Jobs(Vec<JobRecord>),
    /// Executions.
    Executions(Vec<ExecutionRecord>),
    /// Dead letters.
    DeadLetters(Vec<DeadLetterRecord>),
    /// Deliveries.
    Deliveries(Vec<DeliveryRecord>),
    /// Schedules.
    Schedules(Vec<ScheduleView>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_request_says_the_same() {
        let edit = RequeueEdit { tier: Some(Tier::Low), data: Some("{}".to_owned()), retries_max: Some(2) };
        let actions = [
            BulkAction::RequeueDeadLetters(edit),
            BulkAction::ReprioritizeJobs(Tier::High),
            BulkAction::CancelExecutions { compensate: true },
            BulkAction::RerunExecutions { from: NodeId::trusted("charge"), input: Some("1".to_owned()) },
            BulkAction::ReplayDeliveries { all_triggers: true },
            BulkAction::PauseSchedules,
        ];
        for action in actions {
            let search = Search::all(action.verb().list());
            let request = BulkRequest {
                action: action.clone(),
                target: BulkTarget::Filter(search.clone()),
                all: true,
                has_filter: false,
                dry_run: false,
                pace: BulkPace { rate_per_second: Some(7), ..BulkPace::default() },
                reason: None,
            };
            let text = serde_json::to_string(&StoredBulk::of(&request, Some(search))).expect("plain data");
            let read: StoredBulk = serde_json::from_str(&text).expect("what was written");
            assert_eq!(read.action(), Some(action), "{text}");
            assert_eq!(read, StoredBulk::of(&request, read.search.clone()));
        }
    }
}
