//! Which workers pinned their job types, as this process saw them ask.

use std::collections::HashMap;

use domain::build::BUILDS_MAX;
use domain::names::{CallerKey, JobType, TenantName, WorkerId};
use parking_lot::Mutex;

use crate::bounds::Faults;
use crate::jobs::PollRequest;

/// How many workers are remembered that pinned their types; what is forgotten is asked of the store again.
const WORKERS_MAX: usize = 10_000;

/// Workers of this process that pinned their job types, with what they asked for.
#[derive(Default)]
pub(crate) struct PinnedBy(Mutex<HashMap<(Option<TenantName>, WorkerId), Asked>>);

/// What a worker asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Asked {
    pub(super) build: Option<CallerKey>,
    pub(super) job_types: Vec<JobType>,
    pub(super) builds: Vec<CallerKey>,
}

impl Asked {
    pub(super) fn of(request: &PollRequest) -> Self {
        let PollRequest { build, job_types, builds, .. } = request;
        Self { build: build.clone(), job_types: job_types.clone(), builds: builds.clone() }
    }
}

impl PinnedBy {
    pub(super) fn knows(&self, tenant: Option<&TenantName>, request: &PollRequest) -> bool {
        let known = self.0.lock();
        let asked = known.get(&(tenant.cloned(), request.worker_id.clone()));
        asked.is_some_and(|asked| *asked == Asked::of(request))
    }

    pub(super) fn remember(&self, tenant: Option<&TenantName>, request: &PollRequest) {
        let mut known = self.0.lock();
        if known.len() >= WORKERS_MAX {
            known.clear();
        }
        known.insert((tenant.cloned(), request.worker_id.clone()), Asked::of(request));
    }
}

/// Checks what a worker says of builds.
pub(crate) fn check_builds(request: &PollRequest, faults: &mut Faults) {
    if request.builds.is_empty() {
        return;
    }
    if request.builds.len() > BUILDS_MAX {
        faults.add("/builds", format!("expected at most {BUILDS_MAX} builds"));
    }
    // One that shuts itself out would wait for jobs in vain.
    if !request.build.as_ref().is_some_and(|build| request.builds.contains(build)) {
        faults.add("/builds", "expected the worker's own build among them, as `build` names it");
    }
}
