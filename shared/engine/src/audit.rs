//! Lines of the audit log: who changed what, from where. Written with the change where its store call takes them, else
//! after it, and never with payloads or secrets.

use std::collections::HashMap;

use domain::id::EventId;
use domain::names::TenantName;
use serde_json::json;
use store::audit::{AuditRecord, with_line};

use crate::caller::Caller;
use crate::engine::Engine;

/// What an operator did.
pub(crate) struct AuditedAction {
    /// The public name of the action, such as `queue.pause`.
    pub(crate) action: &'static str,
    /// The id or name of what was changed.
    pub(crate) subject: String,
    /// The tenant whose object was changed; `None`: the caller's.
    pub(crate) tenant: Option<TenantName>,
    /// What else the line shows. Never a secret.
    pub(crate) detail: Option<serde_json::Value>,
    /// What was changed, before and afterwards. Never a secret.
    pub(crate) change: Option<(serde_json::Value, serde_json::Value)>,
    /// Why, where somebody said so or was refused.
    pub(crate) reason: Option<String>,
    /// Whether it was refused.
    pub(crate) is_refused: bool,
}

impl AuditedAction {
    pub(crate) fn new(action: &'static str, subject: &(impl ToString + ?Sized)) -> Self {
        Self {
            action,
            subject: subject.to_string(),
            tenant: None,
            detail: None,
            change: None,
            reason: None,
            is_refused: false,
        }
    }

    pub(crate) fn of(mut self, tenant: Option<TenantName>) -> Self {
        self.tenant = tenant;
        self
    }

    pub(crate) fn with(mut self, detail: serde_json::Value) -> Self {
        self.detail = Some(detail);
        self
    }

    /// What was changed, before and afterwards.
    pub(crate) fn changing(mut self, before: serde_json::Value, after: serde_json::Value) -> Self {
        self.change = Some((before, after));
        self
    }

    /// Why.
    pub(crate) fn because(mut self, reason: Option<&str>) -> Self {
        self.reason = reason.map(str::to_owned);
        self
    }

    /// Refused, and why.
    pub(crate) fn refused(mut self, reason: &str) -> Self {
        self.is_refused = true;
        self.because(Some(reason))
    }
}

/// The line of a change, which the store writes in the transaction of that change. Where the change is several of them,
/// or is made elsewhere, the line is written afterwards.
#[derive(Debug)]
pub(crate) struct Recording {
    line: AuditRecord,
    is_written: bool,
}

impl Recording {
    /// Makes the change.
    pub(crate) async fn of<T>(&mut self, change: impl Future<Output = T>) -> T {
        let (answer, is_written) = with_line(&self.line, change).await;
        self.is_written |= is_written;
        answer
    }
}

// Enqueues, starts and events. Calls that share a commit share lines, which are written by that commit: one for each caller,
// however many jobs and calls it is for, because a line each would double what they cost.

/// How many ids of requests a line keeps that is for several calls.
const REQUESTS_MAX: usize = 100;

/// What one call starts.
#[derive(Debug, Clone)]
pub(crate) struct StartLine {
    /// The line, whose subject is the first of what is made.
    line: AuditRecord,
    /// How many are made.
    count: u64,
    /// The last of them.
    last: String,
}

/// What calls have in common that share a line: what is done, and by whom; of which tenant; and address, client and door.
type Whose<'a> = ([&'a str; 2], Option<&'a TenantName>, [Option<&'a str>; 3]);

impl StartLine {
    fn whose(&self) -> Whose<'_> {
        let line = &self.line;
        let origin = [line.address.as_deref(), line.user_agent.as_deref(), line.door.as_deref()];
        ([line.action.as_str(), line.actor.as_str()], line.tenant.as_ref(), origin)
    }
}

/// The lines of calls that share a commit.
pub(crate) fn lines_of<'a>(starts: impl IntoIterator<Item = &'a StartLine>) -> Vec<AuditRecord> {
    let mut places: HashMap<Whose<'a>, usize> = HashMap::new();
    let mut callers: Vec<Vec<&StartLine>> = Vec::new();
    for start in starts {
        let place = *places.entry(start.whose()).or_insert(callers.len());
        if place == callers.len() {
            callers.push(Vec::new());
        }
        callers[place].push(start);
    }
    callers.iter().filter_map(|calls| line_of(calls)).collect()
}

/// The line of one caller. That of a single job is short: there are many of them.
fn line_of(calls: &[&StartLine]) -> Option<AuditRecord> {
    let (first, last) = (calls.first()?, calls.last()?);
    let count: u64 = calls.iter().map(|call| call.count).sum();
    if count == 1 {
        return Some(first.line.clone());
    }
    let requests = calls.iter().filter_map(|call| call.line.request_id.as_deref());
    let detail = json!({
        "count": count,
        "calls": calls.len(),
        "first": first.line.subject,
        "last": last.last,
        "requestIds": requests.take(REQUESTS_MAX).collect::<Vec<&str>>(),
    });
    let request_id = first.line.request_id.clone().filter(|_| calls.len() == 1);
    Some(AuditRecord { detail: Some(detail.to_string()), request_id, ..first.line.clone() })
}

impl Engine {
    /// The line of a call that makes these, for their commit. They are of one tenant, or of none where that is absent and the
    /// caller is not bound to one.
    pub(crate) fn start_line<I: ToString>(
        &self,
        caller: &Caller,
        action: &'static str,
        tenant: Option<TenantName>,
        ids: &[I],
    ) -> Option<StartLine> {
        let (first, last) = (ids.first()?, ids.last()?);
        let line = self.audit_line(caller, AuditedAction::new(action, first).of(tenant));
        Some(StartLine { line, count: ids.len() as u64, last: last.to_string() })
    }

    /// The line for an audited action, for the transaction of the change itself.
    pub(crate) fn audit_line(&self, caller: &Caller, audited: AuditedAction) -> AuditRecord {
        let now = self.now();
        let origin = caller.origin.as_deref();
        let (before, after) = audited.change.unzip();
        let shown = |value: Option<serde_json::Value>| value.map(|value| value.to_string());
        AuditRecord {
            id: EventId::from_uuid(self.entropy().uuid(now)),
            at: now,
            actor: caller.actor.clone(),
            tenant: audited.tenant.or_else(|| caller.scope.tenant().cloned()),
            action: audited.action.to_owned(),
            subject: audited.subject,
            detail: audited.detail.map(|detail| detail.to_string()),
            address: origin.and_then(|origin| origin.address).map(|address| address.to_string()),
            user_agent: origin.and_then(|origin| origin.user_agent.clone()),
            request_id: origin.and_then(|origin| origin.request_id.clone()),
            door: Some(origin.map_or("system", |origin| origin.door.as_str()).to_owned()),
            outcome: Some(if audited.is_refused { "refused" } else { "done" }.to_owned()),
            reason: audited.reason,
            before: shown(before),
            after: shown(after),
            batch: None,
        }
    }

    /// The record of a change that is about to be made: see [`Recording`].
    pub(crate) fn recording(&self, caller: &Caller, audited: AuditedAction) -> Recording {
        Recording { line: self.audit_line(caller, audited), is_written: false }
    }

    /// Sees to the record of a change that was made.
    pub(crate) async fn recorded(&self, recording: Recording) {
        if !recording.is_written {
            self.append_line(recording.line).await;
        }
    }

    /// Records an audited action. The change is committed already, so a failure here must not look like a failure of
    /// the change: it is logged and the call goes on.
    pub(crate) async fn audit(&self, caller: &Caller, audited: AuditedAction) {
        let record = self.audit_line(caller, audited);
        self.append_line(record).await;
    }

    async fn append_line(&self, record: AuditRecord) {
        if let Err(error) = self.store().append_audit(std::slice::from_ref(&record)).await {
            tracing::error!(
                audit.action = record.action,
                audit.subject = record.subject,
                audit.actor = record.actor,
                error = &error as &dyn std::error::Error,
                "the audit line could not be written"
            );
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use domain::time::Timestamp;
    use serde_json::Value;
    use uuid::Uuid;

    use super::*;

    /// A call of somebody that enqueues so many jobs.
    pub(crate) fn start(actor: &str, subject: &str, (count, last): (u64, &str), request: &str) -> StartLine {
        let line = AuditRecord {
            id: EventId::from_uuid(Uuid::nil()),
            at: Timestamp(0),
            actor: actor.to_owned(),
            tenant: None,
            action: "job.enqueue".to_owned(),
            subject: subject.to_owned(),
            detail: None,
            address: Some("192.0.2.1".to_owned()),
            user_agent: None,
            request_id: Some(request.to_owned()),
            door: None,
            outcome: None,
            reason: None,
            before: None,
            after: None,
            batch: None,
        };
        StartLine { line, count, last: last.to_owned() }
    }

    #[test]
    fn calls_of_one_caller_in_one_commit_share_a_line() {
        let starts = [
            start("key_1", "job_1", (1, "job_1"), "a"),
            start("key_2", "job_2", (1, "job_2"), "b"),
            start("key_1", "job_3", (3, "job_5"), "c"),
        ];
        let lines = lines_of(&starts);
        let shown: Vec<(&str, &str, Option<&str>)> = lines
            .iter()
            .map(|line| (line.actor.as_str(), line.subject.as_str(), line.request_id.as_deref()))
            .collect();
        assert_eq!(shown, [("key_1", "job_1", None), ("key_2", "job_2", Some("b"))]);
        let detail: Option<Value> =
            lines[0].detail.as_deref().and_then(|detail| serde_json::from_str(detail).ok());
        let expected =
            json!({"count": 4, "calls": 2, "first": "job_1", "last": "job_5", "requestIds": ["a", "c"]});
        assert_eq!((detail, &lines[1].detail), (Some(expected), &None));
    }

    #[test]
    fn a_line_of_many_calls_is_bounded() {
        let starts: Vec<StartLine> =
            (0..3 * REQUESTS_MAX).map(|_| start("key_1", "job_1", (1, "job_1"), "a")).collect();
        let [line]: [AuditRecord; 1] = lines_of(&starts).try_into().expect("one line");
        let detail: Option<Value> =
            line.detail.as_deref().and_then(|detail| serde_json::from_str(detail).ok());
        let requests = detail.and_then(|detail| detail["requestIds"].as_array().map(Vec::len));
        assert_eq!(requests, Some(REQUESTS_MAX));
    }
}
