//! What of results and outputs becomes attributes. It is written just before the commit that ends the attempt, under the
//! same lease; where that commit is not made, the next attempt's values take the place of these.

use domain::attribute::{PathRoot, StoredAttribute};
use domain::job::Disposition;
use store::executions::{ExecutionCommit, ExecutionRecord};
use store::jobs::{LeaseRef, Settlement};

use super::cache::Declarations;
use super::take::counted;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Sets the attributes that results of completed jobs have. Reads nothing where no result is declared.
    pub(crate) async fn set_result_attributes<'a>(
        &self,
        settlements: impl Iterator<Item = &'a Settlement>,
    ) -> Result<(), EngineError> {
        let declared = self.attributes().await?;
        if !declared.reads(PathRoot::Result) {
            return Ok(());
        }
        let results: Vec<(LeaseRef, &str)> = settlements
            .filter_map(|settlement| match &settlement.disposition {
                Disposition::Complete(Some(result)) => Some((settlement.lease, result.as_str())),
                _ => None,
            })
            .collect();
        let leases: Vec<LeaseRef> = results.iter().map(|(lease, _)| *lease).collect();
        let leased = self.store().leased_jobs(&leases).await?;
        for ((lease, result), job) in results.into_iter().zip(leased) {
            let Some(job) = job else { continue };
            let Some(tenant) = declared.tenant(&job.tenant) else { continue };
            let of_job = tenant.of_job(&job.job_type, None);
            let attributes = counted(tenant.take(of_job, PathRoot::Result, Vec::new(), result));
            self.set_under_lease(lease.id.uuid(), lease, &attributes).await?;
        }
        Ok(())
    }

    /// Sets the attributes that the output of an execution has which ends with this commit.
    pub(crate) async fn set_output_attributes(
        &self,
        execution: &ExecutionRecord,
        commit: &ExecutionCommit,
    ) -> Result<(), EngineError> {
        let Some(output) = commit.output.as_deref().filter(|_| commit.status.is_terminal()) else {
            return Ok(());
        };
        let declared = self.attributes().await?;
        let attributes = of_output(&declared, execution, output);
        self.set_under_lease(execution.id.uuid(), commit.lease, &attributes).await
    }

    async fn set_under_lease(
        &self,
        object: uuid::Uuid,
        lease: LeaseRef,
        attributes: &[StoredAttribute],
    ) -> Result<(), EngineError> {
        if !attributes.is_empty() {
            // Where the lease is gone, the commit that follows says so.
            self.store().set_attributes(object, lease, attributes, self.now()).await?;
        }
        Ok(())
    }
}

fn of_output(declared: &Declarations, execution: &ExecutionRecord, output: &str) -> Vec<StoredAttribute> {
    let Some(tenant) = declared.tenant(&execution.tenant) else { return Vec::new() };
    let of_execution = tenant.of_execution(&execution.workflow.name);
    counted(tenant.take(of_execution, PathRoot::Output, Vec::new(), output))
}
