//! Lines of the audit log about an object, by the index of their subjects.

use super::parts::Table;
use super::source::Source;
use super::subject_terms::{STARTS, made_at, text_of};
use crate::select::Select;

/// By how much the clocks differ with which ids and lines are made, at most.
const CLOCKS_MS: i64 = 3_600_000;

impl Source<'_> {
    /// What the index has of the part's test of the subject.
    pub(super) fn subject(self, select: &mut Select) {
        const SUBJECT: &str = "a.subject {postgres:COLLATE \"C\"}";
        let term = self.search.term("subject").zip(self.part.subject);
        let Some((text, is_begin)) = term.and_then(|(term, at)| text_of(term.tests.get(at)?)) else {
            return;
        };
        if is_begin {
            select.with(&format!("AND {SUBJECT} >= $?"), text);
            select.with(&format!("AND {SUBJECT} < $?"), format!("{text}{}", char::MAX));
        } else {
            select.with(&format!("AND {SUBJECT} = $?"), text);
        }
        for (action, _) in STARTS {
            select.push(&format!("AND a.action <> '{action}'"));
        }
    }

    /// What follows from the ids that are asked for: nothing is said of an object before it is made.
    pub(super) fn said_since(self, select: &mut Select) {
        if self.part.table != Table::Audit || self.part.subject.is_some() {
            return;
        }
        if let Some(made_at) = made_at(self.search) {
            select.with("AND a.at >= $?", made_at.saturating_sub(CLOCKS_MS));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain::access::TenantScope;
    use domain::attribute::Searchable;
    use domain::search::{Order, Search, SearchList, parse_query};
    use domain::time::Timestamp;
    use sea_orm::ConnectionTrait as _;
    use store::search::{SearchPage, SearchStore as _};
    use testkit::database::postgres_database;

    use super::super::attributes::Attributes;
    use super::super::parts::parts;
    use super::super::source::Span;
    use super::super::walk::source_of;
    use crate::dialect::Dialect;
    use crate::jobs::plans::{open_empty, plan_of};
    use crate::store::SqlStore;

    const NOW: i64 = 1_700_000_000_000;
    const CHANGES: &str = "action:workflow.*,attributes.* subject:order,order@*";

    fn search(query: &str) -> Search {
        let terms = parse_query(SearchList::Audit, query, Timestamp(NOW), &Searchable::default());
        Search { terms: terms.expect(query), ..Search::all(SearchList::Audit) }
    }

    /// Lines of 5,000 enqueues, and every 500th beside one of a change.
    async fn filled(url: String) -> Arc<SqlStore> {
        let store = open_empty(url).await;
        let id = |number: &str| match store.dialect() {
            Dialect::Postgres => format!("CAST(lpad(to_hex({number}), 32, '0') AS uuid)"),
            Dialect::Sqlite => format!("unhex(printf('%032x', {number}))"),
        };
        let subject = match store.dialect() {
            Dialect::Postgres => "'job_' || lpad(to_hex(n), 32, '0')",
            Dialect::Sqlite => "'job_' || printf('%032x', n)",
        };
        let insert = "INSERT INTO audit (id, at, actor, action, subject)
            WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 5000)";
        let enqueues =
            format!("{insert} SELECT {}, {NOW} - 10 * n, 'key', 'job.enqueue', {subject} FROM s", id("n"));
        let changes = format!(
            "{insert} SELECT {}, {NOW} - 10 * n, 'key',
               CASE WHEN n % 1000 = 0 THEN 'workflow.register' ELSE 'limits.set' END,
               CASE n / 500 % 4 WHEN 0 THEN 'order@' || n WHEN 1 THEN 'order' WHEN 2 THEN 'orders' ELSE 'Order@1' END
             FROM s WHERE n % 500 = 0",
            id("10000 + n")
        );
        for text in [enqueues, changes] {
            store.pool().write().execute_unprepared(&text).await.expect("the statement is valid");
        }
        store
    }

    async fn changes_of_an_object_are_found_by_index(url: String) {
        let store = filled(url).await;
        let (scope, page) = (TenantScope::All, SearchPage { limit: 2, after: None });
        let cases: [(&str, &[i64]); 5] = [
            (CHANGES, &[2_000, 4_000]),
            ("subject:order", &[500, 2_500, 4_500]),
            ("subject:order,order*", &[500, 1_000, 2_000, 2_500, 3_000, 4_000, 4_500, 5_000]),
            ("subject:Order@1", &[1_500, 3_500]),
            ("subject:nobody", &[]),
        ];
        for (query, numbers) in cases {
            for order in [Order::Desc, Order::Asc] {
                let search = Search { order, ..search(query) };
                let (mut found, mut after) = (Vec::new(), None);
                loop {
                    let one = store.search(&scope, &search, SearchPage { after, ..page }).await.expect(query);
                    assert_eq!(one.scanned_to, None, "{query}");
                    found.extend(one.places.iter().map(|place| (NOW - place.at) / 10));
                    after = one.next;
                    if after.is_none() {
                        break;
                    }
                }
                if order == Order::Asc {
                    found.reverse();
                }
                assert_eq!(found, numbers, "{query}");
            }
            let counted = store.count_found(&scope, &search(query), 10_001).await.expect(query);
            assert_eq!((counted.value, counted.is_exact), (numbers.len() as u64, true), "{query}");
        }
        let enqueued = search(&format!("subject:job_{:032x}", 7));
        let found = store.search(&scope, &enqueued, page).await.expect("search works");
        assert_eq!(found.places.len(), 1, "the line of the call that made it");
        for known in ["SELECT 1", "ANALYZE"] {
            store.pool().write().execute_unprepared(known).await.expect("tables can be analysed");
            let search = search(CHANGES);
            for part in parts(&search) {
                let attributes = Attributes::default();
                let source = source_of(store.pool().lists(), (&scope, &search), part, None, &attributes);
                let span = Span { after: None, floor: None, limit: 51 };
                for select in [source.page(span), source.count(span)] {
                    let plan = plan_of(&store, select).await;
                    assert!(plan.contains("audit_subject"), "{known}:\n{plan}");
                }
            }
        }
    }

    #[tokio::test]
    async fn i06_changes_of_an_object_are_found_by_index_on_postgres() {
        changes_of_an_object_are_found_by_index(postgres_database().await).await;
    }

    #[tokio::test]
    async fn i06_changes_of_an_object_are_found_by_index_on_sqlite() {
        changes_of_an_object_are_found_by_index("sqlite::memory:".to_owned()).await;
    }
}
