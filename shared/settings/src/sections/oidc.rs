//! Who else vouches for people and machines: an identity provider (OpenID Connect).

use domain::access::RoleRule;
use domain::time::DurationMs;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::values::secret;

/// The identity provider, and what its word counts for.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OidcSettings {
    /// The provider's name, which is also its address; empty for no provider.
    pub issuer: String,
    /// For whom tokens of callers have to be. Empty: for the client.
    pub audience: Vec<String>,
    /// As whom the provider knows this server, for sign-in to the console; empty for no sign-in.
    pub client_id: String,
    /// What this server shows the provider at sign-in; absent for a public client.
    #[serde(with = "secret::optional_key", skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<SecretString>,
    /// What sign-in asks the provider for.
    pub scopes: Vec<String>,
    /// The claim that lists the groups, with dots between the parts of a path.
    pub groups_claim: String,
    /// The claim that names the tenant; empty for none.
    pub tenant_claim: String,
    /// The claim that names the person.
    pub person_claim: String,
    /// Which group has which role: `GROUP=ROLE`, `GROUP=ROLE@TENANT` or `GROUP=ROLE@*`; the role
    /// `viewer+payloads` sees payloads.
    pub roles: Vec<String>,
    /// Hosts beside the issuer's at which its addresses may be.
    pub hosts: Vec<String>,
    /// The file of authorities of TLS beside those of the system, as PEM; empty for none.
    pub tls_ca: String,
    /// How long people stay signed in.
    pub session_ttl: DurationMs,
    /// What the button of the console says.
    pub label: String,
}

impl Default for OidcSettings {
    fn default() -> Self {
        Self {
            issuer: String::new(),
            audience: Vec::new(),
            client_id: String::new(),
            client_secret: None,
            scopes: ["openid", "profile", "email"].map(str::to_owned).into(),
            groups_claim: "groups".to_owned(),
            tenant_claim: String::new(),
            person_claim: "email".to_owned(),
            roles: Vec::new(),
            hosts: Vec::new(),
            tls_ca: String::new(),
            session_ttl: DurationMs::from_secs(8 * 3_600),
            label: "Single sign-on".to_owned(),
        }
    }
}

impl OidcSettings {
    /// Whether there is a provider.
    pub const fn is_on(&self) -> bool {
        !self.issuer.is_empty()
    }

    /// Whether people sign in to the console by it.
    pub const fn signs_in(&self) -> bool {
        self.is_on() && !self.client_id.is_empty()
    }

    /// For whom tokens of callers have to be.
    pub fn audiences(&self) -> Vec<String> {
        if self.audience.is_empty() { vec![self.client_id.clone()] } else { self.audience.clone() }
    }
}

/// Whether an issuer is empty, or an `https` address, or an `http` one of this machine.
pub(crate) fn is_issuer(issuer: &str) -> bool {
    let host_of = |rest: &str| rest.split(['/', ':']).next().unwrap_or_default().to_owned();
    let is_plain =
        issuer.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'?' | b'#' | b'@' | b'"'));
    let is_address = match (issuer.strip_prefix("https://"), issuer.strip_prefix("http://")) {
        (Some(rest), _) => !host_of(rest).is_empty(),
        (None, Some(rest)) => matches!(host_of(rest).as_str(), "localhost" | "127.0.0.1"),
        (None, None) => false,
    };
    issuer.is_empty() || (is_plain && is_address)
}

/// Whether a rule has a form that [`OidcSettings::roles`] describes.
pub(crate) fn is_role_rule(rule: &str) -> bool {
    RoleRule::parse(rule).is_some()
}

#[cfg(test)]
mod tests {
    use super::is_issuer;

    #[test]
    fn issuers_are_reached_by_tls_or_on_this_machine() {
        for issuer in ["", "https://id.example/realms/x", "https://id.example:8443/", "http://127.0.0.1:9000"]
        {
            assert!(is_issuer(issuer), "{issuer}");
        }
        for issuer in [
            "id.example",
            "http://id.example",
            "https://",
            "https://me@id.example",
            "https://id?x",
            "ftp://x",
        ] {
            assert!(!is_issuer(issuer), "{issuer}");
        }
    }
}
