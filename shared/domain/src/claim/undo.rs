//! What a plan took that fell short is put back: the ring is as it was before, at the cost of what was touched.

use super::ring::{Ring, TenantTurns};
use super::rotation::Rotation;

/// The turns that a plan has moved.
#[derive(Debug, Default)]
pub(super) struct Undo {
    /// By tier code: whether the line of its tenants records.
    tiers: [bool; 3],
    /// Each once.
    tenants: Vec<Touched>,
    /// Groups that were taken out of their tenant's line.
    unlisted: Vec<u32>,
}

/// A tenant whose turns record, with what else the plan may change of it.
#[derive(Debug)]
struct Touched {
    tier: usize,
    tenant: u32,
    is_listed: bool,
    rest: u32,
}

impl Undo {
    /// Lets the line of a tier's tenants record, before the plan comes to it.
    pub(super) fn record_tier(&mut self, tier: usize, tenants: &mut Rotation) {
        if !std::mem::replace(&mut self.tiers[tier], true) {
            tenants.record();
        }
    }

    /// Lets the turns of a tenant record, before its first one in the plan.
    pub(super) fn record_tenant(&mut self, tier: usize, tenant: u32, turns: &mut TenantTurns) {
        turns.groups.record();
        self.tenants.push(Touched { tier, tenant, is_listed: turns.is_listed, rest: turns.rest });
    }

    /// Records a group that the plan took out of its line.
    pub(super) fn record_unlisted(&mut self, group: u32) {
        self.unlisted.push(group);
    }

    /// Puts everything back.
    pub(super) fn restore(self, ring: &mut Ring) {
        for (tier, is_touched) in ring.tiers.iter_mut().zip(self.tiers) {
            if is_touched {
                tier.tenants.undo();
            }
        }
        for Touched { tier, tenant, is_listed, rest } in self.tenants {
            let turns = &mut ring.tiers[tier].by_tenant[tenant as usize];
            turns.groups.undo();
            turns.is_listed = is_listed;
            turns.rest = rest;
        }
        for group in self.unlisted {
            ring.groups[group as usize].is_listed = true;
        }
    }

    /// Leaves everything as the plan made it.
    pub(super) fn keep(self, ring: &mut Ring) {
        for (tier, is_touched) in ring.tiers.iter_mut().zip(self.tiers) {
            if is_touched {
                tier.tenants.keep();
            }
        }
        for Touched { tier, tenant, .. } in self.tenants {
            ring.tiers[tier].by_tenant[tenant as usize].groups.keep();
        }
    }
}
