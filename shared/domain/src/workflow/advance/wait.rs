//! Nodes that wait: timers, signals and callbacks; and what they wait for in the state.

use serde_json::Value;

use crate::failure::JobError;
use crate::time::{DurationMs, Timestamp};
use crate::workflow::advance::transition::Transition;
use crate::workflow::advance::work::{CODE_EXPRESSION, to_job_error};
use crate::workflow::definition::TimerEnd;
use crate::workflow::execution::{NodeStatus, Wait};
use crate::workflow::expression::Template;
use crate::workflow::parse::DELAY_MAX;

impl Transition<'_> {
    /// A timer whose time has passed already is done at once.
    pub(super) fn begin_timer(&mut self, index: usize, end: &TimerEnd) {
        self.record_attempt(index);
        match self.end_of(index, end) {
            Ok(at) if at <= self.now => self.succeed(index, Value::Null),
            Ok(at) => self.wait(index, Wait::Timer, Some(at), format!("until {at}")),
            Err(error) => self.fail_node(index, error),
        }
    }

    fn end_of(&self, index: usize, end: &TimerEnd) -> Result<Timestamp, JobError> {
        let text_of = |template: &Template| {
            template.render(&self.scope_of(index)).map_err(|error| to_job_error(&error))
        };
        match end {
            TimerEnd::Duration(duration) => Ok(self.now.plus(*duration)),
            TimerEnd::DurationOf(template) => {
                let duration = text_of(template)?
                    .as_str()
                    .map_or(Err(None), |text| DurationMs::parse(text).map_err(Some));
                match duration {
                    Ok(duration) if duration > DELAY_MAX => {
                        let message = format!("the timer's `duration`: at most a year ({DELAY_MAX})");
                        Err(JobError::coded(CODE_EXPRESSION, message))
                    }
                    Ok(duration) => Ok(self.now.plus(duration)),
                    Err(fault) => {
                        let why =
                            fault.map_or_else(|| "it is not a text".to_owned(), |fault| fault.to_string());
                        Err(JobError::coded(CODE_EXPRESSION, format!("the timer's `duration`: {why}")))
                    }
                }
            }
            TimerEnd::Until(template) => {
                text_of(template)?.as_str().and_then(Timestamp::parse).ok_or_else(|| {
                    let message = "the timer's `until` is not an instant such as 2026-11-20T12:00:00.000Z";
                    JobError::coded(CODE_EXPRESSION, message)
                })
            }
        }
    }

    /// A signal that was kept is taken at once.
    pub(super) fn begin_signal(&mut self, index: usize, signal: &str) {
        self.record_attempt(index);
        if let Some(payload) = self.take_kept_signal(signal) {
            self.succeed(index, payload);
        } else {
            let detail = format!("for the signal `{signal}`");
            self.wait(index, Wait::Signal { name: signal.to_owned() }, self.timeout_of(index), detail);
        }
    }

    /// A request that was kept is taken at once.
    pub(super) fn begin_callback(&mut self, index: usize) {
        self.record_attempt(index);
        if let Some(payload) = self.take_kept_callback(&self.node(index).id) {
            self.succeed(index, payload);
        } else {
            let detail = "for a request to its callback address".to_owned();
            self.wait(index, Wait::Callback, self.timeout_of(index), detail);
        }
    }

    /// When a node that starts to wait now has waited too long.
    pub(super) fn timeout_of(&self, index: usize) -> Option<Timestamp> {
        self.node(index).timeout.map(|timeout| self.now.plus(timeout))
    }

    /// The node waits from now on.
    pub(super) fn wait(&mut self, index: usize, wait: Wait, due_at: Option<Timestamp>, detail: String) {
        if let Some(state) = self.node_state_mut(index) {
            state.status = NodeStatus::Waiting;
            state.wait = Some(wait);
            state.due_at = due_at;
        }
        self.emit("node_waiting", Some(&self.node(index).id), Some(detail));
    }

    /// What the node waited for is there.
    pub(super) fn end_wait(&mut self, index: usize) {
        if let Some(state) = self.node_state_mut(index) {
            state.wait = None;
            state.due_at = None;
        }
    }
}
