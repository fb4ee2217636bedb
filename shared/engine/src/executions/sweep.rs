//! The sweep: the one net under lost hints for all who wait for executions in this process.
//!
//! Hints wake owners and callers. Should one be lost, the sweep finds out within a second: one look for the ends that
//! callers wait for, and one for the inboxes of all owners, however many wait. While nobody waits, it sleeps.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use domain::id::ExecutionId;
use futures::future::BoxFuture;
use store::executions::InboxRow;
use store::wakeup::Hint;
use store::{Store, StoreResult};

use crate::engine::Engine;
use crate::entropy::Entropy;
use crate::waiters::{Awaited, Waiters};

/// The longest time without a look while somebody waits; cut by up to a half, at random, so that the nodes of a
/// deployment do not look in step.
const INTERVAL: Duration = Duration::from_secs(1);
/// How many executions one look takes.
const PAGE: usize = 1_000;

impl Engine {
    /// Starts the sweep if it is not there.
    pub(crate) fn sweep(&self) {
        self.memory().sweeping.get_or_init(|| {
            let sweep = Sweep {
                store: Arc::clone(self.store()),
                entropy: Arc::clone(self.entropy()),
                waiters: Arc::clone(&self.memory().waiters),
            };
            let closed = self.closed();
            tokio::spawn(async move {
                tokio::select! {
                    () = closed.cancelled() => {}
                    () = sweep.run() => {}
                }
            });
        });
    }
}

struct Sweep {
    store: Arc<dyn Store>,
    entropy: Arc<dyn Entropy>,
    waiters: Arc<Waiters>,
}

impl Sweep {
    async fn run(self) {
        loop {
            let awaited = self.waiters.awaited();
            if awaited == Awaited::default() {
                self.waiters.sweep_wanted().await;
            } else if let Err(error) = self.look(&awaited).await {
                tracing::debug!(error = &error as &dyn Error, "executions could not be looked after");
            }
            tokio::time::sleep(INTERVAL.mul_f64(0.5 + 0.5 * self.entropy.jitter().0.clamp(0.0, 1.0))).await;
        }
    }

    async fn look(&self, awaited: &Awaited) -> StoreResult<()> {
        for ids in awaited.ends.chunks(PAGE) {
            for id in self.store.ended_executions(ids).await? {
                self.waiters.deliver(Hint::Finished(id));
            }
        }
        for ids in awaited.owned.chunks(PAGE) {
            let look = |ids: &[ExecutionId]| -> Look {
                let (store, ids) = (Arc::clone(&self.store), ids.to_vec());
                Box::pin(async move { store.inboxes(&ids, 1).await })
            };
            for id in with_news(ids, look).await? {
                self.waiters.deliver(Hint::Inbox(id));
            }
        }
        Ok(())
    }
}

type Look = BoxFuture<'static, StoreResult<Vec<Vec<InboxRow>>>>;

/// The executions whose inboxes are not empty. One that cannot be read must not hide the others: a page that fails is
/// halved until that one is alone, and its owner is left to find out.
async fn with_news(
    ids: &[ExecutionId],
    look: impl Fn(&[ExecutionId]) -> Look + Send + Sync,
) -> StoreResult<Vec<ExecutionId>> {
    let (mut parts, mut found) = (vec![ids], Vec::new());
    while let Some(part) = parts.pop() {
        match look(part).await {
            Ok(inboxes) => {
                let with_rows = part.iter().zip(&inboxes).filter(|(_, rows)| !rows.is_empty());
                found.extend(with_rows.map(|(id, _)| *id));
            }
            Err(error) if error.is_retryable() => return Err(error),
            Err(_) if part.len() > 1 => {
                let (left, right) = part.split_at(part.len() / 2);
                parts.extend([left, right]);
            }
            Err(_) => found.extend_from_slice(part),
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use store::StoreError;
    use store::executions::InboxEntry;
    use uuid::Uuid;

    use super::*;

    fn row() -> InboxRow {
        InboxRow { position: 1, entry: InboxEntry::Retry }
    }

    #[tokio::test]
    async fn an_inbox_that_cannot_be_read_hides_no_other() {
        let ids: Vec<ExecutionId> = (0..9).map(|n| ExecutionId::from_uuid(Uuid::from_u128(n))).collect();
        let (broken, full) = (ids[3], [ids[2], ids[8]]);
        let look = |part: &[ExecutionId]| -> Look {
            let answer = if part.contains(&broken) {
                Err(StoreError::Corrupt { table: "inbox", column: "entry", row: "4".to_owned() })
            } else {
                Ok(part.iter().map(|id| full.contains(id).then(row).into_iter().collect()).collect())
            };
            Box::pin(std::future::ready(answer))
        };
        let mut found = with_news(&ids, look).await.expect("the others can be read");
        found.sort_unstable();
        assert_eq!(found, [ids[2], broken, ids[8]]);
        let away = |_: &[ExecutionId]| -> Look {
            Box::pin(std::future::ready(Err(StoreError::Unavailable { source: "away".into() })))
        };
        assert!(with_news(&ids, away).await.is_err(), "it is not asked again and again");
    }
}
