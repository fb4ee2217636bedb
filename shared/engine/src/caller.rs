//! Who calls, and in whose name. Checked at the start of every use case.

use std::net::IpAddr;
use std::sync::Arc;

use domain::access::{Action, KeyScopes, Network, Permission, Role, Subject, TaskCaller, TenantScope};
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
    /// What the caller's key is limited to beside its role; `None` where it is not.
    pub limits: Option<Arc<KeyLimits>>,
    /// Whom the caller's key stands for, where it stands for somebody.
    pub membership: Option<Arc<Membership>>,
    /// Where the call comes from, for the audit log.
    pub origin: Option<Arc<Origin>>,
}

/// Whom a key stands for, as user tasks name people and groups.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Membership {
    /// The person.
    pub person: Option<String>,
    /// The groups.
    pub groups: Vec<String>,
}

/// What a key is limited to beside its role and its tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyLimits {
    /// What it may do; everything that its role may where there are none.
    pub scopes: Option<KeyScopes>,
    /// From where it may be used; from everywhere where there are none.
    pub networks: Vec<Network>,
    /// Whether its answers hold payloads: data, results, inputs, outputs, bodies.
    pub shows_payloads: bool,
}

domain::words! {
    /// By which door a call comes in.
    #[derive(Default)]
    Door {
        /// The REST interface.
        #[default]
        Rest "rest",
        /// The command line, as its user agent says.
        Cli "cli",
        /// The web console, by a session.
        Console "console",
        /// gRPC.
        Grpc "grpc",
    }
}

/// Where a call comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The address, behind trusted proxies that of whoever called them.
    pub address: Option<IpAddr>,
    /// What the client calls itself, cut to 200 characters.
    pub user_agent: Option<String>,
    /// The id of the request.
    pub request_id: Option<String>,
    /// The door.
    pub door: Door,
}

impl Caller {
    /// A caller with a role, without any limit beside it.
    pub fn new(scope: TenantScope, role: Role, actor: impl Into<String>) -> Self {
        Self { scope, role, actor: actor.into(), seed: None, limits: None, membership: None, origin: None }
    }

    /// Trunkline itself.
    pub fn system() -> Self {
        Self::new(TenantScope::All, Role::Admin, "system")
    }

    /// Whether role and scopes allow an action on anything at all.
    pub fn allows(&self, action: Action) -> bool {
        self.may(action.verb()) && self.scopes().is_none_or(|scopes| scopes.allow(action))
    }

    /// Fails where role or scopes do not allow an action on anything at all.
    pub fn require_action(&self, action: Action) -> Result<(), EngineError> {
        self.require(action.verb())?;
        if self.allows(action) { Ok(()) } else { Err(out_of_scope()) }
    }

    /// Fails where role or scopes do not allow an action on this subject.
    pub fn require_on(&self, action: Action, subject: &Subject<'_>) -> Result<(), EngineError> {
        self.require(action.verb())?;
        match self.scopes() {
            Some(scopes) if !scopes.allow_on(action, subject) => Err(out_of_scope()),
            _ => Ok(()),
        }
    }

    /// How the caller comes to user tasks.
    pub fn to_tasks(&self) -> TaskCaller<'_> {
        let person = self.membership.as_ref().and_then(|membership| membership.person.as_deref());
        let groups = self.membership.as_ref().map(|membership| membership.groups.as_slice());
        TaskCaller {
            role: self.role,
            name: person.unwrap_or(&self.actor),
            person,
            groups: groups.unwrap_or_default(),
        }
    }

    /// Whether the caller's answers hold payloads.
    pub fn shows_payloads(&self) -> bool {
        self.limits.as_ref().is_none_or(|limits| limits.shows_payloads)
    }

    /// Whether the caller's key may be used from an address. One that is not known lies in no network.
    pub fn may_come_from(&self, address: Option<IpAddr>) -> bool {
        let networks = self.limits.as_ref().map(|limits| limits.networks.as_slice()).unwrap_or_default();
        networks.is_empty()
            || address.is_some_and(|address| {
                let address = address.to_canonical();
                networks.iter().any(|network| network.holds(address))
            })
    }

    /// Whose idempotency keys the caller's are: those of its API key. A reservation of one key never answers another's
    /// call, whatever tenant both are bound to.
    pub fn idempotency_owner(&self) -> String {
        match self.scope.tenant() {
            Some(tenant) => format!("{tenant}/{}", self.actor),
            None => self.actor.clone(),
        }
    }

    /// The same caller, speaking for one tenant where one is named: names then mean what they mean to that tenant.
    pub fn within(&self, asked: Option<TenantName>) -> Result<Self, EngineError> {
        let scope = self.tenant(asked)?.map_or(TenantScope::All, TenantScope::One);
        Ok(Self { scope, ..self.clone() })
    }

    fn scopes(&self) -> Option<&KeyScopes> {
        self.limits.as_ref()?.scopes.as_ref()
    }

    /// Whether the caller's role may do it.
    pub const fn may(&self, verb: Permission) -> bool {
        self.role.may(verb)
    }

    /// Fails when the caller's role may not do it.
    pub fn require(&self, verb: Permission) -> Result<(), EngineError> {
        if self.may(verb) {
            Ok(())
        } else {
            Err(EngineError::Forbidden {
                reason: match verb {
                    Permission::Read => "Requires role `viewer`.",
                    Permission::Start => "Requires role `client`.",
                    Permission::Work => "Requires role `worker`.",
                    Permission::Operate => "Requires role `operator`.",
                    Permission::Administer => "Requires role `admin`.",
                },
            })
        }
    }

    /// Fails when the caller is bound to a tenant: for what concerns all of them.
    pub fn require_unscoped(&self) -> Result<(), EngineError> {
        match self.scope {
            TenantScope::All => Ok(()),
            TenantScope::One(_) => {
                Err(EngineError::Forbidden { reason: "Requires an API key that is not bound to a tenant." })
            }
        }
    }

    /// The tenant that a call is for, where it is for one: the key's own, or the one asked for.
    pub fn tenant(&self, asked: Option<TenantName>) -> Result<Option<TenantName>, EngineError> {
        match (&self.scope, asked) {
            (TenantScope::All, asked) => Ok(asked),
            (TenantScope::One(own), None) => Ok(Some(own.clone())),
            (TenantScope::One(own), Some(asked)) if *own == asked => Ok(Some(asked)),
            (TenantScope::One(_), Some(_)) => {
                Err(EngineError::Forbidden { reason: "This API key is bound to another tenant." })
            }
        }
    }

    /// The same, with the tenant `default` where none is named.
    pub fn tenant_or_default(&self, asked: Option<TenantName>) -> Result<TenantName, EngineError> {
        Ok(self.tenant(asked)?.unwrap_or_else(|| TenantName::trusted(TENANT_DEFAULT)))
    }
}

const fn out_of_scope() -> EngineError {
    EngineError::Forbidden { reason: "The scopes of this API key do not allow this call." }
}

#[cfg(test)]
mod tests {
    use domain::access::KeyScope;

    use super::*;

    fn limited(limits: KeyLimits) -> Caller {
        Caller { limits: Some(Arc::new(limits)), ..Caller::system() }
    }

    #[test]
    fn scopes_restrict_and_never_grant() {
        let scope = KeyScope { actions: vec!["jobs.*".to_owned()], ..KeyScope::default() };
        let scopes = KeyScopes::new(vec![scope]).ok();
        let limits = KeyLimits { scopes, networks: Vec::new(), shows_payloads: false };
        let caller = Caller { role: Role::Client, ..limited(limits) };
        assert!(caller.allows(Action::JobsEnqueue) && !caller.shows_payloads());
        assert!(!caller.allows(Action::JobsWork), "the role may not");
        assert!(!caller.allows(Action::ExecutionsStart), "the scopes do not");
        assert!(matches!(caller.require_action(Action::QueuesRead), Err(EngineError::Forbidden { .. })));
        assert!(Caller::system().allows(Action::ExecutionsStart));
    }

    #[test]
    fn networks_restrict_where_a_key_is_used() {
        let networks = vec![Network::parse("10.0.0.0/8").expect("a network")];
        let caller = limited(KeyLimits { scopes: None, networks, shows_payloads: true });
        let from = |text: &str| caller.may_come_from(text.parse().ok());
        assert!(from("10.1.2.3") && from("::ffff:10.1.2.3"));
        assert!(!from("192.0.2.1") && !from("::1") && !caller.may_come_from(None));
        assert!(Caller::system().may_come_from(None));
    }

    #[test]
    fn idempotency_keys_belong_to_one_key() {
        let one = Caller { actor: "key_1".to_owned(), ..Caller::system() };
        let other = Caller { actor: "key_2".to_owned(), ..Caller::system() };
        assert_ne!(one.idempotency_owner(), other.idempotency_owner());
        let bound = Caller { scope: TenantScope::One(acme()), ..one.clone() };
        assert_ne!(bound.idempotency_owner(), one.idempotency_owner());
    }

    #[test]
    fn an_unbound_caller_can_speak_for_a_tenant() {
        let within = Caller::system().within(Some(acme())).expect("allowed");
        assert_eq!(within.scope, TenantScope::One(acme()));
        assert_eq!(Caller::system().within(None).expect("allowed").scope, TenantScope::All);
        assert!(within.within(Some(TenantName::trusted("umbrella"))).is_err());
    }

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
        assert!(worker.require(Permission::Work).is_ok());
        assert!(matches!(worker.require(Permission::Start), Err(EngineError::Forbidden { .. })));
    }
}
