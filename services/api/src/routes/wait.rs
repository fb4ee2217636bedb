//! `?wait=true&timeout=30s`: hold the request until an execution or a job ends.

use domain::time::DurationMs;
use engine::{Caller, Seat, Waiting};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::problem::{ApiResult, Problem};
use crate::state::{ApiState, WAIT_MAX};

/// How long to wait where nobody says.
const WAIT_DEFAULT: DurationMs = DurationMs::from_secs(30);

/// Whether and how long to wait.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(in crate::routes) struct WaitQuery {
    /// Whether to delay the response until the end or the timeout.
    #[serde(default)]
    #[param(required = false)]
    wait: bool,
    /// Timeout of `wait`, up to 60 s (default 30 s).
    #[param(value_type = Option<String>, example = "30s")]
    timeout: Option<DurationMs>,
}

/// How to show something that may have large payloads, and whether and how long to wait before.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(in crate::routes) struct ShowQuery {
    /// Whether to delay the response until the end or the timeout.
    #[serde(default)]
    #[param(required = false)]
    wait: bool,
    /// Timeout of `wait`, up to 60 s (default 30 s).
    #[param(value_type = Option<String>, example = "30s")]
    timeout: Option<DurationMs>,
    /// Maximum payload size in bytes. Larger payloads are null and listed in `omitted` with their path (default: no
    /// maximum).
    pub(in crate::routes) max_payload: Option<usize>,
}

impl ShowQuery {
    /// See [`WaitQuery::begin`].
    pub(in crate::routes) fn begin(
        &self,
        state: &ApiState,
        caller: &Caller,
    ) -> ApiResult<Option<(DurationMs, Seat)>> {
        WaitQuery { wait: self.wait, timeout: self.timeout }.begin(state, caller)
    }
}

impl WaitQuery {
    /// How long to wait, and the place of the caller among those who do; `None` where it does not want to.
    pub(in crate::routes) fn begin(
        &self,
        state: &ApiState,
        caller: &Caller,
    ) -> ApiResult<Option<(DurationMs, Seat)>> {
        let timeout = self.timeout.unwrap_or(WAIT_DEFAULT);
        if timeout > WAIT_MAX {
            return Err(Problem::fault("/timeout", format!("expected at most {WAIT_MAX}")));
        }
        if !self.wait {
            return Ok(None);
        }
        let seat = state.engine.take_seat(caller, Waiting::End)?;
        Ok(Some((state.wait_within(timeout), seat)))
    }
}
