//! The rates in force for one queue, resolved once from definitions and what operators set.

use std::collections::HashMap;

use crate::limits::LimitSource;
use crate::names::{CallerKey, JobType, TenantName};
use crate::queue::{LaneKey, WorkflowRef};
use crate::rate::{KeyRates, Rate, RateOverride, RateScope, RateSubject, StartCount};
use crate::time::{DurationMs, Timestamp};

/// A rate in force and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EffectiveRate {
    /// How many starts in a period.
    pub rate: Rate,
    /// Where it comes from.
    pub source: LimitSource,
}

/// Rates in force for one queue.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct RateTable {
    global: Option<Rate>,
    tenant_default: Option<Rate>,
    workflow_default: Option<Rate>,
    job_type_default: Option<Rate>,
    tenants: HashMap<TenantName, Rate>,
    workflows: HashMap<WorkflowRef, EffectiveRate>,
    job_types: HashMap<JobType, Rate>,
    /// Job types of one tenant.
    tenant_job_types: HashMap<TenantName, HashMap<JobType, Rate>>,
    /// Rates of callers' own keys, with limits beside them.
    keys: KeyRates,
    /// Whether only the first claim of a job counts, and waits.
    counts_first_only: bool,
}

impl RateTable {
    /// Brings the sources together. `overrides` are those of this queue; `definitions` holds `limits.rate` of the latest
    /// version of each workflow that sets it. With `counts_first_only` only the first claim of each job counts and waits
    /// for a rate: so it is on `workflow-execution`, where results and timers must not wait.
    pub fn resolve(
        overrides: &[RateOverride],
        definitions: &[(WorkflowRef, Rate)],
        counts_first_only: bool,
    ) -> Self {
        let mut table = Self { counts_first_only, ..Self::default() };
        for (workflow, rate) in definitions {
            let rate = EffectiveRate { rate: *rate, source: LimitSource::Definition };
            table.workflows.insert(workflow.clone(), rate);
        }
        for RateOverride { scope, rate, .. } in overrides {
            let rate = *rate;
            match scope {
                RateScope::Global => table.global = Some(rate),
                RateScope::TenantDefault => table.tenant_default = Some(rate),
                RateScope::WorkflowDefault => table.workflow_default = Some(rate),
                RateScope::JobTypeDefault => table.job_type_default = Some(rate),
                RateScope::Tenant(tenant) => drop(table.tenants.insert(tenant.clone(), rate)),
                RateScope::Workflow(workflow) => {
                    let rate = EffectiveRate { rate, source: LimitSource::Override };
                    table.workflows.insert(workflow.clone(), rate);
                }
                RateScope::JobType(job_type) => drop(table.job_types.insert(job_type.clone(), rate)),
                RateScope::TenantJobType(tenant, job_type) => {
                    let of_tenant = table.tenant_job_types.entry(tenant.clone()).or_default();
                    of_tenant.insert(job_type.clone(), rate);
                }
            }
        }
        table
    }

    /// The same with rates of callers' own keys.
    #[must_use]
    pub fn with_keys(self, keys: KeyRates) -> Self {
        Self { keys, ..self }
    }

    /// Whether no rate is set.
    pub fn is_empty(&self) -> bool {
        self.global.is_none()
            && self.tenant_default.is_none()
            && self.workflow_default.is_none()
            && self.job_type_default.is_none()
            && self.tenants.is_empty()
            && self.workflows.is_empty()
            && self.job_types.is_empty()
            && self.tenant_job_types.is_empty()
            && self.keys.is_empty()
    }

    /// Whether only the first claim of a job counts, and waits.
    pub fn counts_first_only(&self) -> bool {
        self.counts_first_only
    }

    pub(super) fn has_job_types(&self) -> bool {
        let is_any = self.job_type_default.is_some()
            || !self.job_types.is_empty()
            || !self.tenant_job_types.is_empty();
        is_any && !self.counts_first_only
    }

    /// The rate in force for a scope and where it comes from.
    pub fn effective(&self, scope: &RateScope) -> Option<EffectiveRate> {
        let set = |rate| EffectiveRate { rate, source: LimitSource::Override };
        let default = |rate| EffectiveRate { rate, source: LimitSource::OverriddenDefault };
        match scope {
            RateScope::Global => self.global.map(set),
            RateScope::TenantDefault => self.tenant_default.map(default),
            RateScope::WorkflowDefault => self.workflow_default.map(default),
            RateScope::JobTypeDefault => self.job_type_default.map(default),
            RateScope::Tenant(tenant) => {
                self.tenants.get(tenant).copied().map(set).or(self.tenant_default.map(default))
            }
            RateScope::Workflow(workflow) => {
                self.workflows.get(workflow).copied().or(self.workflow_default.map(default))
            }
            RateScope::JobType(job_type) => {
                self.job_types.get(job_type).copied().map(set).or(self.job_type_default.map(default))
            }
            RateScope::TenantJobType(tenant, job_type) => self.tenant_job_type(tenant, job_type).map(set),
        }
    }

    /// The rate under which starts of a subject are counted.
    pub fn of(&self, subject: &RateSubject) -> Option<Rate> {
        match subject {
            RateSubject::Global => self.global,
            RateSubject::Tenant(tenant) => self.tenant(tenant),
            RateSubject::Workflow(workflow) => self.workflow(workflow),
            RateSubject::JobType(job_type) => self.job_type(job_type),
            RateSubject::TenantJobType(tenant, job_type) => self.tenant_job_type(tenant, job_type),
            RateSubject::Key(tenant, key) => self.key(tenant, key),
        }
    }

    /// The subjects for which a start of a job of this lane counts, with their rates.
    pub fn subjects(&self, lane: &LaneKey) -> Vec<(RateSubject, Rate)> {
        let mut subjects = Vec::new();
        subjects.extend(self.global.map(|rate| (RateSubject::Global, rate)));
        let tenant = self.tenant(&lane.tenant);
        subjects.extend(tenant.map(|rate| (RateSubject::Tenant(lane.tenant.clone()), rate)));
        if let Some(workflow) = &lane.workflow {
            let rate = self.workflow(workflow);
            subjects.extend(rate.map(|rate| (RateSubject::Workflow(workflow.clone()), rate)));
        }
        let job_type = self.job_type(&lane.job_type);
        subjects.extend(job_type.map(|rate| (RateSubject::JobType(lane.job_type.clone()), rate)));
        if let Some(rate) = self.tenant_job_type(&lane.tenant, &lane.job_type) {
            subjects.push((RateSubject::TenantJobType(lane.tenant.clone(), lane.job_type.clone()), rate));
        }
        if let Some(key) = &lane.rate_key {
            let rate = self.key(&lane.tenant, key);
            subjects.extend(rate.map(|rate| (RateSubject::Key(lane.tenant.clone(), key.clone()), rate)));
        }
        subjects
    }

    /// Whether starts of jobs of this lane count.
    pub fn applies_to(&self, lane: &LaneKey) -> bool {
        !self.is_empty()
            && (self.global.is_some()
                || self.tenant(&lane.tenant).is_some()
                || lane.workflow.as_ref().is_some_and(|workflow| self.workflow(workflow).is_some())
                || self.job_type(&lane.job_type).is_some()
                || self.tenant_job_type(&lane.tenant, &lane.job_type).is_some()
                || lane.rate_key.as_ref().is_some_and(|key| self.key(&lane.tenant, key).is_some()))
    }

    pub(super) fn global(&self) -> Option<Rate> {
        self.global
    }

    pub(super) fn tenant(&self, tenant: &TenantName) -> Option<Rate> {
        // Hashing a name for each tenant of a plan is saved where no tenant has a rate of its own.
        if self.tenants.is_empty() {
            return self.tenant_default;
        }
        self.tenants.get(tenant).copied().or(self.tenant_default)
    }

    pub(super) fn workflow(&self, workflow: &WorkflowRef) -> Option<Rate> {
        if self.workflows.is_empty() {
            return self.workflow_default;
        }
        self.workflows.get(workflow).map(|effective| effective.rate).or(self.workflow_default)
    }

    /// The rate of a key of callers' own.
    pub(super) fn key(&self, tenant: &TenantName, key: &CallerKey) -> Option<Rate> {
        // Where only first claims count, jobs have no such keys.
        if self.counts_first_only { None } else { self.keys.rate(tenant, key) }
    }

    /// How many jobs with a key of callers' own may be leased at once.
    pub fn key_limit(&self, tenant: &TenantName, key: &CallerKey) -> Option<u32> {
        if self.counts_first_only { None } else { self.keys.max_concurrent(tenant, key) }
    }

    pub(super) fn job_type(&self, job_type: &JobType) -> Option<Rate> {
        // Where only first claims count, job types are the product's own, one for all.
        if self.counts_first_only {
            return None;
        }
        if self.job_types.is_empty() {
            return self.job_type_default;
        }
        self.job_types.get(job_type).copied().or(self.job_type_default)
    }

    pub(super) fn tenant_job_type(&self, tenant: &TenantName, job_type: &JobType) -> Option<Rate> {
        if self.counts_first_only {
            return None;
        }
        self.tenant_job_types.get(tenant)?.get(job_type).copied()
    }
}

// How many starts rates leave, as far as that is known.

/// How many more starts fit, by subject. What is not known is asked for by the plan that needs it.
#[derive(Debug, Default, Clone)]
pub struct StartRooms {
    rooms: HashMap<RateSubject, u32>,
    /// Counts of earlier that still hold, for a claim that remembers them.
    counts: HashMap<RateSubject, StartCount>,
    /// The instant that those are judged at.
    now: Timestamp,
    /// Rates of less [tolerance](Rate::tolerance) are not judged by them.
    tolerance_min: DurationMs,
    counting: Counting,
}

/// What a claim can do about starts that count.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Counting {
    /// It starts nothing that counts.
    #[default]
    Never,
    /// It counts what lanes give, but cannot take a part of them.
    WholeLanes,
    /// It counts what it takes, under the lock of the queue.
    Parts,
}

impl StartRooms {
    /// For a claim that counts what it takes.
    pub fn counting() -> Self {
        Self { counting: Counting::Parts, ..Self::default() }
    }

    /// For a claim that cannot count, and has to know which of these subjects have no room for now.
    pub fn held(subjects: impl Iterator<Item = RateSubject>) -> Self {
        Self { rooms: subjects.map(|subject| (subject, 0)).collect(), ..Self::default() }
    }

    /// For claims that go by counts of earlier ([`remember`](Self::remember)), where nobody else has started anything since.
    pub fn remembering() -> Self {
        Self { counting: Counting::WholeLanes, ..Self::default() }
    }

    /// Says how many more starts fit.
    pub fn set(&mut self, subject: RateSubject, room: u32) {
        self.rooms.insert(subject, room);
    }

    /// Says what was counted.
    pub fn remember(&mut self, subject: RateSubject, count: StartCount) {
        self.counts.insert(subject, count);
    }

    /// Subjects without room for the claim under way by what is remembered, and when they have some again.
    pub fn full<'a>(&'a self, table: &'a RateTable) -> impl Iterator<Item = (RateSubject, Timestamp)> + 'a {
        self.counts.iter().filter_map(move |(subject, count)| {
            let rate = table.of(subject)?;
            let count = count.clone().advanced(&rate, self.now);
            (count.room(&rate) == 0).then(|| (subject.clone(), count.free_at(&rate, 0)))
        })
    }

    /// Begins a claim at `now` or later that knows when it starts something only as well as that. Of `held` it is known that
    /// they have no room for a while.
    pub fn begin(
        &mut self,
        now: Timestamp,
        tolerance_min: DurationMs,
        held: impl Iterator<Item = RateSubject>,
    ) {
        (self.now, self.tolerance_min) = (now, tolerance_min);
        self.rooms.clear();
        let unknown = held.filter(|subject| !self.counts.contains_key(subject));
        self.rooms.extend(unknown.map(|subject| (subject, 0)));
    }

    /// What was counted, if that is remembered.
    pub fn remembered(&self, subject: &RateSubject) -> Option<&StartCount> {
        self.counts.get(subject)
    }

    /// Of how many subjects it is remembered what was counted.
    pub fn remembered_len(&self) -> usize {
        self.counts.len()
    }

    /// How many more starts fit; `None` where that was not said.
    pub fn get(&self, subject: &RateSubject) -> Option<u32> {
        self.rooms.get(subject).copied()
    }

    /// Whether a grant cannot be taken: `is_limited` says that job types limit it or only first claims count, `is_cut` that
    /// not all of its lanes may give all that it asks for.
    pub(super) fn refuses(&self, is_limited: bool, is_cut: bool) -> bool {
        match self.counting {
            Counting::Never => is_limited,
            Counting::WholeLanes => is_cut,
            Counting::Parts => false,
        }
    }

    /// The room under a rate, and whether it is known. Without a rate there is no end of it.
    pub(super) fn room(&self, rate: Option<Rate>, subject: impl FnOnce() -> RateSubject) -> (u32, bool) {
        let Some(rate) = rate else {
            return (u32::MAX, true);
        };
        let subject = subject();
        let remembered = || {
            let count = self.counts.get(&subject).filter(|_| rate.tolerance() >= self.tolerance_min)?;
            Some(count.room_at(&rate, self.now))
        };
        match self.rooms.get(&subject).copied().or_else(remembered) {
            Some(room) => (room, true),
            None => (u32::MAX, false),
        }
    }
}
