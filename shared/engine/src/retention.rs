//! How long finished things are kept: the policy, times that operators set, and what of both is in force.

use domain::access::Permission;
use domain::names::TenantName;
use domain::retention::{KEPT_MAX, KEPT_MIN, KeptFor, RetentionSubject};
use domain::time::{DurationMs, Timestamp};
use serde_json::{Map, Value, json};
use store::operations::Retention;
use store::retention::{RetentionChange, RetentionOverride};

use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

// Times that operators set, for all or for a tenant, and what is in force.

/// A change of one time; `None` takes it away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionEdit {
    /// Of what.
    pub subject: RetentionSubject,
    /// How long it is kept.
    pub kept: Option<DurationMs>,
}

domain::words! {
    /// Where a time comes from.
    RetentionSource {
        /// The settings of the servers.
        Settings "settings",
        /// It was set for all.
        Deployment "deployment",
        /// It was set for the tenant.
        Tenant "tenant",
    }
}

/// How long one kind of thing is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionLine {
    /// Of what.
    pub subject: RetentionSubject,
    /// What was set; `None` for payloads that are kept as long as what they belong to.
    pub set: Option<DurationMs>,
    /// How long it is kept by that.
    pub effective: Option<DurationMs>,
    /// Where it comes from.
    pub source: RetentionSource,
}

/// What is in force, in the order of [`RetentionSubject::all`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetentionView(pub Vec<RetentionLine>);

impl Engine {
    /// What is in force: for a tenant, or for all that have no times of their own.
    pub async fn retention(
        &self,
        caller: &Caller,
        tenant: Option<&TenantName>,
    ) -> Result<RetentionView, EngineError> {
        caller.require(Permission::Read)?;
        if let Some(tenant) = tenant.filter(|tenant| !caller.scope.allows(tenant)) {
            return Err(EngineError::not_found("tenant", tenant));
        }
        self.retention_in_force(tenant).await
    }

    /// Changes times of a tenant, or of all that have none of their own, in one commit. Answers what is in force; removals
    /// follow it within a minute.
    pub async fn set_retention(
        &self,
        caller: &Caller,
        tenant: Option<&TenantName>,
        edits: &[RetentionEdit],
    ) -> Result<RetentionView, EngineError> {
        caller.require(Permission::Administer)?;
        caller.require_unscoped()?;
        check(tenant, edits)?;
        let changes: Vec<RetentionChange> = edits
            .iter()
            .map(|edit| RetentionChange { subject: edit.subject, kept: edit.kept.map(KeptFor::of) })
            .collect();
        let present = self.retention_in_force(tenant).await?;
        let before: Map<String, Value> =
            edits.iter().map(|edit| shown(edit.subject, present.of(edit.subject))).collect();
        let after: Map<String, Value> = edits.iter().map(|edit| shown(edit.subject, edit.kept)).collect();
        let subject = tenant.map_or("all", TenantName::as_str);
        let audited = AuditedAction::new("retention.set", &subject).of(tenant.cloned());
        let audited = audited.with(after.clone().into()).changing(before.into(), after.into());
        let lines = [self.audit_line(caller, audited)];
        self.store().change_retention(tenant, &changes, &lines, self.now()).await?;
        self.retention_in_force(tenant).await
    }

    async fn retention_in_force(&self, tenant: Option<&TenantName>) -> Result<RetentionView, EngineError> {
        let overrides = self.store().retention_overrides().await?;
        let lines = RetentionSubject::all().filter(|subject| tenant.is_none() || subject.is_of_tenants());
        let line = |subject| line_of(subject, self.policy().retention.kept(subject), tenant, &overrides);
        Ok(RetentionView(lines.map(line).collect()))
    }

    /// From when on finished things are kept. Times of tenants are the store's to know.
    pub(crate) async fn retention_now(&self, now: Timestamp) -> Result<Retention, EngineError> {
        let policy = &self.policy().retention;
        let view = self.retention_in_force(None).await?;
        let subjects = view.0.iter().filter_map(|line| Some((line.subject, now.minus(line.effective?))));
        Ok(Retention {
            completed_before: now.minus(policy.completed),
            failed_before: now.minus(policy.failed),
            cancelled_before: now.minus(policy.cancelled),
            archive_before: now.minus(policy.archive),
            executions_before: now.minus(policy.executions),
            schedule_runs_before: now.minus(policy.schedule_runs),
            idempotency_before: now.minus(policy.idempotency),
            deliveries_before: now.minus(policy.deliveries),
            audit_before: now.minus(policy.audit),
            logs_before: now.minus(policy.logs),
            workers_before: now.minus(policy.workers),
            now,
            subjects: subjects.collect(),
        })
    }
}

impl RetentionView {
    /// What was set of a kind of thing.
    fn of(&self, subject: RetentionSubject) -> Option<DurationMs> {
        self.0.iter().find(|line| line.subject == subject).and_then(|line| line.set)
    }
}

/// What is in force of a kind of thing: the tenant's time, that of all, or that of the settings.
fn line_of(
    subject: RetentionSubject,
    settings: Option<DurationMs>,
    tenant: Option<&TenantName>,
    overrides: &[RetentionOverride],
) -> RetentionLine {
    let found = |of: Option<&TenantName>| {
        overrides.iter().find(|one| one.subject == subject && one.tenant.as_ref() == of).map(|one| one.kept)
    };
    let line = |kept: KeptFor, source| RetentionLine {
        subject,
        set: Some(kept.set),
        effective: Some(kept.class),
        source,
    };
    if let Some(kept) = tenant.and_then(|tenant| found(Some(tenant))) {
        return line(kept, RetentionSource::Tenant);
    }
    if let Some(kept) = found(None) {
        return line(kept, RetentionSource::Deployment);
    }
    RetentionLine { subject, set: settings, effective: settings, source: RetentionSource::Settings }
}

fn check(tenant: Option<&TenantName>, edits: &[RetentionEdit]) -> Result<(), EngineError> {
    let mut faults = Faults::default();
    for edit in edits {
        let pointer = format!("/{}", edit.subject.name().replace('.', "/"));
        if tenant.is_some() && !edit.subject.is_of_tenants() {
            faults.add(
                &pointer,
                "its retention is the same for all tenants; set it at /v1/retention".to_owned(),
            );
        } else if edit.kept.is_some_and(|kept| !(KEPT_MIN..=KEPT_MAX).contains(&kept)) {
            faults.add(&pointer, format!("expected a duration from {KEPT_MIN} to {KEPT_MAX}"));
        }
    }
    faults.check()
}

fn shown(subject: RetentionSubject, kept: Option<DurationMs>) -> (String, Value) {
    (subject.name(), json!(kept))
}

#[cfg(test)]
mod tests {
    use domain::queue::QueueName;

    use super::*;
    use crate::policy::retention::RetentionPolicy;

    #[test]
    fn a_queue_has_its_own_times_and_otherwise_those_of_all() {
        let hour = DurationMs::from_secs(3_600);
        let mut policy = RetentionPolicy { payloads: Some(hour), ..RetentionPolicy::default() };
        policy.queues[QueueName::Node.code() as usize].completed = Some(hour);
        assert_eq!(policy.kept(RetentionSubject::Completed(QueueName::Node)), Some(hour));
        assert_eq!(policy.kept(RetentionSubject::Completed(QueueName::Webhook)), Some(policy.completed));
        assert_eq!(policy.kept(RetentionSubject::Payloads(QueueName::Webhook)), Some(hour));
        assert_eq!(policy.kept(RetentionSubject::DeliveryBodies), None);
    }

    #[test]
    fn a_tenants_time_counts_before_that_of_all() {
        let subject = RetentionSubject::Completed(QueueName::Node);
        let (acme, days) = (TenantName::trusted("acme"), |days: i64| DurationMs::from_secs(days * 86_400));
        let set = |tenant: Option<&TenantName>, kept| RetentionOverride {
            tenant: tenant.cloned(),
            subject,
            kept: KeptFor::of(kept),
        };
        let line = |of: Option<&TenantName>, all: &[RetentionOverride]| {
            let line = line_of(subject, Some(days(3)), of, all);
            (line.set, line.effective, line.source)
        };
        let all = [set(None, days(5)), set(Some(&acme), days(8))];
        assert_eq!(line(Some(&acme), &[]), (Some(days(3)), Some(days(3)), RetentionSource::Settings));
        assert_eq!(line(Some(&acme), &all[..1]), (Some(days(5)), Some(days(7)), RetentionSource::Deployment));
        assert_eq!(line(Some(&acme), &all), (Some(days(8)), Some(days(14)), RetentionSource::Tenant));
        assert_eq!(line(None, &all), (Some(days(5)), Some(days(7)), RetentionSource::Deployment));
    }

    #[test]
    fn what_is_not_a_tenants_and_times_out_of_bounds_are_refused() {
        let acme = TenantName::trusted("acme");
        let edit = |subject, kept| RetentionEdit { subject, kept: Some(kept) };
        let day = DurationMs::from_secs(86_400);
        assert!(check(Some(&acme), &[edit(RetentionSubject::Audit, day)]).is_err());
        assert!(check(None, &[edit(RetentionSubject::Audit, day)]).is_ok());
        assert!(check(None, &[edit(RetentionSubject::Archive, DurationMs::ZERO)]).is_err());
        assert!(check(None, &[edit(RetentionSubject::Archive, DurationMs(KEPT_MAX.0 + 1))]).is_err());
    }
}
