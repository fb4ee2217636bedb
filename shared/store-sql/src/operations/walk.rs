//! Walks through what retention may remove: a window of rows at a time, in the order in which they ended.
//!
//! Rows that have to stay, however many they are, are looked at once in a round and not in every call.

use std::collections::HashMap;

use domain::queue::QueueName;
use domain::time::Timestamp;
use parking_lot::Mutex;
use sea_orm::Value;
use store::StoreResult;
use uuid::Uuid;

use crate::SqlStore;
use crate::rows::Row;
use crate::sql::Sql;

/// How many windows one call looks at, while it has not found as much as it may remove.
const WINDOWS_MAX: u32 = 10;

/// A table, and the part of it where each is walked through by itself.
type Course = (&'static str, Option<(QueueName, &'static str)>);

/// How far each walk has come.
#[derive(Debug, Default)]
pub(crate) struct Walks(Mutex<HashMap<Course, Place>>);

/// A row that was looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// When it ended.
    at: i64,
    /// Its id, or the first part of it.
    pub(super) id: Uuid,
    /// The second part of its id, where there is one.
    pub(super) also: i64,
}

/// What is walked through.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walk {
    /// Answers a window of rows as `id`, `at`, `also` and `stays` (1, or 0 for those that may go), in the order of the first
    /// three. Its parameters: $1 the instant before which they ended, $2 how many, $3 and $4 `at` and `id` after which they
    /// come; then `also`, where ids have two parts; then the part of the table.
    pub(super) sql: &'static Sql,
    /// The table, and the part of it where each is walked through by itself.
    pub(super) course: Course,
    /// Whether ids have two parts.
    pub(super) has_also: bool,
}

impl Walk {
    /// At most `limit` rows that may go, from where the last call left off.
    pub(super) async fn find(
        self,
        store: &SqlStore,
        before: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<Place>> {
        let walks = &store.memory().pruned;
        let mut found = Vec::new();
        for _ in 0..WINDOWS_MAX {
            let window = limit - u32::try_from(found.len()).unwrap_or(limit).min(limit);
            let after = walks.0.lock().get(&self.course).copied().unwrap_or_default();
            let rows = self.sql.all(store.pool().read(), self.values(before, window, after)).await?;
            let mut last = Place::default();
            for row in &rows {
                let row = Row::new(self.course.0, row);
                last = Place { at: row.long("at")?, id: row.uuid("id")?, also: row.long("also")? };
                if row.long("stays")? == 0 {
                    found.push(last);
                }
            }
            let is_last = rows.len() < window as usize;
            walks.0.lock().insert(self.course, if is_last { Place::default() } else { last });
            if is_last || found.len() >= limit as usize {
                break;
            }
        }
        Ok(found)
    }

    /// The same, where an id is all of it.
    pub(super) async fn find_ids(
        self,
        store: &SqlStore,
        before: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<Uuid>> {
        Ok(self.find(store, before, limit).await?.into_iter().map(|place| place.id).collect())
    }

    fn values(self, before: Timestamp, limit: u32, after: Place) -> Vec<Value> {
        let mut values: Vec<Value> =
            vec![before.0.into(), i64::from(limit).into(), after.at.into(), after.id.into()];
        if self.has_also {
            values.push(after.also.into());
        }
        if let Some((queue, status)) = self.course.1 {
            values.extend([queue.code().into(), status.into()]);
        }
        values
    }
}
