//! Forgetting lanes that are not used any more.
//!
//! Lanes, tenants, workflows and groups are numbered in the order in which they come, so that none can be taken out. Where
//! most of them are not used any more, the others get new numbers. Turns stay as they are: the ring serves the same jobs
//! before and after, which a property test holds it to.
//!
//! Precondition: nobody holds numbers of before. That is so between claims. [`LaneId`](crate::queue::LaneId)s are no such
//! numbers, but [`Running`](super::Running) has them: whoever compacts counts again.

use std::collections::BTreeMap;
use std::mem;

use super::lanes::Lanes;
use super::ring::{Group, Member, Ring, TierTurns};

/// What was replaced. To drop it takes long where there were many lanes, and is nothing that others have to wait for.
#[derive(Debug)]
pub struct Replaced {
    _lanes: Lanes,
    _ring: Ring,
}

/// Forgets the lanes that are neither in the ring nor were used since the last call, if these are at least
/// half of those that are known, and no fewer than `lanes_min` are. To be called at regular times; answers what was
/// replaced.
pub fn compact(lanes: &mut Lanes, ring: &mut Ring, lanes_min: usize) -> Option<Replaced> {
    let is_kept = |index: u32| lanes.is_used(index) || ring.contains(lanes.lane(index).id);
    let (known, mut kept) = (lanes.len(), Vec::new());
    if known >= lanes_min {
        kept.extend((0..known as u32).filter(|&index| is_kept(index)).take(known / 2 + 1));
    }
    let should_try = known >= lanes_min && kept.len() <= known / 2;
    if !should_try {
        lanes.begin_use();
        return None;
    }
    let mut less = Lanes::new();
    for index in kept {
        less.take_over(lanes, index);
    }
    less.begin_use();
    let fewer = renumbered(ring, lanes, &less);
    Some(Replaced { _lanes: mem::replace(lanes, less), _ring: mem::replace(ring, fewer) })
}

/// The ring with the numbers of `new`, which knows all lanes that are in it.
fn renumbered(ring: &mut Ring, old: &Lanes, new: &Lanes) -> Ring {
    ring.drop_empty();
    let mut fewer =
        Ring { quantum: ring.quantum, clock: ring.clock, planned_at: ring.planned_at, ..Ring::new() };
    fewer.groups.resize_with(new.group_count(), Group::default);
    let mut groups: BTreeMap<u32, u32> = BTreeMap::new();
    for (&lane, &group) in &ring.members {
        let Ok(index) = new.index(lane) else { continue };
        let known = new.lane(index);
        groups.insert(group, known.group);
        fewer.members.insert(lane, known.group);
        fewer.census.add(known.tenant, known.job_type);
        fewer.groups[known.group as usize].is_listed = true;
    }
    for (&from, &to) in &groups {
        // Within a group lanes keep their order.
        for member in &ring.groups[from as usize].lanes {
            if let Ok(index) = new.index(member.lane) {
                let known = new.lane(index);
                let member = Member {
                    job_type: known.job_type,
                    own_type: known.own_type,
                    tenant: known.tenant,
                    ..*member
                };
                fewer.groups[to as usize].lanes.push(member);
            }
        }
    }
    for (tier, less) in ring.tiers.iter().zip(&mut fewer.tiers) {
        *less = tier_renumbered(tier, old, new, &groups);
    }
    fewer
}

fn tier_renumbered(tier: &TierTurns, old: &Lanes, new: &Lanes, groups: &BTreeMap<u32, u32>) -> TierTurns {
    let tenant_of = |tenant: u32| new.tenants().find(old.tenants().value(tenant));
    let mut less = TierTurns { tenants: tier.tenants.renumbered(tenant_of), by_tenant: Vec::new() };
    less.by_tenant.resize_with(new.tenants().len(), Default::default);
    tier.tenants.for_each(|tenant| {
        let Some(number) = tenant_of(tenant) else { return };
        let turns = &tier.by_tenant[tenant as usize];
        let renumbered = &mut less.by_tenant[number as usize];
        renumbered.groups = turns.groups.renumbered(|group| groups.get(&group).copied());
        renumbered.is_listed = turns.is_listed;
        renumbered.rest = turns.rest;
    });
    less
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::{JobType, TenantName};
    use crate::queue::{LaneId, LaneKey, QueueName, Tier};

    fn key(number: i32) -> LaneKey {
        LaneKey {
            queue: QueueName::Node,
            tier: Tier::Normal,
            tenant: TenantName::trusted(format!("tenant-{number}")),
            workflow: None,
            job_type: JobType::trusted("encode"),
            rate_key: None,
        }
    }

    #[test]
    fn a_lane_is_forgotten_by_the_second_call_after_its_last_use() {
        let (mut lanes, mut ring) = (Lanes::new(), Ring::new());
        for number in 0..4 {
            lanes.insert(LaneId(number), key(number));
        }
        assert!(compact(&mut lanes, &mut ring, 1).is_none(), "they came since the call before");
        assert_eq!(lanes.find(&key(3)), Some(LaneId(3)));
        assert!(compact(&mut lanes, &mut ring, 1).is_some());
        assert_eq!(lanes.ids().collect::<Vec<_>>(), [LaneId(3)]);
        assert!(compact(&mut lanes, &mut ring, 1).is_some());
        assert!(lanes.is_empty());
    }
}
