//! What of a request and its payload becomes attributes. Nothing is read of it where nothing is declared.

use std::collections::BTreeMap;

use domain::attribute::{PathRoot, SetFault, StoredAttribute, TakenAttributes};
use domain::error::Fault;
use domain::names::{JobType, TenantName, WorkflowName};
use serde_json::Value;
use store::jobs::NewJob;

use super::cache::Declarations;
use crate::engine::Engine;
use crate::metrics;

/// Attributes that a caller sets, by name.
pub(crate) type SetAttributes = BTreeMap<String, Value>;

impl Declarations {
    /// Attributes that a caller sets on a job.
    pub(crate) fn set_on_job(
        &self,
        tenant: &TenantName,
        job_type: &JobType,
        set: &SetAttributes,
    ) -> Result<Vec<StoredAttribute>, Vec<Fault>> {
        match self.tenant(tenant) {
            _ if set.is_empty() => Ok(Vec::new()),
            Some(tenant) => tenant.read_set(&tenant.of_job(job_type, None), set).map_err(faults_of),
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
