//! How turns were before a plan, for a plan that is dropped.
//!
//! Notes what a plan touches and nothing else, so that it costs a step per turn, as the plan does.

use super::ring::{Ring, TenantTurns};
use super::rotation::Rotation;

/// The turns that a plan has moved, as they were.
#[derive(Debug, Default)]
pub(super) struct Undo {
    /// By tier code: the order of the tenants.
    tiers: [Option<Rotation>; 3],
    /// Tier code, tenant and its turns, each once.
    tenants: Vec<(usize, u32, TenantTurns)>,
    /// Groups that were taken out of their tenant's line.
    unlisted: Vec<u32>,
}

impl Undo {
    /// Notes the order of a tier's tenants, before the plan comes to it.
    pub(super) fn note_tier(&mut self, tier: usize, tenants: &Rotation) {
        self.tiers[tier].get_or_insert_with(|| tenants.clone());
    }

    /// Notes the turns of a tenant, before its first one in the plan.
    pub(super) fn note_tenant(&mut self, tier: usize, tenant: u32, turns: &TenantTurns) {
        self.tenants.push((tier, tenant, turns.clone()));
    }

    /// Notes a group that the plan took out of its line.
    pub(super) fn note_unlisted(&mut self, group: u32) {
        self.unlisted.push(group);
    }

    /// Puts everything back.
    pub(super) fn restore(self, ring: &mut Ring) {
        for (tier, tenants) in ring.tiers.iter_mut().zip(self.tiers) {
            if let Some(tenants) = tenants {
                tier.tenants = tenants;
            }
        }
        for (tier, tenant, turns) in self.tenants {
            ring.tiers[tier].by_tenant[tenant as usize] = turns;
        }
        for group in self.unlisted {
            ring.groups[group as usize].is_listed = true;
        }
    }
}
