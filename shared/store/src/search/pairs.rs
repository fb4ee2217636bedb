//! The thirty pairs of list and filter that are answered from an index however large the tables are.
//! docs/search.md lists them.

use domain::attribute::Searchable;
use domain::search::{Order, QueryFault, Search, SearchList, parse_query};
use domain::time::Timestamp;

/// A list, and what it is filtered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedPair {
    /// Its name.
    pub name: &'static str,
    /// The list.
    pub list: SearchList,
    /// The query; words in braces stand for values.
    pub query: &'static str,
    /// The instant of the order where it is not the list's first one.
    pub sort: Option<&'static str>,
    /// The direction.
    pub order: Order,
}

const fn pair(name: &'static str, list: SearchList, query: &'static str) -> NamedPair {
    NamedPair { name, list, query, sort: None, order: Order::Desc }
}

const fn sorted(name: &'static str, list: SearchList, query: &'static str, sort: &'static str) -> NamedPair {
    NamedPair { sort: Some(sort), ..pair(name, list, query) }
}

use SearchList::{Archive, DeadLetters, Executions, Jobs};

/// All of them.
pub const NAMED_PAIRS: [NamedPair; 30] = [
    pair("jobs-newest", Jobs, ""),
    NamedPair { order: Order::Asc, ..pair("jobs-oldest", Jobs, "") },
    pair("jobs-waiting", Jobs, "status:QUEUED,SCHEDULED,RETRY_WAIT"),
    pair("jobs-failed", Jobs, "status:FAILED,DEAD_LETTER"),
    pair("jobs-cancelled", Jobs, "status:CANCELLED"),
    pair("jobs-of-tenant", Jobs, "tenant:{tenant}"),
    pair("jobs-of-type", Jobs, "jobType:{jobType}"),
    pair("jobs-of-workflow", Jobs, "workflow:{workflow}"),
    pair("jobs-of-type-dead", Jobs, "jobType:{jobType} status:DEAD_LETTER"),
    pair("jobs-of-execution", Jobs, "executionId:{execution}"),
    pair("jobs-of-time", Jobs, "created:{from}..{to}"),
    sorted("jobs-ended", Jobs, "completed:{from}..{to}", "completed"),
    pair("jobs-of-fingerprint", Jobs, "fingerprint:{fingerprint}"),
    pair("jobs-of-attribute", Jobs, "attr.customerId:{customer}"),
    pair("executions-newest", Executions, ""),
    pair("executions-failed", Executions, "status:FAILED"),
    pair("executions-of-tenant", Executions, "tenant:{tenant}"),
    pair("executions-of-workflow", Executions, "workflow:{workflow}"),
    pair("executions-of-correlation", Executions, "correlationId:{correlation}"),
    pair("executions-of-schedule", Executions, "scheduleId:{schedule}"),
    pair("executions-of-parent", Executions, "parent:{execution}"),
    pair("executions-of-attribute", Executions, "attr.orderNo:{order}"),
    sorted("executions-ended", Executions, "completed:{from}..{to}", "completed"),
    pair("dead-letters-newest", DeadLetters, "status:open"),
    pair("dead-letters-of-tenant", DeadLetters, "status:open tenant:{tenant}"),
    pair("dead-letters-of-type", DeadLetters, "status:open jobType:{jobType}"),
    pair("dead-letters-of-workflow", DeadLetters, "status:open workflow:{workflow}"),
    pair("dead-letters-of-fingerprint", DeadLetters, "status:open fingerprint:{fingerprint}"),
    pair("dead-letters-of-time", DeadLetters, "status:open died:{from}..{to}"),
    pair("archive-newest", Archive, ""),
];

impl NamedPair {
    /// What is looked for, with values in the place of the words in braces.
    pub fn search(
        &self,
        value_of: impl Fn(&str) -> String,
        searchable: &Searchable,
        now: Timestamp,
    ) -> Result<Search, QueryFault> {
        let mut query = String::new();
        for (index, part) in self.query.split(['{', '}']).enumerate() {
            if index % 2 == 0 { query.push_str(part) } else { query.push_str(&value_of(part)) }
        }
        let terms = parse_query(self.list, &query, now, searchable)?;
        let all = Search::all(self.list);
        let sort = self.sort.map_or(all.sort, str::to_owned);
        Ok(Search { list: self.list, terms, sort, order: self.order })
    }
}
