//! `trunkline outbox`: calls that an application commits in a database of its own, and the relay that sends them to a server.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use store_sql::{IntakeRole, IntakeSchema, Outbox, OutboxKind, OutboxRefusal, OutboxRow, OutboxStep};
use tokio::signal::unix::{SignalKind, signal};
use uuid::Uuid;

use crate::client::{Client, ClientError, Global, api_path};
use crate::output;
use crate::output::{note, out, shown};

/// How many refused calls `outbox status` shows.
const REFUSED_MAX: u32 = 100;

/// How long a relay waits for a notification, or for the lease of another one.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long rows are sent before those that were sent are removed. With the time of one answer it is shorter than the lease.
const SEND_WITHIN: Duration = Duration::from_secs(3);

/// How long the answer to one call may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// After an error the wait is at least so long, and doubles up to [`BACKOFF_MAX`].
const BACKOFF: Duration = Duration::from_millis(100);
const BACKOFF_MAX: Duration = Duration::from_secs(5);

/// Manages the outbox.
#[derive(Debug, Subcommand)]
pub(crate) enum OutboxCommand {
    /// Create the table and the functions in the application's database, or update them, and let a database role call them
    ///
    /// Run it with the URL of a database role that may create a schema there. A role that does not exist is created without a
    /// login; grant it to the roles of the application.
    Install {
        /// Where the outbox is
        #[command(flatten)]
        place: Place,
        /// Database role that may call the functions
        #[arg(long, value_parser = IntakeRole::parse)]
        role: IntakeRole,
    },
    /// Drop the functions and revoke the rights of all roles; committed calls are still sent
    Uninstall {
        /// Where the outbox is
        #[command(flatten)]
        place: Place,
    },
    /// Show waiting calls and refused calls
    Status {
        /// Where the outbox is
        #[command(flatten)]
        place: Place,
    },
    /// Send calls to the server in the order in which they were committed, until SIGTERM or SIGINT
    ///
    /// Several can run: one sends, and another takes over when its lease expires. The API key determines the tenant of the calls.
    Relay {
        /// Where the outbox is
        #[command(flatten)]
        place: Place,
    },
}

/// The database of the application, and the schema of the outbox.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// URL of the application's database
    #[arg(long, env = "TRUNKLINE_OUTBOX_URL", value_name = "URL", hide_env_values = true)]
    outbox_url: Option<String>,
    /// File with the URL of the application's database
    #[arg(long, env = "TRUNKLINE_OUTBOX_URL_FILE", value_name = "FILE", conflicts_with = "outbox_url")]
    outbox_url_file: Option<PathBuf>,
    /// Schema of the table and the functions
    #[arg(long, value_name = "NAME", default_value = "trunkline", value_parser = IntakeSchema::parse)]
    schema: IntakeSchema,
}

impl Place {
    #[expect(clippy::disallowed_methods, reason = "no engine runs here, and the id only has to be new")]
    fn open(&self) -> Result<Outbox> {
        let url = match (&self.outbox_url, &self.outbox_url_file) {
            (Some(url), _) => url.clone(),
            (None, Some(file)) => {
                let text = std::fs::read_to_string(file);
                text.with_context(|| format!("cannot read {}", file.display()))?.trim().to_owned()
            }
            (None, None) => {
                bail!("name the application's database with --outbox-url or TRUNKLINE_OUTBOX_URL")
            }
        };
        Ok(Outbox::open(&url, self.schema.clone(), Uuid::new_v4())?)
    }

    /// The same for interactive use: an unreachable database is reported immediately.
    async fn open_now(&self) -> Result<Outbox> {
        let outbox = self.open()?;
        let reached = outbox.require_reachable().await;
        reached.with_context(|| format!("cannot reach the application's database {}", outbox.address()))?;
        Ok(outbox)
    }
}

/// Runs the command.
pub(crate) async fn run(command: &OutboxCommand, global: &Global) -> Result<ExitCode> {
    match command {
        OutboxCommand::Install { place, role } => {
            place.open_now().await?.install(role).await.context("the outbox was not created")?;
            let (role, schema) = (role.as_str(), place.schema.as_str());
            if global.json {
                output::print_json(&json!({ "role": role, "schema": schema }));
            } else {
                out!(
                    "the role {role} may call {schema}.enqueue, {schema}.start, {schema}.signal and {schema}.send_event; run \
                     `trunkline outbox relay` to send what they commit"
                );
            }
        }
        OutboxCommand::Uninstall { place } => {
            place.open_now().await?.uninstall().await.context("the outbox was not removed")?;
            if global.json {
                output::print_json(&json!({ "schema": place.schema.as_str(), "dropped": true }));
            } else {
                out!("the functions are dropped; their roles still exist");
            }
        }
        OutboxCommand::Status { place } => print_status(global.json, &place.open_now().await?).await?,
        OutboxCommand::Relay { place } => relay(place.open()?, &Client::new(global)?).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn print_status(is_json: bool, outbox: &Outbox) -> Result<()> {
    let status = outbox
        .status(REFUSED_MAX)
        .await
        .context("the outbox cannot be read (`trunkline outbox install` creates it)")?;
    let refused: Vec<Value> = status
        .refused
        .iter()
        .map(|one| {
            json!({
                "id": one.id, "kind": one.kind, "name": one.name, "key": one.key, "refusedAt": one.refused_at,
                "reason": one.reason,
            })
        })
        .collect();
    if is_json {
        out!("{}", json!({ "waiting": status.waiting, "oldestAt": status.oldest_at, "refused": refused }));
        return Ok(());
    }
    out!("waiting: {}\n\nRefused calls", status.waiting);
    let columns = [
        ("AT", "/refusedAt"),
        ("ID", "/id"),
        ("KIND", "/kind"),
        ("NAME", "/name"),
        ("KEY", "/key"),
        ("REASON", "/reason"),
    ];
    output::print_list(false, &json!({ "items": refused }), &columns);
    Ok(())
}

/// Sends until a signal comes. A call that is cut off is sent again under its key.
async fn relay(outbox: Outbox, client: &Client) -> Result<()> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let mut relay = Relay { outbox, client, is_reached: false, failures: 0 };
    loop {
        tokio::select! {
            _ = terminate.recv() => break,
            _ = interrupt.recv() => break,
            () = relay.step() => {}
        }
    }
    relay.outbox.close().await;
    Ok(())
}

struct Relay<'a> {
    outbox: Outbox,
    client: &'a Client,
    /// Whether the database answered last time.
    is_reached: bool,
    /// Steps that failed, one after the other.
    failures: u32,
}

impl Relay<'_> {
    /// Sends some of what waits, or waits for something.
    async fn step(&mut self) {
        let sent = match self.take().await {
            Ok(OutboxStep::Nothing) => return self.outbox.wait(LOOK_EVERY).await,
            Ok(OutboxStep::Elsewhere) => return tokio::time::sleep(LOOK_EVERY).await,
            Ok(OutboxStep::Rows { term, rows }) => self.send(term, &rows).await,
            Err(error) => Err(error),
        };
        let Err(error) = sent else {
            self.failures = 0;
            return;
        };
        // The first says what is wrong; others would only repeat it.
        if self.failures == 0 {
            note!("{}; trying again", shown(&format!("{error:#}")));
        }
        self.failures = self.failures.saturating_add(1);
        let wait = BACKOFF.saturating_mul(2_u32.saturating_pow(self.failures.min(10)));
        tokio::time::sleep(wait.min(BACKOFF_MAX)).await;
    }

    /// What waits. A pool would try to connect until its time is up, and then only say that it is: whether the database can be
    /// reached is found out beside it, at first and after each failure.
    async fn take(&mut self) -> Result<OutboxStep> {
        let address = self.outbox.address();
        let unreached = || format!("cannot reach the application's database {address}");
        if !self.is_reached {
            self.outbox.require_reachable().await.with_context(unreached)?;
        }
        let taken = self.outbox.take().await;
        self.is_reached = taken.is_ok();
        if !self.is_reached {
            self.outbox.require_reachable().await.with_context(unreached)?;
        }
        Ok(taken?)
    }

    /// Sends rows in their order until one cannot be sent now, and settles those before it.
    async fn send(&self, term: i64, rows: &[OutboxRow]) -> Result<()> {
        let started_at = Instant::now();
        let (mut sent, mut refused, mut failure) = (Vec::new(), Vec::new(), None);
        for row in rows {
            if started_at.elapsed() > SEND_WITHIN {
                break;
            }
            match self.client.post_once(&path_of(row), &row.body, &row.key, ANSWER_WITHIN).await {
                Ok(()) => sent.push(row.id),
                Err(error) if is_refused(&error) => {
                    note!("call {} was refused: {}", row.id, shown(&error.to_string()));
                    refused.push(OutboxRefusal { id: row.id, reason: error.to_string() });
                }
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        if !sent.is_empty() || !refused.is_empty() {
            self.outbox.settle(term, &sent, &refused).await?;
        }
        failure.map_or(Ok(()), |error| Err(error.into()))
    }
}

fn path_of(row: &OutboxRow) -> String {
    match row.kind {
        OutboxKind::Enqueue => api_path!("jobs"),
        OutboxKind::Start => api_path!("executions"),
        OutboxKind::Event => api_path!("events"),
        OutboxKind::Signal => {
            api_path!("executions", row.execution.as_deref().unwrap_or_default(), "signals", row.name)
        }
    }
}

/// Whether the server will not carry a call out, because of what the call says or is about. Anything else is sent again: rights are
/// given, and rates and quotas have room again.
fn is_refused(error: &ClientError) -> bool {
    match error {
        ClientError::Problem { status, problem } => {
            // Something in between has answers of its own: they say nothing of the call.
            let is_of_server =
                problem["type"].as_str().is_some_and(|kind| kind.starts_with("urn:trunkline:problem:"));
            let passes = ["idempotency_in_flight", "queue_draining", "workflow_paused", "inbox_full"];
            let may_pass = passes.iter().any(|code| problem["code"] == *code);
            is_of_server && matches!(status, 400 | 404 | 409 | 413 | 422) && !may_pass
        }
        ClientError::Unreachable { .. } | ClientError::NotJson { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kind: OutboxKind, execution: Option<&str>, name: &str) -> OutboxRow {
        let (key, body) = ("k".to_owned(), "{}".to_owned());
        OutboxRow { id: 1, kind, execution: execution.map(str::to_owned), name: name.to_owned(), key, body }
    }

    #[test]
    fn calls_go_where_the_api_takes_them() {
        assert_eq!(path_of(&row(OutboxKind::Enqueue, None, "mail")), "/v1/jobs");
        assert_eq!(path_of(&row(OutboxKind::Start, None, "order")), "/v1/executions");
        assert_eq!(path_of(&row(OutboxKind::Event, None, "order.paid")), "/v1/events");
        let signal = row(OutboxKind::Signal, Some("exe_1"), "paid by/card");
        assert_eq!(path_of(&signal), "/v1/executions/exe_1/signals/paid%20by%2Fcard");
    }

    #[tokio::test]
    async fn a_relay_says_at_once_why_its_database_cannot_be_reached() {
        let schema = IntakeSchema::parse("trunkline").expect("it is a name");
        let url = "postgres://shop:s3cret@127.0.0.1:9/orders";
        let outbox = Outbox::open(url, schema, Uuid::from_u128(1)).expect("it is on PostgreSQL");
        let server = Some("http://127.0.0.1:9".to_owned());
        let global = Global { url: server, profile: None, json: false, utc: false };
        let client = Client::new(&global).expect("it connects later");
        let mut relay = Relay { outbox, client: &client, is_reached: false, failures: 0 };
        let away = format!("{:#}", relay.take().await.expect_err("nobody listens there"));
        assert!(
            away.starts_with("cannot reach the application's database postgres://127.0.0.1:9/orders"),
            "{away}"
        );
        assert!(away.contains("refused") && !away.contains("s3cret"), "{away}");
    }

    #[test]
    fn what_may_pass_is_sent_again() {
        let problem = |status: u16, code: &str| {
            let problem = json!({ "type": format!("urn:trunkline:problem:{code}"), "code": code });
            ClientError::Problem { status, problem }
        };
        for (status, code, expected) in [
            (422, "invalid", true),
            (404, "not_found", true),
            (409, "execution_finished", true),
            (409, "idempotency_in_flight", false),
            (409, "queue_draining", false),
            (401, "unauthorized", false),
            (429, "quota_exceeded", false),
            (503, "unavailable", false),
        ] {
            assert_eq!(is_refused(&problem(status, code)), expected, "{status} {code}");
        }
        assert!(!is_refused(&ClientError::NotJson { url: String::new(), status: 404 }));
        let of_a_proxy =
            ClientError::Problem { status: 404, problem: json!({"message": "no Route matched"}) };
        assert!(!is_refused(&of_a_proxy));
    }
}
