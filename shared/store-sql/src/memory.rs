//! What a store remembers between calls: lanes and rings, limits, tenants. All of it can be lost at any time.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Instant;

use domain::build::BuildPins;
use domain::claim::{Depth, LimitTable};
use domain::lease_watch::{LeaseWatch, NodeWatch, Reading, Watched};
use domain::names::TenantName;
use domain::queue::{LaneId, QueueName, WorkflowRef};
use domain::rate::RateSubject;
use domain::time::{DurationMs, Timestamp};
use parking_lot::{Mutex, MutexGuard};
use uuid::Uuid;

use crate::arrivals::{Arrival, Arrivals};
use crate::empty_reads::EmptyReadCache;
use crate::fast_paths::LeftOut;
use crate::memory_counts::{CountNumber, Epoch};
use crate::memory_lanes::LaneMemory;
use crate::memory_leases::LeasedRowPositions;
use crate::operations::idle_lanes::LaneRound;
use crate::operations::progress::Walks;

/// From this many jobs on a claim is not bounded by the size of payloads any more.
const ROOM_MAX: u32 = 1_000;

/// So many names of tenants are remembered at most; one that is not is stored again, which does nothing.
const TENANTS_MAX: usize = 100_000;

/// The memory of one store and its companions.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    queues: [QueueMemory; 4],
    tenants: Mutex<HashSet<TenantName>>,
    blocked_cursor: Mutex<String>,
    parked_cursor: Mutex<Uuid>,
    /// How far retention has read.
    pub(crate) pruned: Walks,
    /// Whether nothing is to be promoted.
    pub(crate) nothing_due: EmptyReadCache,
    /// Whether no lease ends.
    pub(crate) nothing_expires: EmptyReadCache,
    /// Whether no parked execution has something in its inbox.
    pub(crate) nothing_pending: EmptyReadCache,
    /// Whether completions try the fast path.
    pub(crate) fast_settlements: AdaptiveFastPath,
    /// The clock that leases are judged by.
    pub(crate) clock: WatchedClock,
    /// Processes whose sessions are away.
    pub(crate) nodes: WatchedNodes,
    /// Lanes that nobody uses and that are about to go.
    pub(crate) idle_lanes: tokio::sync::Mutex<LaneRound>,
    /// How many calls resolve lanes by reading them.
    lane_doubts: AtomicU32,
    /// Where leased jobs lie, on SQLite.
    pub(crate) leases: LeasedRowPositions,
    /// Whether deliveries try the fast path.
    pub(crate) fast_acceptances: AdaptiveFastPath,
    /// Fast paths that are not taken.
    pub(crate) left_out: LeftOut,
}

impl Memory {
    /// The memory of one queue.
    pub(crate) fn queue(&self, queue: QueueName) -> &QueueMemory {
        &self.queues[queue.code() as usize]
    }

    /// Says that lanes may have become non-empty without this store's doing, or that it lost track.
    pub(crate) fn mark_stale(&self, queue: QueueName) {
        self.queue(queue).lanes().mark_stale();
    }

    /// The same for every queue.
    pub(crate) fn mark_all_stale(&self) {
        for queue in QueueName::ALL {
            self.mark_stale(queue);
        }
    }

    /// Until the answer is dropped, numbers of lanes are read instead of remembered.
    pub(crate) fn doubt_lanes(&self) -> LaneDoubt<'_> {
        self.lane_doubts.fetch_add(1, Ordering::AcqRel);
        LaneDoubt(&self.lane_doubts)
    }

    /// Whether a call found that a number it remembered is not current any more, and is being made again.
    pub(crate) fn are_lanes_doubted(&self) -> bool {
        self.lane_doubts.load(Ordering::Acquire) > 0
    }

    /// Forgets what may not be so any more after a connection was lost: whatever answers next may not have all that was
    /// committed before. A number may even stand for another lane there.
    pub(crate) fn forget(&self) {
        for queue in &self.queues {
            queue.lanes().lose();
            queue.record_claim_place(None);
            queue.limits_are_stale.store(true, Ordering::Release);
            queue.forget_held_starts();
            queue.nothing_waits.forget();
        }
        for quiet in [&self.nothing_due, &self.nothing_expires, &self.nothing_pending] {
            quiet.forget();
        }
        self.tenants.lock().clear();
        self.nodes.watch.lock().forget();
    }

    /// Says that jobs of this lane became claimable, it is not known where in it.
    pub(crate) fn record_claimable(&self, queue: QueueName, lane: LaneId) {
        self.record_claimable_from(queue, lane, 1);
    }

    /// Says that jobs of this lane became claimable, the first of them at this position: to the ring, and to the other
    /// nodes with the next hint. To be called before the bump of the epoch that goes with it is recorded.
    pub(crate) fn record_claimable_from(&self, queue: QueueName, lane: LaneId, first: i64) {
        self.record_announced(queue, lane, first);
        self.queue(queue).arrivals.record(Arrival { lane, first });
    }

    /// The same where the other nodes know.
    pub(crate) fn record_announced(&self, queue: QueueName, lane: LaneId, first: i64) {
        let mut memory = self.queue(queue).lanes();
        memory.counts.lower_floor(lane, first);
        memory.add(lane, first);
    }

    /// Says that jobs of this lane became claimable by another node. Somebody may have claimed them since.
    pub(crate) fn on_remote_arrival(&self, queue: QueueName, arrival: Arrival) {
        let Arrival { lane, first } = arrival;
        let mut memory = self.queue(queue).lanes();
        let was_in_ring = memory.ring.contains(lane);
        memory.counts.lower_floor(lane, first);
        memory.add(lane, first);
        if !was_in_ring {
            memory.ring.record_depth(lane, Depth::UNKNOWN);
        }
    }

    /// Which counts are in force, by queue; to be taken before a statement that ends leases is sent.
    pub(crate) fn count_numbers(&self) -> CountNumbers {
        QueueName::ALL.map(|queue| self.queue(queue).lanes().counts.number())
    }

    /// Takes off leases that a statement of this node ended, which was sent when these counts were in force.
    pub(crate) fn record_ended(&self, numbers: &CountNumbers, ended: &[(QueueName, LaneId)]) {
        for queue in QueueName::ALL {
            let mut of_queue =
                ended.iter().filter(|(named, _)| *named == queue).map(|(_, lane)| *lane).peekable();
            if of_queue.peek().is_some() {
                let mut memory = self.queue(queue).lanes();
                let LaneMemory { lanes, counts, .. } = &mut *memory;
                counts.subtract(lanes, numbers[queue.code() as usize], of_queue);
            }
        }
    }

    /// The concurrency key up to which blocked jobs were looked at; empty at the start of a round.
    pub(crate) fn blocked_cursor(&self) -> String {
        self.blocked_cursor.lock().clone()
    }

    /// Moves that cursor.
    pub(crate) fn set_blocked_cursor(&self, key: String) {
        *self.blocked_cursor.lock() = key;
    }

    /// The execution up to which pending entries of parked ones were looked for; nil at the start of a round.
    pub(crate) fn parked_cursor(&self) -> Uuid {
        *self.parked_cursor.lock()
    }

    /// Moves that cursor.
    pub(crate) fn set_parked_cursor(&self, execution: Uuid) {
        *self.parked_cursor.lock() = execution;
    }

    /// The tenants among these that were not stored by this process.
    pub(crate) fn unknown_tenants<'a>(&self, names: impl Iterator<Item = &'a TenantName>) -> Vec<TenantName> {
        let known = self.tenants.lock();
        let mut unknown: Vec<TenantName> = names.filter(|name| !known.contains(*name)).cloned().collect();
        unknown.sort_unstable();
        unknown.dedup();
        unknown
    }

    /// Forgets tenants that are erased.
    pub(crate) fn forget_tenants<'a>(&self, names: impl Iterator<Item = &'a TenantName>) {
        let mut known = self.tenants.lock();
        for name in names {
            known.remove(name);
        }
    }

    /// Remembers tenants that were stored.
    pub(crate) fn learn_tenants(&self, names: Vec<TenantName>) {
        let mut tenants = self.tenants.lock();
        if tenants.len() + names.len() > TENANTS_MAX {
            *tenants = HashSet::new();
        }
        tenants.extend(names);
    }
}

/// Says for as long as it lives that numbers of lanes are to be read.
#[derive(Debug)]
pub(crate) struct LaneDoubt<'a>(&'a AtomicU32);

impl Drop for LaneDoubt<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Whether a fast path is worth trying, which serves some calls and costs the others a round trip.
#[derive(Debug, Default)]
pub(crate) struct AdaptiveFastPath {
    /// How many calls pass before the next try.
    to_pass: AtomicU32,
}

impl AdaptiveFastPath {
    /// How many calls take the general path after one that the fast path did not serve.
    const PASSED: u32 = 15;

    /// Whether to try it.
    pub(crate) fn should_try(&self) -> bool {
        let less = |to_pass: u32| to_pass.checked_sub(1);
        self.to_pass.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err()
    }

    /// Says how many of a batch it served.
    pub(crate) fn record(&self, served: usize, of: usize) {
        if served * 2 < of {
            self.to_pass.store(Self::PASSED, Ordering::Relaxed);
        }
    }
}

/// The database's clock, compared with one of this process that never steps.
#[derive(Debug)]
pub(crate) struct WatchedClock {
    origin: Instant,
    watch: Mutex<LeaseWatch>,
}

impl Default for WatchedClock {
    fn default() -> Self {
        Self { origin: Instant::now(), watch: Mutex::default() }
    }
}

impl WatchedClock {
    /// What a reading says that was asked for then and answered now.
    pub(crate) fn observe(&self, asked_at: Instant, clock: Timestamp) -> Watched {
        let since = |at: Instant| DurationMs(at.saturating_duration_since(self.origin).as_millis() as i64);
        let reading = Reading { asked: since(asked_at), answered: since(Instant::now()), clock };
        self.watch.lock().observe(reading)
    }
}

/// Processes whose sessions are away, and for how long by a clock of this process that never steps.
#[derive(Debug)]
pub(crate) struct WatchedNodes {
    origin: Instant,
    watch: Mutex<NodeWatch>,
}

impl Default for WatchedNodes {
    fn default() -> Self {
        Self { origin: Instant::now(), watch: Mutex::default() }
    }
}

impl WatchedNodes {
    /// Takes in whose sessions are away now; answers the processes that are lost.
    pub(crate) fn observe(&self, away: &[Uuid]) -> Vec<Uuid> {
        let at = DurationMs(self.origin.elapsed().as_millis() as i64);
        self.watch.lock().observe(away, at)
    }
}

/// By the code of the queue.
pub(crate) type CountNumbers = [Option<CountNumber>; 4];

/// The memory of one queue.
#[derive(Debug, Default)]
pub(crate) struct QueueMemory {
    lanes: Mutex<LaneMemory>,
    /// Claims of one node take turns here rather than at the database.
    claiming: tokio::sync::Mutex<ClaimMemory>,
    /// Whether no job waits.
    pub(crate) nothing_waits: EmptyReadCache,
    /// Jobs of which other nodes are to be notified.
    pub(crate) arrivals: Arrivals,
    /// Held by a claim that reads the ring, or by a task beside claims.
    pub(crate) listing: Arc<tokio::sync::Mutex<()>>,
    /// Held by the task that reads the known lanes from their beginnings.
    pub(crate) relooking: Arc<tokio::sync::Mutex<()>>,
    /// Held by a claim that reads the keys of lanes that were announced.
    pub(crate) resolving: tokio::sync::Mutex<()>,
    /// Where a claim left the queue's claim row on PostgreSQL, with the epoch that it gave it.
    claim_place: Mutex<Option<(Epoch, String)>>,
    /// The lane up to which aging has looked; `None` at the start of a round.
    aged_cursor: Mutex<Option<LaneId>>,
    /// Whether the limits have to be read again, whatever their version is.
    limits_are_stale: AtomicBool,
    /// Which rates have no room, and until when, as of the limits of the last claim. Others only make it later.
    held_starts: Mutex<HashMap<RateSubject, Timestamp>>,
}

impl QueueMemory {
    /// The lanes and the ring. Never held over an await.
    pub(crate) fn lanes(&self) -> MutexGuard<'_, LaneMemory> {
        self.lanes.lock()
    }

    /// Where the queue's claim row of this epoch lies, if that is known.
    pub(crate) fn claim_place(&self, epoch: Epoch) -> Option<String> {
        self.claim_place.lock().as_ref().filter(|(known, _)| *known == epoch).map(|(_, place)| place.clone())
    }

    /// Says where a claim left that row, and as which epoch.
    pub(crate) fn record_claim_place(&self, left: Option<(Epoch, String)>) {
        *self.claim_place.lock() = left;
    }

    /// The lane up to which aging has looked; before the first at the start of a round.
    pub(crate) fn aged_cursor(&self) -> LaneId {
        self.aged_cursor.lock().unwrap_or(LaneId(-1))
    }

    /// Moves that cursor; `None` begins a new round.
    pub(crate) fn set_aged_cursor(&self, lane: Option<LaneId>) {
        *self.aged_cursor.lock() = lane;
    }

    /// The rates that have no room at this instant.
    pub(crate) fn held_starts(&self, now: Timestamp) -> Vec<RateSubject> {
        let mut held = self.held_starts.lock();
        held.retain(|_, until| *until > now);
        held.keys().cloned().collect()
    }

    /// Adds rates that have no room until then.
    pub(crate) fn record_held_starts(&self, held: HashMap<RateSubject, Timestamp>) {
        if !held.is_empty() {
            self.held_starts.lock().extend(held);
        }
    }

    /// Forgets them, as rates changed.
    pub(crate) fn forget_held_starts(&self) {
        self.held_starts.lock().clear();
    }

    /// When the next rate has room that has none at this instant.
    pub(crate) fn next_start(&self, now: Timestamp) -> Option<Timestamp> {
        self.held_starts.lock().values().copied().filter(|until| *until > now).min()
    }

    /// Whether the limits have to be read again; not any more afterwards.
    pub(crate) fn take_stale_limits(&self) -> bool {
        self.limits_are_stale.swap(false, Ordering::AcqRel)
    }

    /// Whether the limits have to be read again.
    pub(crate) fn are_limits_stale(&self) -> bool {
        self.limits_are_stale.load(Ordering::Acquire)
    }

    /// This node's turn to claim from the queue, if nobody has it.
    pub(crate) fn try_claiming(&self) -> Option<tokio::sync::MutexGuard<'_, ClaimMemory>> {
        self.claiming.try_lock().ok()
    }

    /// Waits for this node's turn to claim from the queue.
    pub(crate) async fn claiming(&self) -> tokio::sync::MutexGuard<'_, ClaimMemory> {
        self.claiming.lock().await
    }
}

/// What claims of one queue keep from one to the next.
#[derive(Debug, Default)]
pub(crate) struct ClaimMemory {
    /// The limits, and the version under which they were read.
    pub(crate) limits: Option<CachedLimits>,
    /// The most jobs of one claim, while payloads are so large that those of a usual claim do not fit together.
    room: Option<u32>,
}

impl ClaimMemory {
    /// How many jobs a claim takes that wants so many.
    pub(crate) fn bounded(&self, want: u32) -> u32 {
        self.room.map_or(want, |room| want.min(room))
    }

    /// Records how many jobs were leased with their payloads, and whether others had to be given back. The bound grows
    /// by a quarter with each claim that is not cut, so that few jobs are taken for nothing.
    pub(crate) fn record_room(&mut self, handed_out: usize, was_cut: bool) {
        let handed_out = u32::try_from(handed_out).unwrap_or(u32::MAX).max(1);
        match self.room {
            _ if was_cut => self.room = Some(handed_out),
            Some(room) if handed_out >= room => {
                self.room = Some(room + room / 4 + 1).filter(|room| *room < ROOM_MAX);
            }
            _ => {}
        }
    }
}

/// Limits in force, as of a version.
#[derive(Debug, Clone)]
pub(crate) struct CachedLimits {
    /// `limits_version` of the queue's claim row.
    pub(crate) version: i64,
    /// The limits.
    pub(crate) table: LimitTable,
    /// Workflows that are paused; empty for every queue but `workflow-execution`.
    pub(crate) paused: Vec<WorkflowRef>,
    /// Job types that are pinned to builds; empty for every queue but `workflow-node`.
    pub(crate) pins: BuildPins,
}

#[cfg(test)]
mod tests;
