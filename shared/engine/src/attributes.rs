//! Searchable attributes: declare them, take them from what callers send, and show them with their objects.

mod cache;
mod defined;
mod take;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use domain::access::{Action, Permission};
use domain::attribute::{
    AttributePath, AttributeScope, AttributeType, AttributeValue, DECLARATIONS_PER_TENANT_MAX, Declared,
    PER_SCOPE_MAX, PER_TENANT_MAX, PathRoot, Searchable, TenantAttributes,
};
use domain::names::{AttributeName, JobType, TenantName, WorkflowName};
use domain::problem::ProblemCode;
use domain::time::Timestamp;
use serde_json::{Map, Value, json};
use store::attributes::{AttributeChange, DeclareAnswer};
use uuid::Uuid;

use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::{Engine, read_beside};
use crate::error::EngineError;
use cache::Declarations;

pub(crate) use cache::AttributeCache;
pub(crate) use take::{Given, GivenByJob};

/// The most declarations that are read.
const DECLARATIONS_MAX: u32 = 100_000;

// Declare attributes, and look at what is declared.

/// Who declares attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttributeTarget {
    /// A tenant, for all its jobs and executions.
    Tenant(TenantName),
    /// A job type of a tenant; the caller's own, or `default`, where none is named.
    JobType(JobType, Option<TenantName>),
    /// A workflow of a tenant, likewise.
    Workflow(WorkflowName, Option<TenantName>),
}

/// An attribute as it is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeLine {
    /// Its name.
    pub name: AttributeName,
    /// Its type.
    pub kind: AttributeType,
    /// What it is taken from where it is not set.
    pub path: Option<AttributePath>,
    /// Who declares it: `jobType`, `workflow`, `definition` or `tenant`.
    pub source: &'static str,
    /// Objects that were made before do not carry it.
    pub since: Timestamp,
}

impl Engine {
    /// The attributes that objects of a target carry, by name: its own, and those of its tenant.
    pub async fn declared_attributes(
        &self,
        caller: &Caller,
        target: &AttributeTarget,
    ) -> Result<Vec<AttributeLine>, EngineError> {
        caller.require(Permission::Read)?;
        let (tenant, scope) = resolve(caller, target)?;
        let all = self.attributes().await?;
        let of_definition = match &scope {
            AttributeScope::Workflow(name) => Some(AttributeScope::Definition(name.clone())),
            _ => None,
        };
        let applies = |one: &&Declared| {
            one.scope == scope
                || one.scope == AttributeScope::Tenant
                || Some(&one.scope) == of_definition.as_ref()
        };
        let declared = all.tenant(&tenant).map(|tenant| tenant.declared.as_slice()).unwrap_or_default();
        let mut lines: Vec<AttributeLine> = declared.iter().filter(applies).map(line).collect();
        // What the target itself declares is shown, before what its definition does, before what the tenant does.
        let rank = |line: &AttributeLine| ["definition", "tenant"].iter().position(|of| *of == line.source);
        lines.sort_by(|a, b| (&a.name, rank(a)).cmp(&(&b.name, rank(b))));
        lines.dedup_by(|later, first| later.name == first.name);
        Ok(lines)
    }

    /// Changes what a target declares, in one commit, and answers what its objects carry from now on.
    pub async fn declare_attributes(
        &self,
        caller: &Caller,
        target: &AttributeTarget,
        changes: &[AttributeChange],
    ) -> Result<Vec<AttributeLine>, EngineError> {
        caller.require_action(Action::AttributesDeclare)?;
        let (tenant, scope) = resolve(caller, target)?;
        check(&scope, changes)?;
        let detail = json!({ "scope": scope.kind(), "attributes": shown(changes) });
        let subject = if scope.owner().is_empty() { tenant.as_str() } else { scope.owner() };
        // Not what is believed for a while: another process may have just changed it.
        let before = self.read_attributes().await?.tenant(&tenant).map(|known| shown_before(known, &scope));
        let after = with_changes(before.clone().unwrap_or_default(), changes);
        let audited = AuditedAction::new("attributes.declare", &subject)
            .of(Some(tenant.clone()))
            .with(detail)
            .differing(&Value::Object(before.unwrap_or_default()), &Value::Object(after));
        let line = self.audit_line(caller, audited);
        let answer = self.store().declare_attributes(&tenant, &scope, changes, self.now(), &[line]).await?;
        match answer {
            DeclareAnswer::Done => {}
            DeclareAnswer::TypeConflict { name, kind } => {
                let message = format!(
                    "The attribute {name} has the type {} elsewhere in the tenant {tenant}; a name has one type in a tenant.",
                    kind.as_str()
                );
                return Err(EngineError::Conflict { code: ProblemCode::AttributeTypeConflict, message });
            }
            DeclareAnswer::ScopeFull => return Err(full(PER_SCOPE_MAX, "here")),
            DeclareAnswer::TenantFull => return Err(full(PER_TENANT_MAX, "in the tenant")),
            DeclareAnswer::ScopesFull => {
                return Err(full(DECLARATIONS_PER_TENANT_MAX, "in all scopes of the tenant together"));
            }
        }
        self.attributes_changed();
        self.declared_attributes(caller, target).await
    }
}

fn full(max: usize, place: &str) -> EngineError {
    let message = format!("At most {max} attributes are declared {place}; remove one first.");
    EngineError::Conflict { code: ProblemCode::TooManyAttributes, message }
}

fn line(one: &Declared) -> AttributeLine {
    AttributeLine {
        name: one.name.clone(),
        kind: one.kind,
        path: one.path.clone(),
        source: one.scope.kind(),
        since: one.since,
    }
}

/// The tenant and scope of a target, if the caller may know of it.
fn resolve(caller: &Caller, target: &AttributeTarget) -> Result<(TenantName, AttributeScope), EngineError> {
    Ok(match target {
        AttributeTarget::Tenant(tenant) if caller.scope.allows(tenant) => {
            (tenant.clone(), AttributeScope::Tenant)
        }
        AttributeTarget::Tenant(tenant) => return Err(EngineError::not_found("tenant", tenant)),
        AttributeTarget::JobType(job_type, tenant) => {
            (caller.tenant_or_default(tenant.clone())?, AttributeScope::JobType(job_type.clone()))
        }
        AttributeTarget::Workflow(name, tenant) => {
            (caller.tenant_or_default(tenant.clone())?, AttributeScope::Workflow(name.clone()))
        }
    })
}

fn check(scope: &AttributeScope, changes: &[AttributeChange]) -> Result<(), EngineError> {
    let mut faults = Faults::default();
    if changes.is_empty() || changes.len() > 2 * PER_SCOPE_MAX {
        faults.add("", format!("expected 1 to {} attributes", 2 * PER_SCOPE_MAX));
    }
    for change in changes {
        let root = change.declared.as_ref().and_then(|(_, path)| path.as_ref()).map(|path| path.root);
        let is_of_executions = root.is_some_and(|root: PathRoot| !root.is_of_jobs());
        if matches!(scope, AttributeScope::JobType(_)) && is_of_executions {
            faults.add(
                &format!("/{}/path", change.name),
                "jobs have data and result: expected a path into one of them",
            );
        }
    }
    faults.check()
}

fn shown(changes: &[AttributeChange]) -> Value {
    let each = changes.iter().map(|change| {
        let declared = change.declared.as_ref().map(|(kind, path)| shown_one(*kind, path.as_ref()));
        (change.name.to_string(), declared.unwrap_or_default())
    });
    Value::Object(each.collect())
}

/// What a scope of a tenant declares, by name.
fn shown_before(tenant: &TenantAttributes, scope: &AttributeScope) -> Map<String, Value> {
    let own = tenant.declared.iter().filter(|one| one.scope == *scope);
    own.map(|one| (one.name.to_string(), shown_one(one.kind, one.path.as_ref()))).collect()
}

fn with_changes(mut declared: Map<String, Value>, changes: &[AttributeChange]) -> Map<String, Value> {
    for change in changes {
        match &change.declared {
            Some((kind, path)) => {
                drop(declared.insert(change.name.to_string(), shown_one(*kind, path.as_ref())));
            }
            None => drop(declared.remove(change.name.as_str())),
        }
    }
    declared
}

fn shown_one(kind: AttributeType, path: Option<&AttributePath>) -> Value {
    json!({ "type": kind.as_str(), "path": path.map(ToString::to_string) })
}

// Attributes as they are shown with their objects.

/// Attributes by object: a value each, or a list where there are several.
pub type ShownAttributes = HashMap<Uuid, BTreeMap<String, Value>>;

/// Fingerprints by execution: of the last of its jobs that died.
pub type ShownFingerprints = HashMap<Uuid, String>;

impl Engine {
    /// The fingerprints of executions that the caller has been shown; of those without a dead letter none.
    pub async fn shown_fingerprints(
        &self,
        executions: impl IntoIterator<Item = Uuid>,
    ) -> Result<ShownFingerprints, EngineError> {
        let executions: Vec<Uuid> = executions.into_iter().collect();
        if executions.is_empty() {
            return Ok(ShownFingerprints::new());
        }
        // The latest comes last.
        Ok(self.store().fingerprints_of_executions(&executions).await?.into_iter().collect())
    }

    /// The attributes of objects that the caller has been shown. None for one whose answers hold no payloads, and no look
    /// where nobody declares any.
    pub async fn shown_attributes(
        &self,
        caller: &Caller,
        objects: impl IntoIterator<Item = Uuid>,
    ) -> Result<ShownAttributes, EngineError> {
        let mut shown = ShownAttributes::new();
        if !caller.shows_payloads() {
            return Ok(shown);
        }
        let declared = self.attributes().await?;
        if declared.is_empty() {
            return Ok(shown);
        }
        let objects: Vec<Uuid> = objects.into_iter().collect();
        for (object, stored) in self.store().attributes_of(&objects).await? {
            // What is not declared any more is not shown, until it is declared again.
            let Some((name, kind)) = declared.by_id(stored.attribute) else { continue };
            let Some(value) = AttributeValue::of_stored(*kind, &stored.value) else { continue };
            let of_object = shown.entry(object).or_default();
            match of_object.get_mut(name.as_str()) {
                None => {
                    of_object.insert(name.to_string(), value.to_json());
                }
                Some(Value::Array(values)) => values.push(value.to_json()),
                Some(first) => *first = Value::Array(vec![first.take(), value.to_json()]),
            }
        }
        Ok(shown)
    }
}

impl Engine {
    /// What is declared; some seconds old at most, and as of now where it was changed here.
    pub(crate) async fn attributes(&self) -> Result<Arc<Declarations>, EngineError> {
        self.listen();
        let cache = &self.memory().attributes;
        if let Some(known) = cache.believed.get(self.now()) {
            if known.is_old {
                let engine = self.clone();
                read_beside("attributes", async move {
                    let _reading = engine.memory().attributes.reading.lock().await;
                    engine.read_attributes().await.map(drop)
                });
            }
            return Ok(known.value);
        }
        let _reading = cache.reading.lock().await;
        if let Some(known) = cache.believed.get(self.now()) {
            return Ok(known.value);
        }
        self.read_attributes().await
    }

    async fn read_attributes(&self) -> Result<Arc<Declarations>, EngineError> {
        let cache = &self.memory().attributes;
        let reading = cache.believed.begin_reading(self.now());
        let declared = Arc::new(Declarations::of(self.store().declared_attributes(DECLARATIONS_MAX).await?));
        cache.believed.keep(Arc::clone(&declared), reading);
        Ok(declared)
    }

    /// What was declared when it was last read.
    pub(crate) fn known_attributes(&self) -> Arc<Declarations> {
        self.memory().attributes.believed.last().unwrap_or_default()
    }

    /// What queries of a caller may name. Nothing for one whose answers hold no payloads: what it finds would show them.
    pub async fn searchable(&self, caller: &Caller) -> Result<Searchable, EngineError> {
        if !caller.shows_payloads() {
            return Ok(Searchable::default());
        }
        Ok(self.attributes().await?.searchable(&caller.scope))
    }

    /// Has changes of declarations seen at once here, and within a moment on other nodes.
    pub(super) fn attributes_changed(&self) {
        self.memory().attributes.expire();
        self.wake(&[store::wakeup::Hint::Settings]);
    }
}
