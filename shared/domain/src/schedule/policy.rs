//! What a schedule does about missed slots, overlaps and crowds, and the words for what became of a slot.

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::time::{DurationMs, Timestamp};

words! {
    serde
    /// What happens to slots that passed while nobody could start them.
    Misfire {
        /// They are dropped.
        Skip "skip",
        /// The newest stands for all: it starts unless a slot is due on time as well.
        Latest "latest",
        /// Each starts, oldest first, up to the policy's bound.
        All "all",
    }
    /// What happens to a slot while an execution of the same schedule is not finished.
    Overlap {
        /// It starts as well.
        Allow "allow",
        /// It is skipped, visibly.
        Skip "skip",
        /// One waits for the end of the running one; more are skipped.
        QueueOne "queueOne",
        /// What runs is cancelled, and it starts.
        CancelPrevious "cancelPrevious",
    }
    /// Why an execution of a schedule was started.
    FireReason {
        /// Its slot was due.
        Tick "tick",
        /// Its slot was missed and is made up for.
        CatchUp "catchup",
        /// Somebody asked for a span of the past.
        Backfill "backfill",
        /// Somebody asked for a run now.
        Manual "manual",
    }
    /// Why a slot started nothing.
    SkipReason {
        /// An execution of the schedule was not finished.
        Overlap "overlap",
        /// It was missed, and the misfire policy, its window or its bound left it out.
        Misfire "misfire",
        /// The start was refused: the workflow is gone, or does not take the input.
        Refused "refused",
    }
}

/// The most missed slots that may start at once, whatever a policy says.
pub const CATCH_UP_LIMIT: u32 = 1_000;

/// How a schedule behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchedulePolicy {
    /// What happens to missed slots.
    pub misfire: Misfire,
    /// Missed slots older than this are dropped.
    pub catch_up_window: DurationMs,
    /// How many missed slots may start at once, at most [`CATCH_UP_LIMIT`]; the oldest are dropped.
    pub catch_up_max: u32,
    /// What happens while an execution of the schedule is not finished.
    pub overlap: Overlap,
    /// Slots run up to this much later, each schedule by its own fixed share.
    pub jitter: DurationMs,
    /// No slot before this instant.
    pub start_at: Option<Timestamp>,
    /// No slot after this instant.
    pub end_at: Option<Timestamp>,
}

impl Default for SchedulePolicy {
    fn default() -> Self {
        Self {
            misfire: Misfire::Latest,
            catch_up_window: DurationMs::from_secs(24 * 3600),
            catch_up_max: 100,
            overlap: Overlap::Skip,
            jitter: DurationMs::ZERO,
            start_at: None,
            end_at: None,
        }
    }
}

// Spreads schedules that share a minute. The same schedule is always shifted by the same span.

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

// What happens to a slot when executions of the same schedule are not finished.

/// What to do with a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverlapDecision {
    /// Start an execution.
    Start,
    /// Record that it was skipped; the next slot is not affected.
    SkipIt,
    /// Start it when the running one has ended. There is never more than one waiting.
    QueueBehind,
    /// Cancel what runs or waits, and start an execution.
    CancelRunningAndStart,
}

/// Decides from what still runs and what already waits behind it.
pub fn overlap(policy: Overlap, running: u32, queued: u32) -> OverlapDecision {
    let is_free = running == 0 && queued == 0;
    match policy {
        _ if is_free => OverlapDecision::Start,
        Overlap::Allow => OverlapDecision::Start,
        Overlap::QueueOne if queued == 0 => OverlapDecision::QueueBehind,
        Overlap::Skip | Overlap::QueueOne => OverlapDecision::SkipIt,
        Overlap::CancelPrevious => OverlapDecision::CancelRunningAndStart,
    }
}
