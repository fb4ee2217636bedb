//! Which job types of which tenants have lanes in the ring, so that a poll learns at once whether any lane is for it.

use std::collections::HashMap;

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
