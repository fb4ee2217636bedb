//! What the lists show to an administrator.

use domain::attribute::Searchable;
use domain::search::{Search, SearchList, parse_query};
use engine::{ListRequest, ScheduleView};
use store::executions::ExecutionRecord;
use store::jobs::JobRecord;
use store::webhooks::DeliveryRecord;

use crate::engine::EngineHarness;

/// How many objects of a list are read: more than a test makes.
const LIMIT: u32 = 500;

impl EngineHarness {
    /// The jobs that a query finds, newest first.
    ///
    /// # Panics
    /// If the query is invalid, or they cannot be read.
    pub async fn jobs(&self, query: &str) -> Vec<JobRecord> {
        let request = self.list_request(SearchList::Jobs, query);
        self.engine.search_jobs(&self.admin(), &request).await.expect("jobs can be listed").items
    }

    /// The executions that a query finds, newest first.
    ///
    /// # Panics
    /// If the query is invalid, or they cannot be read.
    pub async fn executions(&self, query: &str) -> Vec<ExecutionRecord> {
        let request = self.list_request(SearchList::Executions, query);
        self.engine.search_executions(&self.admin(), &request).await.expect("executions can be listed").items
    }

    /// The schedules that a query finds, newest first.
    ///
    /// # Panics
    /// If the query is invalid, or they cannot be read.
    pub async fn schedules(&self, query: &str) -> Vec<ScheduleView> {
        let request = self.list_request(SearchList::Schedules, query);
        self.engine.search_schedules(&self.admin(), &request).await.expect("schedules can be listed").items
    }

    /// The deliveries that a query finds, newest first.
    ///
    /// # Panics
    /// If the query is invalid, or they cannot be read.
    pub async fn deliveries(&self, query: &str) -> Vec<DeliveryRecord> {
        let request = self.list_request(SearchList::Deliveries, query);
        self.engine.search_deliveries(&self.admin(), &request).await.expect("deliveries can be listed").items
    }

    fn list_request(&self, list: SearchList, query: &str) -> ListRequest {
        let terms = parse_query(list, query, self.engine.now(), &Searchable::default());
        let terms = terms.expect("the query is valid");
        ListRequest { search: Search { terms, ..Search::all(list) }, ..ListRequest::all(list, LIMIT) }
    }
}
