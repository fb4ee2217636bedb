//! Searchable attributes: declarations of a tenant, objects by their values, and the end of both.

use domain::access::TenantScope;
use domain::attribute::{
    AttributeId, AttributePath, AttributeScope, AttributeType, AttributeValue, DECLARATIONS_PER_TENANT_MAX,
    PER_SCOPE_MAX, PER_TENANT_MAX, Searchable, StoredAttribute,
};
use domain::failure::{DeadReason, JobError};
use domain::id::DeadLetterId;
use domain::job::Disposition;
use domain::names::{AttributeName, JobType};
use domain::queue::QueueName;
use domain::search::{Order, Search, SearchList, parse_query};
use domain::time::Timestamp;
use uuid::Uuid;

use super::executions::commit;
use super::fixture::{
    T0, after_secs, claim, claim_nodes, commit_one, complete, enqueue, execution, found, job, lease, tenant,
    token, version,
};
use super::operations::keep_all;
use crate::Store;
use crate::attributes::{AttributeChange, CountedValue, DeclareAnswer};
use crate::executions::{ExecutionCommit, OwnerNext};
use crate::jobs::{LeaseRef, NewJob, Settlement};
use crate::operations::Retention;
use crate::search::Counted;

const ALL: TenantScope = TenantScope::All;

fn name(text: &str) -> AttributeName {
    AttributeName::trusted(text)
}

fn of_type(text: &str) -> AttributeScope {
    AttributeScope::JobType(JobType::trusted(text))
}

fn change(text: &str, kind: AttributeType) -> AttributeChange {
    AttributeChange { name: name(text), declared: Some((kind, None)) }
}

async fn declare(
    store: &dyn Store,
    of: &str,
    scope: &AttributeScope,
    changes: &[AttributeChange],
) -> DeclareAnswer {
    store.declare_attributes(&tenant(of), scope, changes, T0, &[]).await.expect("declaring works")
}

/// `region`, `total` and `isVip` of these tenants.
async fn declare_some(store: &dyn Store, tenants: &[&str]) {
    let changes = [
        change("region", AttributeType::Text),
        change("total", AttributeType::Integer),
        change("isVip", AttributeType::Boolean),
    ];
    for of in tenants {
        assert_eq!(declare(store, of, &AttributeScope::Tenant, &changes).await, DeclareAnswer::Done);
    }
}

fn set(of: &str, text: &str, value: &AttributeValue) -> StoredAttribute {
    let kind = match value {
        AttributeValue::Text(_) => AttributeType::Text,
        AttributeValue::Integer(_) => AttributeType::Integer,
        AttributeValue::Number(_) => AttributeType::Number,
        AttributeValue::Boolean(_) => AttributeType::Boolean,
        AttributeValue::Instant(_) => AttributeType::Instant,
    };
    StoredAttribute { attribute: AttributeId::of(&tenant(of), &name(text), kind), value: value.stored() }
}

fn text(value: &str) -> AttributeValue {
    AttributeValue::Text(value.to_owned())
}

async fn search(store: &dyn Store, list: SearchList, query: &str) -> Search {
    let declared = store.declared_attributes(1_000).await.expect("declarations can be read");
    let terms = parse_query(list, query, T0, &Searchable::of(&declared)).expect(query);
    Search { terms, ..Search::all(list) }
}

/// A name has one type in a tenant, whoever declares it; bounds hold; what is declared again keeps its beginning.
pub async fn i13_a_name_has_one_type_in_a_tenant(store: &dyn Store) {
    let path = AttributePath::parse("data.customer.id").expect("a path");
    let with_path = AttributeChange {
        name: name("customerId"),
        declared: Some((AttributeType::Integer, Some(path.clone()))),
    };
    let declared = declare(store, "a", &of_type("charge"), std::slice::from_ref(&with_path)).await;
    assert_eq!(declared, DeclareAnswer::Done);
    let other = change("customerId", AttributeType::Text);
    let conflict = DeclareAnswer::TypeConflict { name: name("customerId"), kind: AttributeType::Integer };
    for scope in [of_type("mail"), AttributeScope::Tenant] {
        assert_eq!(declare(store, "a", &scope, std::slice::from_ref(&other)).await, conflict);
    }
    assert_eq!(
        declare(store, "b", &AttributeScope::Tenant, std::slice::from_ref(&other)).await,
        DeclareAnswer::Done
    );
    let again =
        store.declare_attributes(&tenant("a"), &of_type("charge"), &[with_path], after_secs(9), &[]).await;
    assert_eq!(again.expect("declaring works"), DeclareAnswer::Done);
    let all = store.declared_attributes(10).await.expect("declarations can be read");
    assert_eq!(all.iter().map(|one| one.tenant.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    let first = &all[0].declared[0];
    assert_eq!((first.kind, &first.path, first.since), (AttributeType::Integer, &Some(path), T0));
    assert_eq!(all[0].declared.len(), 1, "what was refused is not there");
    // Nobody else has it: it may have another type from now on.
    let gone = AttributeChange { name: name("customerId"), declared: None };
    assert_eq!(declare(store, "a", &of_type("charge"), &[gone]).await, DeclareAnswer::Done);
    assert_eq!(declare(store, "a", &of_type("mail"), &[other]).await, DeclareAnswer::Done);
}

/// A scope and a tenant declare so much and no more.
pub async fn declarations_are_bounded(store: &dyn Store) {
    let many = |prefix: &str, count: usize| -> Vec<AttributeChange> {
        (0..count).map(|number| change(&format!("{prefix}{number}"), AttributeType::Text)).collect()
    };
    let too_many = many("x", PER_SCOPE_MAX + 1);
    assert_eq!(declare(store, "a", &of_type("x"), &too_many).await, DeclareAnswer::ScopeFull);
    for scope in 0..PER_TENANT_MAX / PER_SCOPE_MAX {
        let scope_name = format!("t{scope}");
        let changes = many(&format!("a{scope}n"), PER_SCOPE_MAX);
        assert_eq!(declare(store, "a", &of_type(&scope_name), &changes).await, DeclareAnswer::Done);
    }
    let rest = PER_TENANT_MAX % PER_SCOPE_MAX;
    assert_eq!(declare(store, "a", &of_type("last"), &many("last", rest)).await, DeclareAnswer::Done);
    let one_more = [change("more", AttributeType::Text)];
    assert_eq!(declare(store, "a", &of_type("last"), &one_more).await, DeclareAnswer::TenantFull);
    let same = [change("a0n0", AttributeType::Text)];
    assert_eq!(declare(store, "a", &of_type("last"), &same).await, DeclareAnswer::Done, "a name counts once");
    assert_eq!(declare(store, "b", &of_type("x"), &one_more).await, DeclareAnswer::Done);
    // The same few names in very many scopes: every process reads them all, and reads so many of all tenants.
    let few = many("x", PER_SCOPE_MAX);
    for scope in 0..DECLARATIONS_PER_TENANT_MAX / PER_SCOPE_MAX {
        assert_eq!(declare(store, "c", &of_type(&format!("t{scope}")), &few).await, DeclareAnswer::Done);
    }
    assert_eq!(declare(store, "c", &of_type("last"), &few[..1]).await, DeclareAnswer::ScopesFull);
    let gone = AttributeChange { name: name("x0"), declared: None };
    assert_eq!(declare(store, "c", &of_type("t0"), &[gone]).await, DeclareAnswer::Done);
    assert_eq!(declare(store, "c", &of_type("last"), &few[..1]).await, DeclareAnswer::Done);
}

/// Jobs are found by each test of their attributes, unfinished and finished ones alike, within the tenant.
pub async fn i13_jobs_are_found_by_attributes(store: &dyn Store) {
    declare_some(store, &["a", "b"]).await;
    let with = |of: &str, region: &str, total: i64| NewJob {
        tenant: tenant(of),
        attributes: vec![
            set(of, "region", &text(region)),
            set(of, "total", &AttributeValue::Integer(total)),
            set(of, "isVip", &AttributeValue::Boolean(total > 100)),
        ],
        ..job()
    };
    let jobs = [
        with("a", "eu-west", -5),
        with("a", "eu-east", 150),
        with("a", "us", 100),
        with("b", "eu-west", 7),
        job(),
    ];
    enqueue(store, &jobs).await;
    for claimed in claim_nodes(store, 2, T0).await {
        complete(store, &claimed, after_secs(5)).await;
    }
    // Repeating the same changes nothing.
    enqueue(store, &jobs).await;
    for (query, expected) in [
        ("attr.region:eu-west", vec![0, 3]),
        ("attr.region:eu-west,us", vec![0, 2, 3]),
        ("attr.region:eu*", vec![0, 1, 3]),
        ("attr.region:eu-a..eu-f", vec![1]),
        ("attr.region:eu", vec![]),
        ("-attr.region:eu*", vec![2, 4]),
        ("attr.region:*", vec![0, 1, 2, 3]),
        ("-attr.region:*", vec![4]),
        ("attr.total:<0", vec![0]),
        ("attr.total:>=100", vec![1, 2]),
        ("attr.total:>100", vec![1]),
        ("attr.total:-5..7", vec![0, 3]),
        ("attr.isVip:true", vec![1]),
        ("attr.region:eu* attr.total:>0 tenant:a", vec![1]),
    ] {
        let search = search(store, SearchList::Jobs, query).await;
        let mut expected: Vec<Uuid> =
            expected.into_iter().map(|index: usize| jobs[index].id.uuid()).collect();
        expected.sort_unstable_by(|a, b| b.cmp(a));
        assert_eq!(found(store, &ALL, &search, 2).await, expected, "{query}");
        let counted = store.count_found(&ALL, &search, 10).await.expect("counting works");
        assert_eq!(counted, Counted::exactly(expected.len() as u64), "{query}");
    }
    let own = TenantScope::One(tenant("b"));
    let eu = search(store, SearchList::Jobs, "attr.region:eu*").await;
    assert_eq!(found(store, &own, &eu, 2).await, [jobs[3].id.uuid()]);
    let shown = store.attributes_of(&[jobs[0].id.uuid(), jobs[4].id.uuid()]).await.expect("they can be read");
    assert_eq!(shown.len(), 3);
}

/// A value that very many objects have is read by its index in both orders; a range of such values by windows.
pub async fn a_value_of_many_objects_is_read_in_order(store: &dyn Store) {
    declare_some(store, &["a"]).await;
    let jobs: Vec<NewJob> = (0..1_200_i64)
        .map(|number| NewJob {
            attributes: vec![
                set("a", "region", &text(if number % 100 == 0 { "us" } else { "eu" })),
                set("a", "total", &AttributeValue::Integer(number)),
            ],
            ..job()
        })
        .collect();
    enqueue(store, &jobs).await;
    let mut ids: Vec<Uuid> = jobs.iter().map(|job| job.id.uuid()).collect();
    let mut of_eu: Vec<Uuid> =
        jobs.iter().filter(|job| job.attributes[0].value == "eu").map(|job| job.id.uuid()).collect();
    for order in [Order::Asc, Order::Desc] {
        ids.sort_unstable();
        of_eu.sort_unstable();
        if order == Order::Desc {
            ids.reverse();
            of_eu.reverse();
        }
        for (query, expected) in [
            ("attr.region:eu", &of_eu),
            ("attr.region:eu attr.total:>=0", &of_eu),
            ("attr.total:>=0", &ids),
            ("attr.region:eu,us", &ids),
            ("attr.region:eu,us -attr.region:us", &of_eu),
        ] {
            let search = Search { order, ..search(store, SearchList::Jobs, query).await };
            assert_eq!(&found(store, &ALL, &search, 500).await, expected, "{query} {order:?}");
        }
    }
    let eu = search(store, SearchList::Jobs, "attr.region:eu").await;
    let counted = store.count_found(&ALL, &eu, 10_001).await.expect("counting works");
    assert_eq!(counted, Counted::exactly(of_eu.len() as u64));
}

/// Executions are found by attributes; those that a lease sets take the place of earlier ones.
pub async fn i02_executions_are_found_by_attributes_that_a_lease_sets(store: &dyn Store) {
    declare_some(store, &["a"]).await;
    let mut first = execution("order");
    first.attributes = vec![set("a", "region", &text("eu"))];
    let second = execution("order");
    store.create_executions(&[first.clone(), second.clone()], T0).await.expect("executions can be made");
    let eu = search(store, SearchList::Executions, "attr.region:eu").await;
    assert_eq!(found(store, &ALL, &eu, 2).await, [first.id.uuid()]);
    let owners = store.claim(&claim(QueueName::Execution, 2, T0)).await.expect("claim works");
    let owner = owners.iter().find(|owner| owner.execution_id == Some(first.id)).expect("it is claimed");
    let us = [set("a", "region", &text("us")), set("a", "region", &text("ca"))];
    let lost = LeaseRef { token: token(), ..lease(owner) };
    let object = first.id.uuid();
    assert!(!store.set_attributes(object, lost, &us, T0).await.expect("setting works"), "another lease");
    assert!(
        !store.set_attributes(object, lease(owner), &us, after_secs(9_999)).await.expect("setting works")
    );
    assert_eq!(found(store, &ALL, &eu, 2).await, [object], "nothing was written");
    assert!(store.set_attributes(object, lease(owner), &us, T0).await.expect("setting works"));
    assert!(found(store, &ALL, &eu, 2).await.is_empty(), "the value was replaced");
    for value in ["us", "ca"] {
        let query = format!("attr.region:{value}");
        let search = search(store, SearchList::Executions, &query).await;
        assert_eq!(found(store, &ALL, &search, 2).await, [object], "{query}");
    }
}

/// Dead letters are found by the attributes of their jobs, which go with the last of the two.
pub async fn dead_letters_are_found_by_attributes(store: &dyn Store) {
    declare_some(store, &["a"]).await;
    let new = NewJob { attributes: vec![set("a", "region", &text("eu"))], ..job() };
    enqueue(store, std::slice::from_ref(&new)).await;
    let claimed = claim_nodes(store, 1, T0).await;
    let error = JobError { message: "no".to_owned(), code: None, details: None };
    let disposition = Disposition::Die { reason: DeadReason::RetriesExhausted, error };
    let settlement = Settlement { lease: lease(&claimed[0]), disposition };
    store.settle(&[settlement], after_secs(5)).await.expect("settle works");
    for (query, count) in
        [("attr.region:eu", 1), ("attr.region:us", 0), ("-attr.region:eu", 0), ("attr.region:e*", 1)]
    {
        let search = search(store, SearchList::DeadLetters, query).await;
        assert_eq!(found(store, &ALL, &search, 2).await.len(), count, "{query}");
    }
    let eu = search(store, SearchList::DeadLetters, "attr.region:eu").await;
    let letter = DeadLetterId::from_uuid(found(store, &ALL, &eu, 2).await[0]);
    store.archive_dead_letter(&ALL, letter, "seen", after_secs(6)).await.expect("archiving works");
    let (jobs, letters) = (
        Retention { failed_before: after_secs(60), ..keep_all() },
        Retention { failed_before: after_secs(60), archive_before: after_secs(60), ..keep_all() },
    );
    for (retention, left) in [(jobs, 1), (letters, 0)] {
        store.prune(&retention, 100).await.expect("pruning works");
        assert_eq!(store.attributes_of(&[new.id.uuid()]).await.expect("they can be read").len(), left);
    }
}

/// Attributes go with the last row of their object.
pub async fn attributes_go_with_their_objects(store: &dyn Store) {
    declare_some(store, &["a"]).await;
    let of_eu = || vec![set("a", "region", &text("eu"))];
    let kept = NewJob { attributes: of_eu(), run_at: after_secs(9_999), ..job() };
    let ended = NewJob { attributes: of_eu(), ..job() };
    enqueue(store, &[kept.clone(), ended.clone()]).await;
    let claimed = claim_nodes(store, 1, T0).await;
    complete(store, &claimed[0], after_secs(5)).await;
    store.register_workflow(&version("w")).await.expect("register works");
    let mut made = execution("w");
    made.attributes = of_eu();
    store.create_executions(std::slice::from_ref(&made), T0).await.expect("executions can be made");
    let owners = store.claim(&claim(QueueName::Execution, 1, T0)).await.expect("claim works");
    let last = ExecutionCommit {
        next: OwnerNext::Finish,
        ..commit(made.id, lease(&owners[0]), domain::workflow::execution::ExecutionStatus::Completed)
    };
    commit_one(store, &last, after_secs(5)).await.expect("commit works");
    let objects = [kept.id.uuid(), ended.id.uuid(), made.id.uuid()];
    assert_eq!(store.attributes_of(&objects).await.expect("they can be read").len(), 3);
    let old = Retention { completed_before: after_secs(60), executions_before: after_secs(60), ..keep_all() };
    store.prune(&old, 100).await.expect("pruning works");
    let left = store.attributes_of(&objects).await.expect("they can be read");
    assert_eq!(left.iter().map(|(object, _)| *object).collect::<Vec<_>>(), [kept.id.uuid()]);
}

/// Values of attributes are suggested in their order with how many objects have them, each tenant its own.
pub async fn i13_values_of_attributes_are_suggested(store: &dyn Store) {
    declare_some(store, &["a", "b"]).await;
    let with = |of: &str, region: &str| NewJob {
        tenant: tenant(of),
        attributes: vec![set(of, "region", &text(region))],
        ..job()
    };
    enqueue(store, &[with("a", "eu-west"), with("a", "eu-west"), with("a", "eu-east"), with("a", "us")])
        .await;
    enqueue(store, &[with("b", "eu-west")]).await;
    let suggested = |scope: TenantScope, begin: &'static str, since: Timestamp, limit: u32| async move {
        let names = [name("region")];
        store.suggest_attribute_values(&scope, &names, begin, since, limit).await.expect("it suggests")
    };
    let counted = |value: &str, count| CountedValue { value: value.to_owned(), count };
    let all = [counted("eu-east", 1), counted("eu-west", 3)];
    assert_eq!(suggested(ALL, "eu", Timestamp(0), 10).await, all);
    let own = TenantScope::One(tenant("b"));
    assert_eq!(suggested(own, "", Timestamp(0), 10).await, [counted("eu-west", 1)]);
    assert_eq!(suggested(ALL, "", Timestamp(0), 1).await, [counted("eu-east", 1)]);
    assert!(suggested(ALL, "", Timestamp(i64::MAX), 10).await.is_empty(), "they were made before");
}
