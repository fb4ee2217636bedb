//! Spreads schedules that share a minute. The same schedule is always shifted by the same span.

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::time::DurationMs;

/// How much later than its nominal instant a schedule's slots run: from zero up to, not including, `jitter`. Depends
/// on nothing but the two arguments, so that every node and every slot gets the same.
pub fn jitter_of(schedule_id: Uuid, jitter: DurationMs) -> DurationMs {
    let Ok(bound @ 1..) = u64::try_from(jitter.0) else {
        return DurationMs::ZERO;
    };
    let digest = Sha256::digest(schedule_id.as_bytes());
    let mut head = [0_u8; 8];
    head.copy_from_slice(&digest[..8]);
    DurationMs((u64::from_be_bytes(head) % bound) as i64)
}
