//! What of a request and its payload becomes attributes. Nothing is read of it where nothing is declared.

use std::collections::{BTreeMap, HashMap};

use domain::attribute::{PathRoot, SetAttribute, SetFault, StoredAttribute, TakenAttributes};
use domain::error::Fault;
use domain::id::JobId;
use domain::job::Disposition;
use domain::names::{JobType, TenantName, WorkflowName};
use domain::queue::WorkflowRef;
use serde_json::Value;
use store::executions::{ExecutionCommit, ExecutionRecord};
use store::jobs::{LeaseRef, NewJob, Settlement};

use super::cache::Declarations;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::jobs::CompleteItem;
use crate::metrics;

/// Attributes that a caller sets, by name.
pub(crate) type SetAttributes = BTreeMap<String, Value>;

impl Declarations {
    /// Attributes that a caller sets on a job; `workflow` is that of its execution.
    pub(crate) fn set_on_job(
        &self,
        tenant: &TenantName,
        job_type: &JobType,
        workflow: Option<&WorkflowRef>,
        set: &SetAttributes,
    ) -> Result<Vec<StoredAttribute>, Vec<Fault>> {
        match self.tenant(tenant) {
            _ if set.is_empty() => Ok(Vec::new()),
            Some(tenant) => {
                let workflow = workflow.map(|workflow| &workflow.name);
                tenant.read_set(&tenant.of_job(job_type, workflow), set).map_err(faults_of)
            }
            None => Err(undeclared(set)),
        }
    }

    /// Attributes that a caller sets on an execution.
    pub(crate) fn set_on_execution(
        &self,
        tenant: &TenantName,
        workflow: &WorkflowName,
        set: &SetAttributes,
    ) -> Result<Vec<StoredAttribute>, Vec<Fault>> {
        match self.tenant(tenant) {
            _ if set.is_empty() => Ok(Vec::new()),
            Some(tenant) => tenant.read_set(&tenant.of_execution(workflow), set).map_err(faults_of),
            None => Err(undeclared(set)),
        }
    }

    /// Completes the attributes of a job by what its payload has.
    pub(crate) fn complete_job(&self, job: &mut NewJob) {
        let Some(tenant) = self.tenant(&job.tenant) else { return };
        let workflow = job.workflow.as_ref().map(|workflow| &workflow.name);
        let declared = tenant.of_job(&job.job_type, workflow);
        let set = std::mem::take(&mut job.attributes);
        job.attributes = counted(tenant.take(declared, PathRoot::Data, set, &job.data));
    }

    /// The attributes of an execution: what was set, and what its input has.
    pub(crate) fn of_execution(
        &self,
        tenant: &TenantName,
        workflow: &WorkflowName,
        set: Vec<StoredAttribute>,
        input: &str,
    ) -> Vec<StoredAttribute> {
        let Some(tenant) = self.tenant(tenant) else { return Vec::new() };
        counted(tenant.take(tenant.of_execution(workflow), PathRoot::Input, set, input))
    }
}

impl Engine {
    /// Completes the attributes of jobs by what their payloads have. Where declarations cannot be read, those that were
    /// known last count: the commit that follows will hardly be made.
    pub(crate) async fn complete_attributes(&self, jobs: &mut [NewJob]) {
        if jobs.is_empty() {
            return;
        }
        let declared = self.attributes().await.unwrap_or_else(|_| self.known_attributes());
        if !declared.is_empty() {
            for job in jobs {
                declared.complete_job(job);
            }
        }
    }
}

pub(super) fn counted(taken: TakenAttributes) -> Vec<StoredAttribute> {
    metrics::attributes_skipped(taken.skipped);
    taken.attributes
}

fn faults_of(faults: Vec<SetFault>) -> Vec<Fault> {
    faults.into_iter().map(|fault| Fault::new(pointer(&fault.name), fault.message)).collect()
}

fn undeclared(set: &SetAttributes) -> Vec<Fault> {
    let message = "is not declared for this job type, workflow or tenant";
    set.keys().map(|name| Fault::new(pointer(name), message)).collect()
}

fn pointer(name: &str) -> String {
    format!("/attributes/{}", name.replace('~', "~0").replace('/', "~1"))
}

// What of completions, results, outputs and steps becomes attributes. That of jobs is written just before the commit that ends the
// attempt, under the same lease; where that commit is not made, the next attempt's values take the place of these.

/// Attributes that a worker set with a completion, or what is wrong with them.
pub(crate) type Given = Result<Vec<StoredAttribute>, Vec<Fault>>;

/// Attributes that workers set with completions.
pub(crate) type GivenByJob = HashMap<JobId, Vec<StoredAttribute>>;

impl Engine {
    /// Reads attributes that workers set with completions. Answers in order, for each its attributes or what is wrong with
    /// them. Nothing is looked up where none are set; what is not the caller's, or is gone, has none.
    pub(crate) async fn read_given(
        &self,
        caller: &Caller,
        items: &[CompleteItem],
    ) -> Result<Vec<Given>, EngineError> {
        if items.iter().all(|item| item.attributes.is_empty()) {
            return Ok(items.iter().map(|_| Ok(Vec::new())).collect());
        }
        let declared = self.attributes().await?;
        let leases: Vec<LeaseRef> = items.iter().map(|item| item.lease).collect();
        let leased = self.store().leased_jobs(&leases).await?;
        let read = items.iter().zip(leased).map(|(item, job)| match job {
            Some(job) if caller.scope.allows(&job.tenant) => {
                declared.set_on_job(&job.tenant, &job.job_type, job.workflow.as_ref(), &item.attributes)
            }
            _ => Ok(Vec::new()),
        });
        Ok(read.collect())
    }

    /// Sets the attributes that workers set with completed jobs, and those that the results have. Reads nothing where neither
    /// is there.
    pub(crate) async fn set_result_attributes<'a>(
        &self,
        settlements: impl Iterator<Item = &'a Settlement>,
        given: &GivenByJob,
    ) -> Result<(), EngineError> {
        let declared = self.attributes().await?;
        let reads = declared.reads(PathRoot::Result);
        if !reads && given.is_empty() {
            return Ok(());
        }
        let completed: Vec<(LeaseRef, Option<&str>)> = settlements
            .filter_map(|settlement| match &settlement.disposition {
                Disposition::Complete(result) => {
                    Some((settlement.lease, result.as_deref().filter(|_| reads)))
                }
                _ => None,
            })
            .filter(|(lease, result)| result.is_some() || given.contains_key(&lease.id))
            .collect();
        let leases: Vec<LeaseRef> = completed.iter().map(|(lease, _)| *lease).collect();
        let leased = self.store().leased_jobs(&leases).await?;
        for ((lease, result), job) in completed.into_iter().zip(leased) {
            let Some(job) = job else { continue };
            let Some(tenant) = declared.tenant(&job.tenant) else { continue };
            let workflow = job.workflow.as_ref().map(|workflow| &workflow.name);
            let of_job = tenant.of_job(&job.job_type, workflow);
            let set = given.get(&lease.id).cloned().unwrap_or_default();
            let attributes = counted(tenant.take(of_job, PathRoot::Result, set, result.unwrap_or("null")));
            self.set_under_lease(lease.id.uuid(), lease, &attributes).await?;
        }
        Ok(())
    }

    /// Completes a step of an execution by what its definition sets, and by what its output has where it ends.
    pub(crate) async fn complete_step(
        &self,
        execution: &ExecutionRecord,
        commit: &mut ExecutionCommit,
        set: &[SetAttribute],
    ) -> Result<(), EngineError> {
        let output = commit.output.as_deref().filter(|_| commit.status.is_terminal());
        if output.is_none() && set.is_empty() {
            return Ok(());
        }
        let mut declared = self.attributes().await?;
        if self.declare_missing(&declared, execution, set).await? {
            declared = self.attributes().await?;
        }
        let Some(tenant) = declared.tenant(&execution.tenant) else {
            return Ok(());
        };
        let workflow = &execution.workflow.name;
        let of_set = counted(tenant.of_set(workflow, set));
        commit.attributes = match output {
            Some(output) => {
                let of_execution = tenant.of_execution(workflow);
                counted(tenant.take(of_execution, PathRoot::Output, of_set, output))
            }
            None => of_set,
        };
        Ok(())
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
