//! Saved views: an owner's own, those that others share, and nobody else's.

use domain::access::TenantScope;
use domain::id::Id;
use domain::search::Order;
use domain::view::ViewSpec;

use super::fixture::{T0, after_secs, id, tenant};
use crate::page::PageRequest;
use crate::views::ViewRecord;
use crate::{Page, Store};

const ALL: TenantScope = TenantScope::All;

fn view(owner: &str, list: &str, is_shared: bool) -> ViewRecord {
    ViewRecord {
        id: id(),
        owner: owner.into(),
        spec: ViewSpec {
            name: "Failed \"today\"".into(),
            list: list.into(),
            q: "status:FAILED".into(),
            sort: Some("created".into()),
            order: Some(Order::Asc),
            columns: vec!["id".into()],
            is_shared,
        },
        created_at: T0,
        changed_at: T0,
    }
}

async fn add(store: &dyn Store, scope: &TenantScope, view: &ViewRecord) -> bool {
    store.add_view(scope, view, 3, &[]).await.expect("it is stored")
}

async fn list(store: &dyn Store, scope: &TenantScope, owner: &str, of: Option<&str>) -> Vec<ViewRecord> {
    let page = PageRequest { limit: 50, after: None };
    store.list_views(scope, owner, of, page).await.expect("list works").items
}

/// Views are kept as they were saved, changed and removed, and an owner has so many at most.
pub async fn views_are_kept_for_their_owner(store: &dyn Store) {
    let (first, second) = (view("ann", "jobs", false), view("ann", "executions", false));
    assert!(add(store, &ALL, &first).await && add(store, &ALL, &second).await);
    assert!(add(store, &ALL, &second).await, "a repeat changes nothing");
    assert_eq!(list(store, &ALL, "ann", None).await, [second.clone(), first.clone()]);
    assert_eq!(list(store, &ALL, "ann", Some("jobs")).await, std::slice::from_ref(&first));
    assert!(list(store, &ALL, "bob", None).await.is_empty());
    assert_eq!(store.view(&ALL, "bob", first.id).await.expect("read works"), None);
    let one = PageRequest { limit: 1, after: None };
    let Page { items, next } = store.list_views(&ALL, "ann", None, one).await.expect("list works");
    assert_eq!((items.len(), next), (1, Some(Id::uuid(second.id))));

    let mut changed = ViewRecord { changed_at: after_secs(1), ..first.clone() };
    (changed.spec.is_shared, changed.spec.q) = (true, String::new());
    assert!(store.change_view(&ALL, &changed, &[]).await.expect("it is stored"));
    assert_eq!(store.view(&ALL, "bob", first.id).await.expect("read works"), Some(changed));
    assert!(add(store, &ALL, &view("ann", "jobs", false)).await);
    assert!(!add(store, &ALL, &view("ann", "jobs", false)).await, "there are three");
    assert!(add(store, &ALL, &view("bob", "jobs", false)).await, "others have their own");
    assert!(store.delete_view(&ALL, second.id, &[]).await.expect("it answers"));
    assert!(!store.delete_view(&ALL, second.id, &[]).await.expect("it answers"));
    assert!(!store.change_view(&ALL, &second, &[]).await.expect("it answers"));
}

/// What is shared is shared within the tenant.
pub async fn i13_views_stay_within_the_tenant(store: &dyn Store) {
    let (a, b) = (TenantScope::One(tenant("a")), TenantScope::One(tenant("b")));
    let shared = view("ann", "jobs", true);
    assert!(add(store, &a, &shared).await);
    assert_eq!(list(store, &a, "bob", None).await, std::slice::from_ref(&shared));
    for scope in [&b, &ALL] {
        assert!(list(store, scope, "ann", None).await.is_empty(), "{scope:?}");
        assert_eq!(store.view(scope, "ann", shared.id).await.expect("read works"), None);
        assert!(!store.change_view(scope, &shared, &[]).await.expect("it answers"));
        assert!(!store.delete_view(scope, shared.id, &[]).await.expect("it answers"));
    }
}
