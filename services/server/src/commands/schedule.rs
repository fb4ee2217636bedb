//! `trunkline schedule`: the verbs of schedules, and the bodies that they send.

use std::process::ExitCode;

use anyhow::Result;
use clap::{ArgGroup, Args, Subcommand};
use domain::id::ScheduleKind;
use serde_json::{Map, Value, json};

use crate::client::{Client, api_path, id, query};
use crate::commands::batches::{BulkArgs, reason_field};
use crate::commands::choices::{misfires, overlaps, priorities};
use crate::commands::find::{self, ListArgs, OfRuns, OfSchedules};
use crate::output;
use crate::output::{out, shown, terminal};

// The verbs of `trunkline schedule`.

/// Manages schedules.
#[derive(Debug, Subcommand)]
pub(crate) enum ScheduleCommand {
    /// List schedules, newest first
    List(Box<ListArgs<OfSchedules>>),
    /// Create a schedule
    Create(ScheduleArgs),
    /// Replace a schedule; past fire times do not run
    Edit {
        /// Schedule ID
        #[arg(value_parser = id::<ScheduleKind>)]
        id: String,
        #[command(flatten)]
        schedule: ScheduleArgs,
    },
    /// Show a schedule
    Show {
        /// Schedule ID
        #[arg(value_parser = id::<ScheduleKind>)]
        id: String,
    },
    /// Describe when a schedule, a cron expression or an interval fires next
    #[command(after_help = "Examples:
  trunkline schedule preview --cron '30 2 * * *' --timezone Europe/Berlin
  trunkline schedule preview --every 90s --count 3")]
    Preview(PreviewArgs),
    /// Pause a schedule, or many by filter
    Pause(Box<PauseArgs>),
    /// Resume a schedule, or many by filter; fires that were due meanwhile do not run
    Resume(Box<PauseArgs>),
    /// Start an execution now, even if the schedule is paused
    Run {
        /// Schedule ID
        #[arg(value_parser = id::<ScheduleKind>)]
        id: String,
    },
    /// Run the missed fires of a past time range
    Backfill {
        /// Schedule ID
        #[arg(value_parser = id::<ScheduleKind>)]
        id: String,
        /// Start of the time range, inclusive
        #[arg(long, value_name = "INSTANT")]
        from: String,
        /// End of the time range, inclusive
        #[arg(long, value_name = "INSTANT")]
        to: String,
    },
    /// List the fires of a schedule and their outcomes, latest first
    Runs {
        /// Schedule ID
        #[arg(value_parser = id::<ScheduleKind>)]
        id: String,
        #[command(flatten)]
        list: Box<ListArgs<OfRuns>>,
    },
    /// Delete a schedule and its history; its executions are kept
    Delete {
        /// Schedule ID
        #[arg(value_parser = id::<ScheduleKind>)]
        id: String,
    },
}

/// Arguments of `schedule preview`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("previewed").required(true).args(["id", "cron", "every"])))]
pub(crate) struct PreviewArgs {
    /// Schedule ID
    #[arg(value_parser = id::<ScheduleKind>, conflicts_with_all = ["timezone", "from"])]
    id: Option<String>,
    /// Cron expression, quoted for the shell, instead of a schedule
    #[arg(long, value_name = "EXPRESSION")]
    cron: Option<String>,
    /// Interval between fires, at least 10s, instead of a schedule
    #[arg(long, value_name = "DURATION", conflicts_with = "timezone")]
    every: Option<String>,
    /// First fire of the interval (default: now)
    #[arg(long, value_name = "INSTANT", requires = "every")]
    anchor: Option<String>,
    /// IANA time zone of the expression (default: UTC)
    #[arg(long, value_name = "ZONE")]
    timezone: Option<String>,
    /// Show fires after this instant (default: now)
    #[arg(long, value_name = "INSTANT")]
    from: Option<String>,
    /// Number of fires to show
    #[arg(long, default_value_t = 5)]
    count: u32,
}

/// A schedule, or which schedules.
#[derive(Debug, Args)]
pub(crate) struct PauseArgs {
    /// Schedule ID; omit it to choose schedules by filter
    #[arg(value_parser = id::<ScheduleKind>)]
    id: Option<String>,
    /// Reason, kept with the operation
    #[arg(long)]
    reason: Option<String>,
    #[command(flatten)]
    bulk: BulkArgs<OfSchedules>,
}

/// Runs the command.
pub(crate) async fn run(command: ScheduleCommand, client: &Client) -> Result<ExitCode> {
    match command {
        ScheduleCommand::List(args) => {
            let columns = [
                ("ID", "/id"),
                ("NAME", "/name"),
                ("WORKFLOW", "/workflow"),
                ("CRON", "/cron"),
                ("EVERY", "/every"),
                ("ZONE", "/timezone"),
                ("NEXT", "/nextRunAt"),
                ("PAUSED", "/paused"),
                ("TENANT", "/tenant"),
            ];
            args.print(client, "/v1/schedules", &columns).await?;
        }
        ScheduleCommand::Create(schedule) => {
            let answer = client.post("/v1/schedules", &schedule.body()?).await?;
            print(client, &answer);
        }
        ScheduleCommand::Edit { id, schedule } => {
            let answer = client.put(&api_path!("schedules", id), &schedule.body()?).await?;
            print(client, &answer);
        }
        ScheduleCommand::Show { id } => print(client, &client.get(&api_path!("schedules", id)).await?),
        ScheduleCommand::Preview(args) => preview(args, client).await?,
        ScheduleCommand::Pause(args) => return turn(client, *args, "pause").await,
        ScheduleCommand::Resume(args) => return turn(client, *args, "resume").await,
        ScheduleCommand::Run { id } => {
            let answer = act(client, &id, "run").await?;
            output::print_object(client.json, &answer, &[("execution", "/executionId")]);
        }
        ScheduleCommand::Backfill { id, from, to } => backfill(client, &id, &from, &to).await?,
        ScheduleCommand::Runs { id, list } => {
            list.print(client, &api_path!("schedules", id, "runs"), &RUNS).await?;
        }
        ScheduleCommand::Delete { id } => {
            client.delete(&api_path!("schedules", id)).await?;
            if !client.json {
                out!("{id} deleted");
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn turn(client: &Client, args: PauseArgs, verb: &str) -> Result<ExitCode> {
    if let Some(id) = &args.id {
        print(client, &act(client, id, verb).await?);
        return Ok(ExitCode::SUCCESS);
    }
    args.bulk.run(client, &api_path!("schedules", verb), "schedules", reason_field(args.reason)).await
}

async fn act(client: &Client, id: &str, verb: &str) -> Result<Value> {
    Ok(client.post(&api_path!("schedules", id, verb), &json!({})).await?)
}

fn print(client: &Client, schedule: &Value) {
    let columns = [
        ("id", "/id"),
        ("name", "/name"),
        ("workflow", "/workflow"),
        ("cron", "/cron"),
        ("every", "/every"),
        ("anchor", "/anchor"),
        ("timezone", "/timezone"),
        ("fires", "/description"),
        ("next", "/nextRunAt"),
        ("paused", "/paused"),
        ("priority", "/priority"),
        ("misfire", "/misfire"),
        ("catch-up window", "/catchUpWindow"),
        ("overlap", "/overlap"),
        ("jitter", "/jitter"),
        ("starts", "/startAt"),
        ("ends", "/endAt"),
        ("tenant", "/tenant"),
        ("input", "/input"),
        ("created", "/createdAt"),
        ("updated", "/updatedAt"),
    ];
    output::print_object(client.json, schedule, &columns);
    if !client.json {
        print_lines("warning", &schedule["warnings"]);
    }
}

async fn preview(args: PreviewArgs, client: &Client) -> Result<()> {
    let answer = if let Some(id) = args.id {
        let count = Some(args.count.to_string());
        let path = query(&api_path!("schedules", id, "preview"), &[("count", count)]);
        client.get(&path).await?
    } else {
        let mut body = Map::new();
        body.insert("count".into(), json!(args.count));
        let given = [
            ("cron", args.cron),
            ("every", args.every),
            ("anchor", args.anchor),
            ("timezone", args.timezone),
            ("from", args.from),
        ];
        for (name, value) in given {
            if let Some(value) = value {
                body.insert(name.into(), json!(value));
            }
        }
        client.post("/v1/schedules/preview", &Value::Object(body)).await?
    };
    if client.json {
        output::print_json(&answer);
        return Ok(());
    }
    out!("{}", answer["description"].as_str().unwrap_or_default());
    for instant in answer["next"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        out!("  {}", terminal::instant(instant).unwrap_or_else(|| instant.to_owned()));
    }
    print_lines("note", &answer["notes"]);
    Ok(())
}

fn print_lines(heading: &str, lines: &Value) {
    for line in lines.as_array().into_iter().flatten().filter_map(Value::as_str) {
        out!("{heading}: {}", shown(line));
    }
}

async fn backfill(client: &Client, id: &str, from: &str, to: &str) -> Result<()> {
    let body = json!({ "from": from, "to": to });
    let answer = client.post(&api_path!("schedules", id, "backfill"), &body).await?;
    let columns = [("slots", "/slots"), ("started", "/started"), ("skipped", "/skipped")];
    output::print_object(client.json, &answer, &columns);
    Ok(())
}

/// Columns of a list of slots.
const RUNS: [output::Column; 7] = [
    ("SCHEDULED FOR", "/scheduledFor"),
    ("FIRED", "/firedAt"),
    ("LATE", "/lateMs"),
    ("REASON", "/reason"),
    ("STATUS", "/status"),
    ("SKIPPED BECAUSE", "/skipReason"),
    ("EXECUTION", "/executionId"),
];

// What `schedule create` and `schedule edit` send: the options that were given, and nothing else.

/// A schedule as it is described on the command line. What is left out is the server's default.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("fires").required(true).args(["cron", "every"])))]
pub(crate) struct ScheduleArgs {
    /// Name of the schedule
    name: String,
    /// Workflow to start
    #[arg(long)]
    workflow: String,
    /// Cron expression (quote it for the shell), or an alias such as @daily
    #[arg(long, value_name = "EXPRESSION")]
    cron: Option<String>,
    /// Interval between fires instead of an expression, at least 10s
    #[arg(long, value_name = "DURATION", conflicts_with = "timezone")]
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
    /// Policy for missed fires
    #[arg(long, value_name = "POLICY", value_parser = misfires())]
    misfire: Option<String>,
    /// Maximum age of a missed fire that still runs, such as 24h
    #[arg(long, value_name = "DURATION")]
    catch_up_window: Option<String>,
    /// Policy while the previous execution still runs
    #[arg(long, value_name = "POLICY", value_parser = overlaps())]
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
    fn body(&self) -> Result<Value> {
        let mut body = Map::new();
        body.insert("name".into(), json!(self.name));
        body.insert("workflow".into(), json!(self.workflow));
        if let Some(text) = &self.input {
            body.insert("input".into(), find::json(text)?);
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

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use crate::cli::Cli;

    fn fault(line: &str) -> String {
        Cli::try_parse_from(line.split(' ')).expect_err(line).to_string()
    }

    #[test]
    fn what_is_missing_is_an_expression_or_an_interval() {
        for verb in ["preview", "create x --workflow w"] {
            let fault = fault(&format!("trunkline schedule {verb}"));
            assert!(fault.contains("--cron <EXPRESSION>|--every <DURATION>"), "{fault}");
        }
        assert!(fault("trunkline schedule preview").contains("ID|--cron"));
        for both in ["preview --cron @daily --every 1h", "preview --every 1h --timezone UTC"] {
            assert!(fault(&format!("trunkline schedule {both}")).contains("cannot be used with"));
        }
        let whole = "trunkline schedule preview --every 90s --anchor 2026-11-20T12:00:00Z --from 2026-11-20T12:00:00Z";
        Cli::try_parse_from(whole.split(' ')).expect("an interval is enough");
    }
}
