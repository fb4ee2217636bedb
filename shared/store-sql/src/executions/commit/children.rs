//! Children that failed and go on with their parents.

use crate::transaction::DatabaseTransaction;
use domain::failure::JobError;
use domain::time::Timestamp;
use domain::workflow::execution::ExecutionStatus;
use sea_orm::ConnectionTrait as _;
use store::StoreResult;
use store::executions::{ExecutionCommit, InboxEntry};
use uuid::Uuid;

use crate::dialect::Dialect;
use crate::rows::Row;
use crate::sql::Sql;

use super::super::cancel::Touched;
use super::super::command::retry_failed;
use super::super::inbox::{self, Standing};
use super::super::lock::{Family, Locked};
use super::super::moves::Moves;
use super::super::parents::result_of;
use super::super::resume::Resumed;

static OUTPUT: Sql = Sql::new("child_output", "SELECT output FROM execution WHERE id = $1");

/// The children of one step that go on.
pub(super) struct Retry<'a> {
    pub(super) on: &'a DatabaseTransaction,
    pub(super) step: &'a ExecutionCommit,
    pub(super) family: &'a Family,
    pub(super) now: Timestamp,
}

impl Retry<'_> {
    /// Lets failed children go on from their failed nodes. One that is under way already does; of any other the step's
    /// execution has the end in its inbox.
    pub(super) async fn retry(&self, moves: &mut Moves) -> StoreResult<Vec<Touched>> {
        let mut touched = Vec::new();
        let mut entries: Vec<(Uuid, InboxEntry)> = Vec::new();
        for (node_id, child_id) in &self.step.retry_children {
            let child = self.family.locked.get(&child_id.uuid());
            let result = match child {
                Some(child) if child.status == ExecutionStatus::Failed => {
                    match self.retry_one(child, moves).await? {
                        None => {
                            touched.push(Touched { root: child.id, id: *child_id, has_ended: false });
                            continue;
                        }
                        Some(reason) => Err(gone(reason)),
                    }
                }
                Some(child) if !child.status.is_terminal() => continue,
                Some(child) if child.status == ExecutionStatus::Completed => {
                    let row = OUTPUT.first(self.on, vec![child.id.into()]).await?;
                    let output = match &row {
                        Some(row) => Row::new("execution", row).text_or_null("output")?,
                        None => None,
                    };
                    result_of(ExecutionStatus::Completed, output.as_deref(), None)
                }
                Some(_) => result_of(ExecutionStatus::Cancelled, None, None),
                None => Err(gone("it is not kept any more")),
            };
            let entry = InboxEntry::ChildSettled { node_id: node_id.clone(), child_id: *child_id, result };
            entries.push((self.step.id.uuid(), entry));
        }
        let dialect = Dialect::of(self.on.get_database_backend());
        inbox::append_all(self.on, dialect, &entries, self.now).await?;
        Ok(touched)
    }

    /// `None`: it goes on; otherwise why it cannot.
    async fn retry_one(&self, child: &Locked, moves: &mut Moves) -> StoreResult<Option<&'static str>> {
        match retry_failed(self.on, child, self.now).await? {
            Resumed::Running(revived) => revived.into_iter().for_each(|revived| moves.revive(revived)),
            Resumed::Refused(reason) => return Ok(Some(reason)),
        }
        inbox::append(self.on, (child.id, None), &InboxEntry::Retry, &Standing::Pending, self.now).await?;
        Ok(None)
    }
}

/// To its parent it is as if it had been cancelled: the next retry starts another one.
fn gone(reason: &str) -> JobError {
    JobError::coded("cancelled", format!("The child execution cannot go on: {reason}."))
}
