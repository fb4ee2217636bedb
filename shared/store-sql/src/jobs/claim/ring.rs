//! Keeping the ring fresh: which lanes of a queue are not empty.

use std::time::Instant;

use domain::queue::{LaneId, QueueName};
use domain::time::Timestamp;
use store::{StoreError, StoreResult};

use super::nonempty::{nonempty_after, nonempty_lanes};
use super::{net, relook};
use crate::lanes;
use crate::memory::QueueMemory;
use crate::memory_lanes::{LANES_LISTED_MAX, LaneMemory, Look};
use crate::store::SqlStore;
use crate::writes::Mark;

/// Makes the ring fresh enough for a claim, outside any transaction and lock: reads the keys of lanes that were
/// announced by number only, and lists lanes that no node announced where that is due. Answers whether anything may be
/// queued; where nothing is, the database just said so, or said so before and was not written to since.
pub(super) async fn freshen(store: &SqlStore, queue: QueueName, now: Timestamp) -> StoreResult<bool> {
    let of_queue = store.memory().queue(queue);
    tidy(of_queue);
    resolve_announced(store, queue).await?;
    let (look, is_dry) = {
        let memory = of_queue.lanes();
        let is_dry = memory.ring.is_empty();
        if is_dry && !memory.is_stale() && of_queue.nothing_waits.is_still_empty(store.pool(), now) {
            return Ok(false);
        }
        (memory.look(), is_dry)
    };
    match look {
        Look::Nothing => {}
        Look::ListFirst => look_first(store, queue).await?,
        Look::Probe if is_dry => look_first(store, queue).await?,
        // The lanes that are known serve meanwhile, however long it takes.
        Look::Part if !is_dry => net::start(store, queue),
        // What is only old serves until another claim has read it, which takes long where there are many lanes.
        look => {
            if let Ok(_turn) = of_queue.listing.try_lock() {
                look_beside(store, queue, look).await?;
            }
        }
    }
    Ok(!store.memory().queue(queue).lanes().ring.is_empty())
}

/// Waits for the look at a part of the lanes that is under way or due, for a claim that found nothing: the lanes that it met
/// may be empty because others took their jobs, and the ring may know of more than a claim can look at. Answers whether
/// there was one.
pub(super) async fn look_again(store: &SqlStore, queue: QueueName) -> StoreResult<bool> {
    let of_queue = store.memory().queue(queue);
    if !of_queue.lanes().has_many() {
        return Ok(false);
    }
    let (was_looking, _turn) = match of_queue.listing.try_lock() {
        Ok(turn) => (false, turn),
        Err(_) => (true, of_queue.listing.lock().await),
    };
    let look = of_queue.lanes().look();
    if look == Look::Part {
        look_beside(store, queue, look).await?;
        return Ok(true);
    }
    Ok(was_looking)
}

/// Looks before a claim is planned. Claims that ask for it while another one looks share the look after that: many polls
/// for different types are woken by one hint about the queue.
async fn look_first(store: &SqlStore, queue: QueueName) -> StoreResult<()> {
    let of_queue = store.memory().queue(queue);
    let asked_at = Instant::now();
    let _turn = of_queue.listing.lock().await;
    let look = {
        let memory = of_queue.lanes();
        if memory.has_failed_since(asked_at) {
            // The database was away a moment ago: nobody waits for it once for each who came before.
            return Err(StoreError::Unavailable { source: "the lanes could not be read".into() });
        }
        if memory.was_looked_since(asked_at) { Look::Nothing } else { memory.look() }
    };
    let looked = look_beside(store, queue, look).await;
    if looked.is_err() {
        of_queue.lanes().record_failed_look();
    }
    looked
}

/// Looks in this node's turn.
async fn look_beside(store: &SqlStore, queue: QueueName, look: Look) -> StoreResult<()> {
    match look {
        Look::Nothing => {}
        Look::ListFirst | Look::List => list(store, queue).await?,
        Look::Probe => probe(store, queue).await?,
        Look::Part => {
            if let Err(error) = net::look(store, queue).await {
                // The lanes that are known serve meanwhile.
                tracing::debug!(
                    error = &error as &dyn std::error::Error,
                    "lanes could not be checked for missed jobs"
                );
            }
        }
    }
    Ok(())
}

/// Drops lanes that may have changed their meaning, and those that were not used for long, unless this node is
/// claiming.
fn tidy(of_queue: &QueueMemory) {
    let is_due = |memory: &LaneMemory| memory.is_lost() || memory.may_forget();
    if !is_due(&of_queue.lanes()) {
        return;
    }
    if let Some(turn) = of_queue.try_claiming() {
        of_queue.lanes().renew();
        forget_unused(of_queue);
        drop(turn);
    }
}

/// Forgets lanes that were not used for long. Only by who has this node's turn to claim.
pub(super) fn forget_unused(of_queue: &QueueMemory) {
    if let Some(replaced) = of_queue.lanes().forget_unused() {
        tokio::task::spawn_blocking(move || drop(replaced));
    }
}

/// Adds the lanes to the ring that were heard of by number, whose keys are read for that.
async fn resolve_announced(store: &SqlStore, queue: QueueName) -> StoreResult<()> {
    let of_queue = store.memory().queue(queue);
    if of_queue.lanes().unheard().is_empty() {
        return Ok(());
    }
    // One reads them for all who were woken by them.
    let _turn = of_queue.resolving.lock().await;
    let unheard = of_queue.lanes().unheard();
    if unheard.is_empty() {
        return Ok(());
    }
    lanes::learn(store, store.pool().read(), queue, &unheard).await?;
    store.memory().queue(queue).lanes().hear(&unheard);
    Ok(())
}

async fn list(store: &SqlStore, queue: QueueName) -> StoreResult<()> {
    let started_at = Instant::now();
    let of_queue = store.memory().queue(queue);
    let mark = store.pool().mark();
    let begun_at = of_queue.lanes().begin_listing();
    let listed = nonempty_lanes(store, queue).await;
    record_listed(store, queue, listed, (mark, begun_at, started_at))?;
    if of_queue.lanes().is_listing_dear() {
        let up_to = lanes::learn_all(store, queue, LANES_LISTED_MAX).await?;
        of_queue.lanes().mark_complete(up_to);
    }
    Ok(())
}

fn record_listed(
    store: &SqlStore,
    queue: QueueName,
    listed: StoreResult<Vec<LaneId>>,
    (mark, begun_at, started_at): (Option<Mark>, u64, Instant),
) -> StoreResult<()> {
    let of_queue = store.memory().queue(queue);
    let mut memory = of_queue.lanes();
    let memory = &mut *memory;
    match listed {
        Ok(nonempty) => {
            if memory.ring.rebuild(&memory.lanes, &nonempty, begun_at).is_err() {
                // Keys were forgotten since they were read: the next claim reads them again.
                memory.mark_stale();
                return Ok(());
            }
            memory.end_listing(begun_at, &nonempty, started_at.elapsed());
            // Jobs that wait for their time do not count: promotion writes.
            of_queue.nothing_waits.record(mark.filter(|_| nonempty.is_empty()), Timestamp(i64::MAX));
            Ok(())
        }
        Err(error) => {
            memory.mark_stale();
            Err(error)
        }
    }
}

/// Reads each known lane past the jobs that were taken, and new ones: what a listing would find, except what was
/// announced by nobody and lies before. That is found beside claims ([`relook`]).
async fn probe(store: &SqlStore, queue: QueueName) -> StoreResult<()> {
    let of_queue = store.memory().queue(queue);
    let (begun_at, to_probe) = {
        let mut memory = of_queue.lanes();
        (memory.begin_probe(), memory.to_probe())
    };
    let Some((known, after)) = to_probe else {
        return list(store, queue).await;
    };
    relook::start_if_due(store, queue);
    let mut nonempty = nonempty_after(store, queue, after, None).await?.lanes;
    if !known.is_empty() {
        let heads = net::heads_past(store, queue, known.into_iter()).await?;
        nonempty.extend(heads.into_iter().map(|(lane, _)| lane));
    }
    nonempty.sort_unstable();
    nonempty.dedup();
    let mut memory = of_queue.lanes();
    let LaneMemory { ring, lanes, .. } = &mut *memory;
    if ring.rebuild(lanes, &nonempty, begun_at).is_err() {
        memory.mark_stale();
    }
    memory.end_probe(begun_at);
    Ok(())
}
