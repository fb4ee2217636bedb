//! What becomes an attribute, and that the order of stored values is theirs.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::names::{AttributeName, JobType, TenantName, WorkflowName};
use crate::time::Timestamp;

fn declared(scope: AttributeScope, name: &str, kind: AttributeType, path: Option<&str>) -> Declared {
    let path = path.map(|path| AttributePath::parse(path).expect("a path"));
    Declared { scope, name: AttributeName::trusted(name), kind, path, since: Timestamp(0) }
}

fn tenant() -> TenantAttributes {
    let of_type = || AttributeScope::JobType(JobType::trusted("charge"));
    TenantAttributes {
        tenant: TenantName::trusted("a"),
        declared: vec![
            declared(of_type(), "customerId", AttributeType::Integer, Some("data.customer.id")),
            declared(of_type(), "sku", AttributeType::Text, Some("data.items.sku")),
            declared(AttributeScope::Tenant, "region", AttributeType::Text, None),
            declared(
                AttributeScope::Workflow(WorkflowName::trusted("w")),
                "total",
                AttributeType::Number,
                Some("input.total"),
            ),
        ],
    }
}

#[test]
fn paths_are_read_and_written() {
    for (text, parts) in [
        ("data.customer.id", vec!["customer", "id"]),
        ("input.\"order no\".\"a\\\"b\\\\\"", vec!["order no", "a\"b\\"]),
        ("output.straße.x-y", vec!["straße", "x-y"]),
    ] {
        let path = AttributePath::parse(text).expect(text);
        assert_eq!(path.parts, parts, "{text}");
        assert_eq!(path.to_string(), text);
    }
    let long = format!("data{}", ".a".repeat(11));
    for text in
        ["", "data", "data.", "payload.x", "data..x", "data.a b", "data.\"a", "data.a:b", long.as_str()]
    {
        assert!(AttributePath::parse(text).is_err(), "{text}");
    }
}

#[test]
fn a_payload_gives_what_paths_and_types_say() {
    let tenant = tenant();
    let job_type = JobType::trusted("charge");
    let payload =
        json!({"customer": {"id": 7}, "items": [{"sku": "a"}, {"sku": 5}, {"sku": "b"}, {}]}).to_string();
    let taken = tenant.take(tenant.of_job(&job_type, None), PathRoot::Data, Vec::new(), &payload);
    let mut values: Vec<&str> = taken.attributes.iter().map(|one| one.value.as_str()).collect();
    values.sort_unstable();
    assert_eq!(values, ["8000000000000007", "a", "b"]);
    assert_eq!(taken.skipped, 1, "a number is no text");
    let nothing =
        tenant.take(tenant.of_job(&JobType::trusted("mail"), None), PathRoot::Data, Vec::new(), "no json");
    assert_eq!(nothing, TakenAttributes::default());
    let many =
        json!({"items": (0..100).map(|n| json!({"sku": n.to_string()})).collect::<Vec<_>>()}).to_string();
    let taken = tenant.take(tenant.of_job(&job_type, None), PathRoot::Data, Vec::new(), &many);
    assert_eq!(taken.attributes.len(), VALUES_MAX);
}

#[test]
fn what_a_caller_sets_is_typed_declared_and_before_the_payload() {
    let tenant = tenant();
    let job_type = JobType::trusted("charge");
    let of = || tenant.of_job(&job_type, None);
    let set = |value: Value| -> BTreeMap<String, Value> { serde_json::from_value(value).expect("an object") };
    let read = tenant.read_set(&of(), &set(json!({"customerId": 9, "region": ["eu", "us"]}))).expect("valid");
    assert_eq!(read.len(), 3);
    let taken = tenant.take(of(), PathRoot::Data, read, &json!({"customer": {"id": 7}}).to_string());
    assert!(!taken.attributes.iter().any(|one| one.value.ends_with('7')), "the set value is the value");
    let faults = tenant
        .read_set(&of(), &set(json!({"customerId": "9", "total": 1, "colour": 1})))
        .expect_err("faults");
    assert_eq!(
        faults.iter().map(|fault| fault.name.as_str()).collect::<Vec<_>>(),
        ["colour", "customerId", "total"]
    );
}

#[test]
fn what_queries_may_name() {
    let mut other = tenant();
    other.tenant = TenantName::trusted("b");
    other.declared[2].kind = AttributeType::Integer;
    other.declared[0].name = AttributeName::trusted("buyer");
    let searchable = Searchable::of([&tenant(), &other]);
    assert_eq!(searchable.name("region").expect("declared").kind, None, "the tenants differ");
    assert_eq!(searchable.name("colour"), None);
    let path = searchable.path(&AttributePath::parse("data.customer.id").expect("a path")).expect("declared");
    assert_eq!(path.names, [AttributeName::trusted("customerId"), AttributeName::trusted("buyer")]);
    assert_eq!(path.kind, Some(AttributeType::Integer));
    assert_eq!(searchable.paths(&[PathRoot::Input]).count(), 1);
}

proptest! {
    #[test]
    fn stored_integers_are_in_order(a: i64, b: i64) {
        let (left, right) = (AttributeValue::Integer(a), AttributeValue::Integer(b));
        prop_assert_eq!(left.stored().cmp(&right.stored()), a.cmp(&b));
        prop_assert_eq!(AttributeValue::of_stored(AttributeType::Integer, &left.stored()), Some(left));
    }

    #[test]
    fn stored_numbers_are_in_order(a in -1e300_f64..1e300, b in -1.0_f64..1.0) {
        let (left, right) = (AttributeValue::Number(a), AttributeValue::Number(b));
        prop_assert_eq!(Some(left.stored().cmp(&right.stored())), a.partial_cmp(&b));
        prop_assert_eq!(AttributeValue::of_stored(AttributeType::Number, &left.stored()), Some(left));
    }

    #[test]
    fn any_text_is_a_path_or_refused(text in "(?s).{0,60}") {
        if let Ok(path) = AttributePath::parse(&text) {
            prop_assert_eq!(AttributePath::parse(&path.to_string()), Ok(path));
        }
    }
}
