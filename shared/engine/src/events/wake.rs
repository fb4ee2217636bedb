//! Give a delivery to all nodes that wait for it: found by what its body holds, however many others wait.

use std::sync::Arc;

use domain::access::TenantScope;
use domain::event::{body_digest, waited_output};
use domain::id::{DeliveryId, ExecutionId};
use domain::queue::QueueName;
use domain::time::{DurationMs, Timestamp};
use domain::webhook::DeliveryEvent;
use store::StoreError;
use store::events::{EventWake, LookBack, WaitingNode};
use store::wakeup::Hint;
use store::webhooks::DeliveryRecord;

use crate::engine::Engine;
use crate::error::EngineError;

/// How many different sets of paths are read at once.
const PATHS_PAGE: u32 = 100;
/// How many nodes are read, and woken in one commit.
const NODES_PAGE: u32 = 100;
/// How many bytes of outputs one commit appends, if the first of them is not larger.
const COMMIT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How many of the nodes that it woke a delivery shows.
const SHOWN_MAX: u32 = 1_000;

/// A delivery, and the output of nodes that it wakes.
pub(super) struct Arrival<'a> {
    pub(super) record: &'a DeliveryRecord,
    pub(super) event: &'a Arc<DeliveryEvent>,
    output: String,
}

impl<'a> Arrival<'a> {
    /// `None` where it is about nothing, or too large for an output: such a delivery wakes nobody.
    pub(super) fn of(record: &'a DeliveryRecord, event: &'a Arc<DeliveryEvent>) -> Option<Self> {
        let event_type = record.event_type.as_deref()?;
        let output = waited_output(event_type, event.body(), record.id, record.received_at)?;
        Some(Self { record, event, output: output.to_string() })
    }
}

impl Engine {
    /// Wakes all nodes of the tenant that wait for a delivery. Answers whether it has woken any, now or before. May be cut
    /// off anywhere and repeated: a node that was woken waits no more.
    pub(crate) async fn wake_waiting_nodes(
        &self,
        record: &DeliveryRecord,
        event: &Arc<DeliveryEvent>,
    ) -> Result<bool, EngineError> {
        let mut has_woken = !record.woke.is_empty();
        let (tenant, mut after) = (&record.tenant, None::<String>);
        let (Some(event_type), mut arrival) = (record.event_type.as_deref(), None) else {
            return Ok(has_woken);
        };
        loop {
            let paths =
                self.store().event_wait_paths(tenant, event_type, after.as_deref(), PATHS_PAGE).await?;
            for paths in &paths {
                let Some(digest) = body_digest(paths, event.body()) else {
                    continue;
                };
                if arrival.is_none() {
                    arrival = Arrival::of(record, event);
                }
                let Some(arrival) = &arrival else {
                    return Ok(has_woken);
                };
                has_woken |= self.wake_matching(arrival, event_type, (paths, &digest)).await?;
            }
            if paths.len() < PATHS_PAGE as usize {
                return Ok(has_woken);
            }
            after = paths.into_iter().next_back();
        }
    }

    async fn wake_matching(
        &self,
        arrival: &Arrival<'_>,
        event_type: &str,
        matched: (&str, &[u8; 32]),
    ) -> Result<bool, EngineError> {
        let (mut has_woken, mut last) = (false, None::<WaitingNode>);
        loop {
            let of = (&arrival.record.tenant, event_type);
            let after = last.as_ref().map(|node| (node.execution_id, &node.node_id));
            let nodes = self.store().waiting_nodes(of, matched, after, NODES_PAGE).await?;
            let is_last = nodes.len() < NODES_PAGE as usize;
            last = nodes.last().cloned();
            let mut wanted = Vec::with_capacity(nodes.len());
            for node in nodes {
                if !node.has_filter || self.meets_event_filter(&node, arrival.event).await? {
                    wanted.push(node);
                }
            }
            has_woken |= self.wake_nodes(arrival, wanted).await?;
            if is_last {
                return Ok(has_woken);
            }
        }
    }

    /// Wakes these nodes, in commits of bounded size. Answers whether any of them still waited.
    pub(super) async fn wake_nodes(
        &self,
        arrival: &Arrival<'_>,
        nodes: Vec<WaitingNode>,
    ) -> Result<bool, EngineError> {
        let mut has_woken = false;
        let at_once = (COMMIT_BYTES_MAX / arrival.output.len().max(1)).clamp(1, NODES_PAGE as usize);
        for part in nodes.chunks(at_once) {
            let wake = EventWake {
                delivery_id: arrival.record.id,
                output: arrival.output.clone(),
                nodes: part.to_vec(),
                shown_max: SHOWN_MAX,
            };
            let woken = self.store().wake_waiting_nodes(&wake, self.now()).await?;
            if woken.is_empty() {
                continue;
            }
            has_woken = true;
            let mut hints: Vec<Hint> = woken.iter().map(|node| Hint::Inbox(node.execution_id)).collect();
            hints.push(Hint::Freed(QueueName::Execution));
            self.wake(&hints);
        }
        Ok(has_woken)
    }
}

// Look for events that came before a node waited for them: after the commit of the step in which the wait began, so
// that of an event and a wait that cross, whichever is committed later finds the other.

/// How long a look is left to whoever committed the wait.
const GRACE: DurationMs = DurationMs::from_secs(2);
/// How many waits one step of upkeep takes.
const BATCH: u32 = 100;
/// How many deliveries of a type one look reads, and how many bytes of their bodies.
const DELIVERIES_MAX: u32 = 1_000;
const BODY_BYTES_MAX: u64 = 64 * 1024 * 1024;

impl Engine {
    /// Looks for what came before the waits of executions that began just now. What fails is made up for by upkeep.
    pub(crate) async fn look_back(&self, executions: &[ExecutionId]) {
        let looked = match self.store().look_backs_of(executions).await {
            Ok(waits) => self.look_back_for(waits).await.map(|_| ()),
            Err(error) => Err(error.into()),
        };
        if let Err(error) = looked {
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "earlier events for a wait could not be looked up; upkeep will retry"
            );
        }
    }

    /// One bounded step over the waits that nobody has looked for. Answers whether there may be more.
    ///
    /// Those that cannot be looked for here stay. A step goes on behind the one before, and the first again after the last:
    /// however many of them there are, they keep no other back.
    pub(crate) async fn look_back_tick(&self) -> Result<bool, EngineError> {
        let after = self.memory().look_backs.lock().take();
        let page = self.store().look_backs_left(self.now().minus(GRACE), after.as_ref(), BATCH).await?;
        let is_full = page.len() >= BATCH as usize;
        let waits = if is_full { whole_nodes(page) } else { page };
        let last = waits.last().map(LookBack::cursor);
        let is_whole = self.look_back_for(waits).await?;
        if is_full {
            *self.memory().look_backs.lock() = last;
        }
        // Many that cannot be looked for are not walked through at once.
        Ok(is_full && is_whole)
    }

    /// Answers whether it was looked for all of them.
    async fn look_back_for(&self, mut waits: Vec<LookBack>) -> Result<bool, EngineError> {
        let mut is_whole = true;
        waits.sort_by(|one, other| one.node.cmp(&other.node));
        for of_node in waits.chunk_by(|one, other| one.node == other.node) {
            let node = &of_node[0].node;
            let looked = match self.wake_from_before(node, of_node).await {
                Ok(true) => Ok(()),
                Ok(false) => {
                    self.store().end_look_back(std::slice::from_ref(node)).await.map_err(EngineError::from)
                }
                Err(error) => Err(error),
            };
            match looked {
                Ok(()) => {}
                // Nor can it be looked for the others now.
                Err(error @ EngineError::Store(StoreError::Unavailable { .. })) => return Err(error),
                // A delivery whose payload cannot be opened here, for one. It keeps no other back.
                Err(error) => {
                    is_whole = false;
                    tracing::warn!(
                        execution.id = %node.execution_id,
                        node.id = %node.node_id,
                        error = &error as &dyn std::error::Error,
                        "earlier events for a wait cannot be looked up; upkeep will retry"
                    );
                }
            }
        }
        Ok(is_whole)
    }

    /// Wakes a node by the delivery that it waits for. Answers whether there was one.
    async fn wake_from_before(&self, node: &WaitingNode, waits: &[LookBack]) -> Result<bool, EngineError> {
        let mut found: Vec<(DeliveryId, &LookBack)> = Vec::new();
        for wait in waits {
            let ids = self.store().events_since(&wait.tenant, &wait.event, wait.from, DELIVERIES_MAX).await?;
            found.extend(ids.into_iter().map(|id| (id, wait)));
        }
        // Of those that came before the wait the newest counts, of those that came since the first.
        found.sort_unstable_by_key(|(id, _)| *id);
        let since = found.partition_point(|(id, wait)| is_before(*id, wait.began_at));
        let in_order = found[..since].iter().rev().chain(&found[since..]);
        let mut bytes = 0;
        for &(id, wait) in in_order {
            let Some(record) = self.store().delivery(&TenantScope::All, id).await? else {
                continue;
            };
            bytes += record.body_bytes;
            if bytes > BODY_BYTES_MAX {
                break;
            }
            let Some(event) = self.delivery_event(&record).await? else {
                continue;
            };
            if body_digest(&wait.paths, event.body()) != Some(wait.digest) {
                continue;
            }
            let event = Arc::new(event);
            if node.has_filter && !self.meets_event_filter(node, &event).await? {
                continue;
            }
            if let Some(arrival) = Arrival::of(&record, &event) {
                // Where it waits no more, there is nothing left to look for either.
                self.wake_nodes(&arrival, vec![node.clone()]).await?;
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A full page without its last node: the next page may have more of that one's waits, and all of them are looked for
/// together. A node waits for fewer events than a page has.
fn whole_nodes(mut page: Vec<LookBack>) -> Vec<LookBack> {
    if let Some(last) = page.last().map(|wait| wait.node.clone()) {
        page.retain(|wait| wait.node != last);
    }
    page
}

/// Whether a delivery came before an instant: its id begins with when it came.
fn is_before(id: DeliveryId, instant: Timestamp) -> bool {
    let came_ms = id.uuid().as_u128() >> 80;
    came_ms < u128::from(u64::try_from(instant.0).unwrap_or(0))
}
