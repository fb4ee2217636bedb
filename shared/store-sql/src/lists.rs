//! Lists in windows: what matches little must not make one call read a whole table.
//!
//! A list goes through its rows by id, newest first, in the order of an index. Where a condition is not part of that
//! index, rows that do not match are passed over, and how many that may be is bounded: beyond so many the page ends,
//! short or empty, and names the next one.

use sea_orm::ConnectionTrait;
use store::{PageRequest, StoreResult};
use uuid::Uuid;

use crate::rows::Row;
use crate::select::Select;

/// How many rows of each table one window has.
pub(crate) const WINDOW: i64 = 20_000;

/// The oldest id of the window before `page.after`, where there is more beyond it. `ids` selects them as `id` under the
/// conditions that the index has, up to the bound of the page; `column` is what they are called there.
pub(crate) async fn floor<C: ConnectionTrait>(
    on: &C,
    mut ids: Select,
    column: &str,
    page: PageRequest,
) -> StoreResult<Option<Uuid>> {
    ids.with_some(&format!("AND {column} < $?"), page.after);
    ids.with(&format!("ORDER BY {column} DESC LIMIT 1 OFFSET $?"), WINDOW);
    match ids.first(on).await? {
        Some(row) => Row::new("list", &row).uuid("id").map(Some),
        None => Ok(None),
    }
}

/// Appends the bounds and the order of a page, of which one row more is read than it has.
pub(crate) fn paged(select: &mut Select, column: &str, page: PageRequest, floor: Option<Uuid>) {
    select.with_some(&format!("AND {column} < $?"), page.after);
    select.with_some(&format!("AND {column} >= $?"), floor);
    select.with(&format!("ORDER BY {column} DESC LIMIT $?"), i64::from(page.limit) + 1);
}

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) mod testing {
    //! What the plans of lists are checked by, on both databases.

    use domain::access::TenantScope;
    use domain::names::TenantName;
    use store::PageRequest;
    use testkit::database::postgres_database;
    use uuid::Uuid;

    use crate::jobs::plans::{open_empty, plan_of};
    use crate::select::Select;

    /// A page of a tenant's list that is not the first.
    pub(crate) fn of_a_tenant() -> (TenantScope, PageRequest) {
        let page = PageRequest { limit: 50, after: Some(Uuid::from_u128(u128::MAX)) };
        (TenantScope::One(TenantName::trusted("a")), page)
    }

    /// Fails where a list is not read in the order of this index.
    pub(crate) async fn assert_in_order_of(index: &str, list: impl Fn() -> Select) {
        let directory = tempfile::tempdir().expect("the temporary directory can be written");
        let file = format!("sqlite://{}", directory.path().join("plans.db").display());
        for url in [file, postgres_database().await] {
            let plan = plan_of(&*open_empty(url).await, list()).await;
            assert!(plan.contains(index), "the list does not use {index}:\n{plan}");
            assert!(!plan.contains("Sort") && !plan.contains("TEMP B-TREE"), "the list is sorted:\n{plan}");
        }
    }
}
