//! From settings to those whose word counts beside ours.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use domain::access::{IdentityRules, RoleRule};
use engine::{IdentityPolicy, Outside, SecretManager, SecretText};
use providers::oidc::{OidcOptions, OidcProvider};
use providers::vault::{Vault, VaultOptions};
use secrecy::ExposeSecret;
use settings::{OidcSettings, Settings, VaultSettings};

/// Whoever the settings name. Connects nothing.
pub(super) fn outside(settings: &Settings) -> Result<Outside> {
    let identity = if settings.oidc.is_on() { Some(identity(&settings.oidc)?) } else { None };
    let secrets = if settings.vault.is_on() { Some(secret_manager(&settings.vault)?) } else { None };
    Ok(Outside { identity, secrets })
}

/// The file of authorities that a setting names, where it names one.
pub(super) fn authorities(path: &str, setting: &str) -> Result<Option<Vec<u8>>> {
    if path.is_empty() {
        return Ok(None);
    }
    std::fs::read(path).map(Some).with_context(|| format!("cannot read {setting} ({path})"))
}

fn secret_manager(vault: &VaultSettings) -> Result<Arc<dyn SecretManager>> {
    let manager = Vault::new(VaultOptions {
        address: vault.address.clone(),
        token: vault.token.as_ref().map(|token| SecretText::new(token.expose_secret())),
        token_file: (!vault.token_file.is_empty()).then(|| PathBuf::from(&vault.token_file)),
        mount: vault.mount.clone(),
        namespace: vault.namespace.clone(),
        authorities: authorities(&vault.tls_ca, "vault.tls_ca")?,
        kept_for: vault.cache.to_std(),
    });
    Ok(Arc::new(manager.context("cannot use the settings vault.*")?))
}

fn identity(oidc: &OidcSettings) -> Result<IdentityPolicy> {
    let authorities = authorities(&oidc.tls_ca, "oidc.tls_ca")?;
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
