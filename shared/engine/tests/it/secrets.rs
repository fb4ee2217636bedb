//! Secrets of tenants: stored, listed without their values, sent.

use std::sync::Arc;

use domain::access::Role;
use domain::names::TenantName;
use domain::secret::SecretName;
use engine::{EngineError, Outside, SecretManager, SecretManagerFault, SecretRequest, SecretText};
use testkit::EngineHarness;

const VALUE: &str = "s3cr3t-value-of-acme";

fn name() -> SecretName {
    SecretName::trusted("api")
}

fn request(tenant: &str, value: &str) -> SecretRequest {
    SecretRequest {
        tenant: Some(TenantName::trusted(tenant)),
        name: name(),
        value: Some(SecretText::new(value)),
        environment: None,
        file: None,
        vault: None,
        hosts: vec!["api.example.com".to_owned()],
    }
}

async fn a_secret_is_sent_and_never_shown(harness: EngineHarness) {
    let acme = harness.bound("acme", Role::Operator);
    let (line, is_new) = harness.engine.put_secret(&acme, request("acme", VALUE)).await.unwrap();
    assert!(is_new && line.name == "api" && line.provider == "store", "{line:?}");
    let tenant = TenantName::trusted("acme");
    let sent = harness.engine.secrets_to_send(&tenant, &[name()]).await.unwrap();
    assert_eq!(
        (sent[0].value.reveal(), sent[0].hosts.as_slice()),
        (VALUE, &["api.example.com".to_owned()][..])
    );
    let (_, is_new) = harness.engine.put_secret(&acme, request("acme", "another-value")).await.unwrap();
    assert!(!is_new);
    let sent = harness.engine.secrets_to_send(&tenant, &[name()]).await.unwrap();
    assert_eq!(sent[0].value.reveal(), "another-value");
    harness.engine.flush_audit().await;
    let lines = harness.audit(&acme).await;
    let of = |action: &str| lines.iter().filter(|line| line.action == action).count();
    assert_eq!((of("secret.put"), of("secret.use")), (2, 1), "{lines:?}");
    let listed = harness.engine.list_secrets(&acme, tenant.clone(), None, 10).await.unwrap();
    let shown = format!("{listed:?} {lines:?} {sent:?} {:?}", request("acme", VALUE));
    assert!(!shown.contains("value-of-acme") && !shown.contains("another-value"), "{shown}");
    harness.engine.delete_secret(&acme, tenant.clone(), &name()).await.unwrap();
    let gone = harness.engine.secrets_to_send(&tenant, &[name()]).await.err();
    assert!(matches!(gone, Some(EngineError::NotFound { .. })), "{gone:?}");
}

async fn i13_secrets_are_a_tenants_own(harness: EngineHarness) {
    let (acme, umbrella) = (harness.bound("acme", Role::Operator), harness.bound("umbrella", Role::Operator));
    harness.engine.put_secret(&acme, request("acme", VALUE)).await.unwrap();
    let tenant = TenantName::trusted("acme");
    let refused = harness.engine.put_secret(&umbrella, request("acme", "mine")).await.err();
    assert!(matches!(refused, Some(EngineError::Forbidden { .. })), "{refused:?}");
    let refused = harness.engine.list_secrets(&umbrella, tenant.clone(), None, 10).await.err();
    assert!(matches!(refused, Some(EngineError::Forbidden { .. })), "{refused:?}");
    let refused = harness.engine.delete_secret(&umbrella, tenant, &name()).await.err();
    assert!(matches!(refused, Some(EngineError::Forbidden { .. })), "{refused:?}");
    let none = harness.engine.secrets_to_send(&TenantName::trusted("umbrella"), &[name()]).await.err();
    assert!(matches!(none, Some(EngineError::NotFound { .. })), "{none:?}");
    for role in [Role::Client, Role::Worker, Role::Viewer] {
        let refused =
            harness.engine.put_secret(&harness.bound("acme", role), request("acme", "x")).await.err();
        assert!(matches!(refused, Some(EngineError::Forbidden { .. })), "{role:?}: {refused:?}");
    }
}

async fn variables_and_files_are_of_the_machine(harness: EngineHarness) {
    let variable = |tenant: &str, name: &str| SecretRequest {
        value: None,
        environment: Some(name.to_owned()),
        ..request(tenant, "")
    };
    let own = variable("acme", "TRUNKLINE_SECRET_OF_THE_TESTS");
    let refused = harness.engine.put_secret(&harness.bound("acme", Role::Operator), own.clone()).await.err();
    assert!(matches!(refused, Some(EngineError::Forbidden { .. })), "{refused:?}");
    let refused = harness.engine.put_secret(&harness.admin(), variable("acme", "DATABASE_URL")).await.err();
    assert!(matches!(refused, Some(EngineError::Invalid(_))), "no other variable can be named: {refused:?}");
    harness.engine.put_secret(&harness.admin(), own).await.unwrap();
    // Nobody has set it.
    let missing = harness.engine.secrets_to_send(&TenantName::trusted("acme"), &[name()]).await.err();
    assert!(matches!(missing, Some(EngineError::NotFound { .. })), "{missing:?}");
    harness
        .engine
        .put_secret(&harness.admin(), variable("acme", "TRUNKLINE_SECRET_FROM_ENV"))
        .await
        .expect("it is replaced");
    let found =
        harness.engine.secrets_to_send(&TenantName::trusted("acme"), &[name()]).await.expect("it is set");
    assert_eq!(found[0].value.reveal(), "from-env-1");
    let wrong = SecretRequest { file: Some("x".to_owned()), hosts: Vec::new(), ..request("acme", "a\nb") };
    let Some(EngineError::Invalid(faults)) = harness.engine.put_secret(&harness.admin(), wrong).await.err()
    else {
        panic!("a value and a file, and no host")
    };
    let pointers: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    assert_eq!(pointers, ["/hosts", ""]);
}

/// A secret manager of the tests.
struct Manager;

#[async_trait::async_trait]
impl SecretManager for Manager {
    async fn value(&self, path: &str, field: &str) -> Result<Option<SecretText>, SecretManagerFault> {
        match (path, field) {
            ("apps/stripe", "token") => Ok(Some(SecretText::new("from-vault-1"))),
            ("apps/away", _) => Err(SecretManagerFault::Unavailable("away".to_owned())),
            _ => Ok(None),
        }
    }
}

async fn secrets_may_rest_in_a_secret_manager(harness: EngineHarness) {
    let outside = Outside { secrets: Some(Arc::new(Manager)), ..Outside::default() };
    let node = harness.node_with_outside(9, outside);
    let at = |reference: &str| SecretRequest {
        value: None,
        vault: Some(reference.to_owned()),
        ..request("acme", "")
    };
    let tenant = TenantName::trusted("acme");
    let own = node.engine.put_secret(&harness.bound("acme", Role::Operator), at("apps/stripe#token")).await;
    assert!(matches!(own, Err(EngineError::Forbidden { .. })), "paths are of the machine: {own:?}");
    for wrong in ["apps/stripe", "../sys#token", "apps//x#y"] {
        let refused = node.engine.put_secret(&harness.admin(), at(wrong)).await.err();
        assert!(matches!(refused, Some(EngineError::Invalid(_))), "{wrong}: {refused:?}");
    }
    let (line, _) = node.engine.put_secret(&harness.admin(), at("apps/stripe#token")).await.unwrap();
    assert_eq!((line.provider, line.reference.as_deref()), ("vault", Some("apps/stripe#token")));
    let sent = node.engine.secrets_to_send(&tenant, &[name()]).await.unwrap();
    assert_eq!(sent[0].value.reveal(), "from-vault-1");
    let without = harness.engine.secrets_to_send(&tenant, &[name()]).await.err();
    assert!(matches!(without, Some(EngineError::NotFound { .. })), "no manager there: {without:?}");
    node.engine.put_secret(&harness.admin(), at("apps/stripe#none")).await.unwrap();
    let missing = node.engine.secrets_to_send(&tenant, &[name()]).await.err();
    assert!(matches!(missing, Some(EngineError::NotFound { .. })), "{missing:?}");
    node.engine.put_secret(&harness.admin(), at("apps/away#token")).await.unwrap();
    let away = node.engine.secrets_to_send(&tenant, &[name()]).await.err();
    assert!(matches!(away, Some(EngineError::NotReached { .. })), "it may work later: {away:?}");
}

on_both_databases!(
    a_secret_is_sent_and_never_shown,
    secrets_may_rest_in_a_secret_manager,
    i13_secrets_are_a_tenants_own,
    variables_and_files_are_of_the_machine,
);
