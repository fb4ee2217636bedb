//! Moving a whole store to another database.
//!
//! The source is the authority until one commit on it says that it was moved. Before that commit a move that breaks off is
//! undone by copying again from the beginning: the target is marked as being filled, so that no server starts on it. After
//! that commit the source refuses every write by its triggers, and what is left is to mark the target as being in use.

mod capture;
mod end;
mod live;
mod offline;
mod only;
mod plan;
mod read;
mod value;
mod write;

use std::fmt::Write as _;

use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, Row as _};
use store::{StoreError, StoreResult};
use uuid::Uuid;

use crate::pool::Pool;
use crate::rows::Row;
use crate::schema::TABLES;
use crate::schema_name::{Database, SchemaName};
use crate::sql::Sql;
use end::{End, failed};

pub(crate) use self::check as check_state;
pub use live::LiveMove;
pub use offline::{MoveEnd, MoveReport, MoveStep, MovedTable, Observer, move_offline};
pub use only::copy_execution;

// What a store says of itself: its protocol, and whether it is in use, being filled, or was moved.

/// The protocols that processes of this version speak to each other through the database. A version that writes what an
/// older one misunderstands raises the last number; the number of a store is raised when no older process is left.
const PROTOCOLS: std::ops::RangeInclusive<i64> = 1..=1;

static STATE: Sql = Sql::new("store_state", "SELECT protocol, state, other FROM store_state WHERE id = 1");

/// Where a store stands.
#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    /// Servers use it, or may.
    Serving,
    /// It is being filled.
    Receiving,
    /// It is filled, and its source does not yet say that it was moved, or did so a moment ago.
    Complete,
    /// It was moved.
    Moved,
}

impl State {
    const fn text(&self) -> &'static str {
        match self {
            Self::Serving => "serving",
            Self::Receiving => "receiving",
            Self::Complete => "complete",
            Self::Moved => "moved",
        }
    }

    fn of(text: &str) -> Option<Self> {
        [Self::Serving, Self::Receiving, Self::Complete, Self::Moved]
            .into_iter()
            .find(|one| one.text() == text)
    }
}

/// The row of a store.
#[derive(Debug, Clone)]
struct Standing {
    /// Where it stands.
    state: State,
    /// The move that it is or was part of.
    move_id: Option<Uuid>,
    /// The other end of that move, without credentials.
    other: Option<String>,
}

impl End {
    /// Reads the row.
    async fn standing(&mut self) -> StoreResult<Standing> {
        type Read = (String, Option<Uuid>, Option<String>);
        let text = "SELECT state, move_id, other FROM store_state WHERE id = 1";
        let read: Option<Result<Read, sqlx::Error>> = match self {
            Self::Postgres(connection) => {
                let row = sqlx::query(text).fetch_optional(connection.as_mut()).await.map_err(failed)?;
                row.map(|row| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?)))
            }
            Self::Sqlite(connection) => {
                let row = sqlx::query(text).fetch_optional(connection.as_mut()).await.map_err(failed)?;
                row.map(|row| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?)))
            }
        };
        let (state, move_id, other) = read.transpose().map_err(failed)?.ok_or_else(|| corrupt("id"))?;
        let state = State::of(&state).ok_or_else(|| corrupt("state"))?;
        Ok(Standing { state, move_id, other })
    }

    /// Writes where the store stands, in a transaction where there is one.
    async fn stand(&mut self, state: &State, move_id: Uuid, other: &str) -> StoreResult<()> {
        let now = self.now().await?;
        let text = |marks: [&str; 4]| {
            let [state, id, other, at] = marks;
            AssertSqlSafe(format!(
                "UPDATE store_state SET state = {state}, move_id = {id}, other = {other}, changed_at = {at} WHERE id = 1"
            ))
        };
        match self {
            Self::Postgres(connection) => {
                let query = sqlx::query(text(["$1", "$2", "$3", "$4"]));
                let query = query.bind(state.text()).bind(move_id).bind(other).bind(now);
                query.execute(connection.as_mut()).await.map(drop)
            }
            Self::Sqlite(connection) => {
                let query = sqlx::query(text(["?1", "?2", "?3", "?4"]));
                let query = query.bind(state.text()).bind(move_id).bind(other).bind(now);
                query.execute(connection.as_mut()).await.map(drop)
            }
        }
        .map_err(failed)
    }
}

fn corrupt(column: &'static str) -> StoreError {
    StoreError::Corrupt { table: "store_state", column, row: "1".to_owned() }
}

/// Refuses a store that was moved, or that a move has not finished, before its schema is brought up to date.
pub(crate) async fn check(database: &Database) -> StoreResult<()> {
    let found = match database {
        Database::SqliteMemory => None,
        Database::SqliteFile(path) if !path.exists() => None,
        Database::SqliteFile(_) => {
            let mut end = End::open(database, false).await?;
            let standing = standing_or_none(&mut end).await;
            end.close().await;
            standing?.map(|standing| (standing.state, standing.other))
        }
        Database::Postgres { options, schema, .. } => postgres_state(options, schema)
            .await
            .map_err(failed)?
            .map(|(state, other)| {
                State::of(&state).map(|state| (state, other)).ok_or_else(|| corrupt("state"))
            })
            .transpose()?,
    };
    found.map_or(Ok(()), |(state, other)| require_serving(&state, other))
}

/// Older stores say nothing of it.
async fn standing_or_none(end: &mut End) -> StoreResult<Option<Standing>> {
    if end.has_table("store_state").await? { end.standing().await.map(Some) } else { Ok(None) }
}

/// Leaves no setting behind: a pooler may lend the session to others afterwards.
async fn postgres_state(
    options: &PgConnectOptions,
    schema: &SchemaName,
) -> Result<Option<(String, Option<String>)>, sqlx::Error> {
    let mut connection = PgConnection::connect_with(options).await?;
    let table = format!("{schema}.store_state");
    let is_there = format!("SELECT to_regclass('{}')::text", table.replace('\'', "''"));
    let is_there = connection.fetch_one(sqlx::raw_sql(AssertSqlSafe(is_there))).await?;
    let found = if is_there.try_get::<Option<String>, _>(0)?.is_some() {
        let text = format!("SELECT state, other FROM {table} WHERE id = 1");
        connection.fetch_optional(sqlx::raw_sql(AssertSqlSafe(text))).await?
    } else {
        None
    };
    connection.close().await?;
    found.map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).transpose()
}

fn require_serving(state: &State, other: Option<String>) -> StoreResult<()> {
    let other = other.unwrap_or_default();
    match state {
        State::Serving => Ok(()),
        State::Moved => Err(StoreError::Moved { to: other }),
        State::Receiving | State::Complete => Err(StoreError::Unfinished { from: other }),
    }
}

/// Fails where no server may run on this store: see [`SqlStore::require_serving`](crate::SqlStore::require_serving).
pub(crate) async fn check_opened(pool: &Pool) -> StoreResult<()> {
    let row = STATE.first(pool.read(), vec![]).await?.ok_or_else(|| corrupt("id"))?;
    let row = Row::new("store_state", &row);
    let state = State::of(&row.text("state")?).ok_or_else(|| corrupt("state"))?;
    require_serving(&state, row.text_or_null("other")?)?;
    let stored = i64::from(row.int("protocol")?);
    if PROTOCOLS.contains(&stored) {
        return Ok(());
    }
    Err(StoreError::Protocol { stored, least: *PROTOCOLS.start(), most: *PROTOCOLS.end() })
}

// The fence around a store that was moved: every write is refused by its own triggers, whichever process of whichever version
// makes it. Reading goes on.

/// Processes show themselves every five seconds.
const SEEN_WITHIN_MS: i64 = 15_000;

impl End {
    /// Begins the transaction in which the store is copied and fenced. Nobody else writes until it ends.
    async fn begin_moving(&mut self) -> StoreResult<()> {
        let text = if self.is_postgres() {
            // It conflicts with every write and with itself, and with no read.
            format!("BEGIN; LOCK TABLE {} IN SHARE ROW EXCLUSIVE MODE", TABLES.join(", "))
        } else {
            "BEGIN IMMEDIATE".to_owned()
        };
        self.run(&text).await
    }

    /// How many servers have shown themselves of late. A SQLite file has its lock instead.
    async fn servers(&mut self) -> StoreResult<i64> {
        if !self.is_postgres() {
            return Ok(0);
        }
        let since = self.now().await? - SEEN_WITHIN_MS;
        let text = format!("SELECT count(*) FROM server WHERE last_seen_at > {since}");
        Ok(self.number(&text).await?.unwrap_or_default())
    }

    /// Fences the store and commits: from here on the other one counts.
    async fn fence(&mut self, move_id: Uuid, to: &str) -> StoreResult<()> {
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

#[cfg(test)]
mod tests {
    use super::end::answered;
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_database_that_goes_silent_stops_the_move() {
        let silent = std::future::pending::<Result<(), sqlx::Error>>();
        let ended = answered(silent).await;
        assert!(matches!(ended, Err(StoreError::Unavailable { .. })), "{ended:?}");
    }
}
