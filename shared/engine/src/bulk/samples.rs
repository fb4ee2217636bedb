//! The first few objects of a dry run, as their lists show them.

use domain::access::TenantScope;
use domain::search::SearchList;
use store::dead_letters::DeadLetterRecord;
use store::executions::ExecutionRecord;
use store::jobs::JobRecord;
use store::webhooks::DeliveryRecord;
use uuid::Uuid;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::schedules::ScheduleView;

/// Objects of a list.
#[derive(Debug, Clone, PartialEq)]
pub enum Samples {
    /// Jobs.
    Jobs(Vec<JobRecord>),
    /// Executions.
    Executions(Vec<ExecutionRecord>),
    /// Dead letters.
    DeadLetters(Vec<DeadLetterRecord>),
    /// Deliveries.
    Deliveries(Vec<DeliveryRecord>),
    /// Schedules.
    Schedules(Vec<ScheduleView>),
}

impl Engine {
    /// Objects by their ids, as their list shows them.
    pub(super) async fn samples(
        &self,
        scope: &TenantScope,
        list: SearchList,
        ids: &[Uuid],
    ) -> Result<Samples, EngineError> {
        let store = self.store();
        Ok(match list {
            SearchList::Jobs => Samples::Jobs(store.jobs_of(scope, ids).await?),
            SearchList::Executions => Samples::Executions(store.executions_of(scope, ids).await?),
            SearchList::DeadLetters | SearchList::Archive => {
                Samples::DeadLetters(store.dead_letters_of(scope, ids).await?)
            }
            SearchList::Deliveries => Samples::Deliveries(store.deliveries_of(scope, ids).await?),
            SearchList::Schedules => {
                let (records, now) = (store.schedules_of(scope, ids).await?, self.now());
                Samples::Schedules(records.into_iter().map(|record| self.view(record, now)).collect())
            }
            // No bulk operation is about them.
            SearchList::Runs
            | SearchList::UserTasks
            | SearchList::Workers
            | SearchList::Audit
            | SearchList::Batches => Samples::Schedules(Vec::new()),
        })
    }
}
