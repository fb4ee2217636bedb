//! The known lanes of one queue, with small numbers for the names in their keys.
//!
//! Planning compares numbers only. Numbers given here mean nothing outside the process.

use std::cell::Cell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

use crate::names::{CallerKey, JobType, TenantName};
use crate::queue::{LaneId, LaneKey, Tier, WorkflowRef};

/// A lane that is not in [`Lanes`] was named: its key has to be read before it can be counted or planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("lane {} is not known here", .0.0)]
pub struct UnknownLane(pub LaneId);

/// Known lanes of one queue: number to key and back. Filled by the store, and made smaller by
/// [`compact`](super::compact()).
#[derive(Debug, Default, Clone)]
pub struct Lanes {
    known: Vec<Lane>,
    by_id: HashMap<LaneId, u32>,
    by_key: HashMap<LaneKey, u32>,
    tenants: Numbers<TenantName>,
    workflows: Numbers<WorkflowRef>,
    job_types: Numbers<JobType>,
    /// Job types of one tenant.
    own_types: Numbers<(TenantName, JobType)>,
    rate_keys: Numbers<(TenantName, CallerKey)>,
    groups: Numbers<Group>,
    /// Grows with each call of [`begin_use`](Self::begin_use), to tell what is used from what was.
    period: u32,
}

/// A lane with the names of its key as numbers.
#[derive(Debug, Clone)]
pub(super) struct Lane {
    pub(super) id: LaneId,
    pub(super) key: LaneKey,
    pub(super) tenant: u32,
    pub(super) workflow: Option<u32>,
    pub(super) job_type: u32,
    /// The number of its job type among those of its tenant.
    pub(super) own_type: u32,
    pub(super) rate_key: Option<u32>,
    /// The number of its [`Group`].
    pub(super) group: u32,
    /// The last period in which it was asked for.
    used_in: Cell<u32>,
}

/// The lanes of one tier, tenant, workflow and rate key, whatever their job type; names as numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Group {
    tier: Tier,
    pub(super) tenant: u32,
    pub(super) workflow: Option<u32>,
    pub(super) rate_key: Option<u32>,
}

impl Lanes {
    /// No lanes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a lane. Does nothing where the number is known: a number never changes its meaning.
    pub fn insert(&mut self, id: LaneId, key: LaneKey) {
        let Entry::Vacant(vacant) = self.by_id.entry(id) else {
            return;
        };
        let index = self.known.len() as u32;
        vacant.insert(index);
        let tenant = self.tenants.number(&key.tenant);
        let workflow = key.workflow.as_ref().map(|workflow| self.workflows.number(workflow));
        let job_type = self.job_types.number(&key.job_type);
        let own_type = self.own_types.number(&(key.tenant.clone(), key.job_type.clone()));
        let rate_key =
            key.rate_key.as_ref().map(|own| self.rate_keys.number(&(key.tenant.clone(), own.clone())));
        let group = self.groups.number(&Group { tier: key.tier, tenant, workflow, rate_key });
        self.by_key.insert(key.clone(), index);
        let used_in = Cell::new(self.period);
        self.known.push(Lane { id, key, tenant, workflow, job_type, own_type, rate_key, group, used_in });
    }

    /// Adds a lane of others.
    pub(super) fn take_over(&mut self, others: &Self, index: u32) {
        let lane = others.lane(index);
        self.period = others.period;
        self.insert(lane.id, lane.key.clone());
        if let Some(taken) = self.known.last() {
            taken.used_in.set(lane.used_in.get());
        }
    }

    /// Begins a period of use.
    pub(super) fn begin_use(&mut self) {
        self.period += 1;
    }

    /// Whether a lane was asked for in this period.
    pub(super) fn is_used(&self, index: u32) -> bool {
        self.lane(index).used_in.get() >= self.period
    }

    /// The key of a lane.
    pub fn get(&self, id: LaneId) -> Option<&LaneKey> {
        self.by_id.get(&id).map(|&index| &self.known[index as usize].key)
    }

    /// The lane with this key.
    pub fn find(&self, key: &LaneKey) -> Option<LaneId> {
        self.by_key.get(key).map(|&index| self.used(index).id)
    }

    /// The numbers of all lanes that are known.
    pub fn ids(&self) -> impl Iterator<Item = LaneId> {
        self.known.iter().map(|lane| lane.id)
    }

    /// How many lanes are known.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether no lane is known.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    pub(super) fn index(&self, id: LaneId) -> Result<u32, UnknownLane> {
        let index = self.by_id.get(&id).copied().ok_or(UnknownLane(id))?;
        self.used(index);
        Ok(index)
    }

    fn used(&self, index: u32) -> &Lane {
        let lane = &self.known[index as usize];
        lane.used_in.set(self.period);
        lane
    }

    pub(super) fn lane(&self, index: u32) -> &Lane {
        &self.known[index as usize]
    }

    pub(super) fn tenants(&self) -> &Numbers<TenantName> {
        &self.tenants
    }

    pub(super) fn workflows(&self) -> &Numbers<WorkflowRef> {
        &self.workflows
    }

    pub(super) fn job_types(&self) -> &Numbers<JobType> {
        &self.job_types
    }

    pub(super) fn own_types(&self) -> &Numbers<(TenantName, JobType)> {
        &self.own_types
    }

    pub(super) fn rate_keys(&self) -> &Numbers<(TenantName, CallerKey)> {
        &self.rate_keys
    }

    pub(super) fn group(&self, number: u32) -> Group {
        *self.groups.value(number)
    }

    pub(super) fn group_count(&self) -> usize {
        self.groups.len()
    }
}

/// Gives each value a number, counting from zero.
#[derive(Debug, Clone)]
pub(super) struct Numbers<T> {
    values: Vec<T>,
    by_value: HashMap<T, u32>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Self { values: Vec::new(), by_value: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Numbers<T> {
    fn number(&mut self, value: &T) -> u32 {
        if let Some(&number) = self.by_value.get(value) {
            return number;
        }
        let number = self.values.len() as u32;
        self.values.push(value.clone());
        self.by_value.insert(value.clone(), number);
        number
    }

    pub(super) fn find(&self, value: &T) -> Option<u32> {
        self.by_value.get(value).copied()
    }

    pub(super) fn value(&self, number: u32) -> &T {
        &self.values[number as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }
}

// Which job types of which tenants have lanes in the ring, so that a poll learns at once whether any lane is for it.

/// How many lanes of the ring there are for each job type, in all and by tenant. Names as numbers.
#[derive(Debug, Default)]
pub(super) struct Census {
    types: HashMap<u32, u32>,
    tenants: HashMap<u32, u32>,
    pairs: HashMap<(u32, u32), u32>,
}

impl Census {
    /// Counts a lane.
    pub(super) fn add(&mut self, tenant: u32, job_type: u32) {
        *self.types.entry(job_type).or_default() += 1;
        *self.tenants.entry(tenant).or_default() += 1;
        *self.pairs.entry((tenant, job_type)).or_default() += 1;
    }

    /// Counts a lane no more.
    pub(super) fn remove(&mut self, tenant: u32, job_type: u32) {
        less(&mut self.types, &job_type);
        less(&mut self.tenants, &tenant);
        less(&mut self.pairs, &(tenant, job_type));
    }

    /// Whether there is a lane of this tenant and of this job type; `None` is any.
    pub(super) fn has(&self, tenant: Option<u32>, job_type: Option<u32>) -> bool {
        match (tenant, job_type) {
            (None, None) => !self.types.is_empty(),
            (None, Some(job_type)) => self.types.contains_key(&job_type),
            (Some(tenant), None) => self.tenants.contains_key(&tenant),
            (Some(tenant), Some(job_type)) => self.pairs.contains_key(&(tenant, job_type)),
        }
    }
}

/// One less; what is at zero is not kept.
fn less<K: std::hash::Hash + Eq>(counts: &mut HashMap<K, u32>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}
