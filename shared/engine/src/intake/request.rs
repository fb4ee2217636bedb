//! From rows to requests. The functions in the database have checked them; whatever else wrote a row is refused here. Fields of
//! functions of a later version are passed over, as in all stored forms: work that was committed is not refused for them.

use std::collections::BTreeMap;

use domain::error::Fault;
use domain::names::{CallerKey, EventName, JobType, Tag, TenantName, WorkflowName};
use domain::queue::Tier;
use domain::quota::QuotaKind;
use domain::time::{DurationMs, Timestamp};
use serde::Deserialize;
use store::intake::{IntakeKind, IntakeOverQuota, IntakeRow};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::events::EventRequest;
use crate::executions::ExecutionRequest;
use crate::jobs::JobRequest;
use crate::webhooks::ROW_BYTES;

/// What a job was asked to be.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct JobOptions {
    priority: Option<Tier>,
    run_at: Option<i64>,
    max_retries: Option<u32>,
    timeout_ms: Option<i64>,
    unique_key: Option<CallerKey>,
    concurrency_key: Option<CallerKey>,
    rate_key: Option<CallerKey>,
    #[serde(default)]
    tags: Vec<Tag>,
    traceparent: Option<String>,
}

/// What an execution was asked to be.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StartOptions {
    version: Option<u32>,
    priority: Option<Tier>,
    correlation_id: Option<CallerKey>,
    #[serde(default)]
    tags: Vec<Tag>,
    traceparent: Option<String>,
}

/// What an event was asked to be.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EventOptions {
    id: Option<CallerKey>,
    traceparent: Option<String>,
}

/// The job of a row.
pub(super) fn job(row: &IntakeRow) -> Result<JobRequest, EngineError> {
    let options: JobOptions = read(&row.options)?;
    let job_type = JobType::parse(row.name.as_str()).map_err(|fault| named("/jobType", fault.0))?;
    Ok(JobRequest {
        tier: options.priority,
        tenant: Some(row.tenant.clone()),
        run_at: options.run_at.map(Timestamp),
        retries_max: options.max_retries,
        timeout: options.timeout_ms.map(DurationMs),
        unique_key: options.unique_key,
        concurrency_key: options.concurrency_key,
        rate_key: options.rate_key,
        tags: options.tags,
        traceparent: options.traceparent,
        ..JobRequest::new(job_type, row.data.as_str())
    })
}

/// The execution of a row.
pub(super) fn start(row: &IntakeRow) -> Result<ExecutionRequest, EngineError> {
    let options: StartOptions = read(&row.options)?;
    let workflow = WorkflowName::parse(row.name.as_str()).map_err(|fault| named("/workflow", fault.0))?;
    Ok(ExecutionRequest {
        version: options.version,
        tier: options.priority,
        tenant: Some(row.tenant.clone()),
        correlation_id: options.correlation_id,
        tags: options.tags,
        traceparent: options.traceparent,
        ..ExecutionRequest::new(workflow, row.data.as_str())
    })
}

/// The event of a row.
pub(super) fn event(row: &IntakeRow) -> Result<EventRequest, EngineError> {
    let options: EventOptions = read(&row.options)?;
    let name = EventName::parse(row.name.as_str()).map_err(|fault| named("/name", fault.0))?;
    Ok(EventRequest {
        name,
        id: options.id,
        data: row.data.clone(),
        tenant: Some(row.tenant.clone()),
        traceparent: options.traceparent,
    })
}

/// The name of the signal of a row.
pub(super) fn signal_name(row: &IntakeRow) -> Result<CallerKey, EngineError> {
    CallerKey::parse(row.name.as_str()).map_err(|fault| named("/name", fault.0))
}

fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, EngineError> {
    serde_json::from_str(text).map_err(|error| EngineError::invalid("", error.to_string()))
}

fn named(pointer: &str, message: &str) -> EngineError {
    EngineError::Invalid(vec![Fault::new(pointer, message)])
}

// Quotas of what comes through the intake. What is committed is taken; the functions refuse the next calls.

/// How much of each kind tenants brought.
pub(super) type Brought = BTreeMap<(TenantName, &'static str), (QuotaKind, u64)>;

impl Engine {
    /// What rows count against the quotas of their tenants.
    pub(super) fn tenants_of(rows: &[IntakeRow]) -> Brought {
        let mut brought = Brought::new();
        for row in rows {
            let bytes = row.data.len() as u64;
            let open = |open| vec![(open, 1), (QuotaKind::PayloadBytes, bytes), (QuotaKind::HistoryRows, 1)];
            let counts = match row.kind {
                IntakeKind::Enqueue => open(QuotaKind::OpenJobs),
                IntakeKind::Start => open(QuotaKind::OpenExecutions),
                IntakeKind::Event => vec![(QuotaKind::DeliveryBytes, bytes + ROW_BYTES)],
                IntakeKind::Signal => continue,
            };
            for (kind, more) in counts {
                brought.entry((row.tenant.clone(), kind.as_str())).or_insert((kind, 0)).1 += more;
            }
        }
        brought
    }

    /// Has the functions refuse tenants that are over a quota by what they brought.
    pub(super) async fn close_where_full(&self, brought: &Brought) -> Result<(), EngineError> {
        for ((tenant, _), &(kind, more)) in brought {
            if let Err(EngineError::QuotaExceeded { quota, used, limit }) =
                self.refuse_over_quota(tenant, &[(kind, more)]).await
            {
                let (tenant, quota) = (tenant.clone(), quota.to_owned());
                self.store().close_intake(&IntakeOverQuota { tenant, quota, used, limit }).await?;
            }
        }
        Ok(())
    }

    /// Lets tenants in again that have room. To be called again and again.
    pub async fn reopen_intakes(&self) -> Result<(), EngineError> {
        for over in self.store().closed_intakes().await? {
            let is_full = match QuotaKind::parse(&over.quota) {
                Some(kind) => matches!(
                    self.refuse_over_quota(&over.tenant, &[(kind, 1)]).await,
                    Err(EngineError::QuotaExceeded { .. })
                ),
                None => false,
            };
            if !is_full {
                self.store().reopen_intake(&over.tenant, &over.quota).await?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use domain::names::TenantName;
    use store::intake::IntakeKind;
    use uuid::Uuid;

    use super::*;

    fn row(name: &str, options: &str) -> IntakeRow {
        IntakeRow {
            id: 1,
            kind: IntakeKind::Enqueue,
            subject: Uuid::nil(),
            target: None,
            tenant: TenantName::trusted("acme"),
            role: "shop".to_owned(),
            name: name.to_owned(),
            options: options.to_owned(),
            data: "{}".to_owned(),
            created_at: Timestamp(1),
        }
    }

    #[test]
    fn options_are_read_and_what_is_none_is_refused() {
        let options =
            r#"{"priority":"high","runAt":7,"maxRetries":2,"timeoutMs":900,"uniqueKey":"u","tags":["a"]}"#;
        let request = job(&row("mail", options)).unwrap();
        let read = (request.tier, request.run_at, request.retries_max, request.timeout, request.tags.len());
        assert_eq!(read, (Some(Tier::High), Some(Timestamp(7)), Some(2), Some(DurationMs(900)), 1));
        for (name, options) in [("mail", "[]"), ("", "{}"), ("mail", "{\"priority\":\"x\"}")] {
            assert!(job(&row(name, options)).is_err(), "{name} {options}");
        }
        assert_eq!(start(&row("ship", r#"{"version":3}"#)).unwrap().version, Some(3));
        assert!(start(&row("no such name", "{}")).is_err());
        let sent = event(&row("order.paid", r#"{"id":"paid-7"}"#)).unwrap();
        assert_eq!(
            (sent.name.as_str(), sent.id.as_ref().map(CallerKey::as_str)),
            ("order.paid", Some("paid-7"))
        );
        assert!(event(&row("order paid", "{}")).is_err());
    }

    /// The functions are those of the newest version that installed them, whichever process takes the rows.
    #[test]
    fn options_of_later_versions_are_passed_over() {
        assert_eq!(job(&row("mail", r#"{"later":1,"maxRetries":2}"#)).unwrap().retries_max, Some(2));
        assert_eq!(start(&row("ship", r#"{"later":{},"version":3}"#)).unwrap().version, Some(3));
        assert!(read::<EventOptions>(r#"{"later":[],"id":"e-1"}"#).unwrap().id.is_some());
    }
}
