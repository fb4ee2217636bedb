//! Secrets of tenants: stored sealed, replaced, removed, sealed again.

use domain::secret::SecretName;

use super::fixture::{T0, after_secs, id, tenant};
use crate::Store;
use crate::secrets::{SecretPlace, SecretPut, TenantSecret};

fn sealed(key_id: &str, byte: u8) -> SecretPlace {
    SecretPlace::Store { key_id: key_id.to_owned(), sealed: vec![byte; 40] }
}

fn secret(of: &str, name: &str, place: SecretPlace) -> TenantSecret {
    TenantSecret {
        tenant: tenant(of),
        name: SecretName::trusted(name),
        id: id(),
        place,
        hosts: vec!["api.example.com".into(), "*.internal".into()],
        created_at: T0,
        updated_at: T0,
    }
}

async fn names(store: &dyn Store, of: &str, after: Option<&str>, limit: u32) -> Vec<String> {
    let secrets = store.list_secrets(&tenant(of), after, limit).await.expect("list works");
    secrets.into_iter().map(|secret| secret.name.to_string()).collect()
}

/// A tenant has its own secrets, as many as it may, and each name once.
pub async fn i13_secrets_stay_within_the_tenant(store: &dyn Store) {
    let own = secret("a", "api", sealed("k1", 1));
    let put = async |secret: &TenantSecret| store.put_secret(secret, 3, &[]).await.expect("put works");
    assert_eq!(put(&own).await, SecretPut::Created);
    let variable = secret("a", "env", SecretPlace::Environment("TRUNKLINE_SECRET_X".into()));
    let file = secret("a", "file", SecretPlace::File("x.key".into()));
    let vault = secret("b", "vault", SecretPlace::Vault("apps/x#token".into()));
    let other = secret("b", "api", sealed("k1", 2));
    for new in [&variable, &file, &vault, &other] {
        assert_eq!(put(new).await, SecretPut::Created);
    }
    assert_eq!(put(&secret("a", "more", sealed("k1", 3))).await, SecretPut::Full);
    let asked = ["api", "file", "none"].map(SecretName::trusted);
    let mut found = store.secrets_of(&tenant("a"), &asked).await.expect("read works");
    found.sort_by(|one, other| one.name.cmp(&other.name));
    assert_eq!(found, [own.clone(), file]);
    assert_eq!(names(store, "a", None, 2).await, ["api", "env"]);
    assert_eq!(names(store, "a", Some("env"), 2).await, ["file"]);
    assert!(names(store, "c", None, 9).await.is_empty());
    let next = TenantSecret { updated_at: after_secs(9), ..secret("a", "api", sealed("k1", 4)) };
    assert_eq!(put(&next).await, SecretPut::Replaced, "also where the tenant has as many as it may");
    let replaced = store.secrets_of(&tenant("a"), &asked[..1]).await.expect("read works").remove(0);
    assert_eq!((replaced.id, &replaced.place, replaced.created_at), (next.id, &next.place, T0));
    let name = &asked[0];
    assert!(store.delete_secret(&tenant("a"), name, &[]).await.expect("works"));
    assert!(!store.delete_secret(&tenant("a"), name, &[]).await.expect("answers"));
    assert_eq!(store.secrets_of(&tenant("b"), &asked[..1]).await.expect("read works"), [other]);
    let asked = [SecretName::trusted("vault")];
    assert_eq!(store.secrets_of(&tenant("b"), &asked).await.expect("read works"), [vault]);
}

/// Secrets under another key are found and sealed again; a value that was replaced meanwhile stays.
pub async fn secrets_of_tenants_are_sealed_again(store: &dyn Store) {
    let (one, two) = (secret("a", "one", sealed("k1", 1)), secret("a", "two", sealed("k2", 2)));
    let variable = secret("a", "env", SecretPlace::Environment("TRUNKLINE_SECRET_X".into()));
    for new in [&one, &two, &variable] {
        store.put_secret(new, 9, &[]).await.expect("put works");
    }
    let otherwise = async || store.tenant_secrets_sealed_otherwise("k2", 9).await.expect("read works");
    assert_eq!(otherwise().await, std::slice::from_ref(&one));
    let resealed = TenantSecret { place: sealed("k2", 9), ..one.clone() };
    let late = TenantSecret { id: id(), ..resealed.clone() };
    store.reseal_tenant_secret(&late).await.expect("works");
    assert_eq!(otherwise().await, [one], "another value is not put in its place");
    store.reseal_tenant_secret(&resealed).await.expect("works");
    assert!(otherwise().await.is_empty());
}
