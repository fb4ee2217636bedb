//! Copies of the database, and what is looked at in one that was restored.

use domain::id::JobKind;

use super::fixture::{LEASE, T0, after_secs, claim_nodes, enqueue, id, job, lease};
use crate::Store;
use crate::jobs::LeaseAnswer;

/// A copy is a file of its own that nobody overwrites; a database with means of its own says so.
pub async fn a_copy_is_made_once(store: &dyn Store) {
    enqueue(store, &[job()]).await;
    let name = format!("copy-{}-{}.db", std::process::id(), id::<JobKind>().uuid().simple());
    let Some(directory) = store.backup_directory() else {
        let into = std::env::temp_dir().join(name);
        store.back_up(&into).await.expect_err("it has means of its own");
        assert!(!into.exists());
        return;
    };
    let into = directory.join(name);
    let bytes = store.back_up(&into).await.expect("a copy is made");
    assert_eq!(bytes, std::fs::metadata(&into).expect("it is there").len());
    store.back_up(&into).await.expect_err("it is there already");
    assert!(into.exists(), "and stays");
    std::fs::remove_file(&into).expect("it is ours");
}

/// All leases are found, those that have ended too, and end without consuming an attempt.
pub async fn leases_are_found_and_end(store: &dyn Store) {
    assert_eq!(store.last_written().await.expect("answers"), None, "nothing was ever written");
    enqueue(store, &[job(), job(), job()]).await;
    let claimed = claim_nodes(store, 2, T0).await;
    let found = store.held_leases(None, 10).await.expect("they can be read");
    let mut jobs: Vec<_> = claimed.iter().map(|job| job.id).collect();
    jobs.sort();
    assert_eq!(found.iter().map(crate::backup::HeldLease::job).collect::<Vec<_>>(), jobs);
    assert_eq!((found[0].lease_until, found[0].tenant.as_str()), (T0.plus(LEASE), "a"));
    let next = store.held_leases(Some(jobs[0]), 10).await.expect("they can be read");
    assert_eq!(next.iter().map(crate::backup::HeldLease::job).collect::<Vec<_>>(), jobs[1..]);
    assert_eq!(store.last_written().await.expect("answers"), Some(T0));
    let long_after = after_secs(900);
    let leases: Vec<_> = found.iter().map(|held| held.lease).collect();
    let released = store.release(&leases, long_after).await.expect("they end");
    assert_eq!(released, [LeaseAnswer::Ok(()), LeaseAnswer::Ok(())]);
    assert!(store.held_leases(None, 10).await.expect("they can be read").is_empty());
    let again = claim_nodes(store, 3, long_after).await;
    assert!(again.iter().all(|job| job.attempt == 1), "no attempt was consumed");
    assert_ne!(lease(&again[0]).token, leases[0].token);
}
