//! Change the next objects of a batch: at its pace, several at once, and together where there is a way to. Nothing is under way
//! between two pages, so that progress is written down and judged then.

use std::collections::VecDeque;
use std::time::Duration;

use domain::access::TenantScope;
use domain::bulk::NextStep;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use store::StoreError;
use store::batches::{BatchRecord, BatchStatus, ItemOutcome, OpenItem};
use tokio::time::Instant;

use super::request::{BulkAction, StoredBulk};
use super::run::{REPORT_INTERVAL, Running};
use crate::engine::Engine;
use crate::error::EngineError;

/// How many objects are read at once.
const PAGE: u32 = 200;
/// The same at most where many are changed together: between two pages nothing is under way.
const LONG_PAGE: u32 = 5_000;
/// The same where many are changed together without a pace.
const FREE_PAGE: u32 = 1_000;
/// How many are changed at once.
const AT_ONCE: usize = 8;
/// How many groups of objects that are changed together are under way at once at most: one commits while another is changed.
/// Everybody else who writes to SQLite waits for as many.
const GROUPS_AT_ONCE: usize = 2;
/// From how late a group on there may be another one beside it. Most paces are kept by one at a time, which leaves half of two cores
/// to everybody else. Far less than what is caught up at most, so that no turn is lost for it.
const LATE: Duration = Duration::from_millis(80);
/// For how long turns are gathered where objects may be changed together at a pace: a commit for each millisecond's would keep
/// others from the disk.
const GATHERED_FOR: Duration = Duration::from_millis(20);

/// What became of one object, for the counts.
pub(super) enum Turn {
    /// It had its turn.
    Had(ItemOutcome),
    /// Its entry is not as it was: count again.
    Unclear,
}

/// What came of objects that were begun together, or of one.
pub(super) struct Changed {
    /// Of those that had their turn.
    pub(super) turns: Vec<Result<Turn, EngineError>>,
    /// The others, which are as they were: each is to be changed by itself.
    pub(super) left: Vec<OpenItem>,
}

/// What the change of an object needs to know of its batch.
pub(super) struct Context {
    pub(super) scope: TenantScope,
    pub(super) batch: BatchRecord,
}

impl Engine {
    /// Changes the next objects, at most so many, several at once, and together where there is a way to.
    pub(super) async fn change_page(&self, running: &mut Running, most: u64) -> Result<(), EngineError> {
        let page_max = running.page_max();
        let limit = u32::try_from(most).unwrap_or(page_max).min(page_max);
        // Not from the first on: PostgreSQL would pass over all that were changed since the last vacuum.
        let items = self.store().waiting_items(running.batch.id, running.changed_to, limit).await?;
        if items.is_empty() {
            running.changed_to = 0;
            running.counts = self.store().count_items(running.batch.id).await?;
            return Ok(());
        }
        // Before those under way, which look at them.
        let context = Context { scope: running.scope.clone(), batch: running.batch.clone() };
        let (action, stored) = (running.action.clone(), running.stored.clone());
        let mut items = items.into_iter();
        let mut page = Page { begun_to: running.changed_to, ..Page::default() };
        let mut under_way = FuturesUnordered::new();
        loop {
            let may_begin =
                page.ending.is_none() && under_way.len() < AT_ONCE && self.may_change(running, page.begun);
            // Their turn has come before.
            if may_begin && let Some(item) = page.left.pop_front() {
                page.begun += 1;
                under_way.push(self.change_items(&context, &stored, &action, vec![item]));
                continue;
            }
            if may_begin && items.len() > 0 && page.groups < running.groups_max(Instant::now()) {
                let turn = (running.turn(Instant::now()) + running.gathered_for()).max(running.together_at);
                if Instant::now() >= turn {
                    running.together_at = Instant::now() + running.spaced_by();
                    let due = self.due_items(running, &mut items, page.begun);
                    page.begins(&due);
                    under_way.push(self.change_items(&context, &stored, &action, due));
                    continue;
                }
                // Those under way go on meanwhile: they hold transactions.
                tokio::select! {
                    () = tokio::time::sleep_until(turn.min(running.reported_at + REPORT_INTERVAL)) => {}
                    Some(changed) = under_way.next(), if !under_way.is_empty() => page.had(running, changed),
                    () = self.shutdown().cancelled() => {}
                }
                continue;
            }
            match under_way.next().await {
                Some(changed) => page.had(running, changed),
                None => break,
            }
        }
        if page.is_unclear {
            running.counts = self.store().count_items(running.batch.id).await?;
        } else if page.left.is_empty() {
            running.changed_to = page.begun_to;
        }
        page.ending.map_or(Ok(()), Err)
    }

    /// The next objects whose turn has come, as many as are changed together and may be begun beside so many; at least one.
    fn due_items(
        &self,
        running: &mut Running,
        items: &mut std::vec::IntoIter<OpenItem>,
        under_way: usize,
    ) -> Vec<OpenItem> {
        let (now, most) = (Instant::now(), running.action.together_max());
        running.turn = None;
        let mut due: Vec<OpenItem> = items.next().into_iter().collect();
        while due.len() < most
            && items.len() > 0
            && self.may_change(running, under_way + due.len())
            && running.turn(now) <= now
        {
            running.turn = None;
            due.extend(items.next());
        }
        due
    }

    /// Whether another object may be begun beside so many, before the next report and judgement.
    fn may_change(&self, running: &Running, under_way: usize) -> bool {
        // Those under way count as done: a canary is not exceeded by what is changed at once.
        let mut counts = running.counts;
        counts.done += under_way as u64;
        counts.pending += under_way as u64;
        let next = running.stored.pace.next_step(&counts, running.batch.is_past_canary);
        !self.shutdown_started()
            && running.reported_at.elapsed() < REPORT_INTERVAL
            && running.batch.status == BatchStatus::Running
            && matches!(next, NextStep::Change(_))
    }
}

/// What came of the objects of a page.
#[derive(Default)]
struct Page {
    /// How many are under way.
    begun: usize,
    /// How many groups of several are.
    groups: usize,
    /// The position of the last one that was begun.
    begun_to: i64,
    /// Those that were begun together and are to be changed each by itself.
    left: VecDeque<OpenItem>,
    is_unclear: bool,
    ending: Option<EngineError>,
}

impl Page {
    fn begins(&mut self, items: &[OpenItem]) {
        self.begun += items.len();
        self.groups += usize::from(items.len() > 1);
        self.begun_to = items.last().map_or(self.begun_to, |item| item.position);
    }

    fn had(&mut self, running: &mut Running, changed: Changed) {
        let count = changed.turns.len() + changed.left.len();
        self.begun -= count;
        self.groups -= usize::from(count > 1);
        self.left.extend(changed.left);
        for turned in changed.turns {
            match turned {
                Ok(Turn::Had(outcome)) => running.count(outcome),
                Ok(Turn::Unclear) => self.is_unclear = true,
                Err(error) => self.ending = Some(error),
            }
        }
    }
}

impl Running {
    /// How many objects are read at once. Where outcomes end the batch, they are looked at after fewer changes; else as many as
    /// have their turn before the next report, which ends a page.
    fn page_max(&self) -> u32 {
        if self.action.together_max() == 1 || self.stored.pace.stop_on_failure_rate.is_some() {
            return PAGE;
        }
        self.stored.pace.rate_per_second.map_or(FREE_PAGE, |rate| rate.clamp(PAGE, LONG_PAGE))
    }

    /// For how long turns are gathered.
    pub(super) fn gathered_for(&self) -> Duration {
        let has_pace = self.stored.pace.rate_per_second.is_some();
        if self.action.together_max() > 1 && has_pace { GATHERED_FOR } else { Duration::ZERO }
    }

    /// How many groups may be under way at once.
    fn groups_max(&mut self, now: Instant) -> usize {
        let has_pace = self.stored.pace.rate_per_second.is_some();
        let due_at = has_pace.then(|| self.turn(now) + self.gathered_for());
        groups_at_once(due_at, now)
    }
}

/// How many groups may be under way at once where the next one was due at an instant; `None` without a pace.
fn groups_at_once(due_at: Option<Instant>, now: Instant) -> usize {
    match due_at {
        Some(due_at) if now < due_at + LATE => 1,
        _ => GROUPS_AT_ONCE,
    }
}

impl Engine {
    /// Changes one object with its entry, or records why not.
    pub(super) async fn change_item(
        &self,
        context: &Context,
        stored: &StoredBulk,
        action: &BulkAction,
        item: OpenItem,
    ) -> Result<Turn, EngineError> {
        match self.change_object(context, stored, action, item.object).await {
            Ok(turn) => Ok(turn),
            Err(EngineError::Store(StoreError::Outdated { .. })) => Ok(Turn::Unclear),
            Err(error) if error.is_retryable() => Err(error),
            Err(error) => {
                let entry = self.entry_of(context, item.object, None, false);
                self.record_outcome(&entry, ItemOutcome::Failed, Some(&error.public_message())).await
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_one_at_a_time_while_their_pace_is_kept() {
        let due_at = Instant::now();
        assert_eq!(groups_at_once(Some(due_at), due_at), 1);
        assert_eq!(
            groups_at_once(Some(due_at), due_at + LATE - Duration::from_millis(1)),
            1,
            "a little late"
        );
        assert_eq!(groups_at_once(Some(due_at), due_at + LATE), 2, "one at a time does not keep it");
        assert_eq!(groups_at_once(None, due_at), 2, "as fast as possible");
    }
}
