//! The variables that all SDKs read. The only place that does.

use std::time::Duration;

use crate::error::ClientError;
use crate::timestamp;

/// A variable that is set and not empty.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A variable that holds a duration.
pub(crate) fn duration_of(name: &str) -> Result<Option<Duration>, ClientError> {
    let Some(text) = variable(name) else { return Ok(None) };
    let wrong = || ClientError::Configuration(format!("{name}={text}: write it as 25s"));
    timestamp::parse(&text).map(Some).ok_or_else(wrong)
}

/// The machine's name, for the names of workers.
pub(crate) fn host_name() -> String {
    variable("HOSTNAME")
        .or_else(|| std::fs::read_to_string("/etc/hostname").ok())
        .map(|name| name.trim().chars().take(60).collect::<String>())
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "worker".to_owned())
}
