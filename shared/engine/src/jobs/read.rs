//! Look at jobs.

use domain::access::Permission;
use domain::id::JobId;
use store::jobs::{JobFilter, JobRecord};
use store::{Page, PageRequest};

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// A job with its attempts.
    pub async fn job(&self, caller: &Caller, id: JobId) -> Result<JobRecord, EngineError> {
        caller.require(Permission::Read)?;
        self.known_job(caller, id).await
    }

    /// Jobs, newest first.
    pub async fn list_jobs(
        &self,
        caller: &Caller,
        filter: &JobFilter,
        page: PageRequest,
    ) -> Result<Page<JobRecord>, EngineError> {
        caller.require(Permission::Read)?;
        Ok(self.store().list_jobs(&caller.scope, filter, page).await?)
    }

    /// A job that the caller may know of, whatever its role.
    pub(crate) async fn known_job(&self, caller: &Caller, id: JobId) -> Result<JobRecord, EngineError> {
        let found = self.store().job(&caller.scope, id).await?;
        found.ok_or_else(|| EngineError::not_found("job", &id))
    }
}
