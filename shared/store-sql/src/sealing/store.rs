//! Sealing and opening as the operations of the store use them.

use std::borrow::Cow;
use std::sync::Arc;

use domain::id::{ExecutionId, JobId};
use domain::job::Disposition;
use domain::names::TenantName;
use domain::time::{DurationMs, Timestamp};
use store::executions::{InboxRow, LoadedExecution};
use store::jobs::{ClaimedJob, GiveBack, JobStore as _, LeaseExtension, Settlement};
use store::schedules::{ScheduleFire, SlotAction, SlotDecision};
use store::{StoreError, StoreResult};

use super::fields::{InboxPayload, OfTenant, Payloads};
use super::owners;
use super::place::Place;
use super::ring::{Ring, is_sealed};
use crate::store::SqlStore;

/// For so long a job whose payload cannot be opened is left alone before it is claimed again.
const CLOSED_FOR: DurationMs = DurationMs::from_secs(60);

impl SqlStore {
    /// Values as they are to be stored: those of tenants whose payloads are sealed are, the others stay as they are.
    pub(crate) async fn sealed<'a, T>(&self, values: &'a [T]) -> StoreResult<Cow<'a, [T]>>
    where
        T: OfTenant + Clone + Sync,
    {
        let ring = self.sealer().ring(self.pool()).await?;
        let is_meant = |value: &T| ring.seals(Some(value.tenant().as_str()));
        if !ring.is_sealing() || !values.iter().any(is_meant) {
            return Ok(Cow::Borrowed(values));
        }
        let mut sealed = values.to_vec();
        for value in &mut sealed {
            let tenant = value.tenant().clone();
            ring.seal(Some(tenant.as_str()), value)?;
        }
        Ok(Cow::Owned(sealed))
    }

    /// One payload of a tenant as it is to be stored, or one of none, which the server's own key seals.
    pub(crate) async fn sealed_text<'a>(
        &self,
        tenant: Option<&TenantName>,
        place: Place<'_>,
        text: &'a str,
    ) -> StoreResult<Cow<'a, str>> {
        let ring = self.sealer().ring(self.pool()).await?;
        let tenant = tenant.map(TenantName::as_str);
        if !ring.seals(tenant) {
            return Ok(Cow::Borrowed(text));
        }
        let mut sealed = text.to_owned();
        ring.seal(tenant, &mut (place, &mut sealed))?;
        Ok(Cow::Owned(sealed))
    }

    /// What schedules start, as it is to be stored. Slots of a tenant whose key cannot be used are left out: they stay due,
    /// and keep nobody from theirs.
    pub(crate) async fn sealed_fires<'a>(
        &self,
        fires: &'a [ScheduleFire],
    ) -> StoreResult<Cow<'a, [ScheduleFire]>> {
        let ring = self.sealer().ring(self.pool()).await?;
        if !ring.is_sealing() {
            return Ok(Cow::Borrowed(fires));
        }
        let mut sealed = fires.to_vec();
        for fire in &mut sealed {
            let seal = |slot: &mut SlotDecision| match &mut slot.action {
                SlotAction::Start(execution) => {
                    let tenant = execution.tenant().clone();
                    ring.seal(Some(tenant.as_str()), &mut **execution)
                }
                SlotAction::Wait | SlotAction::Skip { .. } => Ok(()),
            };
            if let Err(error) = fire.slots.iter_mut().try_for_each(seal) {
                tracing::error!(
                    schedule.id = %fire.id,
                    error = &error as &dyn std::error::Error,
                    "a schedule waits for its tenant's payload key"
                );
                // As if somebody had edited it: nothing is written, and the next check finds it due.
                fire.version = -1;
            }
        }
        Ok(Cow::Owned(sealed))
    }

    /// Reports with their results as they are to be stored.
    pub(crate) async fn sealed_reports<'a>(
        &self,
        reports: &'a [Settlement],
    ) -> StoreResult<Cow<'a, [Settlement]>> {
        let ring = self.sealer().ring(self.pool()).await?;
        if !ring.is_sealing() || !reports.iter().any(carries) {
            return Ok(Cow::Borrowed(reports));
        }
        let jobs: Vec<_> =
            reports.iter().filter(|report| carries(report)).map(|report| report.lease.id).collect();
        let owners = owners::of_jobs(self.pool(), jobs.into_iter()).await?;
        let mut sealed = reports.to_vec();
        for report in &mut sealed {
            if let Some(tenant) = owners.get(&report.lease.id.uuid()) {
                ring.seal(Some(tenant), report)?;
            }
        }
        Ok(Cow::Owned(sealed))
    }

    /// Renewals with their progress as it is to be stored.
    pub(crate) async fn sealed_renewals<'a>(
        &self,
        held: &'a [LeaseExtension],
    ) -> StoreResult<Cow<'a, [LeaseExtension]>> {
        let ring = self.sealer().ring(self.pool()).await?;
        if !ring.is_sealing() || held.iter().all(|held| held.progress.is_none()) {
            return Ok(Cow::Borrowed(held));
        }
        let jobs: Vec<_> =
            held.iter().filter(|held| held.progress.is_some()).map(|held| held.lease.id).collect();
        let owners = owners::of_jobs(self.pool(), jobs.into_iter()).await?;
        let mut sealed = held.to_vec();
        for held in &mut sealed {
            let job = held.lease.id.uuid();
            if let (Some(progress), Some(tenant)) = (&mut held.progress, owners.get(&job)) {
                // A lease is worth more than progress.
                if let Err(error) = ring.seal(Some(tenant), &mut (Place::job_progress(job), progress)) {
                    tracing::warn!(job.id = %held.lease.id, error = &error as &dyn std::error::Error, "the progress of a job is discarded");
                    held.progress = None;
                }
            }
        }
        Ok(Cow::Owned(sealed))
    }

    /// A value that was read, with its payloads opened.
    pub(crate) async fn opened<T: Payloads>(&self, mut value: T) -> StoreResult<T> {
        if is_sealed(&mut value) {
            self.ring_for(&mut value).await?.open(&mut value)?;
        }
        Ok(value)
    }

    /// The same for lists, which show what can be opened.
    pub(crate) async fn opened_list<T: Payloads>(&self, mut values: Vec<T>) -> StoreResult<Vec<T>> {
        if is_sealed(&mut values) {
            let ring = self.ring_for(&mut values).await?;
            for value in &mut values {
                ring.open_listed(value)?;
            }
        }
        Ok(values)
    }

    /// Those of several values that can be opened: the others wait for their keys, and keep nobody from theirs.
    pub(crate) async fn openable<T: Payloads>(
        &self,
        what: &'static str,
        mut values: Vec<T>,
    ) -> StoreResult<Vec<T>> {
        if !is_sealed(&mut values) {
            return Ok(values);
        }
        let ring = self.ring_for(&mut values).await?;
        values.retain_mut(|value| match ring.open(value) {
            Ok(()) => true,
            Err(error) => {
                tracing::error!(
                    what,
                    error = &error as &dyn std::error::Error,
                    "a payload cannot be decrypted"
                );
                false
            }
        });
        Ok(values)
    }

    /// Opens what earlier attempts reported; what cannot be opened is as if there had been none.
    pub(crate) async fn open_progress(&self, progress: Vec<(JobId, &mut Option<String>)>) -> StoreResult<()> {
        let mut fields: Vec<(Place<'_>, &mut Option<String>)> =
            progress.into_iter().map(|(job, progress)| (Place::job_progress(job.uuid()), progress)).collect();
        if !is_sealed(&mut fields) {
            return Ok(());
        }
        let ring = self.ring_for(&mut fields).await?;
        for mut field in fields {
            if let Err(error) = ring.open(&mut field) {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the progress of a job cannot be decrypted"
                );
                *field.1 = None;
            }
        }
        Ok(())
    }

    /// Jobs that were leased, with their payloads opened. Those whose payloads cannot be opened go back for a while, and
    /// keep nobody from the others.
    pub(crate) async fn opened_jobs(
        &self,
        mut jobs: Vec<ClaimedJob>,
        now: Timestamp,
    ) -> StoreResult<Vec<ClaimedJob>> {
        if !is_sealed(&mut jobs) {
            return Ok(jobs);
        }
        let ring = match self.ring_for(&mut jobs).await {
            Ok(ring) => ring,
            Err(error) => {
                self.return_closed(&jobs, now).await;
                return Err(error);
            }
        };
        let (mut open, mut closed) = (Vec::with_capacity(jobs.len()), Vec::new());
        for mut job in jobs {
            match ring.open(&mut job) {
                Ok(()) => open.push(job),
                Err(error) => {
                    tracing::error!(
                        job.id = %job.id,
                        tenant = %job.tenant,
                        error = &error as &dyn std::error::Error,
                        "a job whose payload cannot be opened is not started"
                    );
                    closed.push(job);
                }
            }
        }
        self.return_closed(&closed, now).await;
        Ok(open)
    }

    /// Executions that were taken up, with their payloads opened. One that cannot be opened says why, and keeps nobody from
    /// the others.
    pub(crate) async fn open_executions(&self, mut loaded: Vec<&mut LoadedExecution>) -> StoreResult<()> {
        if !is_sealed(&mut loaded) {
            return Ok(());
        }
        let ring = self.ring_for(&mut loaded).await?;
        for execution in loaded {
            match ring.open(execution) {
                Ok(()) => {}
                Err(StoreError::Sealed { why, .. }) => execution.closed = Some(why),
                // What is left sealed is no state: whoever reads it finds that out.
                Err(error) => tracing::error!(
                    execution.id = %execution.record.id,
                    error = &error as &dyn std::error::Error,
                    "an execution cannot be decrypted"
                ),
            }
        }
        Ok(())
    }

    /// Inboxes of these executions, with their payloads opened.
    pub(crate) async fn opened_inboxes(
        &self,
        ids: &[ExecutionId],
        mut inboxes: Vec<Vec<InboxRow>>,
    ) -> StoreResult<Vec<Vec<InboxRow>>> {
        let rows =
            ids.iter().zip(&mut inboxes).flat_map(|(id, rows)| rows.iter_mut().map(|row| (id.uuid(), row)));
        let mut payloads: Vec<InboxPayload<'_>> =
            rows.map(|(execution, row)| InboxPayload { execution, entry: &mut row.entry }).collect();
        if is_sealed(&mut payloads) {
            self.ring_for(&mut payloads).await?.open(&mut payloads)?;
        }
        Ok(inboxes)
    }

    /// If that fails, the leases run out.
    async fn return_closed(&self, jobs: &[ClaimedJob], now: Timestamp) {
        if jobs.is_empty() {
            return;
        }
        let due = Some(now.plus(CLOSED_FOR));
        let leases: Vec<GiveBack> =
            jobs.iter().map(|job| GiveBack { lease: job.lease(), due, is_untaken_offer: false }).collect();
        if let Err(error) = self.give_back(&leases, now).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "claimed jobs could not be released");
        }
    }

    /// Keys for what was read: read again where one of them is not known.
    pub(super) async fn ring_for(&self, value: &mut impl Payloads) -> StoreResult<Arc<Ring>> {
        let ring = self.sealer().ring(self.pool()).await?;
        if ring.is_unknown(value) { self.sealer().fresh(self.pool()).await } else { Ok(ring) }
    }
}

/// Whether a report carries a payload.
fn carries(report: &Settlement) -> bool {
    match &report.disposition {
        Disposition::Complete(result) => result.is_some(),
        Disposition::RetryAt { error, .. } | Disposition::Die { error, .. } => error.details.is_some(),
    }
}
