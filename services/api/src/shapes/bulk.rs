//! Bulk operations as they are sent and answered: one body for all, with fields of their own for some.

use std::collections::BTreeMap;

use domain::attribute::Searchable;
use domain::bulk::{BulkPace, Canary, Proceed};
use domain::names::NodeId;
use domain::queue::Tier;
use domain::search::{Search, SearchList, Term, TermValue, Test};
use domain::time::Timestamp;
use engine::{BulkAction, BulkRequest, BulkTarget, Samples};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::dead_letters::RequeueEdit;
use utoipa::ToSchema;

use super::dead_letters::DeadLetterResponse;
use super::deliveries::DeliveryResponse;
use super::executions::ExecutionResponse;
use super::jobs::JobResponse;
use super::schedules::ScheduleResponse;
use super::words::PrioritySchema;
use crate::extract::{read_parameter, read_query, with_default_status};
use crate::json::{RawJson, present};
use crate::problem::{ApiResult, Problem};

/// Filter of a bulk operation: the query parameters of the list as fields, each a value or a list of values, and `q`.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[schema(as = BulkFilter)]
pub(crate) struct FilterBody(BTreeMap<String, Value>);

/// The objects that a bulk operation changes first, before it pauses.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = BulkCanary)]
pub(crate) struct CanaryBody {
    /// Number of objects.
    count: u64,
    /// `auto` (default): the operation continues when all of them have an outcome and the failure rate is acceptable.
    /// `manual`: it waits until it is resumed.
    proceed: Option<String>,
}

/// The bodies, each with the fields that all have and its own.
macro_rules! bodies {
    ($($(#[$doc:meta])* $name:ident as $public:ident { $($(#[$field_doc:meta])* $field:ident: $kind:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Deserialize, ToSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        #[schema(as = $public)]
        pub(crate) struct $name {
            /// Filter. An empty filter requires `all`.
            filter: Option<FilterBody>,
            /// IDs of the objects, at most 10,000, instead of a filter.
            #[schema(value_type = Option<Vec<String>>)]
            ids: Option<Vec<String>>,
            /// Confirms an empty filter, which matches everything.
            #[serde(default)]
            #[schema(required = false)]
            all: bool,
            /// Dry run: only counts the matches and shows up to ten of them.
            #[serde(default)]
            #[schema(required = false)]
            dry_run: bool,
            /// Maximum number of objects.
            limit: Option<u64>,
            /// Maximum number of objects changed per second.
            rate_per_second: Option<u32>,
            /// Canary: objects that are changed first.
            canary: Option<CanaryBody>,
            /// Stops when more than this fraction of the objects failed, from 0 to 1.
            stop_on_failure_rate: Option<f64>,
            /// Reason, at most 500 characters. Kept with the operation and in the audit log.
            reason: Option<String>,
            $($(#[$field_doc])* $field: $kind,)*
        }

        impl $name {
            fn common(&mut self) -> Common {
                Common {
                    filter: self.filter.take(),
                    ids: self.ids.take(),
                    all: self.all,
                    dry_run: self.dry_run,
                    limit: self.limit,
                    rate_per_second: self.rate_per_second,
                    canary: self.canary.take(),
                    stop_on_failure_rate: self.stop_on_failure_rate,
                    reason: self.reason.take(),
                }
            }
        }
    )*};
}

bodies! {
    /// Objects to change.
    BulkBody as BulkOperationRequest {}
    /// Jobs to move to another priority.
    BulkReprioritizeBody as BulkReprioritizeRequest {
        /// New priority. Required.
        #[schema(value_type = PrioritySchema)]
        priority: Option<Tier>,
    }
    /// Executions to cancel.
    BulkCancelBody as BulkCancelRequest {
        /// Whether completed nodes are compensated first (default false).
        #[serde(default)]
        #[schema(required = false)]
        compensate: bool,
    }
    /// Executions to rerun.
    BulkRerunBody as BulkRerunRequest {
        /// Node from which the new executions run. Required.
        #[schema(value_type = String)]
        from_node: Option<NodeId>,
        /// Input of the new executions (default: the input of each original execution).
        #[serde(default, deserialize_with = "present")]
        #[schema(value_type = RawJson, required = false)]
        input: Option<RawJson>,
    }
    /// Dead letters to requeue.
    BulkRequeueBody as BulkRequeueRequest {
        /// New payload for each job.
        #[serde(default, deserialize_with = "present")]
        #[schema(value_type = RawJson, required = false)]
        data: Option<RawJson>,
        #[schema(value_type = Option<PrioritySchema>)]
        priority: Option<Tier>,
        /// New maximum number of retries for each job.
        max_retries: Option<u32>,
    }
    /// Deliveries to replay.
    BulkReplayBody as BulkReplayRequest {
        /// Whether triggers that have already started a workflow start it again (default false).
        #[serde(default)]
        #[schema(required = false)]
        all_triggers: bool,
    }
}

/// What all bodies have.
struct Common {
    filter: Option<FilterBody>,
    ids: Option<Vec<String>>,
    all: bool,
    dry_run: bool,
    limit: Option<u64>,
    rate_per_second: Option<u32>,
    canary: Option<CanaryBody>,
    stop_on_failure_rate: Option<f64>,
    reason: Option<String>,
}

impl BulkBody {
    /// The request for an action without fields of its own.
    pub(crate) fn into_request(mut self, action: BulkAction, reading: &Reading) -> ApiResult<BulkRequest> {
        self.common().into_request(action, reading)
    }
}

impl BulkReprioritizeBody {
    /// The request.
    pub(crate) fn into_request(mut self, reading: &Reading) -> ApiResult<BulkRequest> {
        let tier = self.priority.ok_or_else(|| Problem::fault("/priority", "is required"))?;
        self.common().into_request(BulkAction::ReprioritizeJobs(tier), reading)
    }
}

impl BulkCancelBody {
    /// The request.
    pub(crate) fn into_request(mut self, reading: &Reading) -> ApiResult<BulkRequest> {
        let compensate = self.compensate;
        self.common().into_request(BulkAction::CancelExecutions { compensate }, reading)
    }
}

impl BulkRerunBody {
    /// The request.
    pub(crate) fn into_request(mut self, reading: &Reading) -> ApiResult<BulkRequest> {
        let from = self.from_node.take().ok_or_else(|| Problem::fault("/fromNode", "is required"))?;
        let input = self.input.take().map(RawJson::into_text);
        self.common().into_request(BulkAction::RerunExecutions { from, input }, reading)
    }
}

impl BulkRequeueBody {
    /// The request.
    pub(crate) fn into_request(mut self, reading: &Reading) -> ApiResult<BulkRequest> {
        let data = self.data.take().map(RawJson::into_text);
        let edit = RequeueEdit { data, tier: self.priority, retries_max: self.max_retries };
        self.common().into_request(BulkAction::RequeueDeadLetters(edit), reading)
    }
}

impl BulkReplayBody {
    /// The request.
    pub(crate) fn into_request(mut self, reading: &Reading) -> ApiResult<BulkRequest> {
        let all_triggers = self.all_triggers;
        self.common().into_request(BulkAction::ReplayDeliveries { all_triggers }, reading)
    }
}

/// What a filter is read with.
#[derive(Debug)]
pub(crate) struct Reading {
    /// What relative times count from.
    pub(crate) now: Timestamp,
    /// What queries may name.
    pub(crate) searchable: Searchable,
}

impl Common {
    fn into_request(self, action: BulkAction, reading: &Reading) -> ApiResult<BulkRequest> {
        let list = action.verb().list();
        if self.filter.is_some() && self.ids.is_some() {
            return Err(Problem::fault("/ids", "expected a filter or IDs, not both"));
        }
        let has_filter = self.filter.as_ref().is_some_and(|filter| !filter.0.is_empty());
        let target = match self.ids {
            Some(ids) => BulkTarget::Ids(read_ids(list, &ids)?),
            None => BulkTarget::Filter(read_filter(list, &self.filter.unwrap_or_default(), reading)?),
        };
        let pace = BulkPace {
            limit: self.limit,
            rate_per_second: self.rate_per_second,
            canary: self.canary.map(read_canary).transpose()?,
            stop_on_failure_rate: self.stop_on_failure_rate,
        };
        let (all, dry_run, reason) = (self.all, self.dry_run, self.reason);
        Ok(BulkRequest { action, target, all, has_filter, dry_run, pace, reason })
    }
}

fn read_canary(canary: CanaryBody) -> ApiResult<Canary> {
    let CanaryBody { count, proceed } = canary;
    let proceed = match proceed.as_deref() {
        None | Some("auto") => Proceed::Auto,
        Some("manual") => Proceed::Manual,
        Some(_) => return Err(Problem::fault("/canary/proceed", "expected auto or manual")),
    };
    Ok(Canary { count, proceed })
}

fn read_ids(list: SearchList, ids: &[String]) -> ApiResult<Vec<uuid::Uuid>> {
    let read = |(index, text): (usize, &String)| {
        list.parse_id(text).ok_or_else(|| {
            let expected = format!("expected {}_ and 32 hex digits", list.id_prefix().unwrap_or_default());
            Problem::fault(format!("/ids/{index}"), expected)
        })
    };
    ids.iter().enumerate().map(read).collect()
}

/// Statuses of deliveries that are replayed where none is asked for: what is still to be matched is not decided twice.
const REPLAYED: [&str; 3] = ["matched", "unmatched", "parked"];

fn read_filter(list: SearchList, filter: &FilterBody, reading: &Reading) -> ApiResult<Search> {
    let mut terms = Vec::new();
    for (name, value) in &filter.0 {
        if name == "q" {
            let query = value.as_str().ok_or_else(|| Problem::fault("/filter/q", "expected text"))?;
            terms.extend(read_query(list, query, reading.now, &reading.searchable)?);
            continue;
        }
        let values = texts_of(value).ok_or_else(|| {
            Problem::fault(format!("/filter/{name}"), "expected a value or a list of values")
        })?;
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        terms.push(read_parameter(list, name, &values, reading.now, "/filter")?);
    }
    with_default_status(list, &mut terms);
    if list == SearchList::Deliveries {
        check_replayed(&mut terms)?;
    }
    Ok(Search { terms, ..Search::all(list) })
}

fn check_replayed(terms: &mut Vec<Term>) -> ApiResult<()> {
    let text = |status: &str| TermValue::Text(status.to_owned());
    let Some(term) = terms.iter().find(|term| term.key == "status") else {
        let tests = REPLAYED.iter().map(|status| Test::Is(text(status))).collect();
        terms.push(Term { key: "status".to_owned(), is_negated: false, tests });
        return Ok(());
    };
    let is_replayed = |value: &&TermValue| {
        **value == text("accepted") || REPLAYED.iter().any(|status| **value == text(status))
    };
    match term.values() {
        Some(values) if !term.is_negated && !values.iter().all(is_replayed) => Err(Problem::fault(
            "/filter/status",
            "expected accepted, matched, unmatched or parked: the others are not replayed",
        )),
        _ => Ok(()),
    }
}

/// A value, or several.
fn texts_of(value: &Value) -> Option<Vec<String>> {
    let one = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(is_true) => Some(is_true.to_string()),
        _ => None,
    };
    match value {
        Value::Array(values) => values.iter().map(one).collect(),
        value => one(value).map(|text| vec![text]),
    }
}

/// The result of a dry run.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BulkCount)]
pub(crate) struct MatchesResponse {
    /// Number of matches.
    pub(crate) count: u64,
    /// Whether `count` is exact. Otherwise it is a lower bound.
    pub(crate) exact: bool,
    /// The first ten matches, in the format of their list.
    #[schema(value_type = Vec<Object>)]
    pub(crate) samples: Vec<SampleResponse>,
}

/// An object as its list shows it.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum SampleResponse {
    Job(Box<JobResponse>),
    Execution(Box<ExecutionResponse>),
    DeadLetter(Box<DeadLetterResponse>),
    Delivery(Box<DeliveryResponse>),
    Schedule(Box<ScheduleResponse>),
}

impl SampleResponse {
    /// The objects of a dry run.
    pub(crate) fn all(samples: Samples) -> Vec<Self> {
        match samples {
            Samples::Jobs(jobs) => {
                jobs.into_iter().map(|job| Self::Job(Box::new(JobResponse::in_list(job)))).collect()
            }
            Samples::Executions(executions) => {
                let shown = |one| Self::Execution(Box::new(ExecutionResponse::in_list(one)));
                executions.into_iter().map(shown).collect()
            }
            Samples::DeadLetters(letters) => {
                let shown = |one| Self::DeadLetter(Box::new(DeadLetterResponse::in_list(one)));
                letters.into_iter().map(shown).collect()
            }
            Samples::Deliveries(deliveries) => {
                let shown = |one| Self::Delivery(Box::new(DeliveryResponse::in_list(one)));
                deliveries.into_iter().map(shown).collect()
            }
            Samples::Schedules(schedules) => {
                let shown = |one| Self::Schedule(Box::new(ScheduleResponse::in_list(one)));
                schedules.into_iter().map(shown).collect()
            }
        }
    }
}
