//! Looking at the schema of a database, for those who start on it or examine it. Changes nothing.

use std::collections::BTreeSet;

use store::{StoreError, StoreResult};

use crate::dialect::Dialect;
use crate::rows::Row;
use crate::schema::{TABLES, known};
use crate::sql::Sql;
use crate::store::SqlStore;

static IS_THERE: Sql = Sql::new(
    "schema_is_there",
    "SELECT {postgres:CAST(count(to_regclass('seaql_migrations')) AS bigint)}{sqlite:count(*)} AS tables
     {sqlite:FROM sqlite_master WHERE type = 'table' AND name = 'seaql_migrations'}",
);

static IS_REPLICA: Sql = Sql::new(
    "is_replica",
    "SELECT {postgres:CASE WHEN pg_is_in_recovery() THEN 1 ELSE 0 END}{sqlite:0} AS is_replica",
);

static APPLIED: Sql = Sql::new("schema_applied", "SELECT version FROM seaql_migrations ORDER BY version");

static NEEDS: Sql = Sql::new("schema_needs", "SELECT needs FROM store_state WHERE id = 1");

static QUICK_CHECK: Sql = Sql::new("quick_check", "PRAGMA quick_check(1)");

/// How the schema of a database compares to the one that this version works with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemaState {
    /// It is the one.
    Current,
    /// There is none.
    Absent,
    /// These migrations are still to be applied.
    Behind(Vec<String>),
    /// A later version has applied these, which this one does not know and need not know: it works with the schema.
    Later(Vec<String>),
    /// A newer version has applied these, which this one does not know.
    Newer(Vec<String>),
}

impl SqlStore {
    /// Whether the database is a replica, which can be read and not written.
    pub async fn is_replica(&self) -> StoreResult<bool> {
        let row = IS_REPLICA.first(self.pool().read(), vec![]).await?;
        let found = row.map(|row| Row::new("pg_catalog", &row).long("is_replica")).transpose()?;
        Ok(found == Some(1))
    }

    /// Compares the schema of the database to this version's.
    pub async fn schema_state(&self) -> StoreResult<SchemaState> {
        let there = IS_THERE.first(self.pool().read(), vec![]).await?;
        let tables = there.map(|row| Row::new("seaql_migrations", &row).long("tables")).transpose()?;
        if tables.unwrap_or(0) == 0 {
            return Ok(SchemaState::Absent);
        }
        let rows = APPLIED.all(self.pool().read(), vec![]).await?;
        let applied = rows.iter().map(|row| Row::new("seaql_migrations", row).text("version"));
        let applied: BTreeSet<String> = applied.collect::<StoreResult<_>>()?;
        let known = known();
        match compare(&applied, &known) {
            // A file has one process: there is no other one whose upgrade is under way.
            SchemaState::Newer(newer) if self.dialect() == Dialect::Postgres && known.is_subset(&applied) => {
                let row = NEEDS.first(self.pool().read(), vec![]).await?;
                let needs = row.map(|row| Row::new("store_state", &row).text("needs")).transpose()?;
                let works = needs.is_some_and(|needs| known.contains(&needs));
                Ok(if works { SchemaState::Later(newer) } else { SchemaState::Newer(newer) })
            }
            state => Ok(state),
        }
    }

    /// Looks for damage: whether every table can be read, and on SQLite whether the file is sound.
    pub async fn examine(&self) -> StoreResult<()> {
        let on = self.pool().read();
        if self.dialect() == Dialect::Sqlite
            && let Some(row) = QUICK_CHECK.first(on, vec![]).await?
        {
            let found = Row::new("sqlite_master", &row).text("quick_check")?;
            if found != "ok" {
                return Err(StoreError::Refused { statement: "quick_check", source: found.into() });
            }
        }
        for table in TABLES {
            crate::select::Select::new(table, &format!("SELECT 1 FROM {table} LIMIT 1")).first(on).await?;
        }
        Ok(())
    }
}

pub(super) fn compare(applied: &BTreeSet<String>, known: &BTreeSet<String>) -> SchemaState {
    let missing = |from: &BTreeSet<String>, of: &BTreeSet<String>| -> Vec<String> {
        of.difference(from).cloned().collect()
    };
    let (newer, pending) = (missing(known, applied), missing(applied, known));
    if !newer.is_empty() {
        SchemaState::Newer(newer)
    } else if applied.is_empty() {
        SchemaState::Absent
    } else if !pending.is_empty() {
        SchemaState::Behind(pending)
    } else {
        SchemaState::Current
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::ConnectionTrait as _;
    use store::conformance::fixture::{T0, job};
    use store::jobs::{JobStore as _, NewJob};
    use testkit::database::postgres_database;

    use super::*;

    #[test]
    fn schemas_are_compared_by_their_migrations() {
        let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<BTreeSet<String>>();
        let known = set(&["m1", "m2"]);
        assert_eq!(compare(&set(&[]), &known), SchemaState::Absent);
        assert_eq!(compare(&set(&["m1"]), &known), SchemaState::Behind(vec!["m2".into()]));
        assert_eq!(compare(&known, &known), SchemaState::Current);
        assert_eq!(compare(&set(&["m1", "m3"]), &known), SchemaState::Newer(vec!["m3".into()]));
    }

    #[tokio::test]
    async fn every_table_is_examined() {
        static ALL: Sql = Sql::new(
            "all_tables",
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'seaql%'
             ORDER BY name",
        );
        let directory = tempfile::tempdir().expect("the temporary directory can be written");
        let url = format!("sqlite://{}", directory.path().join("a.db").display());
        let store = crate::jobs::plans::open_empty(url).await;
        let rows = ALL.all(store.pool().read(), vec![]).await.expect("tables can be listed");
        let tables = rows.iter().map(|row| Row::new("sqlite_master", row).text("name").expect("a name"));
        assert_eq!(tables.collect::<Vec<_>>(), TABLES);
    }

    /// A part of the file was overwritten.
    #[tokio::test]
    async fn damage_of_a_file_is_found() {
        let directory = tempfile::tempdir().expect("the temporary directory can be written");
        let file = directory.path().join("a.db");
        let url = format!("sqlite://{}", file.display());
        let store = crate::jobs::plans::open_empty(url.clone()).await;
        let large = |_| NewJob { data: format!("\"{}\"", "x".repeat(3_000)), ..job() };
        store.enqueue(&(0..300).map(large).collect::<Vec<_>>(), T0).await.expect("enqueue works");
        store.examine().await.expect("it is sound");
        let empties = "PRAGMA wal_checkpoint(TRUNCATE)";
        store.pool().write().execute_unprepared(empties).await.expect("the log can be emptied");
        store::Store::close(&*store).await;
        drop(store);
        let mut bytes = std::fs::read(&file).expect("it is there");
        // Where the jobs lie, which came last.
        let from = bytes.len() - 512 * 1024;
        bytes[from..from + 128 * 1024].fill(0xa5);
        std::fs::write(&file, bytes).expect("it can be written");
        let store = crate::jobs::plans::open_empty(url).await;
        store.examine().await.expect_err("it is damaged");
    }

    #[tokio::test]
    async fn a_table_that_is_gone_is_missed() {
        for url in ["sqlite::memory:".to_owned(), postgres_database().await] {
            let store = crate::jobs::plans::open_empty(url).await;
            store.examine().await.expect("it is sound");
            let moved = "ALTER TABLE workflow_pause RENAME TO elsewhere";
            store.pool().write().execute_unprepared(moved).await.expect("the role may change its tables");
            store.examine().await.expect_err("it is not there");
        }
    }
}
