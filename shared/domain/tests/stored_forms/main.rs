//! Forms that earlier versions stored, and those of later ones, are read.
//!
//! A file whose name ends in a number of a format is never changed: rows like it are in databases. A form that changes
//! gets another file beside it. `state-0` has no number; `state-2` is one that this version does not know.

use domain::id::{ExecutionId, JobId};
use domain::names::NodeId;
use domain::time::Timestamp;
use domain::workflow::execution::{
    Ending, ExecutionState, ExecutionStatus, Kept, NodeState, NodeStatus, STATE_FORMAT, Wait,
};
use domain::workflow::parse::{DefinitionLimits, Format, parse, parse_stored};
use domain::workflow::snapshot::SnapshotError;
use serde_json::json;
use uuid::Uuid;

fn bytes(text: &str) -> Vec<u8> {
    hex::decode(text.split_whitespace().collect::<String>()).expect("hex digits")
}

fn node<'s>(state: &'s ExecutionState, id: &str) -> &'s NodeState {
    &state.nodes[&NodeId::trusted(id)]
}

fn at(minute: i64) -> Option<Timestamp> {
    Timestamp::parse("2026-11-20T12:00:00.000Z").map(|start| Timestamp(start.0 + minute * 60_000))
}

fn job(number: u128) -> JobId {
    JobId::from_uuid(Uuid::from_u128(number))
}

fn check_running(state: &ExecutionState) {
    assert_eq!((state.status, state.steps, state.completions), (ExecutionStatus::Running, 9, 1));
    assert_eq!((state.started_at, state.deadline_at, state.items_started), (at(0), at(59), 3));
    let charge = node(state, "charge");
    assert_eq!(
        (charge.status, charge.job_id, charge.completed_as),
        (NodeStatus::Completed, Some(job(1)), Some(1))
    );
    let approve = node(state, "approve");
    assert_eq!((approve.round, approve.repeats, approve.due_at), (2, 1, at(30)));
    assert_eq!(approve.wait, Some(Wait::UserTask { escalate_at: at(30) }));
    let child = ExecutionId::from_uuid(Uuid::from_u128(9));
    assert_eq!(node(state, "child").wait, Some(Wait::Child { execution_id: child }));
    assert_eq!(node(state, "hook").wait, Some(Wait::Callback));
    assert_eq!((node(state, "nap").wait.clone(), node(state, "nap").due_at), (Some(Wait::Timer), at(50)));
    assert_eq!(node(state, "paid").wait, Some(Wait::Signal { name: "paid".into() }));
    let items = node(state, "each").items.as_ref().expect("a MAP");
    assert_eq!((items.total, items.done, items.completed.as_slice(), items.bytes), (3, 1, &[1_u8][..], 4));
    let failed = node(state, "each[2]");
    assert_eq!(
        (failed.attempts, failed.error.as_ref().and_then(|error| error.code.as_deref())),
        (4, Some("boom"))
    );
    let kept = [
        Kept::Signal { name: "early".into(), payload: json!({"n": 1}) },
        Kept::Callback { node: NodeId::trusted("later"), payload: json!("x") },
    ];
    assert_eq!(state.kept, kept);
}

#[test]
fn states_of_earlier_versions_are_read() {
    for text in [include_str!("state-0.hex"), include_str!("state-1.hex")] {
        let state = ExecutionState::from_snapshot(&bytes(text)).expect("a state");
        check_running(&state);
        let written = state.to_snapshot().expect("it can be written");
        assert_eq!(ExecutionState::from_snapshot(&written).expect("a state"), state);
        assert_eq!(state.format, STATE_FORMAT, "it is written in the form of this version");
    }
    let state =
        ExecutionState::from_snapshot(&bytes(include_str!("state-1-compensating.hex"))).expect("a state");
    assert_eq!((state.status, state.undoing), (ExecutionStatus::Compensating, 1));
    assert!(matches!(&state.ending, Some(Ending::Failed(error)) if error.message == "no"));
    assert_eq!(state.undo, [NodeId::trusted("book")]);
    assert_eq!(state.requeued[0].1, job(2));
    assert!(node(&state, "charge").is_undone && node(&state, "ship").has_lost_output);
    assert_eq!(node(&state, "book:compensate").job_id, Some(job(5)));
}

#[test]
fn fields_of_later_versions_are_passed_over() {
    let state =
        ExecutionState::from_snapshot(&bytes(include_str!("state-1-later-fields.hex"))).expect("a state");
    check_running(&state);
}

#[test]
fn a_later_format_is_distinguished_from_damage() {
    let later = ExecutionState::from_snapshot(&bytes(include_str!("state-2.hex")));
    assert!(matches!(later, Err(SnapshotError::Later { format: 2 })), "{later:?}");
    let mut damaged = bytes(include_str!("state-1.hex"));
    damaged.truncate(100);
    assert!(matches!(ExecutionState::from_snapshot(&damaged), Err(SnapshotError::Decode(_))));
}

/// What was registered once is not judged again by the rules of another version: more than is allowed now, and fields that
/// are not known.
#[test]
fn stored_definitions_are_not_validated_again() {
    let text = include_str!("definition-1.json").trim();
    let faults =
        parse(text.as_bytes(), Format::Json, &DefinitionLimits::default()).expect_err("refused today");
    let pointers: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    for pointer in [
        "/laterField",
        "/limits/laterLimit",
        "/limits/maxConcurrent",
        "/nodes/0/laterField",
        "/nodes/1/repeat/max",
        "/nodes/2/dependsOn/1",
        "/nodes/2/duration",
    ] {
        assert!(pointers.contains(&pointer), "{pointer} is not among {pointers:?}");
    }
    let definition = parse_stored(text).expect("it was registered once");
    assert_eq!((definition.version, definition.max_concurrent), (7, Some(4_000_000_000)));
    assert_eq!(definition.nodes.len(), 3);
    assert!(parse_stored(r#"{"name":"x","nodes":[{"id":"a","type":"FROM_LATER"}],"version":1}"#).is_err());
}
