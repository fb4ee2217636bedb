//! Look at limits and change them.

use domain::access::{Action, Permission, Subject};
use domain::lane::WorkflowRef;
use domain::limits::{LIMIT_MAX, LimitScope, LimitSource};
use domain::names::{TenantName, WorkflowName};
use domain::queue::QueueName;
use store::limits::LimitChange;
use store::wakeup::Hint;
use store::workflows::WorkflowVersion;

use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// Whose limits are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LimitTarget {
    /// The queues as a whole, and the defaults of their tenants and workflows.
    Queue,
    /// One tenant.
    Tenant(TenantName),
    /// One workflow, as the caller sees the name.
    Workflow(WorkflowName),
}

/// Which limit of a target is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitPart {
    /// The target's own.
    Own,
    /// What each tenant gets. Only for [`LimitTarget::Queue`].
    TenantDefault,
    /// What each workflow gets. Only for [`LimitTarget::Queue`].
    WorkflowDefault,
}

/// A change of one limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitEdit {
    /// The queue.
    pub queue: QueueName,
    /// Which limit.
    pub part: LimitPart,
    /// `None` removes the override; `Some(None)` sets "no limit"; 0 lets nothing run.
    pub max_concurrent: Option<Option<u32>>,
}

/// A limit in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitLine {
    /// The queue.
    pub queue: QueueName,
    /// Whom it is for.
    pub scope: LimitScope,
    /// How many may be processed at once; `None` is unlimited.
    pub max_concurrent: Option<u32>,
    /// Where the number comes from.
    pub source: LimitSource,
}

impl Engine {
    /// The limits in force for a target, by queue.
    pub async fn limits(&self, caller: &Caller, target: LimitTarget) -> Result<Vec<LimitLine>, EngineError> {
        caller.require(Permission::Read)?;
        if let LimitTarget::Tenant(tenant) = &target
            && !caller.scope.allows(tenant)
        {
            return Err(EngineError::not_found("tenant", &tenant));
        }
        let resolved = self.resolve_target(caller, target).await?;
        self.limits_of(&resolved).await
    }

    /// Changes limits in one commit and answers those in force. A claim that starts afterwards obeys them.
    pub async fn set_limits(
        &self,
        caller: &Caller,
        target: LimitTarget,
        edits: Vec<LimitEdit>,
    ) -> Result<Vec<LimitLine>, EngineError> {
        may_limit(caller, &target, &edits)?;
        check_edits(&target, &edits)?;
        let resolved = self.resolve_target(caller, target).await?;
        // A tenant may limit the workflows that it owns; everything else is for those who see all tenants.
        if !matches!(&resolved, Resolved::Workflow(version) if version.workflow.owner.is_some()) {
            caller.require_unscoped()?;
        }
        let changes: Vec<LimitChange> = edits
            .iter()
            .map(|edit| LimitChange {
                queue: edit.queue,
                scope: resolved.scope(edit.part),
                max_concurrent: edit.max_concurrent,
            })
            .collect();
        let before = self.limits_of(&resolved).await?;
        let audited =
            audited(&resolved, &edits).changing(present(&resolved, &before, &edits), wanted(&edits));
        let mut recording = self.recording(caller, audited);
        recording.of(self.store().change_limits(&changes, self.now())).await?;
        let mut hints = vec![Hint::Settings];
        hints.extend(edits.iter().map(|edit| Hint::Queue(edit.queue)));
        self.wake(&hints);
        self.recorded(recording).await;
        self.limits_of(&resolved).await
    }

    async fn resolve_target(&self, caller: &Caller, target: LimitTarget) -> Result<Resolved, EngineError> {
        Ok(match target {
            LimitTarget::Queue => Resolved::Queue,
            LimitTarget::Tenant(tenant) => Resolved::Tenant(tenant),
            LimitTarget::Workflow(name) => {
                Resolved::Workflow(Box::new(self.known_workflow(caller.scope.tenant(), &name, None).await?))
            }
        })
    }

    async fn limits_of(&self, target: &Resolved) -> Result<Vec<LimitLine>, EngineError> {
        let mut lines = Vec::new();
        for queue in QueueName::ALL {
            let table = self.limit_table(queue, target.version()).await?;
            lines.extend(target.parts().iter().map(|&part| {
                let scope = target.scope(part);
                let limit = table.effective(&scope);
                LimitLine { queue, scope, max_concurrent: limit.max_concurrent, source: limit.source }
            }));
        }
        Ok(lines)
    }
}

/// A target whose names are known to mean something.
enum Resolved {
    Queue,
    Tenant(TenantName),
    Workflow(Box<WorkflowVersion>),
}

impl Resolved {
    const fn parts(&self) -> &'static [LimitPart] {
        match self {
            Self::Queue => &[LimitPart::Own, LimitPart::TenantDefault, LimitPart::WorkflowDefault],
            Self::Tenant(_) | Self::Workflow(_) => &[LimitPart::Own],
        }
    }

    fn version(&self) -> Option<&WorkflowVersion> {
        match self {
            Self::Workflow(version) => Some(version),
            Self::Queue | Self::Tenant(_) => None,
        }
    }

    fn scope(&self, part: LimitPart) -> LimitScope {
        match (self, part) {
            (_, LimitPart::TenantDefault) => LimitScope::TenantDefault,
            (_, LimitPart::WorkflowDefault) => LimitScope::WorkflowDefault,
            (Self::Queue, LimitPart::Own) => LimitScope::Global,
            (Self::Tenant(tenant), LimitPart::Own) => LimitScope::Tenant(tenant.clone()),
            (Self::Workflow(version), LimitPart::Own) => LimitScope::Workflow(version.workflow.clone()),
        }
    }
}

/// Fails where the caller's role or scopes do not allow to limit this.
fn may_limit(caller: &Caller, target: &LimitTarget, edits: &[LimitEdit]) -> Result<(), EngineError> {
    caller.require(Permission::Operate)?;
    match target {
        LimitTarget::Workflow(name) => {
            let workflow = Some(name.as_str());
            caller.require_on(Action::WorkflowsLimit, &Subject { workflow, ..Subject::default() })
        }
        LimitTarget::Queue | LimitTarget::Tenant(_) => edits.iter().try_for_each(|edit| {
            let queue = Some(edit.queue.as_str());
            caller.require_on(Action::LimitsSet, &Subject { queue, ..Subject::default() })
        }),
    }
}

fn check_edits(target: &LimitTarget, edits: &[LimitEdit]) -> Result<(), EngineError> {
    let mut faults = Faults::default();
    if edits.is_empty() {
        faults.add("", "expected at least one limit");
    }
    for edit in edits {
        let pointer = format!("/{}", edit.queue);
        if *target != LimitTarget::Queue && edit.part != LimitPart::Own {
            faults.add(&pointer, "expected maxConcurrent only: defaults are set for the queue");
        }
        if edit.max_concurrent.flatten().is_some_and(|limit| limit > LIMIT_MAX) {
            faults.add(&format!("{pointer}/maxConcurrent"), format!("expected 0 to {LIMIT_MAX}"));
        }
    }
    faults.check()
}

/// The limits that edits are about, as they are: by queue and part.
fn present(target: &Resolved, lines: &[LimitLine], edits: &[LimitEdit]) -> serde_json::Value {
    let limit_of = |edit: &LimitEdit| {
        let scope = target.scope(edit.part);
        let line = lines.iter().find(|line| line.queue == edit.queue && line.scope == scope);
        line.and_then(|line| line.max_concurrent)
    };
    edits.iter().map(|edit| (place(edit), serde_json::json!(limit_of(edit)))).collect()
}

/// The same as they will be; null where the limit is removed or there is none.
fn wanted(edits: &[LimitEdit]) -> serde_json::Value {
    edits.iter().map(|edit| (place(edit), serde_json::json!(edit.max_concurrent.flatten()))).collect()
}

fn place(edit: &LimitEdit) -> String {
    format!("{}/{}", edit.queue, part_name(edit.part))
}

const fn part_name(part: LimitPart) -> &'static str {
    match part {
        LimitPart::Own => "own",
        LimitPart::TenantDefault => "tenantDefault",
        LimitPart::WorkflowDefault => "workflowDefault",
    }
}

fn audited(target: &Resolved, edits: &[LimitEdit]) -> AuditedAction {
    let (subject, tenant) = match target {
        Resolved::Queue => ("queues".to_owned(), None),
        Resolved::Tenant(tenant) => (format!("tenant {tenant}"), Some(tenant.clone())),
        Resolved::Workflow(version) => {
            let WorkflowRef { owner, name } = &version.workflow;
            (format!("workflow {name}"), owner.clone())
        }
    };
    let detail = edits
        .iter()
        .map(|edit| {
            let part = part_name(edit.part);
            let value = match edit.max_concurrent {
                None => serde_json::json!("removed"),
                Some(None) => serde_json::json!("unlimited"),
                Some(Some(limit)) => serde_json::json!(limit),
            };
            serde_json::json!({ "queue": edit.queue.as_str(), "limit": part, "maxConcurrent": value })
        })
        .collect();
    AuditedAction::new("limits.set", &subject).of(tenant).with(serde_json::Value::Array(detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(part: LimitPart, limit: u32) -> LimitEdit {
        LimitEdit { queue: QueueName::Node, part, max_concurrent: Some(Some(limit)) }
    }

    #[test]
    fn edits_have_bounds() {
        assert!(check_edits(&LimitTarget::Queue, &[edit(LimitPart::Own, 0)]).is_ok());
        assert!(check_edits(&LimitTarget::Queue, &[edit(LimitPart::TenantDefault, LIMIT_MAX)]).is_ok());
        assert!(check_edits(&LimitTarget::Queue, &[]).is_err());
        assert!(check_edits(&LimitTarget::Queue, &[edit(LimitPart::Own, LIMIT_MAX + 1)]).is_err());
        let tenant = LimitTarget::Tenant(TenantName::trusted("acme"));
        assert!(check_edits(&tenant, &[edit(LimitPart::WorkflowDefault, 1)]).is_err());
    }
}
