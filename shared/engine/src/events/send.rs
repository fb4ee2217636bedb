//! Send events: each is stored as a delivery with its job, or found to have come before.

use std::collections::BTreeSet;
use std::time::Duration;

use domain::access::{Action, Permission, Subject};
use domain::event::{EVENT_BYTES_MAX, EVENT_GUARD_KEPT, event_guard};
use domain::id::DeliveryId;
use domain::names::{CallerKey, EventName, TenantName, TriggerName, WorkflowName};
use domain::queue::Tier;
use domain::quota::QuotaKind;
use domain::time::Timestamp;
use domain::webhook::{BatchConfig, DebounceConfig, DeliveryStatus, ThrottleConfig, Trigger, TriggerConfig};
use serde_json::Value;
use store::audit::{AuditRecord, with_lines};
use store::webhooks::{Acceptance, Accepted, GuardKey, NO_WEBHOOK, NewDelivery};

use crate::bounds::{Faults, traceparent};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::group_commit::{Sink as _, lines_of};
use crate::webhooks::ROW_BYTES;

/// How many events one call sends.
const EVENTS_MAX: usize = 1_000;
/// How long a call waits for the triggers of a tenant, to see whether starts would wait.
const TRIGGERS_WITHIN: Duration = Duration::from_secs(1);
/// How many names of events are looked for in triggers. Where there are more, one of them is taken to be wanted.
const NAMES_MAX: usize = 20;

/// An event that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentEvent {
    /// As which delivery; that of the first one for a repetition.
    pub delivery_id: DeliveryId,
    /// Whether it came before.
    pub is_deduplicated: bool,
}

impl Engine {
    /// Sends events, all or none of them in one commit, and answers in order. Faults of a batch of several point below
    /// `/events/{index}`, those of a single one at its fields.
    pub async fn send_events(
        &self,
        caller: &Caller,
        requests: Vec<EventRequest>,
    ) -> Result<Vec<SentEvent>, EngineError> {
        caller.require(Permission::Start)?;
        if !(1..=EVENTS_MAX).contains(&requests.len()) {
            return Err(EngineError::invalid("/events", format!("expected 1 to {EVENTS_MAX} events")));
        }
        let (mut faults, mut tenants) = (Faults::default(), Vec::with_capacity(requests.len()));
        for (index, request) in requests.iter().enumerate() {
            let tenant = caller.tenant_or_default(request.tenant.clone())?;
            let subject = Subject { tenant: Some(tenant.as_str()), ..Subject::default() };
            caller.require_on(Action::EventsSend, &subject)?;
            let prefix = if requests.len() > 1 { format!("/events/{index}") } else { String::new() };
            faults.json(&format!("{prefix}/data"), &request.data, EVENT_BYTES_MAX);
            tenants.push(tenant);
        }
        faults.check()?;
        self.refuse_events_over_quota(&tenants, &requests).await?;
        let now = self.now();
        let acceptances: Vec<Acceptance> = requests
            .into_iter()
            .zip(tenants)
            .enumerate()
            .map(|(index, (request, tenant))| {
                let id = self.make_id(caller, &["event", &index.to_string()], now);
                self.event_acceptance(id, request, tenant, now)
            })
            .collect();
        let tenant = acceptances.first().map(|first| first.delivery.tenant.clone());
        let is_one = |tenant: &TenantName| acceptances.iter().all(|event| event.delivery.tenant == *tenant);
        let ids: Vec<DeliveryId> = acceptances.iter().map(|event| event.delivery.id).collect();
        let start = self.start_line(caller, "event.send", tenant.filter(is_one), &ids);
        let accepted = self.accept_events(&acceptances, start.into_iter().collect()).await?;
        Ok(accepted.into_iter().map(sent).collect())
    }

    /// Fails where a tenant may not have so many more events, or where one of them would wait to start and nothing more may.
    async fn refuse_events_over_quota(
        &self,
        tenants: &[TenantName],
        requests: &[EventRequest],
    ) -> Result<(), EngineError> {
        let mut all: Vec<(&TenantName, u64, BTreeSet<&EventName>)> = Vec::new();
        for (tenant, request) in tenants.iter().zip(requests) {
            let more = request.data.len() as u64 + ROW_BYTES;
            match all.iter_mut().find(|(known, ..)| *known == tenant) {
                Some((_, sum, names)) => {
                    *sum += more;
                    names.insert(&request.name);
                }
                None => all.push((tenant, more, BTreeSet::from([&request.name]))),
            }
        }
        for (tenant, more, names) in all {
            self.refuse_delivery_over_quota(tenant, NO_WEBHOOK, more).await?;
            let names = names.into_iter().cloned().collect();
            self.refuse_where_starts_wait(tenant, names).await?;
        }
        Ok(())
    }

    /// Fails where nothing more of a tenant may wait to start, and an event with one of these names would, for all that its name
    /// says: otherwise it would be stored, tried again and again, and parked in the end.
    async fn refuse_where_starts_wait(
        &self,
        tenant: &TenantName,
        names: Vec<EventName>,
    ) -> Result<(), EngineError> {
        // Nearly always there is room, and no triggers are read for it.
        let Err(full) = self.refuse_over_quota(tenant, &[(QuotaKind::WaitingStartBytes, 1)]).await else {
            return Ok(());
        };
        // Events are taken also where their triggers cannot be read in time.
        let triggers = tokio::time::timeout(TRIGGERS_WITHIN, self.event_triggers(tenant)).await;
        let Ok(Ok(triggers)) = triggers else { return Ok(()) };
        if !triggers.iter().any(puts_off) {
            return Ok(());
        }
        // A thousand names against the patterns of a thousand triggers would take seconds.
        let is_wanted = move |name: &EventName| {
            triggers.iter().any(|trigger| puts_off(trigger) && trigger.wants(Some(name.as_str())))
        };
        let waits = names.len() > NAMES_MAX
            || self.workbench().call(Some(tenant), move || names.iter().any(is_wanted)).await?;
        if waits { Err(full) } else { Ok(()) }
    }

    /// One that comes alone shares its commit with deliveries that come meanwhile; several have one of their own. The lines
    /// of the audit log of the calls that they are of are written with them.
    pub(crate) async fn accept_events(
        &self,
        acceptances: &[Acceptance],
        mut starts: Vec<AuditRecord>,
    ) -> Result<Vec<Accepted>, EngineError> {
        let sink = || self.accept_sink();
        match acceptances {
            [one] => {
                let shared = &self.memory().webhooks.acceptances;
                Ok(vec![shared.commit_recorded(starts.pop(), one.clone(), sink).await?])
            }
            several => Ok(with_lines(lines_of(&starts), sink().commit(several)).await.0?),
        }
    }

    /// The delivery of an event, with its job.
    pub(crate) fn event_acceptance(
        &self,
        id: DeliveryId,
        request: EventRequest,
        tenant: TenantName,
        now: Timestamp,
    ) -> Acceptance {
        let guard = request.id.as_ref().map(|id| GuardKey {
            digest: event_guard(&tenant, &request.name, id.as_str()),
            expires_at: now.plus(EVENT_GUARD_KEPT),
        });
        let traceparent = traceparent(request.traceparent);
        let job = self.delivery_job(id, tenant.clone(), traceparent.clone(), now);
        let delivery = NewDelivery {
            id,
            webhook_id: NO_WEBHOOK,
            tenant,
            status: DeliveryStatus::Accepted,
            reason: None,
            event_type: Some(request.name.to_string()),
            provider_event_id: request.id.map(|id| id.to_string()),
            secret_id: None,
            replay_of: None,
            remote_address: None,
            method: String::new(),
            target: String::new(),
            headers: "[]".to_owned(),
            body: request.data.into_bytes(),
            traceparent,
            received_at: now,
        };
        Acceptance { delivery, guards: guard.into_iter().collect(), job }
    }
}

/// Whether the starts of a trigger wait.
fn puts_off(trigger: &Trigger) -> bool {
    trigger.config.put_off_result().is_some()
}

fn sent(accepted: Accepted) -> SentEvent {
    match accepted {
        Accepted::New(delivery_id) => SentEvent { delivery_id, is_deduplicated: false },
        Accepted::Duplicate(delivery_id) => SentEvent { delivery_id, is_deduplicated: true },
    }
}

// What a caller asks for when it sends an event or saves a trigger.

/// An event to send.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRequest {
    /// Its name, by which triggers and waiting nodes know it.
    pub name: EventName,
    /// The sender's id of it: a second event with the same name and id within a day is a repetition.
    pub id: Option<CallerKey>,
    /// What it carries, as raw JSON text.
    pub data: String,
    /// The tenant; the key's own or `default` where absent.
    pub tenant: Option<TenantName>,
    /// W3C trace context.
    pub traceparent: Option<String>,
}

/// A trigger to create, or to put into the place of one.
#[derive(Debug, Clone, PartialEq)]
pub struct TriggerRequest {
    /// Its name, unique in the tenant.
    pub name: TriggerName,
    /// The tenant; the key's own or `default` where absent. An update cannot change it.
    pub tenant: Option<TenantName>,
    /// Patterns over names of events, any of which is enough.
    pub events: Vec<String>,
    /// What it starts.
    pub workflow: WorkflowName,
    /// Which version; the latest where absent.
    pub version: Option<u32>,
    /// A CEL condition over the event.
    pub filter: Option<String>,
    /// The input, with `${…}` in its strings; by default the body.
    pub input: Option<Value>,
    /// The tier of its executions; `high` where absent.
    pub priority: Option<Tier>,
    /// One execution for events that come close to each other.
    pub debounce: Option<DebounceConfig>,
    /// So many starts in any period.
    pub throttle: Option<ThrottleConfig>,
    /// One execution for several events.
    pub batch: Option<BatchConfig>,
    /// Whether it starts nothing for now; an update leaves that as it is where absent.
    pub is_paused: Option<bool>,
}

impl TriggerRequest {
    /// The stored form, without the id, which the row has.
    pub(super) fn config(&self) -> TriggerConfig {
        TriggerConfig {
            id: None,
            workflow: self.workflow.clone(),
            version: self.version,
            events: self.events.clone(),
            filter: self.filter.clone(),
            input: self.input.clone(),
            priority: self.priority,
            debounce: self.debounce.clone(),
            throttle: self.throttle.clone(),
            batch: self.batch.clone(),
        }
    }

    /// Faults that show without workflows and expressions.
    pub(super) fn faults(&self) -> Faults {
        let mut faults = Faults::default();
        if self.events.is_empty() {
            faults.add("/events", "expected at least one name or pattern, such as order.paid or order.*");
        }
        faults
    }
}
