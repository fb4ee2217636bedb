//! Look for events that came before a node waited for them: after the commit of the step in which the wait began, so
//! that of an event and a wait that cross, whichever is committed later finds the other. And for those whose delivery had
//! too many filters to check ([`super::wake`]).
//!
//! In each round of upkeep a tenant has one allowance for all of its waits. A wait that finds it used up stays as it is in the store,
//! and the look goes on in the next round: none is lost, and no tenant keeps another back.

use std::sync::Arc;

use domain::access::TenantScope;
use domain::event::{EventPages, FilterAllowance, FilterCheck, LookPosition, body_digest};
use domain::id::{DeliveryId, ExecutionId};
use domain::time::DurationMs;
use domain::webhook::DeliveryEvent;
use store::StoreError;
use store::events::{LookBack, WaitingNode};
use store::webhooks::DeliveryRecord;

use super::look_round::LookBackRound;
use super::wake::Arrival;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::executions::FilterSubject;

/// How long a look is left to whoever committed the wait.
const GRACE: DurationMs = DurationMs::from_secs(2);
/// How many waits one step of upkeep takes, and how long it goes on to the next of them.
const BATCH: u32 = 100;
const STEP_TIME_MAX: DurationMs = DurationMs::from_secs(10);
/// How many deliveries of a type that came before the wait one look reads.
const DELIVERIES_MAX: u32 = 1_000;
/// How many of those that came since are read at once.
const PAGE: u32 = 200;

/// What came of a look.
enum Looked {
    /// The node was woken, or waits no more.
    Woken,
    /// No event that came is what the node waits for.
    Nothing,
    /// The allowance was used up; it goes on here.
    Left(LookPosition),
}

/// What came of one delivery.
enum Candidate {
    No,
    Left,
    Met(Box<DeliveryRecord>, Arc<DeliveryEvent>),
}

impl Engine {
    /// Looks for what came before the waits of executions that began just now. What fails, or takes more than their tenants may
    /// take, is made up for by upkeep.
    pub(crate) async fn look_back(&self, executions: &[ExecutionId]) {
        if let Err(error) = self.look_back_at_once(executions).await {
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "earlier events for a wait could not be looked up; upkeep will retry"
            );
        }
    }

    async fn look_back_at_once(&self, executions: &[ExecutionId]) -> Result<(), EngineError> {
        let mut waits = self.store().look_backs_of(executions).await?;
        waits.sort_by(|one, other| one.node.cmp(&other.node).then_with(|| one.event.cmp(&other.event)));
        let mut round = LookBackRound::default();
        for of_node in waits.chunk_by(|one, other| one.node == other.node) {
            self.look_back_for(of_node, &mut round).await?;
        }
        Ok(())
    }

    /// One bounded step over the waits that nobody has looked for. Answers whether there may be more.
    ///
    /// Those that cannot be looked for here stay. A step goes on behind the one before, and the first again after the last:
    /// however many of them there are, they keep no other back.
    pub(crate) async fn look_back_tick(&self) -> Result<bool, EngineError> {
        let mut round = std::mem::take(&mut *self.memory().look_backs.lock());
        let looked = self.look_back_step(&mut round).await;
        *self.memory().look_backs.lock() = round;
        looked
    }

    async fn look_back_step(&self, round: &mut LookBackRound) -> Result<bool, EngineError> {
        let begun = self.now();
        let page = self.store().look_backs_left(begun.minus(GRACE), round.after.as_ref(), BATCH).await?;
        let is_full = page.len() >= BATCH as usize;
        let waits = if is_full { whole_nodes(page) } else { page };
        let mut is_whole = true;
        for of_node in waits.chunk_by(|one, other| one.node == other.node) {
            if self.now().since(begun) >= STEP_TIME_MAX {
                return Ok(true);
            }
            is_whole &= self.look_back_for(of_node, round).await?;
            round.after = of_node.last().map(LookBack::cursor);
        }
        if !is_full {
            round.end();
        }
        // Many that cannot be looked for are not walked through at once.
        Ok(is_full && is_whole)
    }

    /// Looks for one node, as far as what its tenant may take lasts. Answers whether nothing failed.
    async fn look_back_for(
        &self,
        waits: &[LookBack],
        round: &mut LookBackRound,
    ) -> Result<bool, EngineError> {
        let (node, tenant) = (&waits[0].node, &waits[0].tenant);
        let evaluation = self.policy().evaluation;
        if round.shares.of(tenant, evaluation).is_used_up() {
            return Ok(true);
        }
        let position = round.position(waits);
        let mut look = Look { engine: self, waits, position, subject: None };
        let looked = look.run(round.shares.of(tenant, evaluation)).await;
        let looked = match looked {
            Ok(Looked::Woken) => Ok(()),
            Ok(Looked::Nothing) => self.store().end_look_back(waits).await.map_err(EngineError::from),
            Ok(Looked::Left(position)) => {
                round.remember(waits, position);
                Ok(())
            }
            Err(error) => Err(error),
        };
        match looked {
            Ok(()) => Ok(true),
            // Nor can it be looked for the others now.
            Err(error @ EngineError::Store(StoreError::Unavailable { .. })) => Err(error),
            // A delivery whose payload cannot be opened here, for one. It keeps no other back.
            Err(error) => {
                tracing::warn!(
                    execution.id = %node.execution_id,
                    node.id = %node.node_id,
                    error = &error as &dyn std::error::Error,
                    "earlier events for a wait cannot be looked up; upkeep will retry"
                );
                Ok(false)
            }
        }
    }
}

/// A look for one node, which may wait for several types of events.
struct Look<'a> {
    engine: &'a Engine,
    waits: &'a [LookBack],
    position: LookPosition,
    /// What the node's filter sees, once it was needed.
    subject: Option<Arc<FilterSubject>>,
}

impl<'a> Look<'a> {
    /// Wakes the node by the delivery that it waits for: of those that came before the wait the newest counts, of those that
    /// came since the first.
    async fn run(&mut self, allowance: &mut FilterAllowance) -> Result<Looked, EngineError> {
        if !matches!(self.position, LookPosition::Since(_)) {
            for (id, wait) in self.before().await? {
                if let Some(looked) = self.look_at(id, wait, allowance).await? {
                    return Ok(looked);
                }
                self.position = LookPosition::Before(id);
            }
            self.position = LookPosition::Since(None);
        }
        loop {
            let (page, has_more) = self.since().await?;
            for (id, wait) in page {
                if let Some(looked) = self.look_at(id, wait, allowance).await? {
                    return Ok(looked);
                }
                self.position = LookPosition::Since(Some(id));
            }
            if !has_more {
                return Ok(Looked::Nothing);
            }
        }
    }

    /// What came before the wait and is still to be looked at, the newest first.
    async fn before(&self) -> Result<Vec<(DeliveryId, &'a LookBack)>, EngineError> {
        let mut found = Vec::new();
        for wait in self.waits {
            let span = (wait.from, wait.began_at);
            let ids =
                self.engine.store().events_before(&wait.tenant, &wait.event, span, DELIVERIES_MAX).await?;
            let left = ids.into_iter().filter(|id| self.position.is_before_left(*id));
            found.extend(left.map(|id| (id, wait)));
        }
        found.sort_unstable_by_key(|(id, _)| std::cmp::Reverse(*id));
        Ok(found)
    }

    /// The next of those that came since, the oldest first, and whether there are later ones.
    async fn since(&self) -> Result<(Vec<(DeliveryId, &'a LookBack)>, bool), EngineError> {
        let after = match self.position {
            LookPosition::Since(after) => after,
            LookPosition::Beginning | LookPosition::Before(_) => None,
        };
        let mut pages = EventPages::new(PAGE as usize);
        for wait in self.waits {
            let from = wait.from.max(wait.began_at);
            let ids =
                self.engine.store().events_since(&wait.tenant, &wait.event, (from, after), PAGE).await?;
            pages.add(&ids, wait);
        }
        Ok(pages.in_order())
    }

    /// Looks at one delivery, and wakes the node by it where that is what it waits for. `None` where the look goes on behind
    /// it.
    async fn look_at(
        &mut self,
        id: DeliveryId,
        wait: &LookBack,
        allowance: &mut FilterAllowance,
    ) -> Result<Option<Looked>, EngineError> {
        if allowance.is_used_up() {
            return Ok(Some(Looked::Left(self.position)));
        }
        let engine = self.engine;
        let (begun, time) = (engine.now(), allowance.time_left());
        let candidate = tokio::time::timeout(time.to_std(), self.candidate(id, wait, allowance)).await;
        let Ok(candidate) = candidate else {
            // What is evaluated at the moment ends at its next step.
            allowance.end();
            return Ok(Some(Looked::Left(self.position)));
        };
        allowance.take_time(engine.now().since(begun));
        Ok(match candidate? {
            Candidate::No => None,
            Candidate::Left => Some(Looked::Left(self.position)),
            Candidate::Met(record, event) => match Arrival::of(&record, &event) {
                // Where it waits no more, there is nothing left to look for either.
                Some(arrival) => {
                    engine.wake_nodes(&arrival, vec![wait.node.clone()]).await?;
                    Some(Looked::Woken)
                }
                None => None,
            },
        })
    }

    async fn candidate(
        &mut self,
        id: DeliveryId,
        wait: &LookBack,
        allowance: &mut FilterAllowance,
    ) -> Result<Candidate, EngineError> {
        let engine = self.engine;
        let Some(record) = engine.store().delivery(&TenantScope::All, id).await? else {
            return Ok(Candidate::No);
        };
        allowance.take_bytes(record.body_bytes);
        let Some(event) = engine.delivery_event(&record).await? else {
            return Ok(Candidate::No);
        };
        if body_digest(&wait.paths, event.body()) != Some(wait.digest) {
            return Ok(Candidate::No);
        }
        let event = Arc::new(event);
        if wait.node.has_filter {
            let Some(subject) = self.subject_of(&wait.node, allowance).await? else {
                return Ok(Candidate::No);
            };
            match engine.check_subject(&subject, &event, allowance).await? {
                FilterCheck::Met => {}
                FilterCheck::NotMet => return Ok(Candidate::No),
                FilterCheck::Left => return Ok(Candidate::Left),
            }
        }
        Ok(Candidate::Met(Box::new(record), event))
    }

    async fn subject_of(
        &mut self,
        node: &WaitingNode,
        allowance: &mut FilterAllowance,
    ) -> Result<Option<Arc<FilterSubject>>, EngineError> {
        if self.subject.is_none() {
            self.subject = self.engine.filter_subject(node, allowance).await?;
        }
        Ok(self.subject.clone())
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
