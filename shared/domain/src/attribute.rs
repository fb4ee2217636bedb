//! Searchable attributes: typed values of jobs and executions that lists are filtered by.
//!
//! A name is declared for a job type, a workflow or a tenant, with a type and, if it is taken from a payload, the path to
//! it. This module decides what of a payload becomes an attribute, how a value is stored so that the order of the stored
//! texts is the order of the values, and what a query may name. Where attributes are kept is the store's affair.

mod by_workflow;
mod path;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::names::{AttributeName, JobType, TenantName, WorkflowName};
use crate::time::Timestamp;
use path::VALUES_MAX;

pub use by_workflow::SetAttribute;
pub use path::{AttributePath, PARTS_MAX, PathRoot, read_parts};
pub use value::{AttributeId, AttributeType, AttributeValue, StoredAttribute, TEXT_BYTES_MAX};

/// The most attributes that one scope declares.
pub const PER_SCOPE_MAX: usize = 20;

/// The most names that the scopes of a tenant declare together.
pub const PER_TENANT_MAX: usize = 64;

/// The most declarations of all scopes of a tenant: every process reads those of all tenants.
pub const DECLARATIONS_PER_TENANT_MAX: usize = 4_000;

// What is declared in a tenant, and what of it applies to an object.

/// Whose objects carry an attribute.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AttributeScope {
    /// All of the tenant.
    Tenant,
    /// Jobs of a type.
    JobType(JobType),
    /// Executions of a workflow and their jobs.
    Workflow(WorkflowName),
    /// The same, by the definition of the workflow.
    Definition(WorkflowName),
}

impl AttributeScope {
    /// The public and stored name of its kind.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Tenant => "tenant",
            Self::JobType(_) => "jobType",
            Self::Workflow(_) => "workflow",
            Self::Definition(_) => "definition",
        }
    }

    /// The name of the job type or workflow; empty for a tenant.
    pub fn owner(&self) -> &str {
        match self {
            Self::Tenant => "",
            Self::JobType(job_type) => job_type.as_str(),
            Self::Workflow(workflow) | Self::Definition(workflow) => workflow.as_str(),
        }
    }

    /// Reads what was stored.
    pub fn of_stored(kind: &str, owner: &str) -> Option<Self> {
        match kind {
            "tenant" => Some(Self::Tenant),
            "jobType" => Some(Self::JobType(JobType::trusted(owner))),
            "workflow" => Some(Self::Workflow(WorkflowName::trusted(owner))),
            "definition" => Some(Self::Definition(WorkflowName::trusted(owner))),
            _ => None,
        }
    }
}

/// A declared attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// Who declares it.
    pub scope: AttributeScope,
    /// Its name.
    pub name: AttributeName,
    /// Its type.
    pub kind: AttributeType,
    /// What it is taken from where it is not set.
    pub path: Option<AttributePath>,
    /// Objects that were made before do not carry it.
    pub since: Timestamp,
}

/// What is wrong with an attribute that was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetFault {
    /// Its name as it was sent.
    pub name: String,
    /// What is expected.
    pub message: String,
}

/// Attributes of one object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TakenAttributes {
    /// Each value once.
    pub attributes: Vec<StoredAttribute>,
    /// How many values of the payload were left out because they do not fit.
    pub skipped: u32,
}

/// What is declared in a tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TenantAttributes {
    /// The tenant.
    pub tenant: TenantName,
    /// All declarations.
    pub declared: Vec<Declared>,
}

impl TenantAttributes {
    /// Attributes that jobs of a type carry; `workflow` is that of their execution.
    pub fn of_job<'a>(
        &'a self,
        job_type: &JobType,
        workflow: Option<&WorkflowName>,
    ) -> impl Iterator<Item = &'a Declared> + Clone {
        self.declared.iter().filter(move |one| match &one.scope {
            AttributeScope::Tenant => true,
            AttributeScope::JobType(of) => of == job_type,
            AttributeScope::Workflow(of) | AttributeScope::Definition(of) => Some(of) == workflow,
        })
    }

    /// Attributes that executions of a workflow carry.
    pub fn of_execution<'a>(&'a self, workflow: &WorkflowName) -> impl Iterator<Item = &'a Declared> + Clone {
        self.declared.iter().filter(move |one| match &one.scope {
            AttributeScope::Tenant => true,
            AttributeScope::JobType(_) => false,
            AttributeScope::Workflow(of) | AttributeScope::Definition(of) => of == workflow,
        })
    }

    /// What of these a workflow's executions do not carry yet and can: a name that has another type in the tenant stays as it
    /// is, a tenant has at most [`PER_TENANT_MAX`] names, and a definition declares at most [`PER_SCOPE_MAX`].
    pub fn missing<'s>(&self, workflow: &WorkflowName, set: &'s [SetAttribute]) -> Vec<&'s SetAttribute> {
        let mut names: BTreeSet<&AttributeName> = self.declared.iter().map(|one| &one.name).collect();
        let scope = AttributeScope::Definition(workflow.clone());
        let mut of_scope = self.declared.iter().filter(|one| one.scope == scope).count();
        let mut missing = Vec::new();
        for one in set {
            let is_carried =
                self.of_execution(workflow).any(|known| known.name == one.name && known.kind == one.kind);
            let has_other_type =
                self.declared.iter().any(|known| known.name == one.name && known.kind != one.kind);
            let is_full =
                of_scope >= PER_SCOPE_MAX || (!names.contains(&one.name) && names.len() >= PER_TENANT_MAX);
            if is_carried || has_other_type || is_full {
                continue;
            }
            of_scope += 1;
            names.insert(&one.name);
            missing.push(one);
        }
        missing
    }

    /// The values of those that a workflow sets and its executions carry; the others are counted as skipped.
    pub fn of_set(&self, workflow: &WorkflowName, set: &[SetAttribute]) -> TakenAttributes {
        let mut taken = TakenAttributes::default();
        for one in set {
            let mut carried = self.of_execution(workflow);
            taken.skipped = taken.skipped.saturating_add(one.skipped);
            match carried.find(|known| known.name == one.name && known.kind == one.kind) {
                Some(known) => {
                    taken.attributes.extend(one.values.iter().map(|value| self.stored(known, value)));
                }
                None => taken.skipped = taken.skipped.saturating_add(u32::from(!one.values.is_empty())),
            }
        }
        taken.attributes.sort_unstable();
        taken.attributes.dedup();
        taken
    }

    /// Reads attributes that a caller sets, each a value or a list of values.
    pub fn read_set<'a>(
        &self,
        declared: &(impl Iterator<Item = &'a Declared> + Clone),
        set: &BTreeMap<String, Value>,
    ) -> Result<Vec<StoredAttribute>, Vec<SetFault>> {
        let (mut read, mut faults) = (Vec::new(), Vec::new());
        for (name, value) in set {
            let mut fault = |message: String| faults.push(SetFault { name: name.clone(), message });
            let Some(one) = declared.clone().find(|one| one.name.as_str() == name) else {
                fault("is not declared for this job type, workflow or tenant".to_owned());
                continue;
            };
            let values = match value {
                Value::Array(values) if values.len() > VALUES_MAX => {
                    fault(format!("expected at most {VALUES_MAX} values"));
                    continue;
                }
                Value::Array(values) => values.as_slice(),
                value => std::slice::from_ref(value),
            };
            let typed: Option<Vec<AttributeValue>> =
                values.iter().map(|value| AttributeValue::of_json(one.kind, value)).collect();
            match typed {
                Some(typed) => read.extend(typed.iter().map(|value| self.stored(one, value))),
                None => fault(format!("expected a value of the type {}", one.kind.as_str())),
            }
        }
        if faults.is_empty() { Ok(read) } else { Err(faults) }
    }

    /// Takes from a payload what declared paths say and the caller did not set. `payload` is raw JSON text, read only
    /// where a path goes into it.
    pub fn take<'a>(
        &self,
        declared: impl Iterator<Item = &'a Declared>,
        root: PathRoot,
        set: Vec<StoredAttribute>,
        payload: &str,
    ) -> TakenAttributes {
        let mut taken = TakenAttributes { attributes: set, skipped: 0 };
        let mut json: Option<Value> = None;
        for one in declared {
            let Some(path) = one.path.as_ref().filter(|path| path.root == root) else { continue };
            let id = AttributeId::of(&self.tenant, &one.name, one.kind);
            if taken.attributes.iter().any(|stored| stored.attribute == id) {
                continue;
            }
            let payload = json.get_or_insert_with(|| serde_json::from_str(payload).unwrap_or_default());
            for value in path.values_in(payload) {
                match AttributeValue::of_json(one.kind, value) {
                    Some(value) => taken.attributes.push(self.stored(one, &value)),
                    None => taken.skipped += 1,
                }
            }
        }
        taken.attributes.sort_unstable();
        taken.attributes.dedup();
        taken
    }

    fn stored(&self, of: &Declared, value: &AttributeValue) -> StoredAttribute {
        StoredAttribute { attribute: AttributeId::of(&self.tenant, &of.name, of.kind), value: value.stored() }
    }
}

// What queries may name: declared names and paths of the tenants that a caller sees.

/// Attributes that a key of a query means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedAttribute {
    /// Their names: several where the same path is declared under several.
    pub names: Vec<AttributeName>,
    /// Their type; `None` where tenants or scopes differ in it.
    pub kind: Option<AttributeType>,
}

/// Names and paths that queries may name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Searchable {
    names: BTreeMap<AttributeName, Option<AttributeType>>,
    paths: BTreeMap<AttributePath, NamedAttribute>,
}

impl Searchable {
    /// Those of these tenants.
    pub fn of<'a>(tenants: impl IntoIterator<Item = &'a TenantAttributes>) -> Self {
        let mut all = Self::default();
        for one in tenants.into_iter().flat_map(|tenant| &tenant.declared) {
            all.names
                .entry(one.name.clone())
                .and_modify(|kind| *kind = kind.filter(|kind| *kind == one.kind))
                .or_insert(Some(one.kind));
            if let Some(path) = &one.path {
                let named = all
                    .paths
                    .entry(path.clone())
                    .or_insert_with(|| NamedAttribute { names: Vec::new(), kind: Some(one.kind) });
                named.kind = named.kind.filter(|kind| *kind == one.kind);
                if !named.names.contains(&one.name) {
                    named.names.push(one.name.clone());
                }
            }
        }
        all
    }

    /// What `attr.<name>` means.
    pub fn name(&self, name: &str) -> Option<NamedAttribute> {
        let (name, kind) = self.names.get_key_value(name)?;
        Some(NamedAttribute { names: vec![name.clone()], kind: *kind })
    }

    /// What a path means.
    pub fn path(&self, path: &AttributePath) -> Option<NamedAttribute> {
        self.paths.get(path).cloned()
    }

    /// All names with their types.
    pub fn names(&self) -> impl Iterator<Item = (&AttributeName, Option<AttributeType>)> {
        self.names.iter().map(|(name, kind)| (name, *kind))
    }

    /// All paths into these payloads.
    pub fn paths(&self, roots: &[PathRoot]) -> impl Iterator<Item = (&AttributePath, &NamedAttribute)> {
        self.paths.iter().filter(|(path, _)| roots.contains(&path.root))
    }
}

#[cfg(test)]
mod tests;
