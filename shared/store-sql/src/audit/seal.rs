//! Seals: rows of the log that have none get the next numbers of the chain. Of what callers start, the rows of a second
//! become one before.
//!
//! Whoever seals locks the one row that says where the chain ends, and looks for rows again behind that lock, so that
//! several nodes seal each row once.

use domain::audit::{Link, seal};
use domain::time::Timestamp;
use sea_orm::ConnectionTrait;
use store::StoreResult;
use store::audit::{AuditRecord, Chain, Folded, Sealing, fold};
use uuid::Uuid;

use super::list::{COLUMNS, link_of, long, record_of};
use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::pool::{Pool, commit};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::{DatabaseTransaction, Sql};

static BEGIN_CHAIN: Sql = Sql::new(
    "begin_audit_chain",
    "INSERT INTO audit_chain (id, head_seq, head_hash, anchor_seq, anchor_hash) VALUES (1, 0, $1, 0, $1)
     ON CONFLICT DO NOTHING",
);

static CHAIN: Sql = Sql::new(
    "audit_chain",
    "SELECT head_seq, head_hash, anchor_seq, anchor_hash FROM audit_chain WHERE id = 1",
);

static LOCK_CHAIN: Sql = Sql::new(
    "lock_audit_chain",
    "SELECT head_seq, head_hash, anchor_seq, anchor_hash FROM audit_chain WHERE id = 1 {for_update}",
);

static MOVE_HEAD: Sql =
    Sql::new("move_audit_head", "UPDATE audit_chain SET head_seq = $1, head_hash = $2 WHERE id = 1");

static SEAL: Sql = Sql::new(
    "seal_audit",
    "INSERT INTO audit_seal (seq, audit_id, prev_hash, hash)
     SELECT r.seq, r.audit_id, r.prev_hash, r.hash
     FROM {rows $1: seq bigint, audit_id uuid, prev_hash bytes, hash bytes} r WHERE true",
);

// A row for several requests is found by none of them.
static FOLD: Sql = Sql::new(
    "fold_audit",
    "UPDATE audit SET detail = r.said, request_id = NULL FROM {rows $1: key uuid, said text} r WHERE audit.id = r.key",
);

static DROP: Sql = Sql::new("drop_folded_audit", "DELETE FROM audit WHERE id {any $1 uuid}");

// Index: audit_at. $2 how many
static PART: Sql = Sql::new(
    "audit_part",
    "SELECT COUNT(*) AS lines, MAX(p.at) AS last_at
     FROM (SELECT a.at FROM audit a WHERE a.at >= $1 ORDER BY a.at LIMIT $2) p",
);

/// Seals rows that were written since then, and until then where that is given.
pub(super) async fn seal_some(
    pool: &Pool,
    (since, until): (Timestamp, Option<Timestamp>),
    limit: u32,
) -> StoreResult<Sealing> {
    // Most of the time there is nothing, which is found without a lock.
    let first = unsealed(pool.read(), (since, until), 1).await?;
    let Some(since) = first.first().map(|row| row.at) else {
        return nothing(pool).await;
    };
    let transaction = pool.begin().await?;
    let mut head = lock(&transaction).await?.head;
    let mut rows = unsealed(&transaction, (since, until), limit.saturating_add(1)).await?;
    let oldest_left = rows.get(limit as usize).map(|row| row.at);
    rows.truncate(limit as usize);
    let rows = folded(&transaction, pool.dialect(), &rows).await?;
    if !rows.is_empty() {
        let mut seals = Vec::with_capacity(rows.len());
        for row in &rows {
            let made = seal(&row.public_row(), &head);
            head = made.link();
            seals.push((row.id, made));
        }
        let cells = seals.iter().map(|(id, seal)| {
            [
                Cell::Long(long(seal.seq)),
                Cell::Uuid(id.uuid()),
                Cell::Bytes(&seal.prev_hash),
                Cell::Bytes(&seal.hash),
            ]
        });
        SEAL.run(&transaction, bind::rows(pool.dialect(), cells)).await?;
        MOVE_HEAD.run(&transaction, vec![long(head.seq).into(), head.hash.to_vec().into()]).await?;
    }
    commit(transaction).await?;
    Ok(Sealing { sealed: u32::try_from(rows.len()).unwrap_or(u32::MAX), oldest_left, head })
}

/// The same rows, where those of what one caller started in a second are one. They have no seal yet, and whoever gives them
/// one has locked the chain.
async fn folded(
    on: &DatabaseTransaction,
    dialect: Dialect,
    rows: &[AuditRecord],
) -> StoreResult<Vec<AuditRecord>> {
    let folded = fold(rows);
    let several: Vec<&Folded> = folded.iter().filter(|folded| !folded.others.is_empty()).collect();
    if !several.is_empty() {
        let cells = several.iter().map(|folded| {
            let detail = folded.line.detail.as_deref().unwrap_or_default();
            [Cell::Uuid(folded.line.id.uuid()), Cell::Text(detail)]
        });
        FOLD.run(on, bind::rows(dialect, cells)).await?;
        let others: Vec<Uuid> =
            several.iter().flat_map(|folded| &folded.others).map(|id| id.uuid()).collect();
        DROP.run(on, vec![bind::uuids(dialect, others.into_iter())]).await?;
    }
    Ok(folded.into_iter().map(|folded| folded.line).collect())
}

async fn nothing(pool: &Pool) -> StoreResult<Sealing> {
    let head = chain(pool.read()).await?.head;
    Ok(Sealing { sealed: 0, oldest_left: None, head })
}

/// Seals rows among the first so many that were written since then; answers where the next ones begin.
pub(super) async fn seal_part(
    pool: &Pool,
    since: Timestamp,
    rows: u32,
    limit: u32,
) -> StoreResult<(Sealing, Option<Timestamp>)> {
    let (mut lines, mut last_at) = (0, None);
    if let Some(row) = PART.first(pool.read(), vec![since.0.into(), i64::from(rows).into()]).await? {
        let row = Row::new("audit", &row);
        (lines, last_at) = (row.long("lines")?, row.long_or_null("last_at")?);
    }
    let Some(last_at) = last_at else {
        return Ok((nothing(pool).await?, None));
    };
    let sealing = seal_some(pool, (since, Some(Timestamp(last_at))), limit).await?;
    let has_next = lines >= i64::from(rows);
    let next = if sealing.oldest_left.is_some() { Some(since.0) } else { has_next.then_some(last_at + 1) };
    Ok((sealing, next.map(Timestamp)))
}

/// Where the chain begins and ends.
pub(super) async fn chain<C: ConnectionTrait>(on: &C) -> StoreResult<Chain> {
    match CHAIN.first(on, Vec::new()).await? {
        Some(row) => chain_of(Row::new("audit_chain", &row)),
        None => Ok(Chain { anchor: Link::START, head: Link::START }),
    }
}

/// The same, and nobody else moves it until the end of the transaction.
pub(super) async fn lock<C: ConnectionTrait>(on: &C) -> StoreResult<Chain> {
    BEGIN_CHAIN.run(on, vec![Link::START.hash.to_vec().into()]).await?;
    match LOCK_CHAIN.first(on, Vec::new()).await? {
        Some(row) => chain_of(Row::new("audit_chain", &row)),
        None => Ok(Chain { anchor: Link::START, head: Link::START }),
    }
}

fn chain_of(row: Row<'_>) -> StoreResult<Chain> {
    Ok(Chain {
        anchor: link_of(row, "anchor_seq", "anchor_hash")?,
        head: link_of(row, "head_seq", "head_hash")?,
    })
}

// Indexes: audit_at, and that of audit_seal's rows.
async fn unsealed<C: ConnectionTrait>(
    on: &C,
    (since, until): (Timestamp, Option<Timestamp>),
    limit: u32,
) -> StoreResult<Vec<AuditRecord>> {
    let text = format!(
        "SELECT {COLUMNS} FROM audit a WHERE NOT EXISTS (SELECT 1 FROM audit_seal s WHERE s.audit_id = a.id)"
    );
    let mut select = Select::new("unsealed_audit", &text);
    select.with("AND a.at >= $?", since.0);
    select.with_some("AND a.at <= $?", until.map(|until| until.0));
    select.with("ORDER BY a.at, a.id LIMIT $?", i64::from(limit));
    select.all(on).await?.iter().map(record_of).collect()
}
