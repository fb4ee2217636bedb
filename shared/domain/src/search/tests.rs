//! What queries mean, and what is refused where.

use proptest::prelude::*;

use super::*;
use crate::attribute::{
    AttributePath, AttributeScope, AttributeType, Declared, Searchable, TenantAttributes,
};
use crate::names::{AttributeName, TenantName};
use crate::time::Timestamp;

const NOW: Timestamp = Timestamp(1_800_000_000_000);

fn parse(list: SearchList, text: &str) -> Result<Vec<Term>, QueryFault> {
    parse_query(list, text, NOW, &searchable())
}

fn searchable() -> Searchable {
    let declared = |name: &str, kind, path: Option<&str>| Declared {
        scope: AttributeScope::Tenant,
        name: AttributeName::trusted(name),
        kind,
        path: path.map(|path| AttributePath::parse(path).expect("a path")),
        since: Timestamp(0),
    };
    let declared = vec![
        declared("customerId", AttributeType::Integer, Some("data.customer.id")),
        declared("orderNo", AttributeType::Text, Some("input.\"order no\"")),
        declared("total", AttributeType::Number, None),
        declared("paidAt", AttributeType::Instant, None),
        declared("isVip", AttributeType::Boolean, None),
    ];
    Searchable::of([&TenantAttributes { tenant: TenantName::trusted("a"), declared }])
}

fn text(value: &str) -> Test {
    Test::Is(TermValue::Text(value.to_owned()))
}

#[test]
fn terms_have_keys_and_tests_of_their_types() {
    let terms = parse(
        SearchList::Executions,
        "status:FAILED,CANCELLED -workflow:billing-* version:2..4 tag:\"a \\\"b\"",
    );
    let terms = terms.expect("valid");
    assert_eq!(terms[0].tests, [text("FAILED"), text("CANCELLED")]);
    assert!(terms[1].is_negated);
    assert_eq!(terms[1].tests, [Test::Begins("billing-".to_owned())]);
    let end = |value| Some(Bound { value: TermValue::Integer(value), is_included: true });
    assert_eq!(terms[2].tests, [Test::Between(end(2), end(4))]);
    assert_eq!(terms[3].tests, [text("a \"b")]);
    assert_eq!(parse(SearchList::Jobs, "  ").expect("an empty query matches all"), []);
}

#[test]
fn a_date_as_the_upper_end_has_its_whole_day() {
    let terms = parse(SearchList::DeadLetters, "died:2026-11-01..2026-11-07").expect("valid");
    let end = |text: &str, is_included| {
        let instant = Timestamp::parse(text).expect("an instant");
        Some(Bound { value: TermValue::Instant(instant), is_included })
    };
    let week = Test::Between(end("2026-11-01T00:00:00Z", true), end("2026-11-08T00:00:00Z", false));
    assert_eq!(terms[0].tests, [week]);
    let day = parse(SearchList::DeadLetters, "died:2026-11-01").expect("valid");
    let until_tomorrow = Test::Between(end("2026-11-01T00:00:00Z", true), end("2026-11-02T00:00:00Z", false));
    assert_eq!(day[0].tests, [until_tomorrow]);
}

#[test]
fn ids_stand_alone() {
    let terms = parse(SearchList::Jobs, "job_0193456789ab7def8123456789abcdef").expect("valid");
    assert_eq!(terms[0].key, "id");
    assert!(parse(SearchList::Executions, "job_0193456789ab7def8123456789abcdef").is_err());
}

#[test]
fn faults_name_their_place_in_code_points() {
    for (query, position, length) in [
        ("colour:red", 0, 6),
        ("tag:ä colour:red", 6, 6),
        ("status:failed", 7, 6),
        ("status:", 7, 1),
        ("tag:\"a", 4, 2),
        ("tag:a(b", 5, 1),
        ("priority:>high", 9, 5),
        ("created:>=soon", 10, 4),
        ("jobType", 0, 7),
        ("tag:\"a\\n\"", 6, 1),
    ] {
        let fault = parse(SearchList::Jobs, query).expect_err(query);
        assert_eq!((fault.position, fault.length), (position, length), "{query}: {}", fault.message);
    }
    let many = "tag:a ".repeat(21);
    assert!(parse(SearchList::Jobs, &many).expect_err("too many").message.contains("20 terms"));
    let values = format!("tag:{}", vec!["a"; 51].join(","));
    assert!(parse(SearchList::Jobs, &values).expect_err("too many").message.contains("50 tests"));
    let long = format!("tag:{}", "a".repeat(2_000));
    assert_eq!(parse(SearchList::Jobs, &long).expect_err("too long").position, QUERY_CODE_POINTS_MAX);
}

#[test]
fn parameters_mean_what_terms_mean() {
    let term = |name: &str, values: &[&str]| term_of_parameter(SearchList::Jobs, name, values, NOW);
    let query = |text: &str| parse(SearchList::Jobs, text).expect("valid").remove(0);
    assert_eq!(term("status", &["FAILED", "QUEUED"]), Ok(query("status:FAILED,QUEUED")));
    assert_eq!(term("createdAfter", &["now-1h"]), Ok(query("created:>=now-1h")));
    assert_eq!(term("to", &["2026-11-01"]), Ok(query("created:<2026-11-01")));
    assert_eq!(term("colour", &["red"]), Err(ParameterFault::Unknown));
    assert_eq!(term("diedAfter", &["now"]), Err(ParameterFault::Unknown));
    assert!(matches!(term("nodeId", &["a", "b"]), Err(ParameterFault::Value(_))));
}

#[test]
fn a_search_is_stored_and_read_again() {
    let terms = parse(SearchList::Jobs, "status:FAILED -tag:a* created:>=now-1h completed:*").expect("valid");
    let search = Search { terms, ..Search::all(SearchList::Jobs) };
    let stored = serde_json::to_string(&search).expect("plain data");
    assert_eq!(serde_json::from_str::<Search>(&stored).expect("what was written"), search);
}

#[test]
fn attributes_are_named_by_path_or_name_and_have_their_types() {
    let one = |list, query: &str| parse(list, query).expect(query).remove(0);
    let term = one(SearchList::Jobs, "data.customer.id:123");
    assert_eq!((term.key.as_str(), term.tests), ("attr.customerId", vec![Test::Is(TermValue::Integer(123))]));
    let end = |value| Some(Bound { value: TermValue::Number(value), is_included: true });
    assert_eq!(
        one(SearchList::Executions, "attr.total:100..250.5").tests,
        [Test::Between(end(100.0), end(250.5))]
    );
    assert_eq!(one(SearchList::Executions, "-input.\"order no\":\"A 7\"").tests, [text("A 7")]);
    assert_eq!(one(SearchList::Executions, "input.\"order no\":A*").tests, [Test::Begins("A".to_owned())]);
    assert_eq!(one(SearchList::DeadLetters, "attr.isVip:true").tests, [Test::Is(TermValue::Boolean(true))]);
    assert_eq!(one(SearchList::Jobs, "attr.paidAt:*").tests, [Test::Present]);
    assert_eq!(one(SearchList::Jobs, "attr.paidAt:>=now-1d").tests.len(), 1);
    assert_eq!(attribute_names(&term.key).expect("of attributes").collect::<Vec<_>>(), ["customerId"]);
}

#[test]
fn what_nobody_declared_is_refused_with_how_to_declare_it() {
    for (query, position, length) in
        [("data.customer.name:x", 0, 18), ("tag:a attr.colour:red", 6, 11), ("data.\"a b\":1", 0, 10)]
    {
        let fault = parse(SearchList::Jobs, query).expect_err(query);
        assert_eq!((fault.position, fault.length), (position, length), "{query}");
        let hint = fault.hint.expect(query);
        assert!(hint.starts_with("trunkline attribute set "), "{query}: {hint}");
    }
    for (list, query) in [
        (SearchList::Jobs, "input.\"order no\":x"),
        (SearchList::Jobs, "data.customer.id:x"),
        (SearchList::Jobs, "attr.isVip:>true"),
        (SearchList::Jobs, "attr.isVip:false..true"),
        (SearchList::Jobs, "attr.total:1*"),
        (SearchList::Jobs, "attr.total:inf"),
        (SearchList::Jobs, "data.\"a:1"),
        (SearchList::Jobs, "attr.total"),
        (SearchList::Schedules, "attr.total:1"),
    ] {
        let fault = parse(list, query).expect_err(query);
        assert_eq!(fault.hint, None, "{query}");
    }
}

proptest! {
    /// Whatever is sent is read or refused, and a fault lies within the query or right behind it.
    #[test]
    fn any_text_is_read_or_refused(query in "(?s).{0,80}") {
        if let Err(fault) = parse(SearchList::Jobs, &query) {
            prop_assert!(fault.position <= query.chars().count());
            prop_assert!(fault.length >= 1);
        }
    }

    /// The same for what looks like queries.
    #[test]
    fn anything_like_a_query_is_read_or_refused(
        query in "(-?(status|tag|created|attr|attr.total|data.customer.id|data.\"x|version|jobType):(>|>=|<)?(FAILED|now-1h|\"a b\"|a|\\*|\\.\\.|,|2026-01-01|\\\\|ä){0,4} ?){0,6}"
    ) {
        if let Err(fault) = parse(SearchList::Jobs, &query) {
            prop_assert!(fault.position <= query.chars().count());
        }
    }

    /// What is quoted means itself.
    #[test]
    fn quoted_text_means_itself(value in "[^\\p{C}]{1,40}") {
        let quoted = format!("fingerprint:\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""));
        let terms = parse(SearchList::Jobs, &quoted).expect("quoted text is valid");
        prop_assert_eq!(&terms[0].tests, &[Test::Is(TermValue::Text(value))]);
    }
}
