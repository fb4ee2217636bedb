//! Starts that come one by one share commits.

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use domain::queue::QueueName;
use domain::time::Timestamp;
use store::executions::NewExecution;
use store::jobs::{EagerlyEnqueued, Enqueued, NewJob};
use store::{Clock, Store, StoreResult};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::group_commit::Sink;
use crate::jobs::EagerStarts;

impl Engine {
    /// Stores executions; their jobs start eagerly where a pool has slots for them. One alone may share its commit with
    /// others; several are stored all or none.
    pub(crate) async fn store_started(
        &self,
        mut executions: Vec<NewExecution>,
    ) -> Result<Vec<Enqueued>, EngineError> {
        let sink = || StartSink {
            store: Arc::clone(self.store()),
            clock: Arc::clone(self.clock()),
            eager: self.eager_starts(QueueName::Execution),
        };
        match (executions.pop(), executions.is_empty()) {
            (Some(execution), true) => Ok(vec![self.memory().starts.commit(execution, sink).await?]),
            (last, _) => {
                executions.extend(last);
                // In a task of its own: a caller that hangs up half-way must not leave leased jobs to nobody.
                let sink = sink();
                let stored = tokio::spawn(async move { sink.commit(&executions).await });
                let lost = |source| store::StoreError::Unknown { source: Box::new(source) };
                Ok(stored.await.map_err(lost)??)
            }
        }
    }
}

/// Stores executions of several callers.
pub(crate) struct StartSink {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    eager: EagerStarts,
}

#[async_trait]
impl Sink for StartSink {
    type Item = NewExecution;
    type Answer = Enqueued;

    async fn commit(&self, executions: &[NewExecution]) -> StoreResult<Vec<Enqueued>> {
        let mut seen = HashSet::with_capacity(executions.len());
        let is_repeated = executions.iter().any(|execution| !seen.insert(execution.id));
        if !is_repeated {
            return self.store(executions, self.clock.now()).await;
        }
        // A call that is made again while it is under way: the second finds the first one's execution.
        let mut answers = Vec::with_capacity(executions.len());
        for execution in executions {
            answers.extend(self.store(std::slice::from_ref(execution), self.clock.now()).await?);
        }
        Ok(answers)
    }

    fn commits_at_once(&self) -> usize {
        self.store.writes_at_once()
    }
}

impl StartSink {
    async fn store(&self, executions: &[NewExecution], now: Timestamp) -> StoreResult<Vec<Enqueued>> {
        let jobs: Vec<&NewJob> = executions.iter().map(|execution| &execution.job).collect();
        let Some(start) = self.eager.take(&jobs, now) else {
            return self.store.create_executions(executions, now).await;
        };
        let EagerlyEnqueued { enqueued, leased } =
            self.store.create_executions_eagerly(executions, &start.claim).await?;
        start.start(leased);
        Ok(enqueued)
    }
}
