//! Processes of the deployment, as they show themselves.

use domain::time::Timestamp;

use super::fixture::{T0, after_secs, id};
use crate::Store;
use crate::operations::ServerRecord;

/// Processes are listed while they show themselves, and forgotten.
pub async fn servers_are_listed_while_they_show_themselves(store: &dyn Store) {
    let server = |started: i64| ServerRecord {
        id: id(),
        version: "1.2.3".into(),
        roles: vec!["api".into(), "scheduler".into()],
        started_at: after_secs(started),
        last_seen_at: after_secs(started),
        clock_offset_ms: -7,
    };
    let (first, second) = (server(0), server(1));
    let record = |server: ServerRecord, before: Timestamp| async move {
        store.record_server(&server, before).await.expect("it is recorded");
    };
    let list = |since: i64| async move { store.list_servers(after_secs(since)).await.expect("list works") };
    record(second.clone(), T0).await;
    record(first.clone(), T0).await;
    assert_eq!(list(0).await, [first.clone(), second.clone()]);
    let seen = ServerRecord { last_seen_at: after_secs(60), clock_offset_ms: 3, ..first };
    record(seen.clone(), T0).await;
    assert_eq!(list(30).await, std::slice::from_ref(&seen));
    record(seen.clone(), after_secs(30)).await;
    assert_eq!(list(0).await, std::slice::from_ref(&seen), "the other one is forgotten");
    store.remove_server(seen.id).await.expect("it goes");
    store.remove_server(seen.id).await.expect("it is gone");
    assert!(list(0).await.is_empty());
}
