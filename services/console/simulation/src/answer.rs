//! What the page gets: the answer of `POST /v1/workflows/simulate`.

use domain::failure::JobError;
use domain::names::NodeId;
use domain::time::Timestamp;
use domain::workflow::execution::ExecutionError;
use domain::workflow::simulate::{Simulated, SimulatedRound, WaitingFor};
use serde::Serialize;
use serde_json::Value;

/// The state in which the execution ended or waits.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Answer {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ExecutionError>,
    nodes: Vec<Round>,
    timeline: Vec<Line>,
    waiting_for: Vec<Wait>,
    now: Timestamp,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Round {
    node_id: NodeId,
    round: u32,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<JobError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finished_at: Option<Timestamp>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    node_id: Option<NodeId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    at: Timestamp,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Wait {
    node_id: NodeId,
    awaits: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
}

impl From<Simulated> for Answer {
    fn from(simulated: Simulated) -> Self {
        let timeline = simulated.timeline.into_iter().map(|line| Line {
            kind: line.kind.as_str(),
            node_id: line.node,
            detail: line.detail,
            at: line.at,
        });
        Self {
            status: simulated.status.as_str(),
            output: simulated.output,
            error: simulated.error,
            nodes: simulated.rounds.into_iter().map(Round::from).collect(),
            timeline: timeline.collect(),
            waiting_for: simulated.waiting_for.into_iter().map(Wait::from).collect(),
            now: simulated.now,
        }
    }
}

impl From<SimulatedRound> for Round {
    fn from(round: SimulatedRound) -> Self {
        Self {
            node_id: round.key,
            round: round.round,
            status: round.status.as_str(),
            input: round.input,
            output: round.output,
            error: round.error,
            started_at: round.started_at,
            finished_at: round.finished_at,
        }
    }
}

impl From<WaitingFor> for Wait {
    fn from(waiting: WaitingFor) -> Self {
        let (awaits, signal) = waiting.awaited.into_names();
        Self { node_id: waiting.key, awaits, signal }
    }
}
