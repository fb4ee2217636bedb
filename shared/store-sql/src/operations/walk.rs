//! Walks through what retention may remove: a window of rows at a time, in the order in which they ended.
//!
//! Rows that have to stay, however many they are, are looked at once in a round and not in every call. A round that took
//! many windows is followed by a rest of many times its length, in which the walk goes on with what is new.

use std::time::{Duration, Instant};

use domain::queue::QueueName;
use domain::time::Timestamp;
use sea_orm::Value;
use store::StoreResult;
use uuid::Uuid;

use super::progress::{LOOKS_WITHIN, Place, WINDOWS_MAX};
use crate::SqlStore;
use crate::retention::Class;
use crate::rows::Row;
use crate::sql::Sql;

/// What is walked through.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walk<'a> {
    /// Answers a window of rows as `id`, `at`, `also` and `stays` (1, or 0 for those that may go), in the order of the first
    /// three. Its parameters: $1 the instant before which they ended, $2 how many, $3 and $4 `at` and `id` after which they
    /// come; then `also`, where ids have two parts; then the part of the table; then kind of thing and time of the class.
    pub(super) sql: &'static Sql,
    /// The kind of thing, as metrics call it.
    pub(super) kind: &'static str,
    /// The part of the table where each is walked through by itself.
    pub(super) part: Option<(QueueName, &'static str)>,
    /// Whose things they are, where tenants can have times of their own.
    pub(super) class: Option<&'a Class>,
    /// Whether ids have two parts.
    pub(super) has_also: bool,
}

impl Walk<'_> {
    /// At most `limit` rows that may go, from where the last call left off.
    pub(super) async fn find(
        self,
        store: &SqlStore,
        before: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<Place>> {
        let walks = &store.memory().pruned;
        let course = (self.kind, self.part, self.class.map_or(0, |class| class.kept_ms));
        let mut progress = walks.0.lock().get(&course).copied().unwrap_or_default().resumed(Instant::now());
        let (mut found, called) = (Vec::new(), Instant::now());
        for _ in 0..WINDOWS_MAX {
            let window = limit - u32::try_from(found.len()).unwrap_or(limit).min(limit);
            let begun = Instant::now();
            let rows = self.sql.all(store.pool().read(), self.values(before, window, progress.place)).await?;
            let mut last = None;
            for row in &rows {
                let row = Row::new(self.kind, row);
                let place = Place { at: row.long("at")?, id: row.uuid("id")?, also: row.long("also")? };
                if row.long("stays")? == 0 {
                    found.push(place);
                }
                last = Some(place);
            }
            progress.advance(last, before, begun);
            let is_last = rows.len() < window as usize;
            if is_last {
                progress.end_round(Instant::now());
            }
            walks.0.lock().insert(course, progress);
            if is_last || is_enough(found.len(), limit, called.elapsed()) {
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
        if let Some((queue, status)) = self.part {
            values.extend([queue.code().into(), status.into()]);
        }
        if let Some(class) = self.class {
            values.extend([class.subject.as_str().into(), class.kept_ms.into()]);
        }
        values
    }
}

/// Whether a call that has found so many and looked for so long leaves what there is beyond to the next one.
fn is_enough(found: usize, limit: u32, looked_for: Duration) -> bool {
    found >= limit as usize || looked_for > LOOKS_WITHIN
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::progress::Progress;
    use domain::time::DurationMs;

    fn place(at: i64) -> Place {
        Place { at, ..Place::default() }
    }

    #[test]
    fn a_call_that_looks_for_long_leaves_the_rest_to_the_next() {
        let (few, long) = (Duration::from_millis(1), LOOKS_WITHIN + Duration::from_millis(1));
        assert!(!is_enough(3, 10, few));
        assert!(is_enough(10, 10, few), "as many as may go at a time");
        assert!(is_enough(0, 10, long), "though none was found");
    }

    #[test]
    fn a_short_round_begins_again_and_a_long_one_rests() {
        let (start, before) = (Instant::now(), Timestamp(100));
        let mut short = Progress::default();
        short.advance(Some(place(40)), before, start);
        assert_eq!(short.lag, DurationMs(60));
        short.end_round(start);
        assert_eq!((short.place, short.lag), (Place::default(), DurationMs::ZERO));

        let mut long = Progress::default();
        for at in 0..=i64::from(WINDOWS_MAX) {
            long.advance(Some(place(at)), before, start);
        }
        let end = start + Duration::from_secs(1);
        long.end_round(end);
        assert_eq!((long.place, long.lag), (place(10), DurationMs::ZERO));
        let resting = long.resumed(end + Duration::from_secs(19));
        assert_eq!(resting.place, place(10), "what stayed is not looked at again at once");
        let mut resting = resting;
        resting.advance(None, before, end);
        resting.end_round(end);
        assert_eq!(resting.resumed(end + Duration::from_secs(20)).place, Place::default());
    }
}
