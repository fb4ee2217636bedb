//! Workflows: a version never changes.

use domain::queue::WorkflowRef;

use super::fixture::{T0, tenant, version, workflow};
use crate::Store;
use crate::workflows::{Registered, WorkflowPause, WorkflowVersion};

/// The same content again is the same version; other content under its number is refused.
pub async fn i09_a_versions_content_never_changes(store: &dyn Store) {
    let first = version("w");
    assert_eq!(
        store.register_workflow(&first).await.expect("register works"),
        Registered::Created(first.clone())
    );
    assert_eq!(
        store.register_workflow(&first).await.expect("register works"),
        Registered::Same(first.clone())
    );
    let other = WorkflowVersion { content_hash: "other".into(), content: "{}".into(), ..first.clone() };
    let refused = Registered::Conflict { content_hash: first.content_hash.clone() };
    assert_eq!(store.register_workflow(&other).await.expect("register works"), refused);
    assert_eq!(store.workflow(None, "w", Some(1)).await.expect("read works"), Some(first));
}

/// The latest version is the highest number, in whatever order they came.
pub async fn the_latest_version_is_the_highest(store: &dyn Store) {
    for number in [3, 1, 2] {
        let new = WorkflowVersion { version: number, content_hash: format!("h{number}"), ..version("w") };
        store.register_workflow(&new).await.expect("register works");
    }
    let latest = store.workflow(None, "w", None).await.expect("read works").expect("there");
    assert_eq!(latest.version, 3);
    let all = store.workflow_versions(None, "w", None, 10).await.expect("read works");
    assert_eq!(all.iter().map(|version| version.version).collect::<Vec<_>>(), [3, 2, 1]);
    let below = store.workflow_versions(None, "w", Some(3), 1).await.expect("read works");
    assert_eq!(below.iter().map(|version| version.version).collect::<Vec<_>>(), [2]);
}

/// A tenant sees the shared workflows and its own, its own first; others do not see it.
pub async fn i13_owned_workflows_are_their_owners(store: &dyn Store) {
    let owned = WorkflowVersion {
        workflow: WorkflowRef { owner: Some(tenant("a")), ..workflow("w") },
        content_hash: "own".into(),
        ..version("w")
    };
    for new in [version("w"), version("shared"), owned.clone()] {
        store.register_workflow(&new).await.expect("register works");
    }
    let (a, b) = (tenant("a"), tenant("b"));
    let hash = |found: Option<WorkflowVersion>| found.map(|version| version.content_hash);
    assert_eq!(hash(store.workflow(Some(&a), "w", None).await.expect("read works")).as_deref(), Some("own"));
    assert_eq!(
        hash(store.workflow(Some(&b), "w", None).await.expect("read works")).as_deref(),
        Some("hash-of-w")
    );
    assert_eq!(
        hash(store.workflow(None, "w", None).await.expect("read works")).as_deref(),
        Some("hash-of-w")
    );
    assert_eq!(store.workflow(Some(&a), "missing", None).await.expect("read works"), None);
    let names = |list: Vec<WorkflowVersion>| -> Vec<(String, String)> {
        list.into_iter().map(|version| (version.workflow.name.to_string(), version.content_hash)).collect()
    };
    let seen = names(store.list_workflows(Some(&a), None, 10).await.expect("list works"));
    assert_eq!(seen, [("shared".into(), "hash-of-shared".into()), ("w".into(), "own".into())]);
    let rest = names(store.list_workflows(Some(&b), Some("shared"), 10).await.expect("list works"));
    assert_eq!(rest, [("w".into(), "hash-of-w".into())]);
}

async fn pause_of(store: &dyn Store) -> Option<WorkflowPause> {
    store.workflow(None, "w", None).await.expect("read works").expect("there").pause
}

/// A pause is of the workflow, and shows on its versions, with what becomes of new runs.
pub async fn a_pause_shows_on_every_version(store: &dyn Store) {
    store.register_workflow(&version("w")).await.expect("register works");
    assert!(store.pause_workflow(&workflow("w"), Some(WorkflowPause::Queue), T0).await.expect("pause works"));
    assert!(
        store
            .pause_workflow(&workflow("w"), Some(WorkflowPause::Queue), T0)
            .await
            .expect("pausing twice works")
    );
    assert_eq!(pause_of(store).await, Some(WorkflowPause::Queue));
    assert!(
        store.pause_workflow(&workflow("w"), Some(WorkflowPause::Refuse), T0).await.expect("pause works")
    );
    assert_eq!(pause_of(store).await, Some(WorkflowPause::Refuse), "the last word counts");
    assert!(store.pause_workflow(&workflow("w"), None, T0).await.expect("resume works"));
    assert_eq!(pause_of(store).await, None);
    assert!(
        !store.pause_workflow(&workflow("missing"), Some(WorkflowPause::Queue), T0).await.expect("answers")
    );
}

/// Source places stand beside a version of their owner's, may be stored again, and change nothing of it.
pub async fn source_places_stand_beside_a_version(store: &dyn Store) {
    let owned = WorkflowVersion {
        workflow: WorkflowRef { owner: Some(tenant("a")), ..workflow("w") },
        ..version("w")
    };
    for new in [version("w"), owned.clone()] {
        store.register_workflow(&new).await.expect("register works");
    }
    let put = async |of: &WorkflowRef, number, text: &str| {
        store.put_workflow_source(of, number, text, T0).await.expect("put works")
    };
    let get = async |of: &WorkflowRef| store.workflow_source(of, 1).await.expect("read works");
    assert_eq!(get(&owned.workflow).await, None);
    for text in [r#"{"a":1}"#, r#"{"a":2}"#] {
        assert!(put(&owned.workflow, 1, text).await);
    }
    assert_eq!(get(&owned.workflow).await.as_deref(), Some(r#"{"a":2}"#));
    assert_eq!(get(&workflow("w")).await, None, "it is another owner's");
    assert!(!put(&workflow("w"), 2, "{}").await, "there is no such version");
    let read = store.workflow(Some(&tenant("a")), "w", Some(1)).await.expect("read works");
    assert_eq!(read, Some(owned));
}
