//! What a store says of itself: its protocol, and whether it is in use, being filled, or was moved.

use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, Row as _};
use store::{StoreError, StoreResult};
use uuid::Uuid;

use super::end::End;
use super::failed;
use crate::connect::Database;
use crate::rows::Row;
use crate::schema_name::SchemaName;
use crate::sql::Sql;
use crate::store::SqlStore;

/// The protocols that processes of this version speak to each other through the database. A version that writes what an
/// older one misunderstands raises the last number; the number of a store is raised when no older process is left.
const PROTOCOLS: std::ops::RangeInclusive<i64> = 1..=1;

static STATE: Sql = Sql::new("store_state", "SELECT protocol, state, other FROM store_state WHERE id = 1");

/// Where a store stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
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
pub(super) struct Standing {
    /// Where it stands.
    pub(super) state: State,
    /// The move that it is or was part of.
    pub(super) move_id: Option<Uuid>,
    /// The other end of that move, without credentials.
    pub(super) other: Option<String>,
}

impl End {
    /// Reads the row.
    pub(super) async fn standing(&mut self) -> StoreResult<Standing> {
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
    pub(super) async fn stand(&mut self, state: &State, move_id: Uuid, other: &str) -> StoreResult<()> {
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

impl SqlStore {
    /// Fails where no server may run on this store: it was moved, it is being filled, or its processes speak a protocol that
    /// this version does not.
    pub async fn require_serving(&self) -> StoreResult<()> {
        let row = STATE.first(self.pool().read(), vec![]).await?.ok_or_else(|| corrupt("id"))?;
        let row = Row::new("store_state", &row);
        let state = State::of(&row.text("state")?).ok_or_else(|| corrupt("state"))?;
        require_serving(&state, row.text_or_null("other")?)?;
        let stored = i64::from(row.int("protocol")?);
        if PROTOCOLS.contains(&stored) {
            return Ok(());
        }
        Err(StoreError::Protocol { stored, least: *PROTOCOLS.start(), most: *PROTOCOLS.end() })
    }
}
