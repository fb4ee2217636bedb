//! Lines of the audit log: who changed what, from where. Written with the change where its store call takes them, else
//! after it, and never with payloads or secrets.

mod changes;

use std::sync::Arc;

use domain::id::{BatchId, EventId};
use domain::names::TenantName;
use domain::secret::SecretName;
use store::Store;
use store::audit::{AuditRecord, Started, with_line};

use crate::audit_buffer::WINDOW;
use crate::caller::{Caller, Origin};
use crate::engine::Engine;

pub(crate) use changes::{SECRET, document};

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

    /// The same of two documents, of which the fields are shown that differ; null where there was, or is, no object. Secrets
    /// and payloads in it are not shown.
    pub(crate) fn differing(self, before: &serde_json::Value, after: &serde_json::Value) -> Self {
        let (before, after) = changes::differences(before, after);
        self.changing(before, after)
    }

    /// The bulk operation that it is about.
    fn batch(&self) -> Option<String> {
        let named = self.detail.as_ref().and_then(|detail| detail.get("batch")?.as_str());
        named.or(Some(self.subject.as_str())).filter(|text| BatchId::parse(text).is_some()).map(str::to_owned)
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

// Enqueues, starts and events: their lines are written by the commits of what they record.

impl Engine {
    /// The line of a call that makes these, for their commit. They are of one tenant, or of none where that is absent and the
    /// caller is not bound to one.
    pub(crate) fn start_line<I: ToString>(
        &self,
        caller: &Caller,
        action: &'static str,
        tenant: Option<TenantName>,
        ids: &[I],
    ) -> Option<AuditRecord> {
        let (first, last) = (ids.first()?, ids.last()?);
        let line = self.audit_line(caller, AuditedAction::new(action, first).of(tenant));
        // That of a single job is short: there are many of them.
        let detail = (ids.len() > 1).then(|| {
            let (first, requests) = (line.subject.clone(), line.request_id.clone().into_iter().collect());
            Started { count: ids.len() as u64, calls: 1, first, last: last.to_string(), requests }.detail()
        });
        Some(AuditRecord { detail, ..line })
    }

    /// The line for an audited action, for the transaction of the change itself.
    pub(crate) fn audit_line(&self, caller: &Caller, audited: AuditedAction) -> AuditRecord {
        let now = self.now();
        let origin = caller.origin.as_deref();
        let batch = audited.batch();
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
            batch,
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
                "an audit entry could not be written"
            );
        }
    }
}

impl Engine {
    /// Records that a secret of a tenant is sent.
    pub(crate) fn record_secret_use(&self, tenant: &TenantName, name: &SecretName) {
        let action = "secret.use";
        let line =
            self.audit_line(&Caller::system(), AuditedAction::new(action, name).of(Some(tenant.clone())));
        // One line for each secret: beside the tenant, lines are distinguished by who acts.
        let line = AuditRecord { actor: format!("secret {name}"), ..line };
        self.gather(line, action, name.to_string());
    }

    /// Records a call whose key or session was not valid, or that had none: one line for address and minute, with what the first
    /// of them said of itself.
    pub fn record_auth_failure(&self, origin: Origin) {
        let subject = origin.address.map_or_else(|| "an unknown address".to_owned(), |at| at.to_string());
        let caller = Caller { origin: Some(origin.into()), actor: "unknown".to_owned(), ..Caller::system() };
        let audited = AuditedAction::new("auth.failed", &subject).refused("no valid key, token or session");
        let line = self.audit_line(&caller, audited);
        self.gather(line, "auth.failed", subject);
    }

    /// Records a call that was refused to a known caller: one line for caller, address and minute.
    pub fn record_refused(&self, caller: &Caller, call: &str, reason: &'static str) {
        let action = "auth.refused";
        let line = self.audit_line(caller, AuditedAction::new(action, call).refused(reason));
        self.gather(line, action, call.to_owned());
    }

    fn gather(&self, line: AuditRecord, action: &'static str, last: String) {
        if !self.memory().audit_buffer.record(line, action, last) {
            return;
        }
        // Holds no engine: what ends with the last of them must not wait for a minute of lines.
        let (notes, store) = (Arc::clone(&self.memory().audit_buffer), Arc::clone(self.store()));
        let (shutdown, closed) = (self.shutdown().clone(), self.closed());
        tokio::spawn(async move {
            tokio::select! {
                () = tokio::time::sleep(WINDOW) => {}
                () = closed.cancelled() => {}
                // Whoever ends the process writes what is left.
                () = shutdown.cancelled() => return,
            }
            write(store.as_ref(), notes.take()).await;
        });
    }

    /// Writes what was gathered for the audit log. For the end of a process, after which nothing is recorded.
    pub async fn flush_audit(&self) {
        write(self.store().as_ref(), self.memory().audit_buffer.take()).await;
    }
}

async fn write(store: &dyn Store, lines: Vec<AuditRecord>) {
    if let Err(error) = store.append_audit(&lines).await {
        tracing::error!(
            audit.lines = lines.len(),
            error = &error as &dyn std::error::Error,
            "buffered audit entries could not be written"
        );
    }
}
