//! Telling the holder of a lease that its job was cancelled, and not just that the lease is gone.

use domain::job::JobStatus;
use sea_orm::ConnectionTrait;
use store::StoreResult;
use store::jobs::{LeaseAnswer, LeaseRef};

use super::settle::SETTLED_BEFORE;
use super::states;
use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::rows::Row;

/// Changes `LeaseLost` to `Cancelled` where the job was cancelled under that lease. Answers are in the order of the leases.
pub(crate) async fn mark_cancelled<C: ConnectionTrait, T>(
    on: &C,
    dialect: Dialect,
    leases: impl Iterator<Item = LeaseRef>,
    answers: &mut [LeaseAnswer<T>],
) -> StoreResult<()> {
    let lost = leases.enumerate().filter(|(place, _)| matches!(answers[*place], LeaseAnswer::LeaseLost));
    let cells: Vec<[Cell<'_>; 3]> = lost
        .map(|(place, lease)| {
            [Cell::Int(place as i32), Cell::Uuid(lease.id.uuid()), Cell::Uuid(lease.token.0)]
        })
        .collect();
    if cells.is_empty() {
        return Ok(());
    }
    for row in &SETTLED_BEFORE.all(on, bind::rows(dialect, cells.into_iter())).await? {
        let row = Row::new("job_done", row);
        if states::status(row, "state")? == JobStatus::Cancelled {
            answers[row.int("ord")? as usize] = LeaseAnswer::Cancelled;
        }
    }
    Ok(())
}
