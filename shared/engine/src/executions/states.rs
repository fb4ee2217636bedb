//! The states that an execution went through, from its timeline.

use domain::id::ExecutionId;
use domain::problem::ProblemCode;
use domain::workflow::states::PastState;
use store::executions::EventRecord;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// How many lines are read at once.
const READ_AT_ONCE: u32 = 1_000;

/// How many lines of a timeline are gone through. Those behind are in the timeline alone.
const LINES_MAX: usize = 50_000;

/// How many statuses of nodes one call answers, and those of one state more.
const STATUSES_MAX: usize = 50_000;

/// A state, and the line after which it was there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateLine {
    /// The line.
    pub event: EventRecord,
    /// Where execution and nodes were after it.
    pub state: PastState,
}

impl Engine {
    /// The states of an execution that has ended, after each line of its timeline behind a position: at most `limit`, fewer
    /// where it has many nodes. Answers the position behind which there are more.
    pub async fn execution_states(
        &self,
        caller: &Caller,
        id: ExecutionId,
        after: i64,
        limit: u32,
    ) -> Result<(Vec<StateLine>, Option<i64>), EngineError> {
        if !caller.shows_payloads() {
            return Err(EngineError::Forbidden { reason: "Requires an API key that shows payloads." });
        }
        let record = self.execution(caller, id).await?;
        if !record.status.is_terminal() {
            return Err(EngineError::Conflict {
                code: ProblemCode::ExecutionOpen,
                message: format!(
                    "The execution {id} has not ended; its nodes and timeline show where it is."
                ),
            });
        }
        let nodes = self.execution_nodes(caller, id).await?;
        let lines = self.lines_of_timeline(caller, id).await?;
        let named = lines.iter().filter_map(|event| event.line.node_id.as_ref());
        let mut state = PastState::before(nodes.iter().map(|node| (&node.node_id, node.status)), named);
        let (mut states, mut statuses): (Vec<StateLine>, _) = (Vec::new(), 0);
        for event in lines {
            if states.len() == limit as usize || statuses > STATUSES_MAX {
                let last = states.last().map(|line| line.event.position);
                return Ok((states, last));
            }
            state.apply(&event.line.kind, event.line.node_id.as_ref());
            if event.position > after {
                statuses += state.nodes.len();
                states.push(StateLine { event, state: state.clone() });
            }
        }
        Ok((states, None))
    }

    async fn lines_of_timeline(
        &self,
        caller: &Caller,
        id: ExecutionId,
    ) -> Result<Vec<EventRecord>, EngineError> {
        let mut lines: Vec<EventRecord> = Vec::new();
        while lines.len() < LINES_MAX {
            let after = lines.last().map_or(0, |line| line.position);
            let read = self.execution_events(caller, id, after, READ_AT_ONCE).await?;
            let is_last = read.len() < READ_AT_ONCE as usize;
            lines.extend(read);
            if is_last {
                break;
            }
        }
        Ok(lines)
    }
}
