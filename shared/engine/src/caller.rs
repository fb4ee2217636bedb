//! Who calls, and in whose name. Checked at the start of every use case.

use domain::access::{Role, TenantScope, Verb};
use domain::names::{TENANT_DEFAULT, TenantName};
use uuid::Uuid;

use crate::error::EngineError;

/// Who calls, and in whose name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Whose data the call may touch.
    pub scope: TenantScope,
    /// What the caller may do.
    pub role: Role,
    /// Who it is, for the audit log: a key's public id, `loopback` or `system`.
    pub actor: String,
    /// The seed of the request's idempotency key. Ids that the call makes are derived from it, so that a repeat
    /// makes the same rows.
    pub seed: Option<Uuid>,
}

impl Caller {
    /// Trunkline itself.
    pub fn system() -> Self {
        Self { scope: TenantScope::All, role: Role::Admin, actor: "system".to_owned(), seed: None }
    }

    /// Whether the caller's role may do it.
    pub const fn may(&self, verb: Verb) -> bool {
        self.role.may(verb)
    }

    /// Fails when the caller's role may not do it.
    pub fn require(&self, verb: Verb) -> Result<(), EngineError> {
        if self.may(verb) {
            Ok(())
        } else {
            Err(EngineError::Forbidden {
                reason: match verb {
                    Verb::Read => "This key's role may not read.",
                    Verb::Start => "This key's role may not start or cancel work.",
                    Verb::Work => "This key's role may not take jobs.",
                    Verb::Operate => {
                        "This key's role may not operate queues, limits, workflows or dead letters."
                    }
                    Verb::Administer => "This key's role may not manage keys and tenants.",
                },
            })
        }
    }

    /// Fails when the caller is bound to a tenant: for what concerns all of them.
    pub fn require_unscoped(&self) -> Result<(), EngineError> {
        match self.scope {
            TenantScope::All => Ok(()),
            TenantScope::One(_) => Err(EngineError::Forbidden {
                reason: "A key that is bound to a tenant may not change what all tenants share.",
            }),
        }
    }

    /// The tenant that a call is for, where it is for one: the key's own, or the one asked for.
    pub fn tenant(&self, asked: Option<TenantName>) -> Result<Option<TenantName>, EngineError> {
        match (&self.scope, asked) {
            (TenantScope::All, asked) => Ok(asked),
            (TenantScope::One(own), None) => Ok(Some(own.clone())),
            (TenantScope::One(own), Some(asked)) if *own == asked => Ok(Some(asked)),
            (TenantScope::One(_), Some(_)) => {
                Err(EngineError::Forbidden { reason: "This key is bound to another tenant." })
            }
        }
    }

    /// The same, with the tenant `default` where none is named.
    pub fn tenant_or_default(&self, asked: Option<TenantName>) -> Result<TenantName, EngineError> {
        Ok(self.tenant(asked)?.unwrap_or_else(|| TenantName::trusted(TENANT_DEFAULT)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acme() -> TenantName {
        TenantName::trusted("acme")
    }

    #[test]
    fn a_bound_key_speaks_for_its_tenant_only() {
        let bound = Caller { scope: TenantScope::One(acme()), ..Caller::system() };
        assert_eq!(bound.tenant_or_default(None).ok(), Some(acme()));
        assert_eq!(bound.tenant_or_default(Some(acme())).ok(), Some(acme()));
        let other = bound.tenant_or_default(Some(TenantName::trusted("umbrella")));
        assert!(matches!(other, Err(EngineError::Forbidden { .. })));
        assert!(bound.require_unscoped().is_err());
        let free = Caller::system();
        assert_eq!(free.tenant_or_default(None).ok(), Some(TenantName::trusted(TENANT_DEFAULT)));
        assert_eq!(free.tenant(None).ok(), Some(None));
    }

    #[test]
    fn roles_are_checked() {
        let worker = Caller { role: Role::Worker, ..Caller::system() };
        assert!(worker.require(Verb::Work).is_ok());
        assert!(matches!(worker.require(Verb::Start), Err(EngineError::Forbidden { .. })));
    }
}
