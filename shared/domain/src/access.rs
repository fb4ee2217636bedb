//! Who may do what: roles, scopes, and the tenant that a key is bound to.

mod action;
mod identity;
mod scopes;
mod token;
mod user_tasks;

pub use action::{Action, NameKind};
pub use identity::{Grant, Identity, IdentityRules, RoleRule, RuleTenant};
pub use scopes::{KeyScope, KeyScopes, Network, Subject};
pub use token::{TokenFault, TokenRules, check_nonce, check_token};
pub use user_tasks::{TaskCaller, TaskOwners, TaskRefusal, may_do_task};

use crate::names::TenantName;

words! {
    /// What a key may do.
    Role {
        /// Everything, keys and tenants included.
        Admin "admin",
        /// Operates: pauses, limits, requeues, cancels, registers workflows. No keys.
        Operator "operator",
        /// Starts and cancels work and reads it.
        Client "client",
        /// Polls, completes, fails and heartbeats jobs.
        Worker "worker",
        /// Reads.
        Viewer "viewer",
    }
}

impl Role {
    /// Whether the role may do it.
    pub const fn may(self, verb: Permission) -> bool {
        match verb {
            Permission::Read => !matches!(self, Self::Worker),
            Permission::Start => matches!(self, Self::Admin | Self::Operator | Self::Client),
            Permission::Work => matches!(self, Self::Admin | Self::Operator | Self::Worker),
            Permission::Operate => matches!(self, Self::Admin | Self::Operator),
            Permission::Administer => matches!(self, Self::Admin),
        }
    }
}

/// The five kinds of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Look at jobs, executions, queues.
    Read,
    /// Enqueue jobs, start and cancel executions, send signals.
    Start,
    /// Poll, complete, fail, heartbeat.
    Work,
    /// Pause, limit, requeue, archive, register workflows.
    Operate,
    /// Keys and tenants.
    Administer,
}

/// Whose data a call may touch. Every read and write of tenant-owned data takes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TenantScope {
    /// Every tenant's.
    All,
    /// One tenant's; everything else does not exist for the caller.
    One(TenantName),
}

impl TenantScope {
    /// Whether data of `tenant` may be seen.
    pub fn allows(&self, tenant: &TenantName) -> bool {
        match self {
            Self::All => true,
            Self::One(own) => own == tenant,
        }
    }

    /// The tenant, where the scope is one.
    pub const fn tenant(&self) -> Option<&TenantName> {
        match self {
            Self::All => None,
            Self::One(tenant) => Some(tenant),
        }
    }
}
