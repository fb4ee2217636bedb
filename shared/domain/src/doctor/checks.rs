//! The checks, each a function of the facts.

use serde_json::json;

use super::{
    BLOAT_MIN, CertificateFacts, Check, CheckStatus, DISK_FAILS, DatabaseFacts, DispatchFacts, DoctorFacts,
    DoctorPolicy, ENDS_SOON, FAILS_AT, KeyFacts, OldSnapshot, OverdueLease, PoolerFacts, SchemaFacts,
    SealingFacts, ServerFacts, StuckExecution, TableBloat,
};
use crate::time::{DurationMs, Timestamp};

/// The names of all checks, in the order in which they are shown.
pub const CHECK_NAMES: [&str; 12] = [
    "schema",
    "pooler",
    "snapshots",
    "bloat",
    "clock",
    "leases",
    "parked",
    "disk",
    "certificates",
    "secrets",
    "keys",
    "dispatch",
];

/// All checks, in the order of [`CHECK_NAMES`].
pub fn check_all(facts: &DoctorFacts, policy: &DoctorPolicy) -> Vec<Check> {
    let database = &facts.database;
    vec![
        schema(&database.schema),
        pooler(database.pooler),
        snapshots(database.snapshots.as_deref(), policy),
        bloat(database),
        clock(&facts.servers, policy),
        leases(&database.leases),
        parked(&database.stuck),
        disk(database.disk_used, policy),
        certificates(facts.certificates.as_deref(), facts.now),
        secrets(&facts.sealing),
        keys(&facts.keys, facts.now),
        dispatch(&facts.dispatch),
    ]
}

fn schema(schema: &SchemaFacts) -> Check {
    let fails = |detail: String, fix: &str| Check::fault("schema", CheckStatus::Fail, detail, fix);
    match schema {
        SchemaFacts::Current => Check::ok("schema", "up to date"),
        SchemaFacts::Absent => fails("the database has no schema yet".to_owned(), "run `trunkline migrate`"),
        SchemaFacts::Behind(pending) => fails(
            format!("older than this version: {} must be applied", pending.join(", ")),
            "run `trunkline migrate`",
        ),
        SchemaFacts::Later(later) => Check::fault(
            "schema",
            CheckStatus::Warn,
            format!("migrated by a later version, which this version supports: {}", later.join(", ")),
            "continue the upgrade: replace this process",
        ),
        SchemaFacts::Newer(newer) => fails(
            format!("newer than this version: {}", newer.join(", ")),
            "start the version that migrated it, or a later one",
        ),
    }
}

fn pooler(pooler: PoolerFacts) -> Check {
    match pooler {
        PoolerFacts::File => Check::skipped("pooler", "SQLite has none"),
        PoolerFacts::Session => Check::ok("pooler", "connections keep their sessions"),
        PoolerFacts::Transaction { is_notified: true } => {
            Check::ok("pooler", "the pooler is in transaction mode; notifications bypass it")
        }
        PoolerFacts::Transaction { is_notified: false } => Check::fault(
            "pooler",
            CheckStatus::Warn,
            "the pooler is in transaction mode, and notifications do not arrive: work of other nodes is found by polling",
            "set database.listen_url to the address of the server itself, or pool_mode = session",
        ),
    }
}

/// A warning at the threshold, a failure at six times as much.
fn graded(value: i64, threshold: DurationMs) -> CheckStatus {
    match value {
        value if value >= threshold.0.saturating_mul(FAILS_AT) => CheckStatus::Fail,
        value if value >= threshold.0 => CheckStatus::Warn,
        _ => CheckStatus::Ok,
    }
}

fn snapshots(snapshots: Option<&[OldSnapshot]>, policy: &DoctorPolicy) -> Check {
    let Some(all) = snapshots else {
        return Check::skipped("snapshots", "not applicable to SQLite");
    };
    let old: Vec<&OldSnapshot> = all.iter().filter(|one| one.age >= policy.snapshot_age).collect();
    let Some(oldest) = old.iter().map(|one| one.age).max() else {
        return Check::ok(
            "snapshots",
            format!("no transaction that keeps dead rows is older than {}", policy.snapshot_age),
        );
    };
    let evidence =
        old.iter().map(|one| json!({ "pid": one.pid, "ageMs": one.age.0, "application": one.application }));
    let detail = format!("{} keep dead rows from being removed, the oldest for {oldest}", old.len());
    let fix = "end them (`SELECT pg_terminate_backend(PID)`; pid 0: `ROLLBACK PREPARED` or drop the replication slot), and set \
               idle_in_transaction_session_timeout for the roles of people";
    Check::fault("snapshots", graded(oldest.0, policy.snapshot_age), detail, fix).with(evidence.collect())
}

fn bloat(database: &DatabaseFacts) -> Check {
    let worn = |one: &&TableBloat| one.dead >= BLOAT_MIN && one.dead > one.live;
    let worn: Vec<&TableBloat> = database.bloat.iter().filter(worn).collect();
    if worn.is_empty() {
        return Check::ok("bloat", "no table has more dead rows than live ones");
    }
    let names: Vec<&str> = worn.iter().map(|one| one.table.as_str()).collect();
    let evidence = worn.iter().map(|one| json!({ "table": one.table, "live": one.live, "dead": one.dead }));
    let fix = match database.pooler {
        PoolerFacts::File => {
            "upkeep releases free pages automatically; `VACUUM` while no server is running releases them immediately"
        }
        _ => "see `snapshots`, give autovacuum a free worker (autovacuum_max_workers), or run VACUUM on them",
    };
    let detail = format!("more dead rows than live ones in {}", names.join(", "));
    Check::fault("bloat", CheckStatus::Warn, detail, fix).with(evidence.collect())
}

fn clock(servers: &[ServerFacts], policy: &DoctorPolicy) -> Check {
    let off = |one: &ServerFacts| one.offset_ms.saturating_abs();
    let worst = servers.iter().map(off).max().unwrap_or(0);
    let evidence = servers.iter().map(|one| json!({ "node": one.node, "offsetMs": one.offset_ms })).collect();
    match graded(worst, policy.clock_offset) {
        CheckStatus::Ok => {
            let detail = format!("{} processes, at most {worst} ms off the database's clock", servers.len());
            Check::ok("clock", detail).with(evidence)
        }
        status => Check::fault(
            "clock",
            status,
            format!("a machine's clock is {} off the database's", DurationMs(worst)),
            "run a time service (chrony) on the machines of servers and database",
        )
        .with(evidence),
    }
}

fn leases(overdue: &[OverdueLease]) -> Check {
    if overdue.is_empty() {
        return Check::ok("leases", "no expired lease is left");
    }
    let evidence = overdue.iter().map(|one| json!({ "jobId": one.job, "expiredMs": one.expired.0 }));
    Check::fault(
        "leases",
        CheckStatus::Fail,
        "leases have expired and are not reclaimed",
        "start a process with the role scheduler, and check its log for the duty reap",
    )
    .with(evidence.collect())
}

fn parked(stuck: &[StuckExecution]) -> Check {
    if stuck.is_empty() {
        return Check::ok("parked", "no due execution waits");
    }
    let evidence = stuck
        .iter()
        .map(|one| json!({ "executionId": one.execution, "sinceMs": one.since.0, "why": one.why }));
    Check::fault(
        "parked",
        CheckStatus::Fail,
        "parked executions are due and are not resumed",
        "start a process with the role scheduler; where `why` is no_job, cancel the execution and rerun it",
    )
    .with(evidence.collect())
}

fn disk(used: Option<f64>, policy: &DoctorPolicy) -> Check {
    let Some(used) = used else {
        return Check::skipped("disk", "the disk of this database cannot be checked from here");
    };
    let detail = format!("{:.0} % of the disk is used", used * 100.0);
    let status = match used {
        used if used >= DISK_FAILS => CheckStatus::Fail,
        used if used >= policy.disk_used => CheckStatus::Warn,
        _ => return Check::ok("disk", detail),
    };
    Check::fault("disk", status, detail, "free up space, or shorten the retention: `trunkline retention set`")
}

fn certificates(certificates: Option<&[CertificateFacts]>, now: Timestamp) -> Check {
    let Some(all) = certificates.filter(|all| !all.is_empty()) else {
        return Check::skipped("certificates", "TLS is off");
    };
    let mut status = CheckStatus::Ok;
    let (mut details, mut evidence) = (Vec::new(), Vec::new());
    for one in all {
        let (found, detail) = match &one.valid_until {
            Err(error) => (CheckStatus::Fail, error.clone()),
            Ok(until) if *until <= now => (CheckStatus::Fail, format!("expired at {until}")),
            Ok(until) if *until <= now.plus(ENDS_SOON) => (CheckStatus::Warn, format!("expires at {until}")),
            Ok(until) => (CheckStatus::Ok, format!("valid until {until}")),
        };
        status = status.max(found);
        details.push(format!("{}: {detail}", one.file));
        let until = one.valid_until.as_ref().ok();
        evidence.push(json!({ "file": one.file, "validUntil": until }));
    }
    let detail = details.join("; ");
    match status {
        CheckStatus::Warn | CheckStatus::Fail => {
            let fix = "renew the certificate and replace the file: it is read again within ten seconds";
            Check::fault("certificates", status, detail, fix).with(evidence)
        }
        _ => Check::ok("certificates", detail).with(evidence),
    }
}

fn secrets(sealing: &SealingFacts) -> Check {
    if !sealing.missing.is_empty() {
        return Check::fault(
            "secrets",
            CheckStatus::Fail,
            format!(
                "secrets are encrypted with keys that are not configured: {}",
                sealing.missing.join(", ")
            ),
            "add these keys to secrets.keys, after the current one",
        );
    }
    if sealing.is_in_settings {
        return Check::ok("secrets", "encrypted with the keys from the settings");
    }
    Check::fault(
        "secrets",
        CheckStatus::Warn,
        "webhook secrets are encrypted with a key stored in the same database, so a copy of it contains both",
        "set TRUNKLINE_SECRETS__KEYS=name:$(openssl rand -base64 32)",
    )
}

fn keys(keys: &[KeyFacts], now: Timestamp) -> Check {
    let ends = |one: &&KeyFacts| one.expires_at > now && one.expires_at <= now.plus(ENDS_SOON);
    let ending: Vec<&KeyFacts> = keys.iter().filter(ends).collect();
    if ending.is_empty() {
        return Check::ok("keys", "no API key expires within 14 days");
    }
    let evidence =
        ending.iter().map(|one| json!({ "keyId": one.key, "name": one.name, "expiresAt": one.expires_at }));
    let names: Vec<&str> = ending.iter().map(|one| one.name.as_str()).collect();
    Check::fault(
        "keys",
        CheckStatus::Warn,
        format!("API keys expire within 14 days: {}", names.join(", ")),
        "create replacements with `trunkline key create`, and distribute them to the users of these keys",
    )
    .with(evidence.collect())
}

fn dispatch(dispatch: &DispatchFacts) -> Check {
    if !dispatch.is_kafka {
        return Check::ok("dispatch", "workers poll");
    }
    let (without, shards) = dispatch.shards_without_relay;
    if without > 0 {
        return Check::fault(
            "dispatch",
            CheckStatus::Fail,
            format!("{without} of {shards} shards have no relay"),
            "start a node with the role scheduler",
        );
    }
    if let Some((node, since)) = dispatch.away.first() {
        return Check::fault(
            "dispatch",
            CheckStatus::Warn,
            format!("{node} has been unable to reach Kafka since {since}; jobs wait in the database"),
            "check the broker and kafka.brokers",
        );
    }
    if let [first, others @ ..] = dispatch.held.as_slice() {
        let others = if others.is_empty() { String::new() } else { format!(", and {} others", others.len()) };
        return Check::fault(
            "dispatch",
            CheckStatus::Warn,
            format!(
                "no offers for {} have been made since {}: {}{others}",
                first.job_type, first.since, first.reason
            ),
            "check its topics and the brokers that lead their partitions; its jobs wait in the database",
        );
    }
    if let Some((node, reason, at)) = dispatch.failing.first() {
        return Check::fault(
            "dispatch",
            CheckStatus::Warn,
            format!("{node} could not publish a message at {at}: {reason}"),
            "check its log; a job whose message is rejected permanently becomes a dead letter with that code",
        );
    }
    let DispatchFacts { standing, lag, waiting, .. } = dispatch;
    Check::ok(
        "dispatch",
        format!(
            "through Kafka: {standing} open offers, {lag} of them at the broker; {waiting} jobs wait to be offered"
        ),
    )
}

#[cfg(test)]
mod tests;
