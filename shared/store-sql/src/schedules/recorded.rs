//! Which slots ran, or wait to run: what a backfill leaves out.

use domain::id::ScheduleId;
use domain::time::Timestamp;
use store::StoreResult;

use crate::bind;
use crate::pool::Pool;
use crate::rows::Row;
use crate::sql::Sql;

static RECORDED: Sql = Sql::new(
    "recorded_slots",
    "SELECT nominal_at FROM schedule_run WHERE schedule_id = $1 AND status <> 'skipped' AND nominal_at {any $2 bigint} ORDER BY nominal_at",
);

/// Those of these nominal instants that ran or wait to, in order.
pub(super) async fn recorded(
    pool: &Pool,
    id: ScheduleId,
    nominals: &[Timestamp],
) -> StoreResult<Vec<Timestamp>> {
    if nominals.is_empty() {
        return Ok(Vec::new());
    }
    let list = bind::longs(pool.dialect(), nominals.iter().map(|nominal| nominal.0));
    let rows = RECORDED.all(pool.read(), vec![id.uuid().into(), list]).await?;
    rows.iter().map(|row| Row::new("schedule_run", row).instant("nominal_at")).collect()
}
