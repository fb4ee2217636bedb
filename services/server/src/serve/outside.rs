//! From settings to those whose word counts beside ours.

use std::sync::Arc;

use anyhow::{Context, Result};
use domain::access::{IdentityRules, RoleRule};
use engine::{IdentityPolicy, Outside, SecretText};
use providers::oidc::{OidcOptions, OidcProvider};
use secrecy::ExposeSecret;
use settings::{OidcSettings, Settings};

/// Whoever the settings name. Connects nothing.
pub(super) fn outside(settings: &Settings) -> Result<Outside> {
    let identity = if settings.oidc.is_on() { Some(identity(&settings.oidc)?) } else { None };
    Ok(Outside { identity })
}

fn identity(oidc: &OidcSettings) -> Result<IdentityPolicy> {
    let authorities = match oidc.tls_ca.as_str() {
        "" => None,
        path => Some(std::fs::read(path).with_context(|| format!("cannot read oidc.tls_ca ({path})"))?),
    };
    let client_id = oidc.signs_in().then(|| oidc.client_id.clone());
    let provider = OidcProvider::new(OidcOptions {
        issuer: oidc.issuer.clone(),
        hosts: oidc.hosts.clone(),
        authorities,
        client_id: client_id.clone(),
        client_secret: oidc.client_secret.as_ref().map(|secret| SecretText::new(secret.expose_secret())),
        scopes: oidc.scopes.clone(),
        read_interval: None,
    });
    Ok(IdentityPolicy {
        provider: Arc::new(provider.context("cannot use the settings oidc.*")?),
        issuer: oidc.issuer.clone(),
        audiences: oidc.audiences(),
        client_id,
        rules: IdentityRules {
            groups_claim: oidc.groups_claim.clone(),
            tenant_claim: oidc.tenant_claim.clone(),
            person_claim: oidc.person_claim.clone(),
            // The settings were checked: a rule that cannot be read does not come here.
            roles: oidc.roles.iter().filter_map(|rule| RoleRule::parse(rule)).collect(),
        },
        session_ttl: oidc.session_ttl,
    })
}
