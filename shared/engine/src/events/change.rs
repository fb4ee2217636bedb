//! Create, replace and remove triggers.

use domain::access::Permission;
use domain::id::TriggerId;
use domain::names::{TenantName, TriggerName};
use serde_json::json;
use store::events::{TriggerChange, TriggerRecord};

use super::request::TriggerRequest;
use super::view::TriggerView;
use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// The most triggers of a tenant: each event is matched against all of them.
pub(super) const TRIGGERS_MAX: u32 = 1_000;

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
        let detail = json!({ "name": record.name, "workflow": request.workflow });
        let audited =
            AuditedAction::new("trigger.create", &record.id).of(Some(record.tenant.clone())).with(detail);
        let line = self.audit_line(caller, audited);
        match self.store().create_trigger(&record, TRIGGERS_MAX, &[line]).await? {
            TriggerChange::Done(record) => {
                self.triggers_changed();
                Ok(TriggerView::of(record)?)
            }
            TriggerChange::Full => Err(EngineError::Conflict {
                code: "too_many_triggers",
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
            let next = TriggerRecord {
                name: request.name.clone(),
                config,
                is_paused: request.is_paused.unwrap_or(present.is_paused),
                version: present.version + 1,
                updated_at: self.now(),
                ..present
            };
            let audited = AuditedAction::new("trigger.edit", &id).of(Some(next.tenant.clone()));
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
        let audited = AuditedAction::new("trigger.delete", &id).of(Some(present.tenant));
        let line = self.audit_line(caller, audited);
        if !self.store().delete_trigger(&caller.scope, id, &[line]).await? {
            return Err(not_found());
        }
        self.triggers_changed();
        Ok(())
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

fn changed() -> EngineError {
    EngineError::Conflict {
        code: "trigger_version_conflict",
        message: "The trigger has changed since it was read; read it again.".to_owned(),
    }
}

fn name_taken(name: &TriggerName) -> EngineError {
    EngineError::Conflict {
        code: "trigger_name_taken",
        message: format!("The tenant has another trigger with the name {name}."),
    }
}
