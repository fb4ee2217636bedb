//! Which lanes of a queue hold jobs that wait, as the database lists them.

use std::time::Instant;

use domain::queue::{LaneId, QueueName};
use sea_orm::Value;
use store::StoreResult;

use crate::dialect::Dialect;
use crate::lanes;
use crate::link::Work;
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

pub(crate) static NONEMPTY: Sql = Sql::new("claim_lanes", include_str!("../../../sql/claim_lanes.sql"));

pub(super) static WINDOW: Sql =
    Sql::new("claim_lanes_window", include_str!("../../../sql/claim_lanes_window.sql"));

pub(super) static PROBE: Sql = Sql::new("claim_probe", include_str!("../../../sql/claim_probe.sql"));

/// How many lanes one statement lists by steps.
const PAGE: usize = 1_000;

/// How many jobs one statement looks at where many lanes hold few jobs each: reading one after the other costs a tenth
/// of a step.
pub(super) const JOBS_PER_WINDOW: i64 = 4_000;

/// In windows with fewer lanes, steps are cheaper.
const LANES_PER_WINDOW_MIN: usize = 400;

/// The lanes of a queue in which jobs wait, as the database says now. Their keys are known afterwards.
pub(in crate::jobs) async fn nonempty_lanes(store: &SqlStore, queue: QueueName) -> StoreResult<Vec<LaneId>> {
    Ok(nonempty_after(store, queue, -1, None).await?.lanes)
}

/// Lanes in which jobs wait, in ascending order.
pub(super) struct Listed {
    pub(super) lanes: Vec<LaneId>,
    /// Whether there are no others with higher numbers.
    pub(super) is_all: bool,
}

/// Those with higher numbers than `after`: all of them, or as many as could be read until then. Their keys are known
/// afterwards.
pub(super) async fn nonempty_after(
    store: &SqlStore,
    queue: QueueName,
    after: i32,
    until: Option<Instant>,
) -> StoreResult<Listed> {
    let mut lanes: Vec<LaneId> = Vec::new();
    let is_over = || until.is_some_and(|until| Instant::now() >= until);
    let is_all = loop {
        if !add_page(store, queue, after, &mut lanes).await? {
            break true;
        }
        // There are many: as long as few jobs wait in each, they are read as they come.
        let mut window = Window { has_more: true, should_try: true };
        while window.has_more && window.should_try && !is_over() {
            window = add_window(store, queue, after, &mut lanes).await?;
        }
        if !window.has_more {
            break true;
        }
        if is_over() {
            break false;
        }
    };
    lanes::learn(store, store.pool().read(), queue, &lanes).await?;
    Ok(Listed { lanes, is_all })
}

/// At most so many lanes of a queue in which jobs wait, after this one, as the database says now.
pub(in crate::jobs) async fn lanes_after(
    store: &SqlStore,
    queue: QueueName,
    after: LaneId,
    limit: usize,
) -> StoreResult<Vec<LaneId>> {
    let rows = NONEMPTY.all(store.pool().read(), values(queue, after.0, &[], limit as i64)).await?;
    rows.iter().map(|row| Ok(LaneId(Row::new("job", row).int("lane")?))).collect()
}

/// Adds the next lanes, a step along the index for each. Answers whether there may be more.
async fn add_page(
    store: &SqlStore,
    queue: QueueName,
    after: i32,
    nonempty: &mut Vec<LaneId>,
) -> StoreResult<bool> {
    let rows = NONEMPTY.all(store.pool().read(), values(queue, after, nonempty, PAGE as i64)).await?;
    for row in &rows {
        nonempty.push(LaneId(Row::new("job", row).int("lane")?));
    }
    Ok(rows.len() >= PAGE)
}

/// What a window says of the next one.
struct Window {
    has_more: bool,
    should_try: bool,
}

/// Adds the lanes of the next jobs.
async fn add_window(
    store: &SqlStore,
    queue: QueueName,
    after: i32,
    nonempty: &mut Vec<LaneId>,
) -> StoreResult<Window> {
    let rows = WINDOW.all(store.pool().read(), values(queue, after, nonempty, JOBS_PER_WINDOW)).await?;
    let mut jobs = 0;
    for row in &rows {
        let row = Row::new("job", row);
        nonempty.push(LaneId(row.int("lane")?));
        jobs += row.long("jobs")?;
    }
    Ok(Window { has_more: jobs >= JOBS_PER_WINDOW, should_try: rows.len() >= LANES_PER_WINDOW_MIN })
}

/// A look past all lanes, for a connection that is to know the statement.
pub(in crate::jobs) fn look_at_nothing(queue: QueueName) -> Work {
    NONEMPTY.work(Dialect::Postgres, values(queue, i32::MAX, &[], 1))
}

pub(super) fn values(queue: QueueName, after: i32, nonempty: &[LaneId], limit: i64) -> Vec<Value> {
    let after = nonempty.last().map_or(after, |lane| lane.0);
    vec![queue.code().into(), after.into(), limit.into()]
}
