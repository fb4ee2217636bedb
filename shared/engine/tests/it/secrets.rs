//! Secrets of tenants: stored, listed without their values, sent.

use domain::access::Role;
use domain::names::TenantName;
use domain::secret::SecretName;
use engine::{EngineError, SecretRequest, SecretText};
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

on_both_databases!(
    a_secret_is_sent_and_never_shown,
    i13_secrets_are_a_tenants_own,
    variables_and_files_are_of_the_machine,
);
