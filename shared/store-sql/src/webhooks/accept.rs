//! Accepting verified deliveries: guards, line, body and job of all of them in one transaction.

use std::collections::{HashMap, HashSet};

use domain::id::DeliveryId;
use domain::queue::LaneId;
use domain::time::Timestamp;
use domain::webhook::DeliveryStatus;
use store::jobs::NewJob;
use store::webhooks::{Acceptance, Accepted, NewDelivery};
use store::{StoreError, StoreResult};

use super::guards::Guarded;
use super::lines::{self, Line};
use super::{accept_fast, guards};
use crate::SqlStore;
use crate::bind;
use crate::claim_row::bump_epoch;
use crate::jobs::enqueue::{insert, prepare};
use crate::pool::{commit_change, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::Sql;

static KNOWN: Sql =
    Sql::new("known_deliveries", "SELECT id, duplicate_of FROM webhook_delivery WHERE id {any $1 uuid}");

pub(super) type Answers = HashMap<DeliveryId, Accepted>;

/// Accepts deliveries. May be repeated: each of them keeps its first answer.
pub(super) async fn accept(
    store: &SqlStore,
    acceptances: &[Acceptance],
    now: Timestamp,
) -> StoreResult<Vec<Accepted>> {
    if acceptances.is_empty() {
        return Ok(Vec::new());
    }
    let lanes = prepare(store, acceptances.iter().map(job_of), now).await?;
    with_retry(RetryBudget::repeatable(), || accept_all(store, acceptances, &lanes, now)).await
}

/// Nearly every delivery is seen for the first time, so their ids are looked up only where the insert finds that one
/// was there.
async fn accept_all(
    store: &SqlStore,
    acceptances: &[Acceptance],
    lanes: &[LaneId],
    now: Timestamp,
) -> StoreResult<Vec<Accepted>> {
    if let Some(answers) = accept_fast::accept(store, acceptances, lanes, now).await? {
        return Ok(answers);
    }
    let mut answers = accept_new(store, acceptances, lanes, Answers::new(), now).await?;
    if answers.is_none() {
        let known = known(store, acceptances).await?;
        answers = accept_new(store, acceptances, lanes, known, now).await?;
    }
    // Stored by somebody else between the look and the insert: the same call, made twice at once.
    let twice = || StoreError::Contended { source: "a delivery is being accepted elsewhere".into() };
    let answers = answers.ok_or_else(twice)?;
    let answer = |acceptance: &Acceptance| answers.get(&acceptance.delivery.id).copied();
    Ok(acceptances.iter().filter_map(answer).collect())
}

/// Accepts those that have no answer yet. Nothing happens, and the answer is `None`, where one of them is there
/// already.
async fn accept_new(
    store: &SqlStore,
    acceptances: &[Acceptance],
    lanes: &[LaneId],
    mut answers: Answers,
    now: Timestamp,
) -> StoreResult<Option<Answers>> {
    let mut seen = HashSet::with_capacity(acceptances.len());
    let is_open = |(acceptance, _): &(&Acceptance, LaneId)| {
        let id = acceptance.delivery.id;
        !answers.contains_key(&id) && seen.insert(id)
    };
    let open = acceptances.iter().zip(lanes.iter().copied()).filter(is_open);
    let (open, lanes): (Vec<&Acceptance>, Vec<LaneId>) = open.unzip();
    if open.is_empty() {
        return Ok(Some(answers));
    }
    let transaction = store.pool().begin().await?;
    let accepted = guards::take(&transaction, &open, now).await?;
    let is_new = |index: &usize| matches!(accepted[*index], Accepted::New(_));
    let new: Vec<usize> = (0..open.len()).filter(is_new).collect();
    let jobs: Vec<NewJob> = new.iter().map(|&index| open[index].job.clone()).collect();
    let lanes: Vec<LaneId> = new.iter().map(|&index| lanes[index]).collect();
    let inserted = insert(&transaction, &jobs, &lanes, now).await?;
    let mut lines: Vec<Line<'_>> =
        open.iter().zip(&accepted).map(|(acceptance, answer)| line(&acceptance.delivery, *answer)).collect();
    for (&index, job) in new.iter().zip(&inserted.answers) {
        lines[index].job_id = Some(job.id);
    }
    if lines::insert(&transaction, &lines).await? < lines.len() as u64 {
        rollback(transaction).await;
        return Ok(None);
    }
    let with_body: Vec<&NewDelivery> = new.iter().map(|&index| &open[index].delivery).collect();
    lines::insert_bodies(&transaction, &with_body).await?;
    let bumps = bump_epoch(&transaction, inserted.older()).await?;
    commit_change(transaction).await?;
    inserted.record(store);
    bumps.record(store);
    answers.extend(open.iter().map(|acceptance| acceptance.delivery.id).zip(accepted));
    Ok(Some(answers))
}

fn job_of(acceptance: &Acceptance) -> &NewJob {
    &acceptance.job
}

fn line(delivery: &NewDelivery, answer: Accepted) -> Line<'_> {
    let (status, duplicate_of) = match answer {
        Accepted::New(_) => (DeliveryStatus::Accepted, None),
        Accepted::Duplicate(first) => (DeliveryStatus::Duplicate, Some(first)),
    };
    Line { delivery, status, job_id: None, duplicate_of, held_at: None }
}

/// The answers of deliveries that are there.
pub(super) async fn known<G: Guarded>(store: &SqlStore, acceptances: &[G]) -> StoreResult<Answers> {
    let ids = acceptances.iter().map(|acceptance| acceptance.delivery().id.uuid());
    let rows = KNOWN.all(store.pool().read(), vec![bind::uuids(store.dialect(), ids)]).await?;
    let answers = rows.iter().map(|row| {
        let row = Row::new("webhook_delivery", row);
        let id = DeliveryId::from_uuid(row.uuid("id")?);
        let first = row.uuid_or_null("duplicate_of")?.map(DeliveryId::from_uuid);
        Ok((id, first.map_or(Accepted::New(id), Accepted::Duplicate)))
    });
    answers.collect()
}
