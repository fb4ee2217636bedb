//! Lists over unfinished and finished jobs, newest first.
//!
//! A tenant's jobs are found by its lanes, of which there are few: finished ones in the order of the index of each lane,
//! unfinished ones among the newest of all. What else is asked for is looked for in windows (see
//! [`lists`](crate::lists)), of which one call goes through several.

use domain::access::TenantScope;
use domain::job::JobStatus;
use domain::names::{JobType, TenantName, WorkflowName};
use domain::queue::{QueueName, Tier};
use sea_orm::{ConnectionTrait, Value};
use store::StoreResult;
use store::jobs::{JobFilter, JobRecord};
use store::page::{Page, PageRequest};
use uuid::Uuid;

use super::read::{DONE_COLUMNS, record_of, select_jobs, table};
use crate::bind;
use crate::dialect::Dialect;
use crate::lists::WINDOW;
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;
use crate::store::SqlStore;

/// Through how many windows one call looks, until its page is full.
const WINDOWS_MAX: usize = 10;

/// The most lanes whose jobs are found lane by lane.
const LANES_MAX: i64 = 256;

/// The fewest jobs of a lane in a window.
const OF_LANE_MIN: i64 = 50;

// Index: lane_tenant. $1 the tenant, $2 how many lanes at most
static LANES: Sql = Sql::new("lanes_of_tenant", "SELECT id FROM lane WHERE tenant = $1 ORDER BY id LIMIT $2");

// Index: job's ids. $1 the id before which the window begins, $2 how many ids it has
static UNFINISHED_FLOOR: Sql =
    Sql::new("list_window_unfinished", "SELECT id FROM job WHERE id < $1 ORDER BY id DESC LIMIT 1 OFFSET $2");

// Index: job_done's ids. Parameters as above.
static FINISHED_FLOOR: Sql = Sql::new(
    "list_window_finished",
    "SELECT id FROM job_done WHERE id < $1 ORDER BY id DESC LIMIT 1 OFFSET $2",
);

// Index: job_done_lane, to which an array and the order hold PostgreSQL: where lanes are few it takes the newest jobs of all for
// those of a lane. $1 and $2 as above, for each lane; $3 the lanes
static LANES_FLOOR: Sql = Sql::new(
    "list_window_of_lanes",
    "SELECT f.id FROM (SELECT (SELECT d.id FROM job_done d
                              WHERE d.lane = {postgres:ANY (ARRAY[l.id])}{sqlite:l.id} AND d.id < $1
                              ORDER BY {postgres:d.lane DESC,} d.id DESC LIMIT 1 OFFSET $2) AS id
                      FROM lane l WHERE l.id {any $3 bigint}) f
     WHERE f.id IS NOT NULL ORDER BY f.id DESC LIMIT 1",
);

/// `JobStore::list_jobs`.
pub(super) async fn list(
    store: &SqlStore,
    scope: &TenantScope,
    filter: &JobFilter,
    page: PageRequest,
) -> StoreResult<Page<JobRecord>> {
    let pool = store.pool();
    pool.listed(list_on(pool.delayed_lists(), scope, filter, page, WINDOW)).await
}

/// Goes through windows of so many jobs of each table.
async fn list_on<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    filter: &JobFilter,
    page: PageRequest,
    window: i64,
) -> StoreResult<Page<JobRecord>> {
    let lanes = lanes_of(on, scope, filter).await?;
    if lanes.as_ref().is_some_and(Vec::is_empty) {
        return Ok(Page { items: Vec::new(), next: None });
    }
    let search = Search { scope, filter, lanes: lanes.as_deref(), window };
    let mut found = Page { items: Vec::new(), next: page.after };
    for _ in 0..WINDOWS_MAX {
        let limit = page.limit.saturating_sub(found.items.len() as u32);
        let part = search.window(on, PageRequest { limit, after: found.next }).await?;
        found.items.extend(part.items);
        found.next = part.next;
        if found.next.is_none() || found.items.len() >= page.limit as usize {
            break;
        }
    }
    Ok(found)
}

/// The lanes of the tenant whose jobs are asked for; `None` where it is no tenant, or one with many lanes.
async fn lanes_of<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    filter: &JobFilter,
) -> StoreResult<Option<Vec<i64>>> {
    let tenant = match (scope.tenant(), filter.tenant.as_ref()) {
        (None, None) => return Ok(None),
        // The jobs of an execution have an index of their own.
        _ if filter.execution_id.is_some() => return Ok(None),
        (Some(own), Some(wanted)) if own != wanted => return Ok(Some(Vec::new())),
        (own, wanted) => own.or(wanted),
    };
    let tenant = tenant.map_or("", TenantName::as_str);
    let rows = LANES.all(on, vec![tenant.into(), (LANES_MAX + 1).into()]).await?;
    let lanes: Vec<i64> =
        rows.iter().map(|row| Row::new("lane", row).long("id")).collect::<StoreResult<_>>()?;
    Ok((lanes.len() <= LANES_MAX as usize).then_some(lanes))
}

/// What is looked for, and where.
#[derive(Clone, Copy)]
struct Search<'a> {
    scope: &'a TenantScope,
    filter: &'a JobFilter,
    lanes: Option<&'a [i64]>,
    window: i64,
}

impl Search<'_> {
    async fn window<C: ConnectionTrait>(self, on: &C, page: PageRequest) -> StoreResult<Page<JobRecord>> {
        let floor = self.floor(on, page.after).await?;
        let mut records: Vec<JobRecord> = Vec::new();
        for is_hot in [true, false] {
            if !self.wants(is_hot) {
                continue;
            }
            let dialect = Dialect::of(on.get_database_backend());
            for row in &self.select(dialect, is_hot, page, floor).all(on).await? {
                records.push(record_of(Row::new(table(is_hot), row))?);
            }
        }
        records.sort_unstable_by_key(|record| std::cmp::Reverse(record.id));
        // A job that ended between the two reads is in both: the later state counts.
        records.dedup_by(|later, earlier| {
            let is_same = later.id == earlier.id;
            if is_same && later.status.is_terminal() {
                std::mem::swap(later, earlier);
            }
            is_same
        });
        let mut page = Page::cut(records, page.limit, |record| record.id.uuid());
        page.next = page.next.or(floor);
        Ok(page)
    }

    /// Whether unfinished or finished jobs are asked for.
    fn wants(self, is_hot: bool) -> bool {
        self.filter.status.is_none_or(|status| status.is_terminal() != is_hot)
    }

    /// The oldest id of the window before `after`, where there is more beyond it.
    async fn floor<C: ConnectionTrait>(self, on: &C, after: Option<Uuid>) -> StoreResult<Option<Uuid>> {
        // The jobs of one execution are few and have an index; without any condition each job matches.
        let is_unconditional = *self.filter == JobFilter::default() && self.scope.tenant().is_none();
        if self.filter.execution_id.is_some() || is_unconditional {
            return Ok(None);
        }
        let after: Value = after.unwrap_or(Uuid::from_u128(u128::MAX)).into();
        let mut floor = None;
        if self.wants(true) {
            floor = id_of(UNFINISHED_FLOOR.first(on, vec![after.clone(), self.window.into()]).await?)?;
        }
        if !self.wants(false) {
            return Ok(floor);
        }
        let finished = match self.lanes {
            None => FINISHED_FLOOR.first(on, vec![after, self.window.into()]).await?,
            // Each job of the lanes matches.
            Some(_) if !self.has_conditions_on_rows() => None,
            Some(lanes) => {
                let of_each = (self.window / (lanes.len() as i64).max(1)).max(OF_LANE_MIN.min(self.window));
                let dialect = Dialect::of(on.get_database_backend());
                let values = vec![after, of_each.into(), bind::longs(dialect, lanes.iter().copied())];
                LANES_FLOOR.first(on, values).await?
            }
        };
        Ok(floor.max(id_of(finished)?))
    }

    fn has_conditions_on_rows(self) -> bool {
        self.filter.status.is_some() || self.filter.tier.is_some() || self.filter.tag.is_some()
    }

    /// The jobs of one table.
    fn select(self, dialect: Dialect, is_hot: bool, page: PageRequest, floor: Option<Uuid>) -> Select {
        if let Some(lanes) = self.lanes.filter(|_| !is_hot) {
            return self.of_lanes(bind::longs(dialect, lanes.iter().copied()), page, floor);
        }
        let mut select = select_jobs("list_jobs", is_hot);
        self.of_lane(&mut select, "j");
        if let Some(lanes) = self.lanes {
            select.with("AND j.lane {any $? bigint}", bind::longs(dialect, lanes.iter().copied()));
        }
        self.of_row(&mut select, "j", is_hot, page, floor);
        select.with("ORDER BY j.id DESC LIMIT $?", i64::from(page.limit) + 1);
        select
    }

    /// Finished jobs of these lanes: the newest of each, and of these the newest.
    fn of_lanes(self, lanes: Value, page: PageRequest, floor: Option<Uuid>) -> Select {
        // CROSS JOIN keeps SQLite from going through the jobs first.
        let text = format!(
            "SELECT {DONE_COLUMNS} FROM lane l CROSS JOIN {{postgres:LATERAL (SELECT d.*}}\
             {{sqlite:job_done j ON j.id IN (SELECT d.id}} FROM job_done d \
             WHERE d.lane = {{postgres:ANY (ARRAY[l.id])}}{{sqlite:l.id}}"
        );
        let mut select = Select::new("list_jobs_of_lanes", &text);
        self.of_row(&mut select, "d", false, page, floor);
        // See `LANES_FLOOR`.
        select.with("ORDER BY {postgres:d.lane DESC,} d.id DESC LIMIT $?", i64::from(page.limit) + 1);
        select.push("){postgres: j}");
        select.with("WHERE l.id {any $? bigint}", lanes);
        self.of_lane(&mut select, "l");
        select.with("ORDER BY j.id DESC LIMIT $?", i64::from(page.limit) + 1);
        select
    }

    /// Conditions that all jobs of a lane meet, or none. `queue_of` is what the queue is looked up in.
    fn of_lane(self, select: &mut Select, queue_of: &str) {
        let filter = self.filter;
        let is_queue = format!("AND {queue_of}.queue = $?");
        select.with_some(&is_queue, filter.queue.map(QueueName::code));
        if filter.queue.is_none() && filter.job_type.is_none() {
            select.with(&format!("AND {queue_of}.queue <> $?"), QueueName::Scheduled.code());
        }
        select.with_some("AND l.job_type = $?", filter.job_type.as_ref().map(JobType::as_str));
        select.with_some("AND l.workflow = $?", filter.workflow.as_ref().map(WorkflowName::as_str));
        if self.lanes.is_none() {
            select.with_some("AND l.tenant = $?", filter.tenant.as_ref().map(TenantName::as_str));
            select.with_some("AND l.tenant = $?", self.scope.tenant().map(TenantName::as_str));
        }
    }

    /// Conditions on a job by itself, and which of those that meet them are wanted.
    fn of_row(self, select: &mut Select, alias: &str, is_hot: bool, page: PageRequest, floor: Option<Uuid>) {
        let filter = self.filter;
        let on = |condition: &str| format!("AND {alias}.{condition}");
        match filter.status {
            // Offers are leased in the table and shown as QUEUED.
            Some(JobStatus::Queued) => select.push(&format!(
                "AND ({alias}.state IN ('queued', 'blocked')
                 OR ({alias}.state = 'processing' AND {alias}.worker_id LIKE 'trunkline-relay/%'))"
            )),
            Some(JobStatus::Processing) => {
                select.push(&on("state = 'processing'"));
                select.push(&on("worker_id NOT LIKE 'trunkline-relay/%'"));
            }
            Some(status) if is_hot => select.with(&on("state = $?"), status.as_str().to_lowercase()),
            Some(status) => select.with(&on("status = $?"), status.as_str()),
            None => {}
        }
        select.with_some(&on("tier = $?"), filter.tier.map(Tier::code));
        // Tags are a JSON array; a tag is looked for as it is written there, with its quotes.
        let tag = filter.tag.as_ref().map(|tag| serde_json::Value::from(tag.as_str()).to_string());
        select.with_some(&format!("AND {{postgres:strpos}}{{sqlite:instr}}({alias}.tags, $?) > 0"), tag);
        select.with_some(&on("execution_id = $?"), filter.execution_id.map(domain::id::Id::uuid));
        select.with_some(&on("id < $?"), page.after);
        select.with_some(&on("id >= $?"), floor);
    }
}

fn id_of(row: Option<sea_orm::QueryResult>) -> StoreResult<Option<Uuid>> {
    row.map(|row| Row::new("job", &row).uuid("id")).transpose()
}

#[cfg(test)]
mod tests {
    use domain::id::JobId;
    use store::conformance::fixture::{T0, claim_nodes, complete, job, tenant};
    use store::jobs::{JobStore as _, NewJob};
    use testkit::database::postgres_database;

    use super::super::claim::plans::{assert_uses, open, open_empty, plan_of};
    use super::*;

    async fn all_of<C: ConnectionTrait>(
        on: &C,
        filter: &JobFilter,
        (limit, window): (u32, i64),
    ) -> (Vec<JobId>, u32) {
        let (mut after, mut found, mut pages): (Option<Uuid>, Vec<JobId>, u32) = (None, Vec::new(), 0);
        loop {
            let page = PageRequest { limit, after };
            let page = list_on(on, &TenantScope::All, filter, page, window).await.expect("lists can be read");
            found.extend(page.items.iter().map(|item| item.id));
            pages += 1;
            after = page.next;
            if after.is_none() {
                return (found, pages);
            }
            assert!(pages < 100, "the pages come to an end");
        }
    }

    /// One job among thirty others, which are half of them finished.
    async fn windows(url: String) {
        let store = open_empty(url).await;
        let rare = NewJob { tenant: tenant("rare"), ..job() };
        store.enqueue(std::slice::from_ref(&rare), T0).await.expect("enqueue works");
        let others: Vec<NewJob> = (0..30).map(|_| job()).collect();
        store.enqueue(&others, T0).await.expect("enqueue works");
        let of_tenant = JobFilter { tenant: Some(rare.tenant.clone()), ..JobFilter::default() };
        let on = store.pool().lists();
        assert_eq!(
            all_of(on, &of_tenant, (5, 2)).await,
            (vec![rare.id], 2),
            "a page goes through ten windows"
        );
        let of_type = JobFilter { job_type: Some(rare.job_type.clone()), ..JobFilter::default() };
        assert_eq!(all_of(on, &of_type, (5, 2)).await.0.len(), 31, "no job is passed over between windows");
        for job in claim_nodes(&*store, 15, T0).await {
            complete(&*store, &job, T0).await;
        }
        assert_eq!(all_of(on, &of_type, (5, 2)).await.0.len(), 31);
        let common = JobFilter { tenant: Some(others[0].tenant.clone()), ..JobFilter::default() };
        assert_eq!(all_of(on, &common, (4, 3)).await.0.len(), 30, "by lanes and by windows at once");
        let ended = JobFilter { status: Some(JobStatus::Completed), ..common };
        let (ids, _) = all_of(on, &ended, (4, 3)).await;
        assert!(ids.is_sorted_by(|one, other| one > other), "newest first: {ids:?}");
        let whole = PageRequest { limit: 50, after: None };
        let all = list_on(on, &TenantScope::All, &JobFilter::default(), whole, 9).await;
        assert_eq!(
            all.expect("lists can be read").items.len(),
            31,
            "what matches everything needs no window"
        );
    }

    #[tokio::test]
    async fn what_matches_little_is_found_in_windows_on_sqlite() {
        windows("sqlite::memory:".to_owned()).await;
    }

    #[tokio::test]
    async fn what_matches_little_is_found_in_windows_on_postgres() {
        windows(postgres_database().await).await;
    }

    /// A tenant's finished jobs are found by its lanes, and never sorted as a whole.
    async fn plans(store: &SqlStore) {
        let dialect = store.dialect();
        let filter = JobFilter::default();
        let scope = TenantScope::One(tenant("tenant-1"));
        let page = PageRequest { limit: 50, after: Some(Uuid::from_u128(u128::MAX)) };
        let search = Search { scope: &scope, filter: &filter, lanes: Some(&[1, 2]), window: WINDOW };
        let finished = plan_of(store, search.select(dialect, false, page, None)).await;
        assert_uses(&finished, "job_done_lane");
        let unfinished = plan_of(store, search.select(dialect, true, page, Some(Uuid::nil()))).await;
        let by_id = if dialect == Dialect::Postgres { "job_id_key" } else { "sqlite_autoindex_job_1" };
        assert_uses(&unfinished, by_id);
    }

    #[tokio::test]
    async fn i06_a_tenants_jobs_are_found_by_its_lanes_on_sqlite() {
        let directory = tempfile::tempdir().expect("the temporary directory can be written");
        plans(&*open(format!("sqlite://{}", directory.path().join("plans.db").display())).await).await;
    }

    #[tokio::test]
    async fn i06_a_tenants_jobs_are_found_by_its_lanes_on_postgres() {
        plans(&*open(postgres_database().await).await).await;
    }
}
