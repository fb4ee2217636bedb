//! Idempotency keys: the unique key of the row decides who carries a request out.

use domain::names::TenantName;
use domain::time::Timestamp;
use store::StoreResult;
use store::access::{Idempotency, IdempotencyReservation};
use uuid::Uuid;

use crate::dialect::Dialect;
use crate::pool::{Pool, commit};
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};

static INSERT: Sql = Sql::new(
    "reserve_idempotency",
    "INSERT INTO idempotency (owner, key, fingerprint, seed, process, reserved_at, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $6) ON CONFLICT (owner, key) DO NOTHING",
);

static SELECT: Sql =
    Sql::new("reserved_idempotency", "SELECT * FROM idempotency WHERE owner = $1 AND key = $2 {for_update}");

static RENEW: Sql = Sql::new(
    "renew_idempotency",
    "UPDATE idempotency SET fingerprint = $3, seed = $4, process = $5, response_status = NULL, response_body = NULL,
       reserved_at = $6, created_at = $6
     WHERE owner = $1 AND key = $2",
);

static TAKE_OVER: Sql = Sql::new(
    "take_over_idempotency",
    "UPDATE idempotency SET process = $3, reserved_at = $4 WHERE owner = $1 AND key = $2",
);

// The first answer stays: who repeated a lost request made the same ids, and so the same answer.
static ANSWER: Sql = Sql::new(
    "answer_idempotency",
    "UPDATE idempotency SET response_status = $3, response_body = $4
     WHERE owner = $1 AND key = $2 AND response_status IS NULL",
);

// The seed stays: whether the failed call was carried out may not be known (a commit whose answer was lost), and a
// repeat has to make the same rows.
static FORGET: Sql = Sql::new(
    "forget_idempotency",
    "UPDATE idempotency SET reserved_at = 0
     WHERE owner = $1 AND key = $2 AND process = $3 AND response_status IS NULL",
);

// A reservation that was given back, or answered by a repeat, is not held by anybody.
static KEEP: Sql = Sql::new(
    "keep_idempotency",
    "UPDATE idempotency SET reserved_at = $4
     WHERE owner = $1 AND key = $2 AND process = $3 AND reserved_at > 0 AND response_status IS NULL",
);

/// `reserved_at` of a key that was given back.
const GIVEN_BACK: Timestamp = Timestamp(0);

/// Reserves a key.
pub(super) async fn reserve(
    pool: &Pool,
    reservation: &IdempotencyReservation,
    now: Timestamp,
) -> StoreResult<Idempotency> {
    loop {
        let transaction = pool.begin().await?;
        let answer = reserve_in(pool.dialect(), &transaction, reservation, now).await?;
        commit(transaction).await?;
        if let Some(answer) = answer {
            return Ok(answer);
        }
    }
}

/// `None` where the key was given back between two statements: the caller begins again.
async fn reserve_in(
    dialect: Dialect,
    transaction: &DatabaseTransaction,
    reservation: &IdempotencyReservation,
    now: Timestamp,
) -> StoreResult<Option<Idempotency>> {
    let (owner, key) = (reservation.owner.as_str(), reservation.key.as_str());
    let whole = || {
        vec![
            owner.into(),
            key.into(),
            reservation.fingerprint.as_str().into(),
            reservation.seed.into(),
            reservation.process.into(),
            now.0.into(),
        ]
    };
    if INSERT.run(transaction, whole()).await? > 0 {
        return Ok(Some(Idempotency::Proceed { seed: reservation.seed }));
    }
    let Some(row) = SELECT.first(transaction, vec![owner.into(), key.into()]).await? else {
        return Ok(None);
    };
    let row = Row::new("idempotency", &row);
    if row.instant("created_at")? < reservation.forget_before {
        RENEW.run(transaction, whole()).await?;
        return Ok(Some(Idempotency::Proceed { seed: reservation.seed }));
    }
    let reserved_at = row.instant("reserved_at")?;
    let is_answered = row.count_or_null("response_status")?.is_some();
    let is_given_back = reserved_at == GIVEN_BACK && !is_answered;
    if row.text("fingerprint")? != reservation.fingerprint {
        if !is_given_back {
            return Ok(Some(Idempotency::Reused));
        }
        RENEW.run(transaction, whole()).await?;
        return Ok(Some(Idempotency::Proceed { seed: reservation.seed }));
    }
    // The same call of the store, whose answer was lost.
    if row.uuid("seed")? == reservation.seed && !is_answered {
        return Ok(Some(Idempotency::Proceed { seed: reservation.seed }));
    }
    if let Some(status) = row.count_or_null("response_status")? {
        let status = u16::try_from(status).map_err(|_| row.fault("response_status"))?;
        let body = row.text_or_null("response_body")?.unwrap_or_default();
        return Ok(Some(Idempotency::Replay { status, body }));
    }
    // A SQLite database has one process at a time, so any other one's requests were lost with it. On PostgreSQL a process
    // keeps the reservations of its requests young: an old one is of a process that is gone or frozen, and one that comes
    // back finds that it does not hold the reservation any more.
    let is_orphan = dialect == Dialect::Sqlite && row.uuid("process")? != reservation.process;
    if !is_orphan && !is_given_back && reserved_at >= reservation.stale_before {
        return Ok(Some(Idempotency::InFlight));
    }
    let taker = vec![owner.into(), key.into(), reservation.process.into(), now.0.into()];
    TAKE_OVER.run(transaction, taker).await?;
    Ok(Some(Idempotency::Proceed { seed: row.uuid("seed")? }))
}

/// Whose payloads an answer holds that is kept for an owner: owners that are bound to a tenant begin with its name. `None` for
/// those who may see all of them.
pub(super) fn tenant_of(owner: &str) -> Option<TenantName> {
    let (name, _) = owner.split_once('/')?;
    // Others have a subject of their identity provider here, which may have any form but that of a name before the slash.
    TenantName::parse(name).ok()
}

/// What names the answer under a key.
pub(super) fn place(owner: &str, key: &str) -> String {
    format!("{owner}\n{key}")
}

/// Stores the answer under a reserved key.
pub(super) async fn answer(pool: &Pool, owner: &str, key: &str, status: u16, body: &str) -> StoreResult<()> {
    let values = vec![owner.into(), key.into(), i32::from(status).into(), body.into()];
    ANSWER.run(pool.write(), values).await.map(|_| ())
}

/// Gives a reserved key back that was not answered.
pub(super) async fn forget(pool: &Pool, (owner, key): (&str, &str), process: Uuid) -> StoreResult<()> {
    FORGET.run(pool.write(), vec![owner.into(), key.into(), process.into()]).await.map(|_| ())
}

/// Keeps a reservation young; answers whether the process still holds it.
pub(super) async fn keep(
    pool: &Pool,
    (owner, key): (&str, &str),
    process: Uuid,
    now: Timestamp,
) -> StoreResult<bool> {
    let values = vec![owner.into(), key.into(), process.into(), now.0.into()];
    Ok(KEEP.run(pool.write(), values).await? > 0)
}
