//! Which index has a part of a list in its order, and what it has of the filter besides. What is left of the filter is looked
//! for in windows of that index; an order that no index has is made of the newest rows.

use domain::search::{Term, TermValue};
use domain::workflow::execution::ExecutionStatus;

use super::parts::Table;
use super::source::Source;
use crate::dialect::Dialect;

/// The index of an order, beyond the status and the queue of a part.
#[derive(Debug)]
pub(super) struct Index {
    table: Table,
    /// The instant of the order.
    sort: &'static str,
    /// The keys whose values stand before it, each a single one.
    pub(super) keys: &'static [&'static str],
    /// Whether the status of a part stands before it too.
    has_status: bool,
}

const fn index(table: Table, sort: &'static str, keys: &'static [&'static str]) -> Index {
    Index { table, sort, keys, has_status: false }
}

const fn by_status(table: Table, sort: &'static str, keys: &'static [&'static str]) -> Index {
    Index { has_status: true, ..index(table, sort, keys) }
}

/// Of each table and order those come first that leave the fewest rows. A test compares them with the schema.
pub(super) static INDEXES: &[Index] = &[
    index(Table::Job, "created", &[]),
    // Of those that did not complete by status, of the others the key: see `has_status`.
    index(Table::JobDone, "created", &[]),
    by_status(Table::JobDone, "completed", &[]),
    index(Table::Execution, "created", &["parent"]),
    index(Table::Execution, "created", &["correlationId"]),
    index(Table::Execution, "created", &["scheduleId"]),
    index(Table::Execution, "created", &["workflow"]),
    index(Table::Execution, "created", &["tenant"]),
    index(Table::Execution, "created", &[]),
    index(Table::Execution, "completed", &[]),
    by_status(Table::DeadLetter, "died", &["tenant", "fingerprint"]),
    by_status(Table::DeadLetter, "died", &["fingerprint"]),
    by_status(Table::DeadLetter, "died", &["jobType"]),
    by_status(Table::DeadLetter, "died", &["workflow"]),
    by_status(Table::DeadLetter, "died", &["tenant"]),
    by_status(Table::DeadLetter, "died", &[]),
    index(Table::DeadLetter, "resolved", &[]),
    index(Table::Delivery, "received", &["webhookId"]),
    index(Table::Delivery, "received", &["tenant", "eventType"]),
    index(Table::Delivery, "received", &["tenant"]),
    index(Table::Delivery, "received", &[]),
    index(Table::Schedule, "created", &["tenant"]),
    index(Table::Schedule, "created", &[]),
    index(Table::Run, "scheduled", &["scheduleId"]),
    by_status(Table::UserTask, "opened", &["assignee"]),
    by_status(Table::UserTask, "opened", &["group"]),
    by_status(Table::UserTask, "opened", &["tenant"]),
    by_status(Table::UserTask, "opened", &[]),
    by_status(Table::UserTask, "due", &[]),
    by_status(Table::UserTask, "closed", &[]),
    index(Table::Audit, "at", &["tenant"]),
    index(Table::Audit, "at", &[]),
    index(Table::Batch, "created", &[]),
];

/// The same of dead letters that were requeued, on PostgreSQL: the other indexes leave them out, since a requeue would write to each.
static OF_REQUEUED: &[Index] = &[
    by_status(Table::DeadLetter, "died", &["tenant", "fingerprint"]),
    by_status(Table::DeadLetter, "died", &["fingerprint"]),
    by_status(Table::DeadLetter, "died", &["tenant"]),
    by_status(Table::DeadLetter, "died", &[]),
    index(Table::DeadLetter, "resolved", &[]),
];

/// Whether a term of this key finds few rows by an index of its own, whatever else is asked for.
fn is_narrow(table: Table, key: &str) -> bool {
    match key {
        "id" => true,
        "executionId" => table.is_of_jobs() || table == Table::DeadLetter,
        "execution" => table == Table::UserTask,
        _ => false,
    }
}

impl Source<'_> {
    /// The index that has the part in the order of the list; `None` where there is none.
    pub(super) fn index(self) -> Option<&'static Index> {
        let is_meant = |index: &&Index| {
            index.table == self.part.table
                && index.sort == self.search.sort
                && index.keys.iter().all(|key| self.is_one(key))
        };
        let indexes = if self.is_of_requeued() { OF_REQUEUED } else { INDEXES };
        indexes.iter().find(is_meant)
    }

    /// Whether the part is dead letters that were requeued, which fewer indexes have on PostgreSQL.
    fn is_of_requeued(self) -> bool {
        self.dialect == Dialect::Postgres
            && self.part.table == Table::DeadLetter
            && self.part.status == Some("requeued")
    }

    /// Whether a key has a single value.
    fn is_one(self, key: &str) -> bool {
        let is_scope = key == "tenant" && self.scope.tenant().is_some() && self.part.table.has_tenant();
        is_scope || self.search.term(key).and_then(Term::values).is_some_and(|values| values.len() == 1)
    }

    /// Whether few rows can match.
    pub(super) fn is_narrow(self) -> bool {
        let is_narrow = |term: &Term| {
            !term.is_negated && term.values().is_some() && is_narrow(self.part.table, &term.key)
        };
        let is_of_subject = self.part.subject.is_some();
        is_of_subject || self.attributes.is_narrow() || self.search.terms.iter().any(is_narrow)
    }

    /// Whether its rows are the newest of each lane: finished jobs that have a tenant, a type or a workflow.
    pub(super) fn is_by_lane(self) -> bool {
        self.part.table == Table::JobDone
            && self.at().is_none()
            && self.lanes.is_some()
            && self.attributes.is_empty()
    }

    /// Whether the index of the order has the status of the part.
    pub(super) fn has_status(self) -> bool {
        self.part.status.is_some()
            && (self.index().is_some_and(|index| index.has_status)
                || self.at().is_none() && self.part.is_of_unsuccessful())
    }

    /// Whether PostgreSQL has to be held to the index of the order, see [`lead`](Self::lead).
    pub(super) fn is_held(self) -> bool {
        self.dialect == Dialect::Postgres && self.driver().is_none() && !self.is_narrow()
    }

    /// Whether the index of the order has nothing before it but the status.
    pub(super) fn is_by_status_alone(self) -> bool {
        self.has_status() && self.terms_of_index().next().is_none() && !self.is_narrow()
    }

    /// Whether the status of the part is the first key of that index. Where many have a status PostgreSQL would go through what
    /// is newest of all; those that failed may all have done so on one day a month ago.
    pub(super) fn is_led_by_status(self) -> bool {
        let is_first = match self.part.table {
            Table::JobDone => self.at().is_none() && !self.is_by_lane(),
            Table::DeadLetter => self.is_by_status_alone(),
            _ => false,
        };
        is_first && self.has_status() && self.is_held()
    }

    /// Whether executions that failed are read by their errors, which no other execution has for long.
    pub(super) fn is_by_error(self) -> bool {
        let failed = TermValue::Text(ExecutionStatus::Failed.as_str().to_owned());
        self.part.table == Table::Execution
            && self.at().is_none()
            && self.driver().is_none()
            && self.index().is_some_and(|index| index.keys.is_empty())
            && self.search.term("status").and_then(Term::values).is_some_and(|values| values == [&failed])
    }

    /// Whether the index of the order does not have ids behind the instant.
    pub(super) fn has_ties(self) -> bool {
        let sort = self.search.sort.as_str();
        self.at().is_some() && self.index().is_some() && matches!(sort, "completed" | "resolved")
    }

    /// Whether it has an order that no index has: it is made of the rows that were made last. Workers are few, and their keys
    /// say nothing of when; so are the slots of one schedule.
    pub(super) fn needs_sorting(self) -> bool {
        self.index().is_none() && !self.is_narrow() && !matches!(self.part.table, Table::Worker | Table::Run)
    }

    /// Whether rows have to be passed over, which the index of the order has beside those that match.
    pub(super) fn needs_windows(self) -> bool {
        let table = self.part.table;
        if self.is_narrow() || self.index().is_none() {
            return false;
        }
        let has_scope = self.scope.tenant().is_some() && (table.has_tenant() || table.is_of_jobs());
        let terms = &self.search.terms;
        // The index has the first of two terms of a key.
        let is_second = |place: usize, term: &Term| {
            term.key != self.search.sort && terms[..place].iter().any(|before| before.key == term.key)
        };
        let is_left = |(place, term): (usize, &Term)| !self.is_answered(term) || is_second(place, term);
        has_scope && !self.has_key("tenant") || terms.iter().enumerate().any(is_left)
    }

    /// Whether what the index of the order has left are only rows that match a term.
    fn is_answered(self, term: &Term) -> bool {
        if term.is_negated {
            return false;
        }
        match term.key.as_str() {
            "status" => self.has_status(),
            "queue" if self.part.queue.is_some() => true,
            // One range has no gaps.
            key if key == self.search.sort => self.at().is_some() && term.tests.len() == 1,
            key => self.has_key(key),
        }
    }

    /// Whether the index of the order has a key before the instant.
    fn has_key(self, key: &str) -> bool {
        match key {
            "tenant" | "jobType" | "workflow" if self.is_by_lane() => true,
            key => self.index().is_some_and(|index| index.keys.contains(&key)),
        }
    }

    /// The terms that the index of the order answers by its first columns.
    pub(super) fn terms_of_index(self) -> impl Iterator<Item = &'static str> {
        self.index().map_or(&[][..], |index| index.keys).iter().copied()
    }
}
