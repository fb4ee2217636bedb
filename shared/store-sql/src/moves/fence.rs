//! The fence around a store that was moved: every write is refused by its own triggers, whichever process of whichever version
//! makes it. Reading goes on.

use std::fmt::Write as _;

use store::StoreResult;
use uuid::Uuid;

use super::end::End;
use super::state::State;
use crate::schema::TABLES;

/// Processes show themselves every five seconds.
const SEEN_WITHIN_MS: i64 = 15_000;

impl End {
    /// Begins the transaction in which the store is copied and fenced. Nobody else writes until it ends.
    pub(super) async fn begin_moving(&mut self) -> StoreResult<()> {
        let text = if self.is_postgres() {
            // It conflicts with every write and with itself, and with no read.
            format!("BEGIN; LOCK TABLE {} IN SHARE ROW EXCLUSIVE MODE", TABLES.join(", "))
        } else {
            "BEGIN IMMEDIATE".to_owned()
        };
        self.run(&text).await
    }

    /// How many servers have shown themselves of late. A SQLite file has its lock instead.
    pub(super) async fn servers(&mut self) -> StoreResult<i64> {
        if !self.is_postgres() {
            return Ok(0);
        }
        let since = self.now().await? - SEEN_WITHIN_MS;
        let text = format!("SELECT count(*) FROM server WHERE last_seen_at > {since}");
        Ok(self.number(&text).await?.unwrap_or_default())
    }

    /// Fences the store and commits: from here on the other one counts.
    pub(super) async fn fence(&mut self, move_id: Uuid, to: &str) -> StoreResult<()> {
        self.stand(&State::Moved, move_id, to).await?;
        let reason = format!("this database was moved to {to}").replace('\'', "''");
        let text = if self.is_postgres() { postgres_triggers(&reason) } else { sqlite_triggers(&reason) };
        self.run(&text).await?;
        self.run("COMMIT").await
    }
}

/// The code is that of a transaction that may not write: callers are asked to come again.
fn postgres_triggers(reason: &str) -> String {
    let mut text = format!(
        "CREATE FUNCTION trunkline_moved() RETURNS trigger LANGUAGE plpgsql AS $moved$
         BEGIN RAISE EXCEPTION USING MESSAGE = '{reason}', ERRCODE = '25006'; END $moved$;"
    );
    for table in TABLES {
        // Text takes whatever is written to it.
        let _ = write!(
            text,
            "CREATE TRIGGER trunkline_moved BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON {table}
             FOR EACH STATEMENT EXECUTE FUNCTION trunkline_moved();"
        );
    }
    text
}

fn sqlite_triggers(reason: &str) -> String {
    let mut text = String::new();
    for table in TABLES {
        for event in ["INSERT", "UPDATE", "DELETE"] {
            // Text takes whatever is written to it.
            let _ = write!(
                text,
                "CREATE TRIGGER moved_{event}_{table} BEFORE {event} ON {table}
                 BEGIN SELECT RAISE(ABORT, '{reason}'); END;"
            );
        }
    }
    text
}
