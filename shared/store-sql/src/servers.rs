//! Processes of the deployment, as they show themselves.

use async_trait::async_trait;
use domain::id::{Id, ServerId};
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use store::operations::{ServerRecord, ServerStore};

use crate::SqlStore;
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::Sql;

static RECORD: Sql = Sql::new(
    "record_server",
    "INSERT INTO server (id, version, roles, started_at, last_seen_at, clock_offset_ms)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (id) DO UPDATE SET last_seen_at = excluded.last_seen_at, clock_offset_ms = excluded.clock_offset_ms",
);

static FORGET: Sql = Sql::new("forget_servers", "DELETE FROM server WHERE last_seen_at < $1");

static LIST: Sql = Sql::new(
    "list_servers",
    "SELECT * FROM server WHERE last_seen_at >= $1 ORDER BY started_at, id LIMIT 1000",
);

static REMOVE: Sql = Sql::new("remove_server", "DELETE FROM server WHERE id = $1");

#[async_trait]
impl ServerStore for SqlStore {
    async fn record_server(&self, server: &ServerRecord, forget_before: Timestamp) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || async {
            let values = vec![
                server.id.uuid().into(),
                server.version.as_str().into(),
                serde_json::to_string(&server.roles).expect("texts encode").into(),
                server.started_at.0.into(),
                server.last_seen_at.0.into(),
                server.clock_offset_ms.into(),
            ];
            RECORD.run(self.pool().write(), values).await?;
            FORGET.run(self.pool().write(), vec![forget_before.0.into()]).await.map(|_| ())
        })
        .await
    }

    async fn list_servers(&self, since: Timestamp) -> StoreResult<Vec<ServerRecord>> {
        with_retry(RetryBudget::repeatable(), || async {
            LIST.all(self.pool().read(), vec![since.0.into()]).await?.iter().map(server_of).collect()
        })
        .await
    }

    async fn remove_server(&self, id: ServerId) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || async {
            REMOVE.run(self.pool().write(), vec![Id::uuid(id).into()]).await.map(|_| ())
        })
        .await
    }
}

fn server_of(row: &QueryResult) -> StoreResult<ServerRecord> {
    let row = Row::new("server", row);
    let roles: Option<Vec<String>> = row.json_or_null("roles")?;
    Ok(ServerRecord {
        id: ServerId::from_uuid(row.uuid("id")?),
        version: row.text("version")?,
        roles: roles.unwrap_or_default(),
        started_at: row.instant("started_at")?,
        last_seen_at: row.instant("last_seen_at")?,
        clock_offset_ms: row.long("clock_offset_ms")?,
    })
}
