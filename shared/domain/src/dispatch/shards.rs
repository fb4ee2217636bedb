//! Shards: which relay offers the jobs of which types.
//!
//! All lanes of a job type are in one shard, so that one relay sees all its tiers. Relays share the shards evenly: each
//! takes those that are free up to its share, and gives one back where it has more than that.

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::names::JobType;
use crate::time::Timestamp;

/// How many shards there are. Stored offers name theirs: the number never changes.
pub const SHARDS: u32 = 8;

/// The shard of a job type.
pub fn shard_of(job_type: &JobType) -> u32 {
    let digest = Sha256::digest(job_type.as_str().as_bytes());
    u32::from(digest[0]) % SHARDS
}

/// A shard as its row shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardView {
    /// Its number.
    pub shard: u32,
    /// Which relay has it or had it last.
    pub owner: Option<Uuid>,
    /// Which term this is: one more with each new owner.
    pub term: i64,
    /// Until when the owner has it.
    pub until: Timestamp,
}

/// What a relay does about the shards.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShardPlan {
    /// Shards to lease or to renew.
    pub take: Vec<u32>,
    /// Shards to give back.
    pub release: Vec<u32>,
}

/// Plans for one relay of several that are there (itself included).
pub fn plan_shards(shards: &[ShardView], relays: usize, own: Uuid, now: Timestamp) -> ShardPlan {
    let share = shards.len().div_ceil(relays.max(1));
    let is_held = |shard: &&ShardView| shard.until > now && shard.owner.is_some();
    let (mine, others): (Vec<&ShardView>, Vec<&ShardView>) =
        shards.iter().partition(|shard| shard.owner == Some(own) && shard.until > now);
    let mut plan = ShardPlan::default();
    for (place, shard) in mine.iter().enumerate() {
        if place < share { plan.take.push(shard.shard) } else { plan.release.push(shard.shard) }
    }
    for shard in others.into_iter().filter(|shard| !is_held(shard)) {
        if plan.take.len() < share {
            plan.take.push(shard.shard);
        }
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_000);

    fn shards(owners: &[(u128, i64)]) -> Vec<ShardView> {
        let view = |(shard, &(owner, until)): (usize, &(u128, i64))| ShardView {
            shard: shard as u32,
            owner: (owner > 0).then(|| Uuid::from_u128(owner)),
            term: 1,
            until: Timestamp(until),
        };
        owners.iter().enumerate().map(view).collect()
    }

    #[test]
    fn a_shard_does_not_change() {
        let table = [("charge-card", 0), ("send-mail", 0), ("a", 0)];
        for (job_type, _) in table {
            let job_type = JobType::trusted(job_type);
            assert_eq!(shard_of(&job_type), shard_of(&job_type));
            assert!(shard_of(&job_type) < SHARDS);
        }
        let all: std::collections::BTreeSet<u32> =
            (0..100).map(|number| shard_of(&JobType::trusted(format!("type-{number}")))).collect();
        assert_eq!(all.len(), SHARDS as usize, "types spread over all shards");
    }

    #[test]
    fn free_shards_are_taken_up_to_the_share_and_surplus_is_given_back() {
        let own = Uuid::from_u128(1);
        let free = shards(&[(0, 0), (2, 500), (1, 2_000), (2, 2_000)]);
        assert_eq!(plan_shards(&free, 1, own, NOW), ShardPlan { take: vec![2, 0, 1], release: vec![] });
        assert_eq!(plan_shards(&free, 2, own, NOW), ShardPlan { take: vec![2, 0], release: vec![] });
        let all = shards(&[(1, 2_000), (1, 2_000), (1, 2_000), (1, 2_000)]);
        assert_eq!(plan_shards(&all, 2, own, NOW), ShardPlan { take: vec![0, 1], release: vec![2, 3] });
        let lost = shards(&[(1, 900)]);
        assert_eq!(plan_shards(&lost, 1, own, NOW).take, [0], "a term that ended is begun anew");
    }
}
