//! The audit log: who changed what, and the seals that make a chain of it.

mod fold;

use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::audit::{Link, Seal};
use domain::id::EventId;
use domain::names::TenantName;
use domain::search::Term;
use domain::time::Timestamp;
use serde_json::{Map, Value};

use crate::error::StoreResult;

pub use fold::{Folded, Started, fold};

/// A line of the audit log: who changed what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRecord {
    /// The id of the line; repeated writes of the same id make one line.
    pub id: EventId,
    /// When the change was made.
    pub at: Timestamp,
    /// Who: a key's public id, `oidc:` and a subject, or `system`.
    pub actor: String,
    /// The tenant whose object was changed, where it has one.
    pub tenant: Option<TenantName>,
    /// What was done, such as `queue.pause`.
    pub action: String,
    /// The id or name of what was changed.
    pub subject: String,
    /// More, as raw JSON text. Never a secret.
    pub detail: Option<String>,
    /// By which door the call came: `rest`, `cli`, `console`, `grpc` or `system`.
    pub door: Option<String>,
    /// The address that the call came from.
    pub address: Option<String>,
    /// What its client calls itself.
    pub user_agent: Option<String>,
    /// The id of the request.
    pub request_id: Option<String>,
    /// `done` or `refused`.
    pub outcome: Option<String>,
    /// Why, where somebody said so or was refused.
    pub reason: Option<String>,
    /// What was changed, as it was before: raw JSON text. Never a secret.
    pub before: Option<String>,
    /// The same as it was afterwards.
    pub after: Option<String>,
    /// The bulk operation that it was a part of.
    pub batch: Option<String>,
}

impl AuditRecord {
    /// The row as everybody sees it, and as it is sealed: without what is absent.
    pub fn public_row(&self) -> Map<String, Value> {
        let json = |text: &Option<String>| {
            let text = text.as_ref()?;
            Some(serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str())))
        };
        let text = |text: &Option<String>| text.as_deref().map(Value::from);
        let fields = [
            ("id", Some(Value::from(self.id.to_string()))),
            ("at", Some(Value::from(self.at.to_string()))),
            ("actor", Some(Value::from(self.actor.as_str()))),
            ("tenant", self.tenant.as_ref().map(|tenant| Value::from(tenant.as_str()))),
            ("action", Some(Value::from(self.action.as_str()))),
            ("subject", Some(Value::from(self.subject.as_str()))),
            ("detail", json(&self.detail)),
            ("door", text(&self.door)),
            ("address", text(&self.address)),
            ("userAgent", text(&self.user_agent)),
            ("requestId", text(&self.request_id)),
            ("outcome", text(&self.outcome)),
            ("reason", text(&self.reason)),
            ("before", json(&self.before)),
            ("after", json(&self.after)),
            ("batch", text(&self.batch)),
        ];
        fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }
}

/// A line with its seal, if it has one yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditLine {
    /// The line.
    pub record: AuditRecord,
    /// Its seal.
    pub seal: Option<Seal>,
}

/// A sealed row as the chain knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainRow {
    /// The seal.
    pub seal: Seal,
    /// The row; `None` where somebody has removed it.
    pub record: Option<AuditRecord>,
}

/// Where the chain begins and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chain {
    /// The last row that retention has removed.
    pub anchor: Link,
    /// The last row that is sealed.
    pub head: Link,
}

/// What a round of sealing did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sealing {
    /// How many seals were made.
    pub sealed: u32,
    /// When the oldest row was written that is left; `None` where none is.
    pub oldest_left: Option<Timestamp>,
    /// The end of the chain afterwards.
    pub head: Link,
}

/// The store's operations on the audit log.
#[async_trait]
pub trait AuditStore {
    /// Appends lines to the audit log.
    async fn append_audit(&self, records: &[AuditRecord]) -> StoreResult<()>;

    /// Sealed lines that match terms of the list of the audit log, oldest first, among the rows of the chain behind one and up to another.
    async fn audit_in_order(
        &self,
        scope: &TenantScope,
        terms: &[Term],
        behind: u64,
        up_to: u64,
    ) -> StoreResult<Vec<AuditLine>>;

    /// Seals up to `limit` rows of those that were written at or after `since` and have no seal, oldest first; those that
    /// [`fold()`] puts together become one before. Rows are sealed once, whoever seals at the same time.
    async fn seal_audit(&self, since: Timestamp, limit: u32) -> StoreResult<Sealing>;

    /// The same in one part of the log, the first `rows` that were written at or after `since`, sealed or not. Answers where
    /// the next part begins: again there, where more than `limit` had no seal; `None` at the end of the log.
    async fn seal_audit_part(
        &self,
        since: Timestamp,
        rows: u32,
        limit: u32,
    ) -> StoreResult<(Sealing, Option<Timestamp>)>;

    /// Where the chain begins and ends.
    async fn audit_chain(&self) -> StoreResult<Chain>;

    /// Up to `limit` rows of the chain behind one, in order.
    async fn audit_chain_rows(&self, behind: u64, limit: u32) -> StoreResult<Vec<ChainRow>>;
}

/// The lines that the change of a call is to be recorded by, on their way to the transaction of that change: one for a call
/// by itself, several where calls share a commit.
///
/// They go beside the arguments of a method, so that each of them has one meaning whoever calls, and a store takes them into
/// the transaction that makes the change. A change that is not made takes none.
#[derive(Debug)]
struct Riding {
    lines: Vec<AuditRecord>,
    are_taken: AtomicBool,
}

tokio::task_local! {
    static RIDING: Riding;
}

/// Makes a call whose change is recorded by a line. Answers, beside the call's own answer, whether the store has written
/// the line together with the change.
pub fn with_line<T>(line: &AuditRecord, call: impl Future<Output = T>) -> impl Future<Output = (T, bool)> {
    with_lines(vec![line.clone()], call)
}

/// The same with several lines, all of which are written or none. Without any, those of the call around it, if it has some,
/// stay its own.
pub async fn with_lines<T>(lines: Vec<AuditRecord>, call: impl Future<Output = T>) -> (T, bool) {
    // Where it lies by itself, what wraps it stays small.
    let call = Box::pin(call);
    if lines.is_empty() {
        return (call.await, false);
    }
    let riding = Riding { lines, are_taken: AtomicBool::new(false) };
    let call = async {
        let answer = call.await;
        (answer, RIDING.with(|riding| riding.are_taken.load(Ordering::Relaxed)))
    };
    RIDING.scope(riding, call).await
}

/// Whether the present call has lines. What would share its commit with other calls asks, and commits alone then.
pub fn has_line() -> bool {
    RIDING.try_with(|_| ()).is_ok()
}

/// The lines of the present call, if it has any. A store asks when it makes the change, and writes them in the same
/// transaction; whoever repeats that transaction is answered the same lines again.
pub fn take_lines() -> Vec<AuditRecord> {
    let lines = riding_lines();
    lines_taken();
    lines
}

/// The same, for a store that finds out only as it writes whether there is a change: it says so by [`lines_taken`].
pub fn riding_lines() -> Vec<AuditRecord> {
    RIDING.try_with(|riding| riding.lines.clone()).unwrap_or_default()
}

/// The change of the present call was made, and its lines were written with it.
pub fn lines_taken() {
    // Where there are none, there is nothing to record.
    let _ = RIDING.try_with(|riding| riding.are_taken.store(true, Ordering::Relaxed));
}
