//! How many jobs of a queue could be processed now: what waits, cut to what limits and pauses let start.
//!
//! A job counts against the limits of its tenant and of its workflow, so how many can start together is a flow through
//! tenants and workflows. Knows nothing of workers: it says how many slots would be of use.

mod flow;

use std::collections::{BTreeMap, HashSet};

use crate::claim::LimitTable;
use crate::lane::{LaneKey, WorkflowRef};
use crate::names::{JobType, TenantName};
use crate::queue::Tier;
use crate::time::Timestamp;

/// What waits and runs in a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneLoad {
    /// The lane.
    pub key: LaneKey,
    /// Jobs that can be claimed, as far as they were counted.
    pub queued: u64,
    /// Jobs that wait for their concurrency key.
    pub blocked: u64,
    /// Leased jobs.
    pub processing: u64,
    /// Since when its first job has been claimable.
    pub oldest_at: Option<Timestamp>,
}

/// What waits and runs in a queue.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueLoad {
    /// Lanes in which jobs wait or run.
    pub lanes: Vec<LaneLoad>,
    /// The limits in force.
    pub limits: LimitTable,
    /// Whether nothing of the queue starts.
    pub is_paused: bool,
    /// Workflows of which nothing starts.
    pub paused: Vec<WorkflowRef>,
    /// Whether everything that waits was counted.
    pub is_exact: bool,
    /// When it was read.
    pub as_of: Timestamp,
}

/// Which jobs are asked about. Limits count all jobs of the queue in any case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only jobs of this tenant.
    pub tenant: Option<TenantName>,
    /// Only jobs of these types.
    pub job_types: Option<Vec<JobType>>,
}

impl Selection {
    /// Whether jobs of a lane are meant.
    pub fn has(&self, key: &LaneKey) -> bool {
        self.tenant.as_ref().is_none_or(|tenant| *tenant == key.tenant)
            && self.job_types.as_ref().is_none_or(|types| types.contains(&key.job_type))
    }
}

/// How many jobs could be processed now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Scaling {
    /// Jobs that wait for a claim.
    pub queued: u64,
    /// Those of them that no limit and no pause holds back.
    pub startable: u64,
    /// Those that a limit holds back.
    pub held_by_limit: u64,
    /// Leased jobs.
    pub processing: u64,
    /// Since when the oldest job has been claimable.
    pub oldest_at: Option<Timestamp>,
}

/// Limits that are reached while jobs wait that count against them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FullLimits {
    /// Whether the limit of the queue is.
    pub global: bool,
    /// How many tenants' limits are.
    pub tenants: u64,
    /// How many workflows' limits are.
    pub workflows: u64,
}

impl QueueLoad {
    /// How many of the selected jobs could be processed now.
    pub fn scaling(&self, selection: &Selection) -> Scaling {
        self.scaling_of(|key| selection.has(key))
    }

    /// The same by tier. A limit lets jobs of higher tiers start first.
    pub fn by_tier(&self) -> Vec<(Tier, Scaling)> {
        let mut before = Scaling::default();
        let tiers = Tier::ALL.into_iter().map(|tier| {
            let own = self.scaling_of(|key| key.tier == tier);
            let up_to = self.scaling_of(|key| key.tier <= tier);
            let held_by_limit = up_to.held_by_limit.saturating_sub(before.held_by_limit);
            let startable = up_to.startable.saturating_sub(before.startable);
            before = up_to;
            (tier, Scaling { startable, held_by_limit, ..own })
        });
        tiers.collect()
    }

    /// Which limits keep jobs waiting.
    pub fn full_limits(&self) -> FullLimits {
        let waits = |lane: &&LaneLoad| lane.queued > 0 && !self.is_held(&lane.key);
        let running = Running::of(&self.lanes);
        let is_full =
            |limit: Option<u32>, running: u64| limit.is_some_and(|limit| running >= u64::from(limit));
        let tenants: HashSet<&TenantName> =
            self.lanes.iter().filter(waits).map(|lane| &lane.key.tenant).collect();
        let workflows: HashSet<&WorkflowRef> =
            self.lanes.iter().filter(waits).filter_map(|lane| lane.key.workflow.as_ref()).collect();
        FullLimits {
            global: is_full(self.limits.global, running.all) && self.lanes.iter().any(|lane| waits(&lane)),
            tenants: tenants
                .into_iter()
                .filter(|tenant| is_full(self.limits.tenant(tenant), running.tenant(tenant)))
                .count() as u64,
            workflows: workflows
                .into_iter()
                .filter(|workflow| is_full(self.limits.workflow(workflow), running.workflow(workflow)))
                .count() as u64,
        }
    }

    /// Leased jobs of the queue.
    pub fn processing(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.processing).sum()
    }

    fn scaling_of(&self, selects: impl Fn(&LaneKey) -> bool) -> Scaling {
        let running = Running::of(&self.lanes);
        let mut scaling = Scaling::default();
        let (mut open, mut ready) = (BTreeMap::new(), 0);
        for lane in self.lanes.iter().filter(|lane| selects(&lane.key)) {
            scaling.queued += lane.queued + lane.blocked;
            scaling.processing += lane.processing;
            scaling.oldest_at = earlier(scaling.oldest_at, lane.oldest_at);
            if self.is_held(&lane.key) {
                continue;
            }
            // A job whose concurrency key is taken is held by a limit of one.
            scaling.held_by_limit += lane.blocked;
            ready += lane.queued;
            *open.entry((&lane.key.tenant, lane.key.workflow.as_ref())).or_insert(0) += lane.queued;
        }
        scaling.startable = self.startable(&open, &running);
        scaling.held_by_limit += ready - scaling.startable;
        scaling
    }

    fn startable(&self, waiting: &BTreeMap<Cell<'_>, u64>, running: &Running<'_>) -> u64 {
        let room =
            |limit: Option<u32>, running: u64| limit.map(|limit| u64::from(limit).saturating_sub(running));
        let of_tenant = |tenant: &TenantName| room(self.limits.tenant(tenant), running.tenant(tenant));
        let of_workflow =
            |workflow: &WorkflowRef| room(self.limits.workflow(workflow), running.workflow(workflow));
        let most = flow::most(waiting, of_tenant, of_workflow);
        room(self.limits.global, running.all).map_or(most, |room| most.min(room))
    }

    /// Whether a pause keeps the jobs of a lane.
    fn is_held(&self, key: &LaneKey) -> bool {
        self.is_paused || key.workflow.as_ref().is_some_and(|workflow| self.paused.contains(workflow))
    }
}

/// Jobs of a tenant and a workflow, which count against the same limits.
type Cell<'a> = (&'a TenantName, Option<&'a WorkflowRef>);

/// Leased jobs by what limits count.
struct Running<'a> {
    all: u64,
    tenants: BTreeMap<&'a TenantName, u64>,
    workflows: BTreeMap<&'a WorkflowRef, u64>,
}

impl<'a> Running<'a> {
    fn of(lanes: &'a [LaneLoad]) -> Self {
        let mut running = Self { all: 0, tenants: BTreeMap::new(), workflows: BTreeMap::new() };
        for lane in lanes.iter().filter(|lane| lane.processing > 0) {
            running.all += lane.processing;
            *running.tenants.entry(&lane.key.tenant).or_default() += lane.processing;
            if let Some(workflow) = &lane.key.workflow {
                *running.workflows.entry(workflow).or_default() += lane.processing;
            }
        }
        running
    }

    fn tenant(&self, tenant: &TenantName) -> u64 {
        self.tenants.get(tenant).copied().unwrap_or(0)
    }

    fn workflow(&self, workflow: &WorkflowRef) -> u64 {
        self.workflows.get(workflow).copied().unwrap_or(0)
    }
}

fn earlier(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests;
