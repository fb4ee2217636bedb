//! Searchable attributes: what is declared, and values beside their objects.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::attribute::{AttributePath, AttributeScope, AttributeType, StoredAttribute, TenantAttributes};
use domain::names::{AttributeName, TenantName};
use domain::time::Timestamp;
use uuid::Uuid;

use crate::audit::AuditRecord;
use crate::error::StoreResult;
use crate::jobs::LeaseRef;

/// A change of what one scope declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeChange {
    /// The name.
    pub name: AttributeName,
    /// Its type and path; `None` removes it from the scope.
    pub declared: Option<(AttributeType, Option<AttributePath>)>,
}

/// What became of changes of declarations: all or nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeclareAnswer {
    /// They are stored.
    Done,
    /// Another scope of the tenant declares this name with another type.
    TypeConflict {
        /// The name.
        name: AttributeName,
        /// The type that it has.
        kind: AttributeType,
    },
    /// The scope would declare more than [`PER_SCOPE_MAX`](domain::attribute::PER_SCOPE_MAX).
    ScopeFull,
    /// The tenant would have more names than [`PER_TENANT_MAX`](domain::attribute::PER_TENANT_MAX).
    TenantFull,
    /// The scopes of the tenant would declare more than
    /// [`DECLARATIONS_PER_TENANT_MAX`](domain::attribute::DECLARATIONS_PER_TENANT_MAX) together.
    ScopesFull,
}

/// A value of an attribute and how many objects have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedValue {
    /// The value.
    pub value: String,
    /// How many have it, counted up to a bound.
    pub count: u64,
}

/// The store's operations on attributes.
#[async_trait]
pub trait AttributeStore {
    /// All declarations of all tenants, by tenant, at most `limit` declarations.
    async fn declared_attributes(&self, limit: u32) -> StoreResult<Vec<TenantAttributes>>;

    /// Changes what a scope of a tenant declares, in one commit with `audit`. Calls for one tenant follow one another.
    async fn declare_attributes(
        &self,
        tenant: &TenantName,
        scope: &AttributeScope,
        changes: &[AttributeChange],
        now: Timestamp,
        audit: &[AuditRecord],
    ) -> StoreResult<DeclareAnswer>;

    /// The attributes of these jobs or executions, by object and attribute.
    async fn attributes_of(&self, objects: &[Uuid]) -> StoreResult<Vec<(Uuid, StoredAttribute)>>;

    /// Sets attributes of an object while a lease holds: values of the same attributes go. Answers whether it held.
    async fn set_attributes(
        &self,
        object: Uuid,
        lease: LeaseRef,
        attributes: &[StoredAttribute],
        now: Timestamp,
    ) -> StoreResult<bool>;

    /// Texts that begin so of the attributes with one of these names, in their order, at most `limit`, each with how many
    /// objects have it that were made since. Reads a bounded part of the table.
    async fn suggest_attribute_values(
        &self,
        scope: &TenantScope,
        names: &[AttributeName],
        begin: &str,
        since: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<CountedValue>>;
}
