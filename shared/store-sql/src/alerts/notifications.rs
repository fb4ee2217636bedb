//! Notifications: made with the alert, taken by who sends them, settled after each try.

use domain::id::{AlertId, Id, NotificationId};
use domain::time::Timestamp;
use sea_orm::{ConnectionTrait, QueryResult};
use store::alerts::{Notification, NotificationStatus};
use store::audit::AuditRecord;
use store::{Page, PageRequest, StoreResult};

use crate::audit;
use crate::pool::{Pool, commit, commit_change, rollback};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

static INSERT: Sql = Sql::new(
    "add_notification",
    "INSERT INTO alert_notification (id, alert_id, route, kind, body, status, tries, due_at, error, created_at, sent_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING",
);

// Whoever moves the due time has taken it.
// Index: alert_notification_due. $1 now, $2 until when nobody else tries, $3 how many
static TAKE: Sql = Sql::new(
    "take_notifications",
    "UPDATE alert_notification SET due_at = $2 WHERE status = 'pending' AND due_at <= $1 AND id IN (
         SELECT id FROM alert_notification WHERE status = 'pending' AND due_at <= $1
         ORDER BY due_at LIMIT $3 {for_update_skip}
     ) RETURNING *",
);

static SETTLE: Sql = Sql::new(
    "settle_notification",
    "UPDATE alert_notification SET status = $2, tries = $3, due_at = $4, error = $5, sent_at = $6
     WHERE id = $1 AND status = 'pending'",
);

static RETRY: Sql = Sql::new(
    "retry_notification",
    "UPDATE alert_notification SET status = 'pending', tries = 0, due_at = $2
     WHERE id = $1 AND status <> 'sent' RETURNING *",
);

/// Adds one that somebody asks for.
pub(super) async fn add(pool: &Pool, notification: &Notification) -> StoreResult<()> {
    let transaction = pool.begin().await?;
    insert(&transaction, notification).await?;
    commit_change(transaction).await
}

/// Adds one to the transaction of what it is about.
pub(super) async fn insert<C: ConnectionTrait>(on: &C, notification: &Notification) -> StoreResult<()> {
    let values = vec![
        notification.id.uuid().into(),
        notification.alert_id.map(Id::uuid).into(),
        notification.route.as_str().into(),
        notification.kind.as_str().into(),
        notification.body.as_str().into(),
        notification.status.as_str().into(),
        (notification.tries as i32).into(),
        notification.due_at.0.into(),
        notification.error.clone().into(),
        notification.created_at.0.into(),
        notification.sent_at.map(|at| at.0).into(),
    ];
    INSERT.run(on, values).await.map(|_| ())
}

/// Takes those that are due.
pub(super) async fn take(
    pool: &Pool,
    now: Timestamp,
    until: Timestamp,
    limit: u32,
) -> StoreResult<Vec<Notification>> {
    let values = vec![now.0.into(), until.0.into(), i64::from(limit).into()];
    TAKE.all(pool.write(), values).await?.iter().map(notification_of).collect()
}

/// Writes what a try came to.
pub(super) async fn settle(pool: &Pool, notification: &Notification) -> StoreResult<()> {
    let values = vec![
        notification.id.uuid().into(),
        notification.status.as_str().into(),
        (notification.tries as i32).into(),
        notification.due_at.0.into(),
        notification.error.clone().into(),
        notification.sent_at.map(|at| at.0).into(),
    ];
    SETTLE.run(pool.write(), values).await.map(|_| ())
}

/// Notifications, newest first.
pub(super) async fn list(
    pool: &Pool,
    statuses: &[NotificationStatus],
    page: PageRequest,
) -> StoreResult<Page<Notification>> {
    let mut select = Select::new("list_notifications", "SELECT * FROM alert_notification WHERE true");
    let has = |status: NotificationStatus| statuses.is_empty() || statuses.contains(&status);
    for status in NotificationStatus::ALL.into_iter().filter(|status| !has(*status)) {
        select.with("AND status <> $?", status.as_str());
    }
    select.with_some("AND id < $?", page.after);
    select.with("ORDER BY id DESC LIMIT $?", i64::from(page.limit) + 1);
    let all: StoreResult<Vec<_>> = select.all(pool.lists()).await?.iter().map(notification_of).collect();
    Ok(Page::cut(all?, page.limit, |notification| Id::uuid(notification.id)))
}

/// Has one tried again now.
pub(super) async fn retry(
    pool: &Pool,
    id: NotificationId,
    now: Timestamp,
    lines: &[AuditRecord],
) -> StoreResult<Option<Notification>> {
    let transaction = pool.begin().await?;
    let Some(row) = RETRY.first(&transaction, vec![id.uuid().into(), now.0.into()]).await? else {
        rollback(transaction).await;
        return Ok(None);
    };
    let notification = notification_of(&row)?;
    audit::append(&transaction, pool.dialect(), lines).await?;
    commit(transaction).await?;
    Ok(Some(notification))
}

/// Reads a row of `alert_notification`.
fn notification_of(row: &QueryResult) -> StoreResult<Notification> {
    let row = Row::new("alert_notification", row);
    Ok(Notification {
        id: NotificationId::from_uuid(row.uuid("id")?),
        alert_id: row.uuid_or_null("alert_id")?.map(AlertId::from_uuid),
        route: row.text("route")?,
        kind: row.text("kind")?,
        body: row.text("body")?,
        status: row.parsed("status", NotificationStatus::parse)?,
        tries: row.count("tries")?,
        due_at: row.instant("due_at")?,
        error: row.text_or_null("error")?,
        created_at: row.instant("created_at")?,
        sent_at: row.instant_or_null("sent_at")?,
    })
}
