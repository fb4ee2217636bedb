//! Attributes that definitions declare: checked and declared with a version, and declared for each other tenant whose
//! executions set them.

use domain::attribute::{
    AttributeScope, DECLARATIONS_PER_TENANT_MAX, Declared, PER_TENANT_MAX, SetAttribute,
};
use domain::error::Fault;
use domain::names::{AttributeName, TenantName, WorkflowName};
use domain::workflow::definition::Definition;
use serde_json::json;
use store::attributes::{AttributeChange, DeclareAnswer};
use store::executions::ExecutionRecord;

use super::cache::Declarations;
use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Refuses a definition whose attributes cannot be declared in a tenant.
    pub(crate) async fn check_defined(
        &self,
        tenant: &TenantName,
        definition: &Definition,
    ) -> Result<(), EngineError> {
        if definition.attributes.is_empty() {
            return Ok(());
        }
        let all = self.attributes().await?;
        let scope = AttributeScope::Definition(definition.name.clone());
        let known = all.tenant(tenant).map(|tenant| tenant.declared.as_slice()).unwrap_or_default();
        let others: Vec<&Declared> = known.iter().filter(|one| one.scope != scope).collect();
        let mut faults = Vec::new();
        for one in &definition.attributes {
            let other = others.iter().find(|other| other.name == one.name && other.kind != one.kind);
            if let Some(other) = other {
                let message =
                    format!("has the type {} elsewhere in the tenant {tenant}", other.kind.as_str());
                faults.push(Fault::new(format!("/attributes/{}/type", one.name), message));
            }
        }
        if others.len() + definition.attributes.len() > DECLARATIONS_PER_TENANT_MAX {
            let message = format!(
                "the scopes of the tenant {tenant} would declare more than {DECLARATIONS_PER_TENANT_MAX} together"
            );
            faults.push(Fault::new("/attributes", message));
        }
        let mut names: Vec<&AttributeName> = others.iter().map(|other| &other.name).collect();
        names.extend(definition.attributes.iter().map(|one| &one.name));
        names.sort_unstable();
        names.dedup();
        if names.len() > PER_TENANT_MAX {
            let message = format!("the tenant {tenant} would have more than {PER_TENANT_MAX} names");
            faults.push(Fault::new("/attributes", message));
        }
        if faults.is_empty() { Ok(()) } else { Err(EngineError::Invalid(faults)) }
    }

    /// Declares what a new version of a workflow declares, in the place of what an earlier one did.
    pub(crate) async fn declare_defined(
        &self,
        caller: &Caller,
        tenant: &TenantName,
        definition: &Definition,
    ) -> Result<(), EngineError> {
        let all = self.attributes().await?;
        let scope = AttributeScope::Definition(definition.name.clone());
        let known = all.tenant(tenant).map(|tenant| tenant.declared.as_slice()).unwrap_or_default();
        let is_kept = |name: &AttributeName| definition.attributes.iter().any(|one| one.name == *name);
        let gone = known.iter().filter(|one| one.scope == scope && !is_kept(&one.name));
        let mut changes: Vec<AttributeChange> =
            gone.map(|one| AttributeChange { name: one.name.clone(), declared: None }).collect();
        changes.extend(
            definition
                .attributes
                .iter()
                .map(|one| AttributeChange { name: one.name.clone(), declared: Some((one.kind, None)) }),
        );
        if changes.is_empty() {
            return Ok(());
        }
        self.declare_by_definition(caller, tenant, &definition.name, &changes).await
    }

    /// Declares what an execution sets and its tenant does not know yet: the workflow may be one for all tenants. Answers
    /// whether there was anything.
    pub(super) async fn declare_missing(
        &self,
        declared: &Declarations,
        execution: &ExecutionRecord,
        set: &[SetAttribute],
    ) -> Result<bool, EngineError> {
        let workflow = &execution.workflow.name;
        let missing = match declared.tenant(&execution.tenant) {
            Some(tenant) => tenant.missing(workflow, set),
            None => set.iter().collect(),
        };
        if missing.is_empty() {
            return Ok(false);
        }
        let changes: Vec<AttributeChange> = missing
            .into_iter()
            .map(|one| AttributeChange { name: one.name.clone(), declared: Some((one.kind, None)) })
            .collect();
        self.declare_by_definition(&Caller::system(), &execution.tenant, workflow, &changes).await?;
        Ok(true)
    }

    /// All of these changes or, where somebody else declared something meanwhile, none: values of what is not declared are
    /// counted as left out.
    async fn declare_by_definition(
        &self,
        caller: &Caller,
        tenant: &TenantName,
        workflow: &WorkflowName,
        changes: &[AttributeChange],
    ) -> Result<(), EngineError> {
        let scope = AttributeScope::Definition(workflow.clone());
        let names: Vec<&str> = changes.iter().map(|change| change.name.as_str()).collect();
        let detail = json!({ "scope": scope.kind(), "attributes": names });
        let audited =
            AuditedAction::new("attributes.declare", workflow).of(Some(tenant.clone())).with(detail);
        let line = self.audit_line(caller, audited);
        let answer = self.store().declare_attributes(tenant, &scope, changes, self.now(), &[line]).await?;
        if answer == DeclareAnswer::Done {
            self.attributes_changed();
        } else {
            tracing::warn!(%tenant, %workflow, ?answer, "attributes of a definition could not be declared");
            // What is known here is old; nothing has changed for others.
            self.memory().attributes.expire();
        }
        Ok(())
    }
}
