//! The outbox of an application on a database of its own: calls that it commits there, for a relay to send to a server.
//!
//! One relay sends at a time, under a lease with a term. It is for order and against doubled work: what makes a call that is sent
//! twice harmless is the key of its row.

use std::fmt;
use std::time::Duration;

use domain::time::Timestamp;
use futures::FutureExt as _;
use sqlx::postgres::{PgConnectOptions, PgListener, PgPool, PgPoolOptions, PgRow};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, Row as _};
use store::{StoreError, StoreResult};
use uuid::Uuid;

use super::install::{CHECKS, IntakeRole, IntakeSchema, literal};
use crate::errors::classify_sqlx;
use crate::schema_name::Database;

const INSTALL: &str = include_str!("../../sql/outbox_install.sql");
const UNINSTALL: &str = include_str!("../../sql/outbox_uninstall.sql");

/// Functions of the schema that are ours and can be made again.
const OURS: &str = "SELECT p.oid FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
        WHERE n.nspname = @store_text@ AND p.prorettype <> 'trigger'::regtype AND (
            p.proname IN ('outbox_add', 'outbox_fault', 'outbox_label', 'outbox_common') OR p.oid IN (@offered@))";

/// Those of them that applications call.
const OFFERED: &str = "SELECT p.oid FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
        WHERE n.nspname = @store_text@ AND p.proname IN ('enqueue', 'start', 'signal', 'send_event')
            AND p.prosrc LIKE '%outbox\\_add(%'";

/// What commits notify.
const CHANNEL: &str = "trunkline_outbox";

/// How long the lease of a relay is. One that dies keeps the others waiting for as long at most.
const LEASE: &str = "10 seconds";

/// How much is sent under one look: so many rows, and about so many bytes.
const ROWS_MAX: i64 = 200;
const BYTES_MAX: i64 = 8 * 1024 * 1024;

/// How many notifications are forgotten at once.
const NOTIFICATIONS_MAX: usize = 100_000;

/// How long a connection may take.
const CONNECTS_WITHIN: Duration = Duration::from_secs(5);

/// How long one statement may take, with the wait for a connection.
const STATEMENT_WITHIN: Duration = Duration::from_secs(10);

/// What a row asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutboxKind {
    /// A job.
    Enqueue,
    /// An execution.
    Start,
    /// A signal to an execution.
    Signal,
    /// An event.
    Event,
}

/// A call that was committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxRow {
    /// Its number, by which it is settled.
    pub id: i64,
    /// What it asks for.
    pub kind: OutboxKind,
    /// The execution of a signal.
    pub execution: Option<String>,
    /// Job type, workflow, or name of the signal or event.
    pub name: String,
    /// The key under which it is sent.
    pub key: String,
    /// The body of the request, as JSON.
    pub body: String,
}

/// What a look at the outbox found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutboxStep {
    /// Nothing waits.
    Nothing,
    /// Another relay sends.
    Elsewhere,
    /// These rows are to be sent, in their order, within the lease of this term.
    Rows {
        /// The term of the lease.
        term: i64,
        /// In the order in which their transactions were committed.
        rows: Vec<OutboxRow>,
    },
}

/// A row that the server refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxRefusal {
    /// Its number.
    pub id: i64,
    /// Why, for people.
    pub reason: String,
}

/// What is in an outbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxStatus {
    /// How many calls wait.
    pub waiting: u64,
    /// When the oldest of them was made.
    pub oldest_at: Option<Timestamp>,
    /// Calls that the server refused, the latest first.
    pub refused: Vec<RefusedOutbox>,
}

/// A call that the server refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedOutbox {
    /// Its number in the table.
    pub id: i64,
    /// `enqueue`, `start`, `signal` or `event`.
    pub kind: String,
    /// Job type, workflow, or name of the signal or event.
    pub name: String,
    /// The key under which it was sent.
    pub key: String,
    /// When it was refused.
    pub refused_at: Timestamp,
    /// Why, for people.
    pub reason: String,
}

/// An outbox in the database of an application.
pub struct Outbox {
    options: PgConnectOptions,
    pool: PgPool,
    schema: IntakeSchema,
    holder: Uuid,
    listener: Option<PgListener>,
}

impl fmt::Debug for Outbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outbox").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl Outbox {
    /// The outbox in this schema of a PostgreSQL database. `holder` distinguishes this relay from others. Connects later.
    pub fn open(url: &str, schema: IntakeSchema, holder: Uuid) -> StoreResult<Self> {
        let Database::Postgres { options, .. } = Database::parse(url, "public")? else {
            return Err(StoreError::Url { reason: "an outbox is in a PostgreSQL database".to_owned() });
        };
        // A pooler may lend each statement another session, which does not know what was prepared in the last one.
        let options = options.statement_cache_capacity(0);
        let pool = PgPoolOptions::new()
            .max_connections(2)
            .acquire_timeout(CONNECTS_WITHIN)
            .connect_lazy_with(options.clone());
        Ok(Self { options, pool, schema, holder, listener: None })
    }

    /// Where the database is, without credentials.
    pub fn address(&self) -> String {
        let database = self.options.get_database().unwrap_or_else(|| self.options.get_username());
        format!("postgres://{}:{}/{database}", self.options.get_host(), self.options.get_port())
    }

    /// Fails at once where the database refuses connections. The pool, which is for a relay that waits for it, tries again
    /// until its time is up.
    pub async fn require_reachable(&self) -> StoreResult<()> {
        let connects = PgConnection::connect_with(&self.options);
        match tokio::time::timeout(CONNECTS_WITHIN, connects).await {
            Ok(Ok(connection)) => {
                // It was opened: nothing depends on how it is closed.
                let _ = connection.close().await;
                Ok(())
            }
            Ok(Err(error)) => Err(failed(error)),
            Err(_) => {
                let source = format!("no answer within {} s", CONNECTS_WITHIN.as_secs());
                Err(StoreError::Unavailable { source: source.into() })
            }
        }
    }

    /// Makes the table and the functions, or makes the functions anew, and lets a role call them. All or nothing.
    pub async fn install(&self, role: &IntakeRole) -> StoreResult<()> {
        let text = INSTALL
            .replace("@checks@", &CHECKS.replace("intake_", "outbox_"))
            .replace("@role@", &role.0.to_string())
            .replace("@role_text@", &literal(role.as_str()));
        self.run_script(&text).await
    }

    /// Takes the functions away from everybody. What waits stays, and can still be sent.
    pub async fn uninstall(&self) -> StoreResult<()> {
        self.run_script(UNINSTALL).await
    }

    /// What waits, and the last calls that were refused.
    pub async fn status(&self, refused_max: u32) -> StoreResult<OutboxStatus> {
        let waiting = self.sql(
            "SELECT count(*), floor(extract(epoch FROM min(created_at)) * 1000)::bigint FROM @store@.outbox
             WHERE refused_at IS NULL",
        );
        let waiting = within(sqlx::query(waiting).fetch_one(&self.pool)).await?;
        let refused = self.sql(
            "SELECT id, kind, name, key, floor(extract(epoch FROM refused_at) * 1000)::bigint, refusal
             FROM @store@.outbox WHERE refused_at IS NOT NULL ORDER BY refused_at DESC LIMIT $1",
        );
        let refused = within(sqlx::query(refused).bind(i64::from(refused_max)).fetch_all(&self.pool)).await?;
        status_of(&waiting, &refused).map_err(failed)
    }

    /// The rows that wait, with the lease on sending them.
    pub async fn take(&mut self) -> StoreResult<OutboxStep> {
        // Whatever was committed before is among the rows.
        self.forget_notifications();
        let mut rows = self.rows().await?;
        if rows.is_empty() {
            return Ok(OutboxStep::Nothing);
        }
        let lease = self.sql(&format!(
            "UPDATE @store@.outbox_lease AS l SET holder = $1, lease_until = clock_timestamp() + interval '{LEASE}',
               term = l.term + CASE WHEN was.is_ours THEN 0 ELSE 1 END
             FROM (SELECT id, holder IS NOT DISTINCT FROM $1 AS is_ours FROM @store@.outbox_lease WHERE id = 1 FOR UPDATE) was
             WHERE l.id = was.id AND (was.is_ours OR l.holder IS NULL OR l.lease_until < clock_timestamp())
             RETURNING l.term, was.is_ours"
        ));
        let leased = within(sqlx::query(lease).bind(self.holder).fetch_optional(&self.pool)).await?;
        let Some(leased) = leased else {
            return Ok(OutboxStep::Elsewhere);
        };
        let term = leased.try_get(0).map_err(failed)?;
        if !leased.try_get::<bool, _>(1).map_err(failed)? {
            // Whoever had it before may have sent some of them meanwhile.
            rows = self.rows().await?;
        }
        Ok(OutboxStep::Rows { term, rows })
    }

    /// Removes rows that were sent, and keeps those that were refused with the reason, if the lease of this term still holds.
    /// Answers whether it does.
    pub async fn settle(&self, term: i64, sent: &[i64], refused: &[OutboxRefusal]) -> StoreResult<bool> {
        within(self.settle_once(term, sent, refused)).await
    }

    async fn settle_once(
        &self,
        term: i64,
        sent: &[i64],
        refused: &[OutboxRefusal],
    ) -> Result<bool, sqlx::Error> {
        let holds =
            "SELECT term FROM @store@.outbox_lease WHERE id = 1 AND holder = $1 AND term = $2 FOR UPDATE";
        let removed = "DELETE FROM @store@.outbox WHERE id = ANY($1)";
        let kept = "UPDATE @store@.outbox SET refused_at = clock_timestamp(), refusal = $2 WHERE id = $1";
        let mut transaction = self.pool.begin().await?;
        let held = sqlx::query(self.sql(holds)).bind(self.holder).bind(term);
        if held.fetch_optional(&mut *transaction).await?.is_none() {
            transaction.rollback().await?;
            return Ok(false);
        }
        sqlx::query(self.sql(removed)).bind(sent).execute(&mut *transaction).await?;
        for refusal in refused {
            let query = sqlx::query(self.sql(kept)).bind(refusal.id).bind(&refusal.reason);
            query.execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(true)
    }

    /// Waits until something is committed, for so long at most. Behind a pooler that lends sessions out by transaction nothing is
    /// heard.
    pub async fn wait(&mut self, at_most: Duration) {
        if self.listener.is_none() {
            self.listener = within(listen(&self.pool)).await.ok();
        }
        let Some(listener) = &mut self.listener else {
            return tokio::time::sleep(at_most).await;
        };
        if let Ok(Err(error)) = tokio::time::timeout(at_most, listener.recv()).await {
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "notifications of the outbox cannot be received"
            );
            self.listener = None;
            tokio::time::sleep(at_most).await;
        }
    }

    /// Reads what was notified while nobody waited: as long as there is something to send, or the server that it is sent to is
    /// away. A session that is not read cannot send more, keeps PostgreSQL from forgetting notifications, and makes commits
    /// of the application fail in the end.
    fn forget_notifications(&mut self) {
        for _ in 0..NOTIFICATIONS_MAX {
            let Some(listener) = &mut self.listener else { return };
            match tokio::task::unconstrained(listener.recv()).now_or_never() {
                Some(Ok(_)) => {}
                Some(Err(error)) => {
                    tracing::debug!(
                        error = &error as &dyn std::error::Error,
                        "notifications of the outbox cannot be received"
                    );
                    self.listener = None;
                }
                None => return,
            }
        }
    }

    /// Gives the lease back and ends the connections.
    pub async fn close(self) {
        let release = self.sql("UPDATE @store@.outbox_lease SET holder = NULL WHERE id = 1 AND holder = $1");
        if let Err(error) = within(sqlx::query(release).bind(self.holder).execute(&self.pool)).await {
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "the lease on the outbox could not be released and will expire"
            );
        }
        drop(self.listener);
        let _ = tokio::time::timeout(STATEMENT_WITHIN, self.pool.close()).await;
    }

    async fn rows(&self) -> StoreResult<Vec<OutboxRow>> {
        let text = self.sql(
            "SELECT b.id, b.kind, b.execution, b.name, b.key, b.body
             FROM (SELECT o.*, sum(octet_length(o.body)) OVER (ORDER BY o.position, o.id) - octet_length(o.body) AS before
                   FROM (SELECT * FROM @store@.outbox WHERE refused_at IS NULL ORDER BY position LIMIT $1) o) b
             WHERE b.before < $2 ORDER BY b.position, b.id",
        );
        let rows = within(sqlx::query(text).bind(ROWS_MAX).bind(BYTES_MAX).fetch_all(&self.pool)).await?;
        rows.iter().map(row_of).collect::<Result<_, _>>().map_err(failed)
    }

    async fn run_script(&self, script: &str) -> StoreResult<()> {
        within(self.run_script_once(&script.replace("@ours@", OURS).replace("@offered@", OFFERED))).await
    }

    async fn run_script_once(&self, script: &str) -> Result<(), sqlx::Error> {
        let mut transaction = self.pool.begin().await?;
        transaction.execute(sqlx::raw_sql(self.sql(script))).await?;
        transaction.commit().await
    }

    fn sql(&self, text: &str) -> AssertSqlSafe<String> {
        let schema = &self.schema.0;
        AssertSqlSafe(
            text.replace("@store@", &schema.to_string()).replace("@store_text@", &literal(schema.as_str())),
        )
    }
}

async fn listen(pool: &PgPool) -> Result<PgListener, sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(CHANNEL).await?;
    Ok(listener)
}

fn status_of(waiting: &PgRow, refused: &[PgRow]) -> Result<OutboxStatus, sqlx::Error> {
    Ok(OutboxStatus {
        waiting: waiting.try_get::<i64, _>(0)?.unsigned_abs(),
        oldest_at: waiting.try_get::<Option<i64>, _>(1)?.map(Timestamp),
        refused: refused.iter().map(refused_of).collect::<Result<_, _>>()?,
    })
}

fn refused_of(row: &PgRow) -> Result<RefusedOutbox, sqlx::Error> {
    Ok(RefusedOutbox {
        id: row.try_get(0)?,
        kind: row.try_get(1)?,
        name: row.try_get(2)?,
        key: row.try_get(3)?,
        refused_at: Timestamp(row.try_get(4)?),
        reason: row.try_get::<Option<String>, _>(5)?.unwrap_or_default(),
    })
}

fn row_of(row: &PgRow) -> Result<OutboxRow, sqlx::Error> {
    let kind = match row.try_get(1)? {
        "enqueue" => OutboxKind::Enqueue,
        "start" => OutboxKind::Start,
        "signal" => OutboxKind::Signal,
        "event" => OutboxKind::Event,
        other => return Err(sqlx::Error::Decode(format!("a row of the unknown kind {other}").into())),
    };
    Ok(OutboxRow {
        id: row.try_get(0)?,
        kind,
        execution: row.try_get(2)?,
        name: row.try_get(3)?,
        key: row.try_get(4)?,
        body: row.try_get(5)?,
    })
}

/// A call that is given up when it takes too long.
async fn within<T>(call: impl Future<Output = Result<T, sqlx::Error>>) -> StoreResult<T> {
    match tokio::time::timeout(STATEMENT_WITHIN, call).await {
        Ok(answered) => answered.map_err(failed),
        Err(elapsed) => Err(StoreError::Unavailable { source: elapsed.into() }),
    }
}

fn failed(error: sqlx::Error) -> StoreError {
    classify_sqlx("outbox", error)
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use testkit::database::postgres_database;
    use testkit::eventually;
    use tokio::sync::Mutex;

    use super::*;

    /// More than the buffers of a connection hold.
    const FLOOD: &str =
        "SELECT pg_notify('trunkline_outbox', repeat('x', 7000) || n) FROM generate_series(1, 4000) n";

    /// Sessions of this database that wait for somebody to read what they send.
    async fn unread(on: &Mutex<PgConnection>) -> i64 {
        let text = "SELECT count(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event = 'ClientWrite'";
        let row = sqlx::query(text).fetch_one(&mut *on.lock().await).await;
        row.expect("sessions can be read").get(0)
    }

    /// A pool would try again until its time is up, and then only say that it is.
    #[tokio::test]
    async fn a_database_that_refuses_connections_is_said_so_at_once() {
        let schema = IntakeSchema::parse("trunkline").expect("it is a name");
        let url = "postgres://shop:s3cret@127.0.0.1:9/orders";
        let outbox = Outbox::open(url, schema, Uuid::from_u128(1)).expect("it is on PostgreSQL");
        let away = outbox.require_reachable().await.expect_err("nobody listens there");
        let cause = away.source().expect("the driver says why").to_string();
        assert!(matches!(away, StoreError::Unavailable { .. }) && cause.contains("refused"), "{cause}");
        assert_eq!(outbox.address(), "postgres://127.0.0.1:9/orders");
    }

    /// The server is away, so that calls wait and the relay asks for them again and again.
    #[tokio::test]
    async fn notifications_are_read_while_calls_wait() {
        let url = postgres_database().await;
        let schema = IntakeSchema::parse("trunkline").expect("it is a name");
        let mut outbox = Outbox::open(&url, schema, Uuid::from_u128(1)).expect("it is on PostgreSQL");
        let (_, name) = url.rsplit_once('/').expect("the database has a name");
        let role = IntakeRole::parse(&format!("shop_{name}")).expect("it is a name");
        outbox.install(&role).await.expect("it is made");
        outbox.wait(Duration::from_millis(1)).await;
        assert!(outbox.listener.is_some());
        let mut application = PgConnection::connect(&url).await.expect("the server answers");
        application.execute("SELECT trunkline.enqueue('mail')").await.expect("it is committed");
        application.execute(FLOOD).await.expect("it is committed");
        let application = Mutex::new(application);
        eventually("the session can send no more", || async { unread(&application).await == 1 }).await;
        let outbox = Mutex::new(outbox);
        eventually("all of it is read", || async {
            let step = outbox.lock().await.take().await.expect("the database answers");
            assert!(matches!(&step, OutboxStep::Rows { rows, .. } if rows.len() == 1), "{step:?}");
            unread(&application).await == 0
        })
        .await;
    }
}
