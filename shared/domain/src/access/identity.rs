//! From what an identity provider says of somebody to the role and the tenant that they have here.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Role, TenantScope};
use crate::names::TenantName;

/// The most groups of a person that are kept. Those that a rule names come first.
const GROUPS_MAX: usize = 64;
/// The longest name of a person or group, in bytes.
const NAME_BYTES_MAX: usize = 200;
/// What the names of all groups may take together, so that a session fits into a cookie.
const GROUPS_BYTES_MAX: usize = 1_500;

/// One rule: who is in the group has the role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleRule {
    /// The group; `*` for everybody whom the provider vouches for.
    pub group: String,
    /// What its members may do.
    pub role: Role,
    /// Whether viewers see payloads. All others do.
    pub shows_payloads: bool,
    /// Whose data they see.
    pub tenant: RuleTenant,
}

/// Behind the role of a rule: its members see payloads, though they only look.
const WITH_PAYLOADS: &str = "+payloads";

/// Whose data the members of a group see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleTenant {
    /// That of the tenant that a claim names, where a claim is configured for it; otherwise everybody's.
    ByClaim,
    /// Everybody's, whatever a claim says.
    All,
    /// That of one tenant.
    One(TenantName),
}

impl RoleRule {
    /// Reads `GROUP=ROLE`, `GROUP=ROLE@TENANT` or `GROUP=ROLE@*`, with `viewer+payloads` for a role as well. `None` for anything
    /// else.
    pub fn parse(text: &str) -> Option<Self> {
        // Names of groups may hold `=`, as those of directories do.
        let (group, rest) = text.trim().rsplit_once('=')?;
        let (role, tenant) = match rest.split_once('@') {
            None => (rest, RuleTenant::ByClaim),
            Some((role, "*")) => (role, RuleTenant::All),
            Some((role, tenant)) => (role, RuleTenant::One(TenantName::parse(tenant).ok()?)),
        };
        let group = group.trim();
        if !is_name(group) {
            return None;
        }
        let role = role.trim();
        let (role, is_shown) = role.strip_suffix(WITH_PAYLOADS).map_or((role, false), |role| (role, true));
        let role = Role::parse(role)?;
        if is_shown && role != Role::Viewer {
            return None;
        }
        let shows_payloads = is_shown || role != Role::Viewer;
        Some(Self { group: group.to_owned(), role, shows_payloads, tenant })
    }
}

/// Which claims say what, and which groups have which role.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IdentityRules {
    /// The claim that lists the groups.
    pub groups_claim: String,
    /// The claim that names the tenant; empty for none.
    pub tenant_claim: String,
    /// The claim that names the person, as user tasks do.
    pub person_claim: String,
    /// The rules. The first that fits decides.
    pub roles: Vec<RoleRule>,
}

/// Somebody, as their provider describes them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Who it is to the provider, for ever.
    #[serde(rename = "s")]
    pub subject: String,
    /// The name of the person.
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// The groups.
    #[serde(rename = "g", default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// What the claim of the tenant says.
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}

/// What somebody may do, and whose data they see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// What they may do.
    pub role: Role,
    /// Whether they see payloads.
    pub shows_payloads: bool,
    /// Whose data they see.
    pub scope: TenantScope,
}

impl IdentityRules {
    /// Reads the claims of a token that was checked before.
    pub fn identity(&self, claims: &Map<String, Value>) -> Option<Identity> {
        let subject = claims.get("sub")?.as_str()?.to_owned();
        let person = claim(claims, &self.person_claim).and_then(Value::as_str).filter(|name| is_name(name));
        // Anybody may claim an address that the provider has not verified.
        let is_unverified =
            self.person_claim == "email" && claims.get("email_verified") == Some(&Value::Bool(false));
        let tenant = claim(claims, &self.tenant_claim).and_then(Value::as_str).filter(|name| is_name(name));
        Some(Identity {
            subject,
            person: person.filter(|_| !is_unverified).map(str::to_owned),
            groups: self.groups(claims),
            tenant: tenant.map(str::to_owned),
        })
    }

    /// What somebody may do: what the first rule for one of their groups says. `None` for nothing at all, also where the
    /// rule leaves the tenant to a claim that is not there or names none.
    pub fn grant(&self, identity: &Identity) -> Option<Grant> {
        let is_member = |rule: &&RoleRule| rule.group == "*" || identity.groups.contains(&rule.group);
        let rule = self.roles.iter().find(is_member)?;
        let scope = match &rule.tenant {
            RuleTenant::All => TenantScope::All,
            RuleTenant::One(tenant) => TenantScope::One(tenant.clone()),
            RuleTenant::ByClaim if self.tenant_claim.is_empty() => TenantScope::All,
            RuleTenant::ByClaim => TenantScope::One(TenantName::parse(identity.tenant.clone()?).ok()?),
        };
        Some(Grant { role: rule.role, shows_payloads: rule.shows_payloads, scope })
    }

    fn groups(&self, claims: &Map<String, Value>) -> Vec<String> {
        let listed: Vec<&str> = match claim(claims, &self.groups_claim) {
            Some(Value::Array(groups)) => groups.iter().filter_map(Value::as_str).collect(),
            // Some providers write a single group, or all of them with blanks between, as text.
            Some(Value::String(groups)) => groups.split(' ').collect(),
            _ => Vec::new(),
        };
        let has_rule = |group: &&str| self.roles.iter().any(|rule| rule.group == *group);
        let (mut named, others): (Vec<&str>, Vec<&str>) =
            listed.into_iter().filter(|group| is_name(group)).partition(has_rule);
        named.extend(others);
        let mut kept: Vec<String> = Vec::new();
        let mut bytes = 0;
        for group in named {
            if kept.len() < GROUPS_MAX
                && bytes + group.len() <= GROUPS_BYTES_MAX
                && !kept.iter().any(|known| known == group)
            {
                bytes += group.len();
                kept.push(group.to_owned());
            }
        }
        kept
    }
}

/// The claim of this name, or, where there is none, the one that its parts lead to: `realm_access.roles`.
fn claim<'a>(claims: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    if name.is_empty() {
        return None;
    }
    if let Some(value) = claims.get(name) {
        return Some(value);
    }
    let (first, rest) = name.split_once('.')?;
    rest.split('.').try_fold(claims.get(first)?, |value, part| value.get(part))
}

fn is_name(text: &str) -> bool {
    (1..=NAME_BYTES_MAX).contains(&text.len()) && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rules(roles: &[&str], tenant_claim: &str) -> IdentityRules {
        IdentityRules {
            groups_claim: "groups".to_owned(),
            tenant_claim: tenant_claim.to_owned(),
            person_claim: "email".to_owned(),
            roles: roles.iter().map(|rule| RoleRule::parse(rule).expect("a rule")).collect(),
        }
    }

    fn granted(rules: &IdentityRules, claims: &Value) -> Option<(&'static str, Option<String>)> {
        let identity = rules.identity(claims.as_object().expect("claims")).expect("an identity");
        let grant = rules.grant(&identity)?;
        Some((grant.role.as_str(), grant.scope.tenant().map(ToString::to_string)))
    }

    #[test]
    fn rules_are_read_strictly() {
        let rule = RoleRule::parse("cn=ops,dc=acme=operator@acme").expect("a rule");
        assert_eq!((rule.group.as_str(), rule.role), ("cn=ops,dc=acme", Role::Operator));
        assert_eq!(rule.tenant, RuleTenant::One(TenantName::trusted("acme")));
        assert_eq!(RoleRule::parse("*=viewer@*").map(|rule| rule.tenant), Some(RuleTenant::All));
        for text in
            ["", "ops", "ops=", "=admin", "ops=root", "ops=admin@", "ops=admin@a b", "ops=admin@acme@b"]
        {
            assert_eq!(RoleRule::parse(text), None, "{text}");
        }
        // Whoever only looks sees payloads where the rule says so, as with keys.
        let shows = |text: &str| RoleRule::parse(text).map(|rule| rule.shows_payloads);
        for (text, expected) in [
            ("a=viewer@acme", Some(false)),
            ("a=viewer+payloads@acme", Some(true)),
            ("a=client", Some(true)),
            ("a=client+payloads", None),
            ("a=viewer+all", None),
        ] {
            assert_eq!(shows(text), expected, "{text}");
        }
    }

    #[test]
    fn the_first_rule_that_fits_decides() {
        let rules = rules(&["platform=admin", "acme-ops=operator@acme", "*=viewer@public"], "");
        let of = |groups: Value| granted(&rules, &json!({"sub": "1", "groups": groups}));
        assert_eq!(of(json!(["acme-ops", "platform"])), Some(("admin", None)));
        assert_eq!(of(json!(["acme-ops"])), Some(("operator", Some("acme".to_owned()))));
        assert_eq!(of(json!("x acme-ops")), Some(("operator", Some("acme".to_owned()))));
        assert_eq!(of(json!(["else", 7])), Some(("viewer", Some("public".to_owned()))));
    }

    #[test]
    fn a_tenant_comes_from_its_claim_or_nobody_is_let_in() {
        let rules = rules(&["platform=admin@*", "ops=operator"], "org.name");
        let of = |claims: Value| granted(&rules, &claims);
        assert_eq!(
            of(json!({"sub": "1", "groups": ["ops"], "org": {"name": "acme"}})),
            Some(("operator", Some("acme".to_owned())))
        );
        assert_eq!(of(json!({"sub": "1", "groups": ["ops"]})), None, "never everybody's");
        assert_eq!(of(json!({"sub": "1", "groups": ["ops"], "org": {"name": "no tenant!"}})), None);
        assert_eq!(of(json!({"sub": "1", "groups": ["ops"], "org": {"name": ["acme"]}})), None);
        assert_eq!(of(json!({"sub": "1", "groups": ["platform"]})), Some(("admin", None)));
        assert_eq!(of(json!({"sub": "1"})), None);
    }

    #[test]
    fn an_identity_is_bounded() {
        let rules = rules(&["last=viewer"], "");
        let mut groups: Vec<String> = (0..5_000).map(|number| format!("group-{number:04}")).collect();
        groups.push("last".to_owned());
        groups.push("x".repeat(201));
        let claims = json!({"sub": "1", "groups": groups, "email": "a@b", "email_verified": false});
        let identity = rules.identity(claims.as_object().expect("claims")).expect("an identity");
        assert_eq!(identity.groups.len(), GROUPS_MAX);
        assert_eq!(identity.groups[0], "last", "what a rule names comes first");
        assert_eq!(identity.person, None, "nobody has verified it");
        assert_eq!(rules.grant(&identity).map(|grant| grant.role), Some(Role::Viewer));
    }
}
