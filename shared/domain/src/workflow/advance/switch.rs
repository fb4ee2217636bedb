//! `SWITCH`: the first case whose condition holds is the way on; all other targets are skipped.

use serde_json::{Value, json};

use crate::failure::JobError;
use crate::names::NodeId;
use crate::workflow::advance::edge::chose_another;
use crate::workflow::advance::transition::Transition;
use crate::workflow::advance::work::to_job_error;
use crate::workflow::definition::{NodeKind, OnError, SwitchCase};
use crate::workflow::execution::NodeStatus;

impl NodeKind {
    /// The nodes that a `SWITCH` can lead to. Empty for any other type.
    pub(super) fn targets(&self) -> impl Iterator<Item = &NodeId> {
        let (cases, default) = match self {
            Self::Switch { cases, default } => (cases.as_slice(), default.as_ref()),
            _ => (&[] as &[SwitchCase], None),
        };
        cases.iter().map(|case| &case.goto).chain(default)
    }
}

impl Transition<'_> {
    pub(super) fn begin_switch(&mut self, index: usize, cases: &[SwitchCase], default: Option<&NodeId>) {
        self.record_attempt(index);
        match self.choose(index, cases, default) {
            Ok(chosen) => {
                let chosen = chosen.map_or(Value::Null, |id| Value::from(id.as_str()));
                self.succeed(index, json!({ "chosen": chosen }));
            }
            Err(error) => self.fail_node(index, error),
        }
    }

    fn choose<'d>(
        &self,
        index: usize,
        cases: &'d [SwitchCase],
        default: Option<&'d NodeId>,
    ) -> Result<Option<&'d NodeId>, JobError> {
        let scope = self.scope_of(index);
        for case in cases {
            if case.when.test(&scope).map_err(|error| to_job_error(&error))? {
                return Ok(Some(&case.goto));
            }
        }
        Ok(default)
    }

    /// Skips what a completed `SWITCH` did not choose, whatever else it waits for. After an error nothing was chosen.
    pub(super) fn veto_others(&mut self, index: usize) {
        let switch = self.node(index);
        let has_failed = self.node_state(index).is_some_and(|state| state.error.is_some());
        let chosen = self.outputs.get(&switch.id).and_then(|output| output.get("chosen")).cloned();
        for target in switch.kind.targets() {
            let is_way_out = has_failed && switch.on_error == OnError::Goto(target.clone());
            if is_way_out || chosen.as_ref().and_then(Value::as_str) == Some(target.as_str()) {
                continue;
            }
            let Some(&other) = self.definition.graph.index.get(target) else {
                continue;
            };
            if self.status_of(other) == Some(NodeStatus::Pending) {
                self.skip(other, chose_another(switch));
            }
        }
    }
}
