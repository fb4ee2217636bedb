//! How many jobs of a queue could be processed now: what waits, cut to what limits and pauses let start.
//!
//! A job counts against the limits and rates of its tenant and of its workflow, so how many can start together is a flow
//! through tenants and workflows. Those of its job type and its rate key cut each lane before. Knows nothing of workers: it
//! says how many slots would be of use.

mod flow;

use std::collections::{BTreeMap, BTreeSet};

use crate::claim::LimitTable;
use crate::names::{JobType, TenantName};
use crate::queue::{LaneKey, Tier, WorkflowRef};
use crate::rate::{RateSubject, StartCount};
use crate::time::Timestamp;
use flow::Cell;

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
    /// Those of them that are offered, and that no worker has accepted.
    pub offered: u64,
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
    /// How many more starts rates let through, where starts were counted; all that fit where they were not.
    pub starts: BTreeMap<RateSubject, u32>,
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
    /// Those of them that no limit, rate or pause holds back.
    pub startable: u64,
    /// Those that a limit or a rate holds back.
    pub held_by_limit: u64,
    /// Leased jobs.
    pub processing: u64,
    /// Those of them that are offered, and that no worker has accepted.
    pub offered: u64,
    /// Since when the oldest job has been claimable.
    pub oldest_at: Option<Timestamp>,
}

/// Limits and rates without room while jobs wait that count against them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FullLimits {
    /// Whether that of the queue is.
    pub global: bool,
    /// How many tenants' are.
    pub tenants: u64,
    /// How many workflows' are.
    pub workflows: u64,
    /// How many job types' are, of all tenants or of one.
    pub job_types: u64,
    /// How many rate keys' are.
    pub rate_keys: u64,
}

impl FullLimits {
    /// How many there are, by the name of what they are of.
    pub fn scopes(&self) -> [(&'static str, u64); 5] {
        [
            ("global", u64::from(self.global)),
            ("tenant", self.tenants),
            ("workflow", self.workflows),
            ("job_type", self.job_types),
            ("rate_key", self.rate_keys),
        ]
    }
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

    /// Which limits and rates keep jobs waiting.
    pub fn full_limits(&self) -> FullLimits {
        let rooms = Rooms::of(self);
        let waiting = || self.lanes.iter().filter(|lane| lane.queued > 0 && !self.is_held(&lane.key));
        let mut full: [BTreeSet<RateSubject>; 4] = Default::default();
        for subject in waiting().flat_map(|lane| subjects(&lane.key)) {
            let place = match &subject {
                RateSubject::Global => continue,
                RateSubject::Tenant(_) => 0,
                RateSubject::Workflow(_) => 1,
                RateSubject::JobType(_) | RateSubject::TenantJobType(..) => 2,
                RateSubject::Key(..) => 3,
            };
            if rooms.left(&subject) == Some(0) {
                full[place].insert(subject);
            }
        }
        let [tenants, workflows, job_types, rate_keys] = full.map(|subjects| subjects.len() as u64);
        let global = rooms.left(&RateSubject::Global) == Some(0) && waiting().next().is_some();
        FullLimits { global, tenants, workflows, job_types, rate_keys }
    }

    /// Leased jobs of the queue.
    pub fn processing(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.processing).sum()
    }

    fn scaling_of(&self, selects: impl Fn(&LaneKey) -> bool) -> Scaling {
        let mut rooms = Rooms::of(self);
        let mut scaling = Scaling::default();
        let (mut open, mut ready) = (BTreeMap::new(), 0);
        for lane in self.lanes.iter().filter(|lane| selects(&lane.key)) {
            scaling.queued += lane.queued + lane.blocked;
            scaling.processing += lane.processing;
            scaling.offered += lane.offered;
            scaling.oldest_at = earlier(scaling.oldest_at, lane.oldest_at);
            if self.is_held(&lane.key) {
                continue;
            }
            // A job whose concurrency key is taken is held by a limit of one.
            scaling.held_by_limit += lane.blocked;
            ready += lane.queued;
            let let_through = rooms.take(&lane.key, lane.queued);
            *open.entry((&lane.key.tenant, lane.key.workflow.as_ref())).or_insert(0) += let_through;
        }
        scaling.startable = startable(&open, &rooms);
        scaling.held_by_limit += ready - scaling.startable;
        scaling
    }

    /// Whether a pause keeps the jobs of a lane.
    fn is_held(&self, key: &LaneKey) -> bool {
        self.is_paused || key.workflow.as_ref().is_some_and(|workflow| self.paused.contains(workflow))
    }
}

/// What limits and rates leave.
struct Rooms<'a> {
    load: &'a QueueLoad,
    /// Leased jobs by what limits count.
    running: BTreeMap<RateSubject, u64>,
    /// What is left of those that job types and rate keys had, once it was asked for.
    left: BTreeMap<RateSubject, Option<u64>>,
}

impl<'a> Rooms<'a> {
    fn of(load: &'a QueueLoad) -> Self {
        let mut running = BTreeMap::new();
        for lane in load.lanes.iter().filter(|lane| lane.processing > 0) {
            for subject in subjects(&lane.key) {
                *running.entry(subject).or_default() += lane.processing;
            }
        }
        Self { load, running, left: BTreeMap::new() }
    }

    /// How many more jobs can start; `None` without limit and rate.
    fn left(&self, subject: &RateSubject) -> Option<u64> {
        let limits = &self.load.limits;
        let limit = match subject {
            RateSubject::Global => limits.global,
            RateSubject::Tenant(tenant) => limits.tenant(tenant),
            RateSubject::Workflow(workflow) => limits.workflow(workflow),
            RateSubject::JobType(job_type) => limits.job_type(job_type),
            RateSubject::TenantJobType(tenant, job_type) => limits.tenant_job_type(tenant, job_type),
            RateSubject::Key(tenant, key) => limits.rates.key_limit(tenant, key),
        };
        let running = self.running.get(subject).copied().unwrap_or(0);
        let slots = limit.map(|limit| u64::from(limit).saturating_sub(running));
        // Where only first claims wait for a rate, lanes do not say how many of their jobs do.
        let rate = limits.rates.of(subject).filter(|_| !limits.rates.counts_first_only());
        let starts = rate.map(|rate| {
            let all = || StartCount::new(&rate, self.load.as_of).room(&rate);
            u64::from(self.load.starts.get(subject).copied().unwrap_or_else(all))
        });
        match (slots, starts) {
            (Some(slots), Some(starts)) => Some(slots.min(starts)),
            (one, other) => one.or(other),
        }
    }

    /// How many of so many jobs of a lane its job type and its rate key let through, after those of the lanes before.
    fn take(&mut self, key: &LaneKey, jobs: u64) -> u64 {
        if !self.load.limits.has_counted() {
            return jobs;
        }
        let mut own = vec![
            RateSubject::JobType(key.job_type.clone()),
            RateSubject::TenantJobType(key.tenant.clone(), key.job_type.clone()),
        ];
        own.extend(key.rate_key.as_ref().map(|of| RateSubject::Key(key.tenant.clone(), of.clone())));
        for subject in &own {
            if !self.left.contains_key(subject) {
                let left = self.left(subject);
                self.left.insert(subject.clone(), left);
            }
        }
        let least = own.iter().filter_map(|subject| self.left[subject]).min();
        let taken = least.map_or(jobs, |least| jobs.min(least));
        for subject in &own {
            if let Some(Some(left)) = self.left.get_mut(subject) {
                *left -= taken;
            }
        }
        taken
    }
}

/// Everything that a job of a lane counts against.
fn subjects(key: &LaneKey) -> Vec<RateSubject> {
    let mut subjects = vec![
        RateSubject::Global,
        RateSubject::Tenant(key.tenant.clone()),
        RateSubject::JobType(key.job_type.clone()),
        RateSubject::TenantJobType(key.tenant.clone(), key.job_type.clone()),
    ];
    subjects.extend(key.workflow.clone().map(RateSubject::Workflow));
    subjects.extend(key.rate_key.as_ref().map(|own| RateSubject::Key(key.tenant.clone(), own.clone())));
    subjects
}

fn startable(waiting: &BTreeMap<Cell<'_>, u64>, rooms: &Rooms<'_>) -> u64 {
    let of_tenant = |tenant: &TenantName| rooms.left(&RateSubject::Tenant(tenant.clone()));
    let of_workflow = |workflow: &WorkflowRef| rooms.left(&RateSubject::Workflow(workflow.clone()));
    let most = flow::most(waiting, of_tenant, of_workflow);
    rooms.left(&RateSubject::Global).map_or(most, |room| most.min(room))
}

fn earlier(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests;
