//! What `schedule create` and `schedule edit` send: the options that were given, and nothing else.

use anyhow::Result;
use clap::Args;
use serde_json::{Map, Value, json};

use crate::commands::input;
use crate::commands::offered::priorities;

/// A schedule as it is described on the command line. What is left out is the server's default.
#[derive(Debug, Args)]
pub(crate) struct ScheduleArgs {
    /// Name
    name: String,
    /// Workflow to start
    #[arg(long)]
    workflow: String,
    /// Cron expression (quote it for the shell), or an alias such as @daily
    #[arg(long, value_name = "EXPRESSION", required_unless_present = "every")]
    cron: Option<String>,
    /// Interval between fires instead of an expression, at least 10s
    #[arg(long, value_name = "DURATION", conflicts_with_all = ["cron", "timezone"])]
    every: Option<String>,
    /// First fire of the interval (default: the creation of the schedule)
    #[arg(long, value_name = "INSTANT", requires = "every")]
    anchor: Option<String>,
    /// IANA time zone, such as Europe/Berlin (default: UTC)
    #[arg(long, value_name = "ZONE")]
    timezone: Option<String>,
    /// Execution input: JSON, @FILE, or - for standard input
    #[arg(long, short)]
    input: Option<String>,
    /// Priority
    #[arg(long, value_parser = priorities())]
    priority: Option<String>,
    /// Policy for missed fires: skip, latest or all
    #[arg(long)]
    misfire: Option<String>,
    /// Maximum age of a missed fire that still runs, such as 24h
    #[arg(long, value_name = "DURATION")]
    catch_up_window: Option<String>,
    /// Policy while the previous execution still runs: allow, skip, queueOne or cancelPrevious
    #[arg(long)]
    overlap: Option<String>,
    /// Maximum jitter, constant for each schedule, such as 30s
    #[arg(long, value_name = "DURATION")]
    jitter: Option<String>,
    /// First instant at which the schedule may fire
    #[arg(long, value_name = "INSTANT")]
    start_at: Option<String>,
    /// Last instant at which the schedule may fire
    #[arg(long, value_name = "INSTANT")]
    end_at: Option<String>,
    /// Create it paused
    #[arg(long)]
    paused: bool,
    /// Tenant, for keys that are not bound to one
    #[arg(long)]
    tenant: Option<String>,
}

impl ScheduleArgs {
    /// The body.
    pub(super) fn body(&self) -> Result<Value> {
        let mut body = Map::new();
        body.insert("name".into(), json!(self.name));
        body.insert("workflow".into(), json!(self.workflow));
        if let Some(text) = &self.input {
            body.insert("input".into(), input::json(text)?);
        }
        if self.paused {
            body.insert("paused".into(), json!(true));
        }
        let optional = [
            ("cron", &self.cron),
            ("every", &self.every),
            ("anchor", &self.anchor),
            ("timezone", &self.timezone),
            ("priority", &self.priority),
            ("misfire", &self.misfire),
            ("catchUpWindow", &self.catch_up_window),
            ("overlap", &self.overlap),
            ("jitter", &self.jitter),
            ("startAt", &self.start_at),
            ("endAt", &self.end_at),
            ("tenant", &self.tenant),
        ];
        for (name, value) in optional {
            if let Some(value) = value {
                body.insert(name.into(), json!(value));
            }
        }
        Ok(Value::Object(body))
    }
}
