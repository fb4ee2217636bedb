//! What a worker reports over its stream: read like the bodies of REST, carried out by the same use cases.

use std::cell::Cell;
use std::collections::BTreeMap;

use bytes::Bytes;
use domain::error::Fault;
use domain::failure::{ITEMS_READ_MAX, JobError, VALUES_READ_MAX, small_value, values_of};
use domain::id::{JobId, LeaseToken};
use domain::time::{DurationMs, Timestamp};
use engine::{
    Caller, CompleteItem, Engine, EngineError, FAULTS_MAX, FailItem, Problem, Rejection, ReleaseItem,
};
use serde_json::Value;
use serde_json::value::RawValue;
use store::job_logs::LoggedLines;
use store::jobs::{ClaimedJob, EarlierAttempts, LeaseAnswer, LeaseExtension, LeaseRef};

use crate::door::Gate;
use crate::proto;

/// Reports of one kind, read, and the log lines that came with them.
pub(super) struct Report {
    items: Items,
    logged: Vec<LoggedLines>,
}

enum Items {
    Complete(Vec<CompleteItem>),
    Fail(Vec<FailItem>),
    Heartbeat(Vec<LeaseExtension>),
    Release(Vec<ReleaseItem>),
}

/// What a report came to.
pub(super) struct Reported {
    pub(super) number: u64,
    pub(super) outcomes: Result<Vec<proto::Outcome>, Problem>,
    /// The jobs that the worker is done with, whatever the outcome.
    pub(super) done: Vec<JobId>,
}

impl Report {
    fn of<T>(read: Vec<(T, Option<LoggedLines>)>, items: impl FnOnce(Vec<T>) -> Items) -> Self {
        let (all, logged): (Vec<T>, Vec<Option<LoggedLines>>) = read.into_iter().unzip();
        Self { items: items(all), logged: logged.into_iter().flatten().collect() }
    }

    /// The jobs that are reported on.
    pub(super) fn leases(&self) -> Vec<LeaseRef> {
        match &self.items {
            Items::Complete(items) => items.iter().map(|item| item.lease).collect(),
            Items::Fail(items) => items.iter().map(|item| item.lease).collect(),
            Items::Heartbeat(items) => items.iter().map(|item| item.lease).collect(),
            Items::Release(items) => items.iter().map(|item| item.lease).collect(),
        }
    }

    /// Carries it out.
    pub(super) async fn carry_out(self, engine: Engine, caller: Caller, number: u64) -> Reported {
        let ids: Vec<JobId> = self.leases().iter().map(|lease| lease.id).collect();
        let is_renewal = matches!(self.items, Items::Heartbeat(_));
        let outcomes = self.answers(&engine, &caller, &ids).await.map_err(Problem::from);
        let ended = |outcome: &&proto::Outcome| match outcome.outcome.as_str() {
            // The lease holds still.
            "rejected" => false,
            "ok" => !is_renewal,
            _ => true,
        };
        let done = outcomes.as_ref().map_or_else(
            |_| Vec::new(),
            |outcomes| {
                outcomes.iter().filter(ended).filter_map(|outcome| JobId::parse(&outcome.id)).collect()
            },
        );
        Reported { number, outcomes, done }
    }

    async fn answers(
        self,
        engine: &Engine,
        caller: &Caller,
        ids: &[JobId],
    ) -> Result<Vec<proto::Outcome>, EngineError> {
        if !self.logged.is_empty() {
            engine.log_with_reports(caller, self.logged).await?;
        }
        let answers = match self.items {
            Items::Complete(items) => engine.complete(caller, items).await?,
            Items::Fail(items) => engine.fail(caller, items).await?,
            Items::Release(items) => engine.release_jobs(caller, items).await?,
            Items::Heartbeat(items) => {
                let answers = engine.heartbeat(caller, items).await?;
                return Ok(ids.iter().zip(answers).map(|(id, answer)| renewed(*id, answer)).collect());
            }
        };
        Ok(ids.iter().zip(answers).map(|(id, answer)| self::outcome(*id, answer)).collect())
    }
}

/// A stream has credits instead of polls.
fn refuse_poll(poll: Option<&proto::PollJobsRequest>) -> Result<(), Problem> {
    match poll {
        Some(_) => {
            let fault = Fault::new("/poll", "is not possible on a stream; send `credits`");
            Err(Problem::invalid(vec![fault]))
        }
        None => Ok(()),
    }
}

/// Reads the reports of one message. Faults point below `/jobs/{index}`, as those of REST.
pub(super) struct Reader<'a> {
    gate: &'a dyn Gate,
    /// How many values were read.
    values: Cell<usize>,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(gate: &'a dyn Gate) -> Self {
        Self { gate, values: Cell::new(0) }
    }
}

impl Reader<'_> {
    pub(super) fn complete(&self, sent: proto::CompleteJobsRequest) -> Result<Report, Problem> {
        refuse_poll(sent.poll.as_ref())?;
        let item = |item: proto::Completion| {
            let lease = lease_of(&item.id, &item.lease_token)?;
            let attributes = match self.small("/attributes", &item.attributes)? {
                None => BTreeMap::new(),
                Some(Value::Object(attributes)) => attributes.into_iter().collect(),
                Some(_) => return Err(Fault::new("/attributes", "expected a JSON object")),
            };
            let result = self.json("/result", &item.result)?;
            let complete = CompleteItem { lease, result, attributes };
            Ok((complete, self.logged(lease, item.logs)?))
        };
        each(sent.jobs, item).map(|read| Report::of(read, Items::Complete))
    }

    pub(super) fn fail(&self, sent: proto::FailJobsRequest) -> Result<Report, Problem> {
        refuse_poll(sent.poll.as_ref())?;
        let item = |item: proto::Failure| {
            let lease = lease_of(&item.id, &item.lease_token)?;
            let error = item.error.ok_or_else(|| Fault::new("/error", "is required"))?;
            let details = self.small("/error/details", &error.details)?;
            let fail = FailItem {
                lease,
                error: JobError { message: error.message, code: error.code, details },
                retryable: item.retryable.unwrap_or(true),
                retry_after: duration("/retryAfter", item.retry_after.as_deref())?,
            };
            Ok((fail, self.logged(lease, item.logs)?))
        };
        each(sent.jobs, item).map(|read| Report::of(read, Items::Fail))
    }

    pub(super) fn heartbeat(&self, sent: proto::HeartbeatJobsRequest) -> Result<Report, Problem> {
        let item = |item: proto::Heartbeat| {
            let lease = lease_of(&item.id, &item.lease_token)?;
            let extension = LeaseExtension {
                lease,
                extend: duration("/extend", item.extend.as_deref())?,
                progress: self.json("/progress", &item.progress)?,
            };
            Ok((extension, self.logged(lease, item.logs)?))
        };
        each(sent.jobs, item).map(|read| Report::of(read, Items::Heartbeat))
    }

    pub(super) fn release(sent: proto::ReleaseJobsRequest) -> Result<Report, Problem> {
        let item = |item: proto::Release| {
            let lease = lease_of(&item.id, &item.lease_token)?;
            Ok(ReleaseItem { lease, delay: duration("/delay", item.delay.as_deref())? })
        };
        each(sent.jobs, item).map(|items| Report { items: Items::Release(items), logged: Vec::new() })
    }

    /// What a job has logged; nothing where it came without lines.
    fn logged(&self, lease: LeaseRef, sent: Vec<proto::LogLine>) -> Result<Option<LoggedLines>, Fault> {
        if sent.is_empty() {
            return Ok(None);
        }
        Ok(Some(LoggedLines { lease, lines: self.lines(sent)? }))
    }

    /// JSON that is small wherever it is right. What is far too long stays text: it is refused where its bounds are checked.
    fn small(&self, pointer: &str, bytes: &Bytes) -> Result<Option<Value>, Fault> {
        let Some(text) = self.json(pointer, bytes)? else {
            return Ok(None);
        };
        let value =
            small_value(&text).map_err(|error| Fault::new(pointer, format!("expected JSON: {error}")))?;
        self.values.set(self.values.get() + values_of(&value));
        if self.values.get() > VALUES_READ_MAX {
            let message = format!("expected at most {VALUES_READ_MAX} values in all reports together");
            return Err(Fault::new(pointer, message));
        }
        Ok(Some(value))
    }

    /// JSON that is carried along, within what REST takes; nothing where nothing was sent.
    pub(super) fn json(&self, pointer: &str, bytes: &Bytes) -> Result<Option<String>, Fault> {
        if bytes.is_empty() {
            return Ok(None);
        }
        let invalid = |message: String| Fault::new(pointer, message);
        let text = std::str::from_utf8(bytes).map_err(|_| invalid("expected UTF-8".to_owned()))?;
        self.gate.check_json(text).map_err(|fault| fault.under(pointer))?;
        let raw: &RawValue =
            serde_json::from_str(text).map_err(|error| invalid(format!("expected JSON: {error}")))?;
        Ok(Some(raw.get().to_owned()))
    }
}

fn each<T, U>(items: Vec<T>, read: impl Fn(T) -> Result<U, Fault>) -> Result<Vec<U>, Problem> {
    if items.len() > ITEMS_READ_MAX {
        let fault = Fault::new("/jobs", format!("expected at most {ITEMS_READ_MAX} items"));
        return Err(Problem::invalid(vec![fault]));
    }
    let (mut all, mut faults) = (Vec::with_capacity(items.len()), Vec::new());
    for (index, item) in items.into_iter().enumerate() {
        match read(item) {
            Ok(item) => all.push(item),
            Err(fault) if faults.len() < FAULTS_MAX => faults.push(fault.under(&format!("/jobs/{index}"))),
            Err(_) => {}
        }
    }
    if faults.is_empty() { Ok(all) } else { Err(Problem::invalid(faults)) }
}

fn lease_of(id: &str, token: &str) -> Result<LeaseRef, Fault> {
    let id = JobId::parse(id).ok_or_else(|| Fault::new("/id", "expected the id of a job"))?;
    let token = LeaseToken::parse(token)
        .ok_or_else(|| Fault::new("/leaseToken", "expected the leaseToken that came with the job"))?;
    Ok(LeaseRef { id, token })
}

fn duration(pointer: &str, text: Option<&str>) -> Result<Option<DurationMs>, Fault> {
    text.map(DurationMs::parse).transpose().map_err(|fault| Fault::new(pointer, fault.to_string()))
}

// Jobs and outcomes as messages.

/// A leased job with what earlier attempts left.
pub(super) fn polled_job(
    job: ClaimedJob,
    earlier: EarlierAttempts,
    shows_payloads: bool,
) -> proto::PolledJob {
    let deadline = job.timeout.map(|timeout| job.started_at.plus(timeout));
    proto::PolledJob {
        id: job.id.to_string(),
        job_type: job.job_type.to_string(),
        workflow: job.workflow.map(|workflow| workflow.name.to_string()),
        attempt: job.attempt,
        data: job.data.into(),
        idempotency_key: job.id.to_string(),
        lease_expires_at: job.lease_until.to_string(),
        lease_token: job.token.to_string(),
        max_retries: job.facts.retries_max,
        tenant: job.tenant.to_string(),
        deadline: deadline.map(|at| at.to_string()),
        execution_id: job.execution_id.map(|id| id.to_string()),
        last_error: earlier.error.map(|error| job_error(error, shows_payloads)),
        node_id: job.node_id.map(|id| id.to_string()),
        progress: earlier.progress.unwrap_or_default().into(),
        traceparent: job.traceparent,
    }
}

fn job_error(error: JobError, shows_payloads: bool) -> proto::JobError {
    let details = error.details.filter(|_| shows_payloads);
    proto::JobError {
        message: error.message,
        code: error.code,
        details: details.map(|details| details.to_string()).unwrap_or_default().into(),
    }
}

/// The outcome of a report on a job.
pub(super) fn outcome<T>(id: JobId, answer: Result<LeaseAnswer<T>, Rejection>) -> proto::Outcome {
    let (outcome, reason) = match answer {
        Ok(answer) => (answer.as_str(), None),
        Err(Rejection { reason }) => ("rejected", Some(reason)),
    };
    proto::Outcome { id: id.to_string(), outcome: outcome.to_owned(), lease_expires_at: None, reason }
}

/// The outcome of a heartbeat, with the new end of the lease.
pub(super) fn renewed(id: JobId, answer: Result<LeaseAnswer<Timestamp>, Rejection>) -> proto::Outcome {
    let until = answer.as_ref().ok().and_then(LeaseAnswer::ok).map(ToString::to_string);
    proto::Outcome { lease_expires_at: until, ..outcome(id, answer) }
}
