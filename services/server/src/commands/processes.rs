//! Verbs that run a process, or look at one from beside it: `trunkline server`, `worker` and `health`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::json;
use settings::Flags;

use crate::client::{Client, api_path, query};
use crate::commands::find::{ListArgs, OfWorkers};
use crate::output;
use crate::output::out;
use crate::serve::answers_rest;

/// Lists the processes of the deployment.
#[derive(Debug, Subcommand)]
pub(crate) enum ServerCommand {
    /// List the processes seen within the last minute
    List,
}

/// Runs the command.
pub(crate) async fn run(command: ServerCommand, client: &Client) -> Result<ExitCode> {
    let ServerCommand::List = command;
    let columns = [
        ("ID", "/id"),
        ("VERSION", "/version"),
        ("ROLES", "/roles"),
        ("STARTED", "/startedAt"),
        ("LAST SEEN", "/lastSeenAt"),
        ("CLOCK OFFSET", "/clockOffsetMs"),
    ];
    output::print_list(client.json, &client.get("/v1/servers").await?, &columns);
    Ok(ExitCode::SUCCESS)
}

// `trunkline worker`.

/// Lists and drains workers.
#[derive(Debug, Subcommand)]
pub(crate) enum WorkerCommand {
    /// List workers (default: seen in the last ten minutes)
    List(Box<ListArgs<OfWorkers>>),
    /// Drain a worker: it receives no more jobs and is asked to exit
    Drain {
        /// Worker ID
        id: String,
        /// Tenant that the API key of the worker is bound to
        #[arg(long)]
        tenant: Option<String>,
    },
}

/// Runs the command.
pub(crate) async fn run_worker(command: WorkerCommand, client: &Client) -> Result<ExitCode> {
    match command {
        WorkerCommand::List(args) => {
            let columns = [
                ("ID", "/id"),
                ("KIND", "/kind"),
                ("TENANT", "/tenant"),
                ("BUILD", "/build"),
                ("JOB TYPES", "/jobTypes"),
                ("LEASED", "/leased"),
                ("SLOTS", "/slots"),
                ("DRAINING", "/draining"),
                ("LAST SEEN", "/lastSeenAt"),
            ];
            args.print(client, "/v1/workers", &columns).await?;
        }
        WorkerCommand::Drain { id, tenant } => {
            let path = query(&api_path!("workers", id, "drain"), &[("tenant", tenant)]);
            client.post(&path, &json!({})).await?;
            if !client.json {
                out!("{id} gets no more jobs");
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

// `trunkline health`: one look at a server from beside it, for a container's health check.

/// Arguments of `health`.
#[derive(Debug, Args)]
pub(crate) struct HealthArgs {
    /// Configuration file of the server [env: TRUNKLINE_CONFIG]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Timeout, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=60))]
    timeout: u64,
}

/// Asks `/readyz` at the address that the settings name. Exits with 0 when the server is ready, 1 otherwise.
///
/// A container image has no shell and no curl, so the binary checks itself.
pub(crate) async fn run_health(args: &HealthArgs, is_json: bool) -> Result<ExitCode> {
    let flags = Flags { config: args.config.clone(), ..Flags::default() };
    let settings = settings::load(&flags, settings::process_environment())?;
    // With TLS the certificate is of another name than the address here, and a caller may need one of its own. The metrics address
    // has none, and is there whatever the roles are.
    let http = &settings.http;
    let addr = if http.has_tls() || !answers_rest(&settings) { settings.metrics.addr } else { http.addr };
    let url = format!("http://{}/readyz", reachable(addr));
    // A proxy of the environment is for calls to the outside, never for the process beside.
    let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(args.timeout)).build()?;
    let answer = client.get(&url).send().await.with_context(|| format!("{url} does not respond"))?;
    let status = answer.status();
    let is_ready = status.is_success();
    if is_json {
        output::print_json(&json!({ "ready": is_ready, "url": url, "status": status.as_u16() }));
    } else if is_ready {
        out!("ready");
    } else {
        out!("not ready: {url} returned status {status}");
    }
    Ok(if is_ready { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A server that listens on every address is asked on loopback.
fn reachable(addr: SocketAddr) -> SocketAddr {
    let ip = match addr.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, addr.port())
}

#[cfg(test)]
mod tests {
    use super::reachable;

    #[test]
    fn a_server_on_every_address_is_asked_on_loopback() {
        for (listens, asked) in [
            ("0.0.0.0:8080", "127.0.0.1:8080"),
            ("[::]:8080", "[::1]:8080"),
            ("127.0.0.1:9", "127.0.0.1:9"),
            ("10.1.2.3:80", "10.1.2.3:80"),
        ] {
            let listens = listens.parse().expect("the address is valid");
            assert_eq!(reachable(listens).to_string(), asked);
        }
    }
}
