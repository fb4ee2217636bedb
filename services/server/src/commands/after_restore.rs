//! `trunkline doctor --after-restore`: what would happen once more on a database that was restored, and what to do about it.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use engine::{Caller, Mended, Restored};
use serde_json::{Value, json};
use settings::Settings;
use store::Store as _;
use store_sql::{SqlStore, TimeSource};

use crate::commands::local::sqlite_file;
use crate::output;
use crate::output::out;
use crate::serve::{check, offline_engine, store_options};

/// How many of each kind are listed.
const LISTED_MAX: u32 = 100;

/// Looks, and mends if it is asked to. Exits with 1 where something would happen once more.
pub(crate) async fn run(settings: &Settings, fixes: bool, is_json: bool) -> Result<ExitCode> {
    if let Some(file) = sqlite_file(settings).filter(|file| !file.exists()) {
        bail!("there is no database {}", file.display());
    }
    let mut options = store_options(settings);
    options.migrate = false;
    options.lease_time = TimeSource::Caller;
    // It fails where a server runs on a SQLite file.
    let store = SqlStore::connect(&options).await.map_err(check::explain).with_context(|| {
        format!("cannot open {}; stop all servers on it first", settings.database.url_masked())
    })?;
    let done = on(&store, settings, fixes, is_json).await;
    store.close().await;
    done
}

async fn on(store: &Arc<SqlStore>, settings: &Settings, fixes: bool, is_json: bool) -> Result<ExitCode> {
    check::require(store).await?;
    // An address with a mistake in it must not pause a deployment and end its leases.
    let alive = store.nodes_alive().await?;
    if alive > 0 {
        bail!(
            "servers are running on {} ({alive} with worker pools); stop all servers on it first",
            settings.database.url_masked()
        );
    }
    let engine = offline_engine(store, settings).await?;
    let found = engine.restored(LISTED_MAX).await?;
    let mended = if fixes { Some(engine.mend_restored(&Caller::system()).await?) } else { None };
    let is_safe = if fixes { engine.restored(LISTED_MAX).await?.is_safe() } else { found.is_safe() };
    print(&found, mended, is_safe, is_json);
    Ok(if is_safe { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(found: &Restored, mended: Option<Mended>, is_safe: bool, is_json: bool) {
    let shown = shown(found, mended, is_safe);
    if is_json {
        return output::print_json(&shown);
    }
    match found.last_written {
        Some(at) => out!("the database was restored to about {at}; what happened afterwards is not in it"),
        None => out!("the database is empty"),
    }
    let sections: [(&str, &str, &[output::Column]); 3] = [
        (
            "leases",
            "jobs that were running: their attempts may have done everything, and will be repeated",
            &[
                ("JOB", "/jobId"),
                ("QUEUE", "/queue"),
                ("TYPE", "/jobType"),
                ("TENANT", "/tenant"),
                ("WORKER", "/workerId"),
                ("EXECUTION", "/executionId"),
            ],
        ),
        (
            "schedules",
            "schedules with slots that passed: they fired then, and would fire again",
            &[("SCHEDULE", "/id"), ("NAME", "/name"), ("TENANT", "/tenant"), ("FIRST SLOT", "/firstSlot")],
        ),
        (
            "deliveries",
            "webhook deliveries that were not matched yet: they may have started executions, and would again",
            &[
                ("DELIVERY", "/id"),
                ("WEBHOOK", "/webhookId"),
                ("STATUS", "/status"),
                ("RECEIVED", "/receivedAt"),
            ],
        ),
    ];
    for (name, words, columns) in sections {
        out!("\n{name}: {words}");
        let rows = shown[name].as_array().cloned().unwrap_or_default();
        output::print_rows(&rows, columns);
    }
    if found.has_more {
        out!("\nmore than {LISTED_MAX} of one kind: only the first are listed");
    }
    print_advice(mended, is_safe);
}

fn print_advice(mended: Option<Mended>, is_safe: bool) {
    if let Some(mended) = mended {
        out!(
            "\nfixed: {} queues paused, {} leases ended, {} schedules moved to now (their slots are recorded as skipped)",
            mended.queues_paused,
            mended.leases_ended,
            mended.schedules_advanced
        );
    }
    if is_safe {
        out!("\nA server can be started: nothing runs before `trunkline queue resume` for each queue.");
    } else {
        out!(
            "\nDo not start a server yet. `trunkline doctor --after-restore --fix` pauses all queues, ends the leases and skips the slots."
        );
    }
}

fn shown(found: &Restored, mended: Option<Mended>, is_safe: bool) -> Value {
    let leases: Vec<Value> = found
        .leases
        .iter()
        .map(|one| {
            json!({
                "jobId": one.job_id, "queue": one.queue.as_str(), "jobType": one.job_type, "tenant": one.tenant,
                "workerId": one.worker_id, "executionId": one.execution_id, "leaseUntil": one.lease_until,
            })
        })
        .collect();
    let schedules: Vec<Value> = found
        .schedules
        .iter()
        .map(|one| {
            json!({
                "id": one.id, "name": one.name, "tenant": one.tenant, "firstSlot": one.first_slot,
                "waiting": one.waiting,
            })
        })
        .collect();
    let deliveries: Vec<Value> = found
        .deliveries
        .iter()
        .map(|one| {
            json!({
                "id": one.id, "webhookId": one.webhook_id, "tenant": one.tenant, "status": one.status,
                "receivedAt": one.received_at,
            })
        })
        .collect();
    let running: Vec<&str> = found.running_queues.iter().map(|queue| queue.as_str()).collect();
    let mended = mended.map(|mended| {
        json!({
            "queuesPaused": mended.queues_paused, "leasesEnded": mended.leases_ended,
            "schedulesAdvanced": mended.schedules_advanced,
        })
    });
    json!({
        "ok": is_safe, "lastWritten": found.last_written, "runningQueues": running, "leases": leases,
        "schedules": schedules, "deliveries": deliveries, "hasMore": found.has_more, "fixed": mended,
    })
}
