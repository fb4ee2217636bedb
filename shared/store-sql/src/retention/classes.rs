//! Which times there are for a kind of thing. Each is a class: what belongs to tenants of one class goes by itself, so that a
//! tenant that keeps things for long holds up nobody else's.

use std::collections::HashMap;

use domain::retention::RetentionSubject;
use domain::time::{DurationMs, Timestamp};
use store::StoreResult;
use store::operations::Retention;

use crate::pool::Pool;
use crate::rows::Row;
use crate::sql::Sql;

// Index: retention_override_class.
static OF_TENANTS: Sql = Sql::new(
    "retention_classes",
    "SELECT subject, kept_ms FROM retention_override WHERE tenant <> '' GROUP BY subject, kept_ms ORDER BY kept_ms",
);

/// What stands for the class of tenants that have no time of their own.
const NO_OWN_TIME: i64 = -1;

/// Tenants for which a kind of thing is kept for the same time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Class {
    /// The stored name of the kind of thing.
    pub(crate) subject: String,
    /// The time that these tenants have of their own, or what stands for none.
    pub(crate) kept_ms: i64,
    /// What ended before this goes.
    pub(crate) before: Timestamp,
}

/// The times of all kinds of things.
#[derive(Debug)]
pub(crate) struct Classes<'a> {
    retention: &'a Retention,
    of_tenants: HashMap<String, Vec<DurationMs>>,
}

impl<'a> Classes<'a> {
    /// Reads those that tenants have.
    pub(crate) async fn read(pool: &Pool, retention: &'a Retention) -> StoreResult<Self> {
        let mut of_tenants: HashMap<String, Vec<DurationMs>> = HashMap::new();
        for row in &OF_TENANTS.all(pool.read(), Vec::new()).await? {
            let row = Row::new("retention_override", row);
            of_tenants.entry(row.text("subject")?).or_default().push(row.duration("kept_ms")?);
        }
        Ok(Self { retention, of_tenants })
    }

    /// The present instant.
    pub(crate) fn now(&self) -> Timestamp {
        self.retention.now
    }

    /// The classes of a kind of thing.
    pub(crate) fn of(&self, subject: RetentionSubject) -> Vec<Class> {
        let name = subject.name();
        let others = self.retention.before(subject).map(|before| (NO_OWN_TIME, before));
        let own = self.of_tenants.get(&name).map_or(&[][..], Vec::as_slice);
        let own = own.iter().map(|kept| (kept.0, self.retention.now.minus(*kept)));
        others
            .into_iter()
            .chain(own)
            .map(|(kept_ms, before)| Class { subject: name.clone(), kept_ms, before })
            .collect()
    }
}
