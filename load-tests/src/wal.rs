//! What PostgreSQL wrote to its log, read record by record. The server is private and runs one thing at a time, so that all
//! of it belongs to what is measured.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use sqlx::Executor;
use sqlx::postgres::PgPool;

use crate::database::connect;

/// Records of other databases do not count. A record takes a multiple of eight bytes. Images of whole pages are taken
/// out: how many there are depends on when the last checkpoint was.
const RECORDS: &str = "
    WITH record AS (
        SELECT resource_manager || ' ' || replace(record_type, '+INIT', '') AS kind,
            (record_length - fpi_length + 7) / 8 * 8 AS bytes, fpi_length AS images,
            regexp_match(block_ref, 'rel \\d+/(\\d+)/(\\d+)') AS place
        FROM pg_get_wal_records_info($1::pg_lsn, $2::pg_lsn)
    ), summed AS MATERIALIZED (
        SELECT kind, place[2]::oid AS node, count(*) AS records, sum(bytes)::bigint AS bytes, sum(images)::bigint AS images
        FROM record
        WHERE place IS NULL OR place[1]::oid IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
        GROUP BY 1, 2
    )
    SELECT s.kind, coalesce((SELECT c.relname::text FROM pg_class c WHERE pg_relation_filenode(c.oid) = s.node), '–'),
        s.records, s.bytes, s.images
    FROM summed s";

/// The log of the server, read from one database.
#[derive(Debug)]
pub(crate) struct Wal {
    pool: PgPool,
}

/// Records of one kind that are about one table or index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) records: i64,
    pub(crate) bytes: i64,
    pub(crate) image_bytes: i64,
}

/// By kind, and by table or index.
pub(crate) type Records = BTreeMap<(String, String), Written>;

impl Wal {
    /// Begins on a database. Its tables are vacuumed when that is asked for, and not in between.
    pub(crate) async fn open(url: &str, tables: &[&str]) -> Result<Self> {
        let pool = connect(url, 1).await?;
        pool.execute("CREATE EXTENSION IF NOT EXISTS pg_walinspect")
            .await
            .context("the role may not read the log: it takes the extension pg_walinspect and a superuser")?;
        for table in tables {
            let statement = format!("ALTER TABLE {table} SET (autovacuum_enabled = false)");
            pool.execute(sqlx::AssertSqlSafe(statement)).await?;
        }
        pool.execute("CHECKPOINT").await?;
        Ok(Self { pool })
    }

    /// How far the log goes. Whatever is committed lies before it.
    pub(crate) async fn mark(&self) -> Result<String> {
        Ok(sqlx::query_scalar("SELECT pg_current_wal_flush_lsn()::text").fetch_one(&self.pool).await?)
    }

    /// Vacuums tables and their indexes.
    pub(crate) async fn vacuum(&self, tables: &[&str]) -> Result<()> {
        for table in tables {
            let statement = format!("VACUUM (INDEX_CLEANUP ON) {table}");
            self.pool.execute(sqlx::AssertSqlSafe(statement)).await?;
        }
        Ok(())
    }

    /// Adds what was written between two marks.
    pub(crate) async fn add(&self, to: &mut Records, (from, until): (&str, &str)) -> Result<()> {
        if from == until {
            return Ok(());
        }
        let rows: Vec<(String, String, i64, i64, i64)> =
            sqlx::query_as(RECORDS).bind(from).bind(until).fetch_all(&self.pool).await?;
        for (kind, relation, records, bytes, image_bytes) in rows {
            let written = to.entry((kind, relation)).or_default();
            written.records += records;
            written.bytes += bytes;
            written.image_bytes += image_bytes;
        }
        Ok(())
    }

    /// Ends reading.
    pub(crate) async fn close(self) {
        self.pool.close().await;
    }
}
