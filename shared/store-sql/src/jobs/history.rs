//! What earlier attempts left for the next one. Read after the claim, and only for jobs that may have some: those that are
//! leased for the first time, which are nearly all, cost nothing.

use std::collections::HashMap;

use domain::id::JobId;
use store::StoreResult;
use store::jobs::EarlierAttempts;
use uuid::Uuid;

use crate::bind;
use crate::payloads::TOGETHER_BYTES_MAX;
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

// Index: job(id).
static EARLIER: Sql = Sql::new(
    "earlier_attempts",
    "SELECT id, error, progress FROM job WHERE id {any $1 uuid} AND (error IS NOT NULL OR progress IS NOT NULL)",
);

static ENDED: Sql = Sql::new("ended_jobs", "SELECT id FROM job_done WHERE id {any $1 uuid}");

/// How many jobs one statement reads: what they left takes a bounded number of bytes each.
const PAGE: usize = 100;

/// `JobStore::earlier_attempts`.
pub(super) async fn earlier_attempts(store: &SqlStore, ids: &[JobId]) -> StoreResult<Vec<EarlierAttempts>> {
    let mut all = Vec::with_capacity(ids.len());
    let mut bytes_total = 0;
    for page in ids.chunks(PAGE) {
        let list = bind::uuids(store.dialect(), page.iter().map(|id| id.uuid()));
        let mut found: HashMap<Uuid, (usize, EarlierAttempts)> = HashMap::new();
        for row in &EARLIER.all(store.pool().read(), vec![list]).await? {
            let row = Row::new("job", row);
            let progress = row.text_or_null("progress")?;
            let bytes = progress.as_deref().map_or(0, str::len)
                + row.text_or_null("error")?.as_deref().map_or(0, str::len);
            found.insert(
                row.uuid("id")?,
                (bytes, EarlierAttempts { error: row.error_or_null("error")?, progress }),
            );
        }
        for id in page {
            let (bytes, earlier) = found.remove(&id.uuid()).unwrap_or_default();
            bytes_total += bytes;
            if bytes_total > TOGETHER_BYTES_MAX && !all.is_empty() {
                return Ok(all);
            }
            all.push(earlier);
        }
    }
    Ok(all)
}

/// `JobStore::ended_jobs`.
pub(super) async fn ended_jobs(store: &SqlStore, ids: &[JobId]) -> StoreResult<Vec<JobId>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let list = bind::uuids(store.dialect(), ids.iter().map(|id| id.uuid()));
    let rows = ENDED.all(store.pool().read(), vec![list]).await?;
    rows.iter().map(|row| Row::new("job_done", row).uuid("id").map(JobId::from_uuid)).collect()
}
