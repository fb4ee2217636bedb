//! Searchable attributes: typed values of jobs and executions that lists are filtered by.
//!
//! A name is declared for a job type, a workflow or a tenant, with a type and, if it is taken from a payload, the path to
//! it. This module decides what of a payload becomes an attribute, how a value is stored so that the order of the stored
//! texts is the order of the values, and what a query may name. Where attributes are kept is the store's affair.

mod by_workflow;
mod declared;
mod path;
mod searchable;
mod value;

pub use by_workflow::SetAttribute;
pub use declared::{AttributeScope, Declared, SetFault, TakenAttributes, TenantAttributes};
pub use path::{AttributePath, PARTS_MAX, PathRoot, read_parts};
pub use searchable::{NamedAttribute, Searchable};
pub use value::{AttributeId, AttributeType, AttributeValue, StoredAttribute, TEXT_BYTES_MAX};

/// The most attributes that one scope declares.
pub const PER_SCOPE_MAX: usize = 20;

/// The most names that the scopes of a tenant declare together.
pub const PER_TENANT_MAX: usize = 64;

/// The most values that one path takes from a payload.
pub const VALUES_MAX: usize = 16;

#[cfg(test)]
mod tests;
