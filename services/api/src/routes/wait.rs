//! `?wait=true&timeout=30s`: hold the request until an execution or a job ends.

use domain::time::DurationMs;
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
    /// Holds the answer until it ends or the time is up.
    #[serde(default)]
    #[param(required = false)]
    wait: bool,
    /// How long, up to 60 s; 30 s where absent.
    #[param(value_type = Option<String>, example = "30s")]
    timeout: Option<DurationMs>,
}

impl WaitQuery {
    /// How long to wait; `None` where the caller does not want to.
    pub(in crate::routes) fn duration(&self, state: &ApiState) -> ApiResult<Option<DurationMs>> {
        let timeout = self.timeout.unwrap_or(WAIT_DEFAULT);
        if timeout > WAIT_MAX {
            return Err(Problem::fault("/timeout", format!("expected at most {WAIT_MAX}")));
        }
        Ok(self.wait.then(|| state.wait_within(timeout)))
    }
}
