//! Rows of `tenant_secret`.

use domain::id::SecretId;
use domain::names::TenantName;
use domain::secret::SecretName;
use sea_orm::{QueryResult, Value};
use store::StoreResult;
use store::secrets::{SecretPlace, TenantSecret};

use crate::rows::Row;

/// Reads a row.
pub(super) fn secret_of(row: &QueryResult) -> StoreResult<TenantSecret> {
    let row = Row::new("tenant_secret", row);
    let reference = || row.text("reference");
    let place = match row.text("provider")?.as_str() {
        "store" => SecretPlace::Store {
            key_id: row.text("key_id")?,
            sealed: row.bytes_or_null("sealed")?.ok_or_else(|| row.fault("sealed"))?,
        },
        "environment" => SecretPlace::Environment(reference()?),
        "file" => SecretPlace::File(reference()?),
        "vault" => SecretPlace::Vault(reference()?),
        _ => return Err(row.fault("provider")),
    };
    Ok(TenantSecret {
        tenant: row.name("tenant", TenantName::trusted)?,
        name: row.name("name", SecretName::trusted)?,
        id: SecretId::from_uuid(row.uuid("id")?),
        place,
        hosts: row.json_or_null("hosts")?.ok_or_else(|| row.fault("hosts"))?,
        created_at: row.instant("created_at")?,
        updated_at: row.instant("updated_at")?,
    })
}

/// The columns from `tenant` to `updated_at`, in the order of the table.
pub(super) fn values_of(secret: &TenantSecret) -> Vec<Value> {
    let (reference, key_id, sealed) = match &secret.place {
        SecretPlace::Store { key_id, sealed } => (None, Some(key_id.clone()), Some(sealed.clone())),
        SecretPlace::Environment(name) | SecretPlace::File(name) | SecretPlace::Vault(name) => {
            (Some(name.clone()), None, None)
        }
    };
    vec![
        secret.tenant.as_str().into(),
        secret.name.as_str().into(),
        secret.id.uuid().into(),
        secret.place.provider().into(),
        reference.into(),
        serde_json::json!(secret.hosts).to_string().into(),
        key_id.into(),
        sealed.into(),
        secret.created_at.0.into(),
        secret.updated_at.0.into(),
    ]
}
