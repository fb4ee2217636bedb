//! Look at limits and change them.

use domain::access::{Action, Permission, Subject};
use domain::claim::EffectiveRate;
use domain::limits::{LIMIT_MAX, LimitScope, LimitSource};
use domain::names::{JobType, TenantName, WorkflowName};
use domain::queue::{QueueName, WorkflowRef};
use domain::rate::{Rate, RateScope};
use store::limits::{LimitChange, RateChange};
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
    /// One job type, over all tenants. Job types have limits on `workflow-node` only.
    JobType(JobType),
    /// The jobs of one tenant that have one type.
    TenantJobType(TenantName, JobType),
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
    /// What each job type gets: a rate only. Only for [`LimitTarget::Queue`] and `workflow-node`.
    JobTypeDefault,
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

/// A change of one rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateEdit {
    /// The queue.
    pub queue: QueueName,
    /// Which rate.
    pub part: LimitPart,
    /// `None` removes it.
    pub rate: Option<Rate>,
}

/// Changes of limits and rates.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct LimitEdits {
    /// Of limits.
    pub limits: Vec<LimitEdit>,
    /// Of rates.
    pub rates: Vec<RateEdit>,
}

impl From<Vec<LimitEdit>> for LimitEdits {
    fn from(limits: Vec<LimitEdit>) -> Self {
        Self { limits, rates: Vec::new() }
    }
}

/// A limit in force, with the rate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitLine {
    /// The queue.
    pub queue: QueueName,
    /// Which limit of the target.
    pub part: LimitPart,
    /// How many may be processed at once; `None` is unlimited.
    pub max_concurrent: Option<u32>,
    /// Where the number comes from.
    pub source: LimitSource,
    /// How many may be started in a period; `None` is unlimited.
    pub rate: Option<EffectiveRate>,
}

impl Engine {
    /// The limits in force for a target, by queue.
    pub async fn limits(&self, caller: &Caller, target: LimitTarget) -> Result<Vec<LimitLine>, EngineError> {
        caller.require(Permission::Read)?;
        if let LimitTarget::Tenant(tenant) | LimitTarget::TenantJobType(tenant, _) = &target
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
        edits: impl Into<LimitEdits>,
    ) -> Result<Vec<LimitLine>, EngineError> {
        let edits: LimitEdits = edits.into();
        may_limit(caller, &target, &edits)?;
        check_edits(&target, &edits)?;
        let resolved = self.resolve_target(caller, target).await?;
        // A tenant may limit the workflows that it owns; everything else is for those who see all tenants.
        if !matches!(&resolved, Resolved::Workflow(version) if version.workflow.owner.is_some()) {
            caller.require_unscoped()?;
        }
        let changes: Vec<LimitChange> = edits
            .limits
            .iter()
            .filter_map(|edit| {
                let (queue, max_concurrent) = (edit.queue, edit.max_concurrent);
                resolved.scope(edit.part).map(|scope| LimitChange { queue, scope, max_concurrent })
            })
            .collect();
        let rates: Vec<RateChange> = edits
            .rates
            .iter()
            .map(|edit| RateChange {
                queue: edit.queue,
                scope: resolved.rate_scope(edit.part),
                rate: edit.rate,
            })
            .collect();
        let before = self.limits_of(&resolved).await?;
        let audited = audited(&resolved, &edits).changing(present(&before, &edits), wanted(&edits));
        let mut recording = self.recording(caller, audited);
        recording.of(self.store().change_limits_and_rates(&changes, &rates, self.now())).await?;
        let mut hints = vec![Hint::Settings];
        hints.extend(edits.queues().map(Hint::Queue));
        self.wake(&hints);
        self.recorded(recording).await;
        self.limits_of(&resolved).await
    }

    async fn resolve_target(&self, caller: &Caller, target: LimitTarget) -> Result<Resolved, EngineError> {
        Ok(match target {
            LimitTarget::Queue => Resolved::Queue,
            LimitTarget::Tenant(tenant) => Resolved::Tenant(tenant),
            LimitTarget::JobType(job_type) => Resolved::JobType(job_type),
            LimitTarget::TenantJobType(tenant, job_type) => Resolved::TenantJobType(tenant, job_type),
            LimitTarget::Workflow(name) => {
                Resolved::Workflow(Box::new(self.known_workflow(caller.scope.tenant(), &name, None).await?))
            }
        })
    }

    async fn limits_of(&self, target: &Resolved) -> Result<Vec<LimitLine>, EngineError> {
        let mut lines = Vec::new();
        for queue in QueueName::ALL {
            let table = self.limit_table(queue, target.version()).await?;
            lines.extend(target.parts(queue).iter().map(|&part| {
                let limit = target.scope(part).map(|scope| table.effective(&scope));
                LimitLine {
                    queue,
                    part,
                    max_concurrent: limit.and_then(|limit| limit.max_concurrent),
                    source: limit.map_or(LimitSource::Settings, |limit| limit.source),
                    rate: table.rates.effective(&target.rate_scope(part)),
                }
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
    JobType(JobType),
    TenantJobType(TenantName, JobType),
}

impl LimitEdits {
    /// The queues that are meant, each as often as it is.
    fn queues(&self) -> impl Iterator<Item = QueueName> {
        let of_rates = self.rates.iter().map(|edit| edit.queue);
        self.limits.iter().map(|edit| edit.queue).chain(of_rates)
    }
}

impl Resolved {
    fn parts(&self, queue: QueueName) -> &'static [LimitPart] {
        use LimitPart::{JobTypeDefault, Own, TenantDefault, WorkflowDefault};
        match self {
            Self::Queue if queue == QueueName::Node => &[Own, TenantDefault, WorkflowDefault, JobTypeDefault],
            Self::Queue => &[Own, TenantDefault, WorkflowDefault],
            Self::JobType(_) | Self::TenantJobType(..) if queue != QueueName::Node => &[],
            Self::Tenant(_) | Self::Workflow(_) | Self::JobType(_) | Self::TenantJobType(..) => &[Own],
        }
    }

    fn version(&self) -> Option<&WorkflowVersion> {
        match self {
            Self::Workflow(version) => Some(version),
            Self::Queue | Self::Tenant(_) | Self::JobType(_) | Self::TenantJobType(..) => None,
        }
    }

    /// `None` where that part has a rate only.
    fn scope(&self, part: LimitPart) -> Option<LimitScope> {
        Some(match (self, part) {
            (_, LimitPart::JobTypeDefault) => return None,
            (Self::JobType(job_type), LimitPart::Own) => LimitScope::JobType(job_type.clone()),
            (Self::TenantJobType(tenant, job_type), LimitPart::Own) => {
                LimitScope::TenantJobType(tenant.clone(), job_type.clone())
            }
            (_, LimitPart::TenantDefault) => LimitScope::TenantDefault,
            (_, LimitPart::WorkflowDefault) => LimitScope::WorkflowDefault,
            (Self::Queue, LimitPart::Own) => LimitScope::Global,
            (Self::Tenant(tenant), LimitPart::Own) => LimitScope::Tenant(tenant.clone()),
            (Self::Workflow(version), LimitPart::Own) => LimitScope::Workflow(version.workflow.clone()),
        })
    }

    fn rate_scope(&self, part: LimitPart) -> RateScope {
        match (self, part) {
            (_, LimitPart::TenantDefault) => RateScope::TenantDefault,
            (_, LimitPart::WorkflowDefault) => RateScope::WorkflowDefault,
            (_, LimitPart::JobTypeDefault) => RateScope::JobTypeDefault,
            (Self::Queue, LimitPart::Own) => RateScope::Global,
            (Self::Tenant(tenant), LimitPart::Own) => RateScope::Tenant(tenant.clone()),
            (Self::Workflow(version), LimitPart::Own) => RateScope::Workflow(version.workflow.clone()),
            (Self::JobType(job_type), LimitPart::Own) => RateScope::JobType(job_type.clone()),
            (Self::TenantJobType(tenant, job_type), LimitPart::Own) => {
                RateScope::TenantJobType(tenant.clone(), job_type.clone())
            }
        }
    }
}

/// Fails where the caller's role or scopes do not allow to limit this.
fn may_limit(caller: &Caller, target: &LimitTarget, edits: &LimitEdits) -> Result<(), EngineError> {
    caller.require(Permission::Operate)?;
    match target {
        LimitTarget::Workflow(name) => {
            let workflow = Some(name.as_str());
            caller.require_on(Action::WorkflowsLimit, &Subject { workflow, ..Subject::default() })
        }
        LimitTarget::Queue | LimitTarget::Tenant(_) => edits.queues().try_for_each(|queue| {
            let queue = Some(queue.as_str());
            caller.require_on(Action::LimitsSet, &Subject { queue, ..Subject::default() })
        }),
        LimitTarget::JobType(job_type) | LimitTarget::TenantJobType(_, job_type) => {
            edits.queues().try_for_each(|queue| {
                let (queue, job_type) = (Some(queue.as_str()), Some(job_type.as_str()));
                caller.require_on(Action::LimitsSet, &Subject { queue, job_type, ..Subject::default() })
            })
        }
    }
}

fn check_edits(target: &LimitTarget, edits: &LimitEdits) -> Result<(), EngineError> {
    let mut faults = Faults::default();
    if edits.queues().next().is_none() {
        faults.add("", "expected at least one limit");
    }
    let is_of_queues = *target == LimitTarget::Queue;
    for edit in &edits.rates {
        let pointer = format!("/{}", edit.queue);
        if !is_of_queues && edit.part != LimitPart::Own {
            faults.add(&pointer, "expected rate only: defaults are set for the queue");
        }
    }
    let of_types = |part: LimitPart| part == LimitPart::JobTypeDefault;
    let has_types = edits.rates.iter().any(|edit| of_types(edit.part) && edit.queue != QueueName::Node);
    let is_of_type = matches!(target, LimitTarget::JobType(_) | LimitTarget::TenantJobType(..));
    if has_types || (is_of_type && edits.queues().any(|queue| queue != QueueName::Node)) {
        faults.add("", format!("job types have limits on {} only", QueueName::Node));
    }
    for edit in &edits.limits {
        let pointer = format!("/{}", edit.queue);
        if !is_of_queues && edit.part != LimitPart::Own {
            faults.add(&pointer, "expected maxConcurrent only: defaults are set for the queue");
        }
        if edit.max_concurrent.flatten().is_some_and(|limit| limit > LIMIT_MAX) {
            faults.add(&format!("{pointer}/maxConcurrent"), format!("expected 0 to {LIMIT_MAX}"));
        }
    }
    faults.check()
}

/// The limits that edits are about, as they are: by queue and part.
fn present(lines: &[LimitLine], edits: &LimitEdits) -> serde_json::Value {
    let line = |queue, part| lines.iter().find(|line| line.queue == queue && line.part == part);
    let limits = edits.limits.iter().map(|edit| {
        let limit = line(edit.queue, edit.part).and_then(|line| line.max_concurrent);
        (place(edit.queue, edit.part), serde_json::json!(limit))
    });
    let rates = edits.rates.iter().map(|edit| {
        let rate = line(edit.queue, edit.part).and_then(|line| line.rate);
        (rate_place(edit), serde_json::json!(rate.map(|effective| effective.rate)))
    });
    limits.chain(rates).collect()
}

/// The same as they will be; null where the limit is removed or there is none.
fn wanted(edits: &LimitEdits) -> serde_json::Value {
    let limits = edits
        .limits
        .iter()
        .map(|edit| (place(edit.queue, edit.part), serde_json::json!(edit.max_concurrent.flatten())));
    let rates = edits.rates.iter().map(|edit| (rate_place(edit), serde_json::json!(edit.rate)));
    limits.chain(rates).collect()
}

fn place(queue: QueueName, part: LimitPart) -> String {
    format!("{queue}/{}", part_name(part))
}

fn rate_place(edit: &RateEdit) -> String {
    format!("{}/rate", place(edit.queue, edit.part))
}

const fn part_name(part: LimitPart) -> &'static str {
    match part {
        LimitPart::Own => "own",
        LimitPart::TenantDefault => "tenantDefault",
        LimitPart::WorkflowDefault => "workflowDefault",
        LimitPart::JobTypeDefault => "jobTypeDefault",
    }
}

fn audited(target: &Resolved, edits: &LimitEdits) -> AuditedAction {
    let (subject, tenant) = match target {
        Resolved::Queue => ("queues".to_owned(), None),
        Resolved::Tenant(tenant) => (format!("tenant {tenant}"), Some(tenant.clone())),
        Resolved::Workflow(version) => {
            let WorkflowRef { owner, name } = &version.workflow;
            (format!("workflow {name}"), owner.clone())
        }
        Resolved::JobType(job_type) => (format!("job type {job_type}"), None),
        Resolved::TenantJobType(tenant, job_type) => (format!("job type {job_type}"), Some(tenant.clone())),
    };
    let limits = edits.limits.iter().map(|edit| {
        let part = part_name(edit.part);
        let value = match edit.max_concurrent {
            None => serde_json::json!("removed"),
            Some(None) => serde_json::json!("unlimited"),
            Some(Some(limit)) => serde_json::json!(limit),
        };
        serde_json::json!({ "queue": edit.queue.as_str(), "limit": part, "maxConcurrent": value })
    });
    let rates = edits.rates.iter().map(|edit| {
        let rate = edit.rate.map_or(serde_json::json!("removed"), |rate| serde_json::json!(rate));
        serde_json::json!({ "queue": edit.queue.as_str(), "limit": part_name(edit.part), "rate": rate })
    });
    let detail = limits.chain(rates).collect();
    AuditedAction::new("limits.set", &subject).of(tenant).with(serde_json::Value::Array(detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(part: LimitPart, limit: u32) -> LimitEdits {
        vec![LimitEdit { queue: QueueName::Node, part, max_concurrent: Some(Some(limit)) }].into()
    }

    #[test]
    fn rates_of_job_types_are_for_one_queue() {
        let of = |queue, part| LimitEdits {
            rates: vec![RateEdit { queue, part, rate: None }],
            ..LimitEdits::default()
        };
        let node = QueueName::Node;
        assert!(check_edits(&LimitTarget::Queue, &of(node, LimitPart::JobTypeDefault)).is_ok());
        let execution = QueueName::Execution;
        assert!(check_edits(&LimitTarget::Queue, &of(execution, LimitPart::JobTypeDefault)).is_err());
        assert!(check_edits(&LimitTarget::Queue, &of(execution, LimitPart::Own)).is_ok());
        let job_type = LimitTarget::JobType(JobType::trusted("mail"));
        assert!(check_edits(&job_type, &of(node, LimitPart::Own)).is_ok());
        assert!(check_edits(&job_type, &of(node, LimitPart::TenantDefault)).is_err());
        assert!(check_edits(&job_type, &of(execution, LimitPart::Own)).is_err());
    }

    #[test]
    fn edits_have_bounds() {
        assert!(check_edits(&LimitTarget::Queue, &edit(LimitPart::Own, 0)).is_ok());
        assert!(check_edits(&LimitTarget::Queue, &edit(LimitPart::TenantDefault, LIMIT_MAX)).is_ok());
        assert!(check_edits(&LimitTarget::Queue, &LimitEdits::default()).is_err());
        assert!(check_edits(&LimitTarget::Queue, &edit(LimitPart::Own, LIMIT_MAX + 1)).is_err());
        let tenant = LimitTarget::Tenant(TenantName::trusted("acme"));
        assert!(check_edits(&tenant, &edit(LimitPart::WorkflowDefault, 1)).is_err());
    }
}
