//! Events: sent by callers, matched against triggers, and given to nodes of executions that wait for them.
//!
//! An event is a delivery without an endpoint: `send` stores it with its job, and `webhooks::matching` does the rest as
//! for any other delivery. `wake` gives deliveries to the nodes that wait for them, `look_back` those that came before a wait
//! was stored or that `wake` has left. Triggers are in this file, with `cache`.

mod cache;
mod look_back;
mod look_round;
mod send;
mod wake;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use domain::access::Permission;
use domain::id::TriggerId;
use domain::names::{TenantName, TriggerName};
use domain::problem::ProblemCode;
use domain::time::Timestamp;
use domain::webhook::{Trigger, TriggerConfig};
use serde_json::{Value, json};
use store::events::{TriggerChange, TriggerRecord};
use store::{Page, PageRequest, StoreError};

use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use cache::Kept;

pub(crate) use cache::TriggerCache;
pub(crate) use look_round::LookBackRound;
pub use send::{EventRequest, SentEvent, TriggerRequest};

// Create, replace and remove triggers.

/// The most triggers of a tenant: each event is matched against all of them.
const TRIGGERS_MAX: u32 = 1_000;

/// The most bytes of JSON of the triggers of a tenant that are not paused: they are in memory together, compiled, while an
/// event is matched, which takes a hundred times as much.
const TRIGGERS_BYTES_MAX: usize = 2 * 1024 * 1024;

/// How often a change is tried while others change the same trigger.
const TRIES_MAX: u32 = 5;

impl Engine {
    /// Creates a trigger.
    pub async fn create_trigger(
        &self,
        caller: &Caller,
        request: TriggerRequest,
    ) -> Result<TriggerView, EngineError> {
        caller.require(Permission::Operate)?;
        let tenant = caller.tenant_or_default(request.tenant.clone())?;
        let config = self.checked_trigger(&tenant, &request).await?;
        let now = self.now();
        let record = TriggerRecord {
            id: self.make_id(caller, &["trigger"], now),
            tenant,
            name: request.name,
            config,
            is_paused: request.is_paused.unwrap_or(false),
            version: 1,
            created_at: now,
            updated_at: now,
        };
        self.refuse_large_triggers(&record, None).await?;
        let detail = json!({ "name": record.name, "workflow": request.workflow });
        let audited = AuditedAction::new("trigger.create", &record.id)
            .of(Some(record.tenant.clone()))
            .with(detail)
            .differing(&json!(null), &document(&record));
        let line = self.audit_line(caller, audited);
        match self.store().create_trigger(&record, TRIGGERS_MAX, &[line]).await? {
            TriggerChange::Done(record) => {
                self.triggers_changed();
                Ok(TriggerView::of(record)?)
            }
            TriggerChange::Full => Err(EngineError::Conflict {
                code: ProblemCode::TooManyTriggers,
                message: format!("A tenant has at most {TRIGGERS_MAX} triggers."),
            }),
            TriggerChange::NameTaken | TriggerChange::NotFound | TriggerChange::VersionConflict => {
                Err(name_taken(&record.name))
            }
        }
    }

    /// Replaces a trigger. It keeps its id and its tenant. With `expected_version` it is replaced only if nobody changed
    /// it since.
    pub async fn update_trigger(
        &self,
        caller: &Caller,
        id: TriggerId,
        request: TriggerRequest,
        expected_version: Option<i64>,
    ) -> Result<TriggerView, EngineError> {
        caller.require(Permission::Operate)?;
        let not_found = || EngineError::not_found("trigger", &id);
        for _ in 0..TRIES_MAX {
            let present = self.store().trigger(&caller.scope, id).await?.ok_or_else(not_found)?;
            if request.tenant.as_ref().is_some_and(|asked| *asked != present.tenant) {
                let message = "the tenant of a trigger cannot change; create another trigger";
                return Err(EngineError::invalid("/tenant", message));
            }
            if expected_version.is_some_and(|expected| expected != present.version) {
                return Err(changed());
            }
            let config = self.checked_trigger(&present.tenant, &request).await?;
            let before = document(&present);
            let size = (!present.is_paused).then_some(present.config.len());
            let next = TriggerRecord {
                name: request.name.clone(),
                config,
                is_paused: request.is_paused.unwrap_or(present.is_paused),
                version: present.version + 1,
                updated_at: self.now(),
                ..present
            };
            self.refuse_large_triggers(&next, size).await?;
            let audited = AuditedAction::new("trigger.edit", &id)
                .of(Some(next.tenant.clone()))
                .differing(&before, &document(&next));
            let line = self.audit_line(caller, audited);
            match self.store().update_trigger(&caller.scope, &next, &[line]).await? {
                TriggerChange::Done(record) => {
                    self.triggers_changed();
                    return Ok(TriggerView::of(record)?);
                }
                TriggerChange::NotFound => return Err(not_found()),
                TriggerChange::NameTaken => return Err(name_taken(&next.name)),
                TriggerChange::VersionConflict | TriggerChange::Full => {}
            }
        }
        Err(changed())
    }

    /// Removes a trigger. Events that come afterwards start nothing by it.
    pub async fn delete_trigger(&self, caller: &Caller, id: TriggerId) -> Result<(), EngineError> {
        caller.require(Permission::Operate)?;
        let not_found = || EngineError::not_found("trigger", &id);
        let present = self.store().trigger(&caller.scope, id).await?.ok_or_else(not_found)?;
        let before = document(&present);
        let audited = AuditedAction::new("trigger.delete", &id)
            .of(Some(present.tenant))
            .differing(&before, &json!(null));
        let line = self.audit_line(caller, audited);
        if !self.store().delete_trigger(&caller.scope, id, &[line]).await? {
            return Err(not_found());
        }
        self.triggers_changed();
        Ok(())
    }

    /// Refuses a trigger with which those of its tenant that are not paused would take too much memory. `size`: that of the trigger
    /// before a change, if it was not paused; it may always become smaller, also where a tenant has had more than the bound since before
    /// there was one.
    async fn refuse_large_triggers(
        &self,
        record: &TriggerRecord,
        size: Option<usize>,
    ) -> Result<(), EngineError> {
        if record.is_paused || size.is_some_and(|size| record.config.len() <= size) {
            return Ok(());
        }
        let others = self.store().triggers_of(&record.tenant, TRIGGERS_MAX).await?;
        let others = others.iter().filter(|other| other.id != record.id);
        let bytes = others.map(|other| other.config.len()).sum::<usize>() + record.config.len();
        if bytes <= TRIGGERS_BYTES_MAX {
            return Ok(());
        }
        Err(EngineError::Conflict {
            code: ProblemCode::TooManyTriggers,
            message: format!(
                "The triggers of a tenant that are not paused have at most {TRIGGERS_BYTES_MAX} bytes of JSON together."
            ),
        })
    }

    /// Checks a request; every fault is given. Answers the stored form.
    async fn checked_trigger(
        &self,
        tenant: &TenantName,
        request: &TriggerRequest,
    ) -> Result<String, EngineError> {
        let mut faults = request.faults();
        let config = request.config();
        self.trigger_faults(tenant, &config, "", &mut faults).await?;
        faults.check()?;
        serde_json::to_string(&config)
            .map_err(|source| EngineError::Encoding { what: "a trigger", source: Box::new(source) })
    }
}

/// A trigger as the audit log compares it.
fn document(trigger: &TriggerRecord) -> Value {
    audit::document(&trigger.config, trigger.name.as_str(), trigger.is_paused)
}

fn changed() -> EngineError {
    EngineError::Conflict {
        code: ProblemCode::TriggerVersionConflict,
        message: "The trigger has changed since it was read; read it again.".to_owned(),
    }
}

fn name_taken(name: &TriggerName) -> EngineError {
    EngineError::Conflict {
        code: ProblemCode::TriggerNameTaken,
        message: format!("The tenant has another trigger with the name {name}."),
    }
}

// Look at triggers.

impl Engine {
    /// A trigger.
    pub async fn trigger(&self, caller: &Caller, id: TriggerId) -> Result<TriggerView, EngineError> {
        caller.require(Permission::Read)?;
        let found = self.store().trigger(&caller.scope, id).await?;
        let record = found.ok_or_else(|| EngineError::not_found("trigger", &id))?;
        Ok(TriggerView::of(record)?)
    }

    /// Triggers, newest first.
    pub async fn list_triggers(
        &self,
        caller: &Caller,
        tenant: Option<&TenantName>,
        page: PageRequest,
    ) -> Result<Page<TriggerView>, EngineError> {
        caller.require(Permission::Read)?;
        let Page { items, next } = self.store().list_triggers(&caller.scope, tenant, page).await?;
        let views = items.into_iter().map(TriggerView::of).collect::<Result<Vec<_>, _>>()?;
        Ok(Page { items: views, next })
    }
}

impl Engine {
    /// The triggers of a tenant that are not paused, compiled; at most a second old.
    pub(crate) async fn event_triggers(&self, tenant: &TenantName) -> Result<Arc<Vec<Trigger>>, EngineError> {
        self.listen();
        let cache = &self.memory().triggers;
        let now = self.now();
        if let Some(found) = cache.fresh(tenant, now) {
            return Ok(found);
        }
        let epoch = cache.epoch.load(Ordering::SeqCst);
        let records = self.store().triggers_of(tenant, TRIGGERS_MAX).await?;
        let (records, triggers) = match cache.same(tenant, &records) {
            Some(triggers) => (records, triggers),
            None => {
                self.workbench()
                    .wait(tenant, move || {
                        let triggers = Arc::new(compiled(&records));
                        (records, triggers)
                    })
                    .await?
            }
        };
        cache.keep(tenant, Kept::new(now, records, Arc::clone(&triggers)), epoch);
        Ok(triggers)
    }

    /// Has changes of triggers seen at once here, and within a moment on other nodes.
    pub(super) fn triggers_changed(&self) {
        self.memory().triggers.expire();
        self.wake(&[store::wakeup::Hint::Settings]);
    }
}

// A trigger as it is shown.

/// A trigger of events as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct TriggerView {
    /// Its id.
    pub id: TriggerId,
    /// Whose it is.
    pub tenant: TenantName,
    /// Its name.
    pub name: TriggerName,
    /// What it takes and what it starts.
    pub config: TriggerConfig,
    /// Whether it starts nothing for now.
    pub is_paused: bool,
    /// Grows with each change.
    pub version: i64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

impl TriggerView {
    fn of(record: TriggerRecord) -> Result<Self, StoreError> {
        Ok(Self {
            config: stored_config(&record)?,
            id: record.id,
            tenant: record.tenant,
            name: record.name,
            is_paused: record.is_paused,
            version: record.version,
            created_at: record.created_at,
            updated_at: record.updated_at,
        })
    }
}

/// The configuration of a row.
fn stored_config(record: &TriggerRecord) -> Result<TriggerConfig, StoreError> {
    serde_json::from_str(&record.config).map_err(|_error| StoreError::Corrupt {
        table: "event_trigger",
        column: "config",
        row: record.id.to_string(),
    })
}

/// One that does not compile any more is left out: it was checked when it was saved.
fn compiled(records: &[TriggerRecord]) -> Vec<Trigger> {
    let compile = |record: &TriggerRecord| {
        let config = stored_config(record).ok()?;
        let config = TriggerConfig { id: Some(record.id.to_string()), ..config };
        match Trigger::compile(&config) {
            Ok(trigger) => Some(trigger),
            Err(faults) => {
                tracing::error!(trigger.id = %record.id, ?faults, "a trigger cannot be read");
                None
            }
        }
    };
    records.iter().filter_map(compile).collect()
}
