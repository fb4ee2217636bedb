//! Give a delivery to all nodes that wait for it: found by what its body holds, however many others wait.
//!
//! The filters that a delivery is checked against share one allowance. The nodes whose filters find nothing left are not
//! passed over: it is looked for their events as for those that came before a wait (`look_back`), a tenant after the other.

use std::sync::Arc;

use domain::event::{FilterAllowance, FilterCheck, body_digest, waited_output};
use domain::id::made_at;
use domain::queue::QueueName;
use domain::webhook::DeliveryEvent;
use store::events::{EventWake, WaitingNode};
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
    /// Wakes the nodes of the tenant that wait for a delivery, but for those whose filters are to be checked later. Answers whether it
    /// has woken any, now or before. May be cut off anywhere and repeated: a node that was woken waits no more.
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
        let mut allowance = FilterAllowance::new(self.policy().evaluation);
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
                has_woken |=
                    self.wake_matching(arrival, event_type, (paths, &digest), &mut allowance).await?;
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
        allowance: &mut FilterAllowance,
    ) -> Result<bool, EngineError> {
        let (mut has_woken, mut last) = (false, None::<WaitingNode>);
        loop {
            let of = (&arrival.record.tenant, event_type);
            let after = last.as_ref().map(|node| (node.execution_id, &node.node_id));
            let nodes = self.store().waiting_nodes(of, matched, after, NODES_PAGE).await?;
            let is_last = nodes.len() < NODES_PAGE as usize;
            last = nodes.last().cloned();
            let (mut wanted, mut left) = (Vec::with_capacity(nodes.len()), Vec::new());
            for node in nodes {
                let check = if node.has_filter {
                    self.check_event_filter(&node, arrival.event, allowance).await?
                } else {
                    FilterCheck::Met
                };
                match check {
                    FilterCheck::Met => wanted.push(node),
                    FilterCheck::NotMet => {}
                    FilterCheck::Left => left.push(node),
                }
            }
            has_woken |= self.wake_nodes(arrival, wanted).await?;
            self.leave_to_look_back(arrival, event_type, &left).await?;
            if is_last {
                return Ok(has_woken);
            }
        }
    }

    /// Has upkeep look for the delivery on behalf of nodes whose filters it was not checked against.
    async fn leave_to_look_back(
        &self,
        arrival: &Arrival<'_>,
        event_type: &str,
        left: &[WaitingNode],
    ) -> Result<(), EngineError> {
        if left.is_empty() {
            return Ok(());
        }
        let record = arrival.record;
        tracing::debug!(
            delivery.id = %record.id,
            tenant = %record.tenant,
            nodes = left.len(),
            "the allowance of a delivery for filters is used up; upkeep checks the other waiting nodes"
        );
        let from = made_at(record.id.uuid()).min(record.received_at);
        Ok(self.store().look_again(event_type, left, from).await?)
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
