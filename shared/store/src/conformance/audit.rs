//! The audit log and its chain.

use domain::access::TenantScope;
use domain::audit::{ChainCheck, Link};
use domain::time::Timestamp;

use super::fixture::{T0, after_secs, id, tenant};
use super::operations::keep_all;
use crate::Store;
use crate::audit::{AuditFilter, AuditLine, AuditRecord};
use crate::operations::Retention;
use crate::page::PageRequest;

const PAGE: PageRequest = PageRequest { limit: 50, after: None };

fn line(action: &str, of: Option<&str>, at: Timestamp) -> AuditRecord {
    AuditRecord {
        id: id(),
        at,
        actor: "key_1".into(),
        tenant: of.map(tenant),
        action: action.into(),
        subject: "x".into(),
        detail: Some(r#"{"count":3,"rate":0.5}"#.into()),
        door: Some("rest".into()),
        address: Some("192.0.2.1".into()),
        user_agent: None,
        request_id: Some("r1".into()),
        outcome: Some("done".into()),
        reason: None,
        before: Some(r#"{"maxConcurrent":null}"#.into()),
        after: Some(r#"{"maxConcurrent":7}"#.into()),
        batch: None,
    }
}

fn actions(lines: &[AuditLine]) -> Vec<&str> {
    lines.iter().map(|line| line.record.action.as_str()).collect()
}

async fn found(store: &dyn Store, filter: &AuditFilter) -> Vec<String> {
    let page = store.list_audit(&TenantScope::All, filter, PAGE).await.expect("works");
    page.items.into_iter().map(|line| line.record.action).collect()
}

/// The audit log is newest first and by tenant.
pub async fn i13_the_audit_log_is_by_tenant(store: &dyn Store) {
    let lines = [line("one", Some("a"), T0), line("two", None, T0), line("three", Some("b"), T0)];
    store.append_audit(&lines).await.expect("works");
    store.append_audit(&lines[..1]).await.expect("a repeat writes nothing");
    let all = AuditFilter::default();
    let page = PageRequest { limit: 2, after: None };
    let first = store.list_audit(&TenantScope::All, &all, page).await.expect("works");
    assert_eq!(actions(&first.items), ["three", "two"]);
    let page = PageRequest { after: first.next, ..page };
    let rest = store.list_audit(&TenantScope::All, &all, page).await.expect("works");
    assert_eq!(actions(&rest.items), ["one"]);
    assert_eq!(rest.items[0], AuditLine { record: lines[0].clone(), seal: None });
    let own = TenantScope::One(tenant("a"));
    let of_own = store.list_audit(&own, &all, PAGE).await.expect("works");
    assert_eq!(actions(&of_own.items), ["one"]);
    store.seal_audit(Timestamp(0), 10).await.expect("works");
    let in_order = store.audit_in_order(&own, &all, 0, 10).await.expect("works");
    assert_eq!(actions(&in_order), ["one"]);
}

/// Lines are found by each of their fields, and by several values of one.
pub async fn the_audit_log_is_found_by_what_it_holds(store: &dyn Store) {
    // In the order in which they are made: ids follow it.
    let old = AuditRecord { outcome: None, door: None, ..line("old", None, after_secs(-60)) };
    let one = line("one", Some("a"), T0);
    let refused = AuditRecord {
        outcome: Some("refused".into()),
        actor: "key_2".into(),
        door: Some("cli".into()),
        address: Some("2001:db8::1".into()),
        request_id: Some("r2".into()),
        batch: Some("bat_1".into()),
        subject: "y".into(),
        ..line("two", Some("b"), after_secs(1))
    };
    store.append_audit(&[old, one, refused]).await.expect("works");
    let some = |text: &str| Some(text.to_owned());
    let list = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let none = AuditFilter::default;
    for (filter, expected) in [
        (AuditFilter { actors: list(&["key_2"]), ..none() }, vec!["two"]),
        (AuditFilter { actors: list(&["key_1", "key_2"]), ..none() }, vec!["two", "one", "old"]),
        (AuditFilter { actions: list(&["one", "none"]), ..none() }, vec!["one"]),
        (AuditFilter { tenants: list(&["a", "b"]), ..none() }, vec!["two", "one"]),
        (AuditFilter { outcomes: list(&["refused"]), ..none() }, vec!["two"]),
        (AuditFilter { outcomes: list(&["done"]), ..none() }, vec!["one", "old"]),
        (AuditFilter { doors: list(&["cli", "grpc"]), ..none() }, vec!["two"]),
        (AuditFilter { subject: some("y"), ..none() }, vec!["two"]),
        (AuditFilter { address: some("2001:db8::1"), ..none() }, vec!["two"]),
        (AuditFilter { request_id: some("r2"), ..none() }, vec!["two"]),
        (AuditFilter { batch: some("bat_1"), ..none() }, vec!["two"]),
        (AuditFilter { from: Some(T0), to: Some(after_secs(1)), ..none() }, vec!["one"]),
        (AuditFilter { actors: list(&["key_1"]), outcomes: list(&["refused"]), ..none() }, vec![]),
    ] {
        assert_eq!(found(store, &filter).await, expected, "{filter:?}");
    }
}

/// Rows are sealed once, oldest first, whatever is written meanwhile; the chain holds.
pub async fn rows_of_the_audit_log_are_sealed_once_and_in_order(store: &dyn Store) {
    let start = store.audit_chain().await.expect("works");
    assert_eq!((start.anchor, start.head), (Link::START, Link::START));
    let empty = store.seal_audit(Timestamp(0), 10).await.expect("works");
    assert_eq!((empty.sealed, empty.oldest_left, empty.head), (0, None, Link::START));

    let late = line("late", None, after_secs(2));
    store
        .append_audit(&[late, line("first", None, T0), line("second", None, after_secs(1))])
        .await
        .expect("works");
    let part = store.seal_audit(Timestamp(0), 2).await.expect("works");
    assert_eq!((part.sealed, part.oldest_left), (2, Some(after_secs(2))));
    store.append_audit(&[line("earlier", None, after_secs(-9))]).await.expect("works");
    let recent = store.seal_audit(T0, 10).await.expect("works");
    assert_eq!((recent.sealed, recent.oldest_left), (1, None), "what is older is left");
    let all = store.seal_audit(Timestamp(0), 10).await.expect("works");
    assert_eq!((all.sealed, all.head.seq), (1, 4));
    assert_eq!(store.seal_audit(Timestamp(0), 10).await.expect("works").sealed, 0);

    assert_eq!(store.audit_chain().await.expect("works").head, all.head);
    let rows = store.audit_chain_rows(0, 10).await.expect("works");
    let shown: Vec<&str> =
        rows.iter().filter_map(|row| row.record.as_ref()).map(|record| record.action.as_str()).collect();
    assert_eq!(shown, ["first", "second", "late", "earlier"]);
    let mut check = ChainCheck::behind(Link::START);
    for row in &rows {
        check.take(&row.seal, row.record.as_ref().map(AuditRecord::public_row).as_ref());
    }
    check.expect_head(&all.head);
    assert_eq!((check.first_bad(), check.rows()), (None, 4));
    let behind = store.audit_chain_rows(2, 1).await.expect("works");
    assert_eq!(behind, [rows[2].clone()]);
    let listed = store.list_audit(&TenantScope::All, &AuditFilter::default(), PAGE).await.expect("works");
    assert!(listed.items.iter().all(|line| line.seal.is_some()));
}

/// Retention removes rows from the beginning of the chain, leaves an anchor, and never what is not sealed.
pub async fn retention_leaves_an_anchor_of_the_audit_log(store: &dyn Store) {
    let lines: Vec<AuditRecord> = (0..5).map(|number| line("x", None, after_secs(number))).collect();
    store.append_audit(&lines[..4]).await.expect("works");
    let retention = Retention { audit_before: after_secs(2), ..keep_all() };
    assert_eq!(store.prune(&retention, 100).await.expect("prune works"), 0, "nothing is sealed");
    store.seal_audit(Timestamp(0), 10).await.expect("works");
    let rows = store.audit_chain_rows(0, 10).await.expect("works");
    assert_eq!(store.prune(&retention, 1).await.expect("prune works"), 1);
    assert_eq!(store.prune(&retention, 100).await.expect("prune works"), 1);
    assert_eq!(store.prune(&retention, 100).await.expect("prune works"), 0);
    let chain = store.audit_chain().await.expect("works");
    assert_eq!((chain.anchor, chain.head), (rows[1].seal.link(), rows[3].seal.link()));
    assert_eq!(store.audit_chain_rows(0, 10).await.expect("works"), rows[2..]);

    let all = Retention { audit_before: after_secs(9), ..keep_all() };
    assert_eq!(store.prune(&all, 100).await.expect("prune works"), 2);
    let chain = store.audit_chain().await.expect("works");
    assert_eq!(
        (chain.anchor, chain.head),
        (chain.head, rows[3].seal.link()),
        "the chain goes on from its anchor"
    );
    store.append_audit(&lines[4..]).await.expect("works");
    let next = store.seal_audit(Timestamp(0), 10).await.expect("works");
    let rest = store.audit_chain_rows(chain.anchor.seq, 10).await.expect("works");
    let mut check = ChainCheck::behind(chain.anchor);
    for row in &rest {
        check.take(&row.seal, row.record.as_ref().map(AuditRecord::public_row).as_ref());
    }
    check.expect_head(&next.head);
    assert_eq!((check.first_bad(), check.rows(), next.head.seq), (None, 1, 5));
}
