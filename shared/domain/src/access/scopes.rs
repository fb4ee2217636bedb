//! What a key may do beside its role: scopes restrict, they never grant more than the role has.

use std::fmt;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use super::action::{Action, NameKind};
use crate::error::Fault;

/// The most scopes of a key.
const SCOPES_MAX: usize = 32;
/// The most actions or names of one kind in a scope.
const ENTRIES_MAX: usize = 64;
/// The longest action or name in a scope, in bytes.
const ENTRY_BYTES_MAX: usize = 200;

/// One scope: some actions, perhaps on some names only. Absent names do not limit.
///
/// An action is its word, `jobs.*`, `*.read` or `*`. A name is whole or ends in `*`. A scope that has names of a kind
/// grants only those of its actions that can be limited by that kind ([`Action::limited_by`]).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KeyScope {
    /// The actions.
    pub actions: Vec<String>,
    /// Only these job types.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub job_types: Vec<String>,
    /// Only these workflows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workflows: Vec<String>,
    /// Only these queues.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queues: Vec<String>,
    /// Only for these tenants. Polling for all tenants at once needs `*` here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tenants: Vec<String>,
}

/// The names that a call is about, as far as it has them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Subject<'a> {
    /// The type of the job.
    pub job_type: Option<&'a str>,
    /// The workflow.
    pub workflow: Option<&'a str>,
    /// The queue.
    pub queue: Option<&'a str>,
    /// Whose work it is; `None` for that of all tenants at once.
    pub tenant: Option<&'a str>,
}

/// The scopes of a key. A key without any has the rights of its role.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeyScopes(Vec<KeyScope>);

impl KeyScopes {
    /// Checks scopes. Faults point into the list; each entry has to mean something.
    pub fn new(scopes: Vec<KeyScope>) -> Result<Self, Vec<Fault>> {
        let mut faults = Vec::new();
        if scopes.is_empty() || scopes.len() > SCOPES_MAX {
            faults.push(Fault::new("", format!("expected 1 to {SCOPES_MAX} scopes, or none at all")));
        }
        for (index, scope) in scopes.iter().enumerate().take(SCOPES_MAX) {
            faults.extend(scope.faults().into_iter().map(|fault| fault.under(&format!("/{index}"))));
        }
        if faults.is_empty() { Ok(Self(scopes)) } else { Err(faults) }
    }

    /// The scopes.
    pub fn as_slice(&self) -> &[KeyScope] {
        &self.0
    }

    /// Whether there is anything on which they allow an action.
    pub fn allow(&self, action: Action) -> bool {
        self.0.iter().any(|scope| scope.grants(action))
    }

    /// Whether they allow an action on a subject.
    pub fn allow_on(&self, action: Action, subject: &Subject<'_>) -> bool {
        self.0.iter().any(|scope| scope.grants(action) && scope.covers(action, subject))
    }

    /// Whether they allow nothing that changes anything.
    pub fn are_read_only(&self) -> bool {
        Action::ALL.iter().all(|&action| action.is_read() || !self.allow(action))
    }
}

impl KeyScope {
    fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (field, entries) in [
            ("actions", &self.actions),
            ("jobTypes", &self.job_types),
            ("workflows", &self.workflows),
            ("queues", &self.queues),
            ("tenants", &self.tenants),
        ] {
            if entries.len() > ENTRIES_MAX {
                faults
                    .push(Fault::new(format!("/{field}"), format!("expected at most {ENTRIES_MAX} entries")));
            }
            for (index, entry) in entries.iter().enumerate().take(ENTRIES_MAX) {
                let is_text = (1..=ENTRY_BYTES_MAX).contains(&entry.len())
                    && !entry.chars().any(|character| character.is_control() || character.is_whitespace());
                let wildcards = entry.trim_end_matches('*').contains('*') || entry.ends_with("**");
                if !is_text || (field != "actions" && wildcards) {
                    let message = format!(
                        "expected 1 to {ENTRY_BYTES_MAX} bytes without spaces, with * at the end only"
                    );
                    faults.push(Fault::new(format!("/{field}/{index}"), message));
                }
            }
        }
        if self.actions.is_empty() {
            faults
                .push(Fault::new("/actions", "expected at least one action, such as jobs.enqueue or *.read"));
        }
        for (index, pattern) in self.actions.iter().enumerate().take(ENTRIES_MAX) {
            if !Action::ALL.iter().any(|&action| names_action(pattern, action)) {
                faults.push(Fault::new(
                    format!("/actions/{index}"),
                    "expected an action, such as jobs.enqueue, jobs.*, *.read or *",
                ));
            } else if !Action::ALL
                .iter()
                .any(|&action| names_action(pattern, action) && self.can_limit(action))
            {
                let message =
                    "this action cannot be limited by the names of this scope; give it a scope of its own";
                faults.push(Fault::new(format!("/actions/{index}"), message));
            }
        }
        faults
    }

    fn grants(&self, action: Action) -> bool {
        self.can_limit(action) && self.actions.iter().any(|pattern| names_action(pattern, action))
    }

    /// Whether the action can be limited by every kind of name that the scope has.
    fn can_limit(&self, action: Action) -> bool {
        self.kinds().all(|(kind, names)| names.is_empty() || action.limited_by().contains(&kind))
    }

    fn covers(&self, action: Action, subject: &Subject<'_>) -> bool {
        // Work of all tenants at once has to be asked for in words.
        let is_for_all = action == Action::JobsWork && subject.tenant.is_none();
        if is_for_all && !self.tenants.iter().any(|name| name == "*") {
            return false;
        }
        self.kinds().all(|(kind, names)| {
            let name = match kind {
                NameKind::JobType => subject.job_type,
                NameKind::Workflow => subject.workflow,
                NameKind::Queue => subject.queue,
                NameKind::Tenant if is_for_all => return true,
                NameKind::Tenant => subject.tenant,
            };
            names.is_empty() || name.is_some_and(|name| names.iter().any(|pattern| matches(pattern, name)))
        })
    }

    fn kinds(&self) -> impl Iterator<Item = (NameKind, &[String])> {
        [
            (NameKind::JobType, self.job_types.as_slice()),
            (NameKind::Workflow, self.workflows.as_slice()),
            (NameKind::Queue, self.queues.as_slice()),
            (NameKind::Tenant, self.tenants.as_slice()),
        ]
        .into_iter()
    }
}

fn names_action(pattern: &str, action: Action) -> bool {
    match pattern.split_once('.') {
        None => pattern == "*",
        Some((resource, operation)) => {
            (resource == "*" || resource == action.resource())
                && (operation == "*" || operation == action.operation())
        }
    }
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => pattern == name,
    }
}

// Networks of addresses, as `10.0.0.0/8` or a single address.

/// A network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    base: IpAddr,
    prefix: u8,
}

impl Network {
    /// Reads a network (`10.0.0.0/8`, `fd00::/8`) or an address. `None` for anything else.
    pub fn parse(entry: &str) -> Option<Self> {
        let (base, prefix) = entry.split_once('/').map_or((entry, None), |(base, bits)| (base, Some(bits)));
        let base: IpAddr = base.parse().ok()?;
        let prefix = prefix.map_or(Ok(bits_of(base)), str::parse).ok()?;
        (prefix <= bits_of(base)).then_some(Self { base, prefix })
    }

    /// Whether an address lies in it. An IPv4 address that is written as IPv6 is not seen as IPv4: give its canonical form.
    pub fn holds(&self, address: IpAddr) -> bool {
        let shift = u32::from(bits_of(self.base) - self.prefix);
        match (self.base, address) {
            (IpAddr::V4(base), IpAddr::V4(address)) => {
                (base.to_bits() ^ address.to_bits()).checked_shr(shift).unwrap_or(0) == 0
            }
            (IpAddr::V6(base), IpAddr::V6(address)) => {
                (base.to_bits() ^ address.to_bits()).checked_shr(shift).unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.base, self.prefix)
    }
}

const fn bits_of(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scopes(json: &str) -> Result<KeyScopes, Vec<String>> {
        let read: Vec<KeyScope> = serde_json::from_str(json).expect("scopes");
        KeyScopes::new(read).map_err(|faults| faults.into_iter().map(|fault| fault.pointer).collect())
    }

    fn job(name: &str) -> Subject<'_> {
        Subject { job_type: Some(name), tenant: Some("acme"), ..Subject::default() }
    }

    #[test]
    fn actions_are_words_or_patterns() {
        let own = scopes(r#"[{"actions": ["jobs.enqueue", "*.read"]}]"#).expect("fine");
        assert!(own.allow(Action::JobsEnqueue) && own.allow(Action::DeadLettersRead));
        assert!(!own.allow(Action::JobsCancel) && !own.allow(Action::JobsWork));
        let all = scopes(r#"[{"actions": ["*"]}]"#).expect("fine");
        assert!(Action::ALL.iter().all(|&action| all.allow(action)));
        let jobs = scopes(r#"[{"actions": ["jobs.*"]}]"#).expect("fine");
        assert!(jobs.allow(Action::JobsWork) && !jobs.allow(Action::QueuesRead));
    }

    #[test]
    fn names_limit() {
        let own = scopes(r#"[{"actions": ["jobs.*"], "jobTypes": ["charge-*", "mail"]}]"#).expect("fine");
        assert!(own.allow_on(Action::JobsEnqueue, &job("charge-card")));
        assert!(own.allow_on(Action::JobsEnqueue, &job("mail")));
        assert!(!own.allow_on(Action::JobsEnqueue, &job("mailer")));
        assert!(
            !own.allow_on(Action::JobsEnqueue, &Subject::default()),
            "a subject without a name is none of its"
        );
        assert!(!own.allow(Action::JobsRead), "what job types cannot limit is not granted");
        let two = scopes(
            r#"[{"actions": ["jobs.enqueue"], "jobTypes": ["a"]}, {"actions": ["jobs.work"], "jobTypes": ["b"]}]"#,
        )
        .expect("fine");
        assert!(!two.allow_on(Action::JobsEnqueue, &job("b")), "scopes are not mixed");
    }

    #[test]
    fn all_tenants_at_once_are_asked_for_in_words() {
        let nobody = Subject { job_type: Some("a"), ..Subject::default() };
        let named = scopes(r#"[{"actions": ["jobs.work"]}]"#).expect("fine");
        assert!(!named.allow_on(Action::JobsWork, &nobody) && named.allow_on(Action::JobsWork, &job("a")));
        let all = scopes(r#"[{"actions": ["jobs.work"], "tenants": ["*"]}]"#).expect("fine");
        assert!(all.allow_on(Action::JobsWork, &nobody) && all.allow_on(Action::JobsWork, &job("a")));
        let one = scopes(r#"[{"actions": ["jobs.work"], "tenants": ["umbrella"]}]"#).expect("fine");
        assert!(!one.allow_on(Action::JobsWork, &nobody) && !one.allow_on(Action::JobsWork, &job("a")));
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for (json, pointers) in [
            ("[]", vec![""]),
            (r#"[{"actions": []}]"#, vec!["/0/actions"]),
            (r#"[{"actions": ["jobs"]}]"#, vec!["/0/actions/0"]),
            (r#"[{"actions": ["jobs.fly"]}]"#, vec!["/0/actions/0"]),
            (r#"[{"actions": ["queues.read"], "jobTypes": ["a"]}]"#, vec!["/0/actions/0"]),
            (r#"[{"actions": ["jobs.work"], "jobTypes": ["a*b"]}]"#, vec!["/0/jobTypes/0"]),
            (r#"[{"actions": ["jobs.work"], "jobTypes": [""]}]"#, vec!["/0/jobTypes/0"]),
        ] {
            let expected = pointers.into_iter().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(scopes(json), Err(expected), "{json}");
        }
    }

    #[test]
    fn reading_is_distinguished_from_changing() {
        assert!(scopes(r#"[{"actions": ["*.read"]}]"#).expect("fine").are_read_only());
        assert!(!scopes(r#"[{"actions": ["*.read", "jobs.enqueue"]}]"#).expect("fine").are_read_only());
    }

    fn holds(network: &str, address: &str) -> bool {
        Network::parse(network).expect("a network").holds(address.parse().expect("an address"))
    }

    #[test]
    fn addresses_lie_in_their_networks() {
        assert!(holds("10.0.0.0/8", "10.200.1.1") && !holds("10.0.0.0/8", "11.0.0.1"));
        assert!(holds("0.0.0.0/0", "192.0.2.1") && !holds("0.0.0.0/0", "::1"));
        assert!(holds("fd00::/8", "fd12::1") && !holds("fd00::/8", "fe80::1"));
        assert!(holds("192.0.2.1", "192.0.2.1") && !holds("192.0.2.1", "192.0.2.2"));
        assert_eq!(
            Network::parse("192.0.2.1").map(|network| network.to_string()).as_deref(),
            Some("192.0.2.1/32")
        );
        for entry in ["", "proxy", "10.0.0.0/33", "::/129", "10.0.0.1:80", "10.0.0/8", "10.0.0.0/"] {
            assert_eq!(Network::parse(entry), None, "{entry}");
        }
    }
}
