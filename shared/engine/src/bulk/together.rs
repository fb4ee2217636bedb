//! Change several objects of a batch together, where the store has a way to: dead letters whose jobs go back unchanged but for
//! their retries ([`together_max`](super::request::BulkAction::together_max)). What the store leaves out, and everything where it
//! refuses, is left for [`change_item`](Engine::change_item), which says what becomes of each. Metrics are those of each by itself; hints
//! are of queues.

use std::collections::{HashMap, HashSet};

use domain::id::DeadLetterId;
use domain::queue::QueueName;
use domain::search::{Search, TermValue};
use store::StoreError;
use store::batches::{ItemOutcome, OpenItem};
use store::dead_letters::RequeueEdit;
use store::search::SearchPage;
use store::wakeup::Hint;
use uuid::Uuid;

use super::page::{Changed, Context, Turn};
use super::request::{BulkAction, StoredBulk};
use super::start::of_ids;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::{fail_points, metrics};

impl Engine {
    /// Changes one object, or several together.
    pub(super) async fn change_items(
        &self,
        context: &Context,
        stored: &StoredBulk,
        action: &BulkAction,
        mut items: Vec<OpenItem>,
    ) -> Changed {
        if let [item] = items[..] {
            let turn = self.change_item(context, stored, action, item).await;
            return Changed { turns: vec![turn], left: Vec::new() };
        }
        let BulkAction::RequeueDeadLetters(edit) = action else {
            return Changed { turns: Vec::new(), left: items };
        };
        match self.requeue_together(context, stored, edit, &items).await {
            Ok(requeued) => {
                let (done, left): (Vec<OpenItem>, Vec<OpenItem>) =
                    items.into_iter().partition(|item| requeued.contains(&item.object));
                Changed { turns: done.iter().map(|_| Ok(Turn::Had(ItemOutcome::Done))).collect(), left }
            }
            // One by one they would ask a store that does not answer a hundred times.
            Err(error @ EngineError::Store(StoreError::Unavailable { .. } | StoreError::Unknown { .. })) => {
                Changed { turns: vec![Err(error)], left: items.split_off(1) }
            }
            Err(error) => {
                tracing::debug!(
                    batch.id = %context.batch.id,
                    error = &error as &dyn std::error::Error,
                    "dead letters are requeued one by one"
                );
                Changed { turns: Vec::new(), left: items }
            }
        }
    }

    /// Requeues those of these dead letters that the store requeues together; answers them.
    async fn requeue_together(
        &self,
        context: &Context,
        stored: &StoredBulk,
        edit: &RequeueEdit,
        items: &[OpenItem],
    ) -> Result<HashSet<Uuid>, EngineError> {
        let letters = self.still_matching(context, stored, items).await?;
        if letters.is_empty() {
            return Ok(HashSet::new());
        }
        fail_points::reach("batch-item-before");
        let (batch, now) = ((context.batch.id, self.process()), self.now());
        let requeued =
            self.store().requeue_together(&context.scope, batch, &letters, edit.retries_max, now).await?;
        fail_points::reach("batch-item-after");
        let mut queues: HashMap<QueueName, u64> = HashMap::new();
        for letter in &requeued {
            *queues.entry(letter.queue).or_default() += 1;
        }
        for (&queue, &count) in &queues {
            metrics::dead_letters_resolved(queue, "requeued", count);
        }
        self.wake(&queues.into_keys().map(Hint::Freed).collect::<Vec<_>>());
        Ok(requeued.iter().map(|letter| letter.id.uuid()).collect())
    }

    /// Those that still match the filter, in their order.
    async fn still_matching(
        &self,
        context: &Context,
        stored: &StoredBulk,
        items: &[OpenItem],
    ) -> Result<Vec<DeadLetterId>, EngineError> {
        let letters = items.iter().map(|item| DeadLetterId::from_uuid(item.object));
        let Some(search) = stored.search.as_ref().filter(|search| !matches_for_good(search)) else {
            return Ok(letters.collect());
        };
        let mut search = search.clone();
        let ids = items.iter().map(|item| TermValue::Id(item.object));
        search.terms.extend(of_ids(search.list, ids).terms);
        let page = SearchPage { limit: items.len() as u32, after: None };
        let found = self.store().search(&context.scope, &search, page).await?;
        let found: HashSet<Uuid> = found.places.iter().map(|place| place.id).collect();
        Ok(letters.filter(|letter| found.contains(&letter.uuid())).collect())
    }
}

/// What a dead letter has from its beginning on. A status changes, but no letter opens again, and only open ones are requeued
/// together: those were open when they were listed.
const FIXED: [&str; 10] = [
    "died",
    "executionId",
    "fingerprint",
    "id",
    "jobType",
    "queue",
    "reason",
    "status",
    "tenant",
    "workflow",
];

/// Whether open dead letters that matched when they were listed still do. A look at each group of them is a search beside the few
/// statements that requeue it.
fn matches_for_good(search: &Search) -> bool {
    search.sort == "died" && search.terms.iter().all(|term| FIXED.contains(&term.key.as_str()))
}

#[cfg(test)]
mod tests {
    use domain::search::{SearchList, Term};

    use super::*;

    #[test]
    fn only_what_can_change_is_looked_at_again() {
        let search = |key: &str| {
            let terms = vec![Term::is(key, TermValue::Text("x".to_owned()))];
            Search { terms, ..Search::all(SearchList::DeadLetters) }
        };
        let of_letters = SearchList::DeadLetters.fields().iter().map(|field| field.name);
        let keys = of_letters.chain(["died", "resolved", "attr.region", "data"]);
        let looked_at: Vec<&str> = keys.filter(|key| !matches_for_good(&search(key))).collect();
        let expected = ["tag", "workerId", "scheduleId", "deliveryId", "resolved", "attr.region", "data"];
        assert_eq!(looked_at, expected);
        let by_end = Search { sort: "resolved".to_owned(), ..Search::all(SearchList::DeadLetters) };
        assert!(matches_for_good(&Search::all(SearchList::DeadLetters)) && !matches_for_good(&by_end));
    }
}
