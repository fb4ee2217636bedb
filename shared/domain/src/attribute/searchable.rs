//! What queries may name: declared names and paths of the tenants that a caller sees.

use std::collections::BTreeMap;

use super::declared::TenantAttributes;
use super::path::{AttributePath, PathRoot};
use super::value::AttributeType;
use crate::names::AttributeName;

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
