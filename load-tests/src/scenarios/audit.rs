//! How fast rows of the audit log become rows of its chain.

use std::time::Instant;

use anyhow::{Result, ensure};
use domain::id::EventId;
use engine::Engine;
use store::audit::AuditRecord;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::measure::rate;
use crate::node::Node;
use crate::report::{Report, Target};

const EXPLANATION: &str = "Rows of the audit log as calls of operators leave them, with what was before and after, sealed by one \
    process in the steps of upkeep until none is left. Rows are looked for every two seconds, so that up to this rate each is sealed within \
    five. There is nothing to compare with; the reference column holds the rate of calls that is asked for.";

/// How many rows a second have to be sealed: that many calls of operators, who do not enqueue.
const TARGET: f64 = 1_000.0;
/// How many rows are written at once.
const BATCH: usize = 500;

/// Runs it.
pub(crate) async fn audit(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("Audit", EXPLANATION);
    for kind in [Kind::Postgres, Kind::Sqlite] {
        let mut rates = Vec::new();
        for _ in 0..arguments.sizes.rounds {
            rates.push(sealed(arguments, kind).await?);
        }
        report
            .add(format!("rows sealed, {}", kind.name()), "rows/s", &[TARGET], &rates)
            .aim(Target::ValueMin(TARGET));
    }
    Ok(report)
}

async fn sealed(arguments: &Arguments, kind: Kind) -> Result<f64> {
    let node = Node::start(kind, &arguments.postgres_url).await?;
    let (engine, count) = (&node.engine, arguments.sizes.rows);
    let head = async || -> Result<u64> { Ok(engine.store().audit_chain().await?.head.seq) };
    while engine.seal_audit_tick().await? {}
    let before = head().await?;
    let rows: Vec<AuditRecord> = (0..count).map(|number| row(engine, number)).collect();
    for some in rows.chunks(BATCH) {
        engine.store().append_audit(some).await?;
    }
    let begun_at = Instant::now();
    while engine.seal_audit_tick().await? {}
    let rate = rate(count, begun_at);
    let sealed = head().await? - before;
    ensure!(sealed >= count as u64, "{sealed} of {count} rows were sealed");
    node.end().await?;
    Ok(rate)
}

fn row(engine: &Engine, number: usize) -> AuditRecord {
    let now = engine.now();
    AuditRecord {
        id: EventId::from_uuid(engine.entropy().uuid(now)),
        at: now,
        actor: "key_load-tests".to_owned(),
        tenant: None,
        action: "limits.set".to_owned(),
        subject: format!("tenant-{}", number % 100),
        detail: Some(r#"{"queue":"workflow-node"}"#.to_owned()),
        door: Some("rest".to_owned()),
        address: Some("127.0.0.1".to_owned()),
        user_agent: Some("load-tests".to_owned()),
        request_id: Some(format!("req-{number}")),
        outcome: Some("done".to_owned()),
        reason: Some("a measure".to_owned()),
        before: Some(r#"{"maxConcurrent":10}"#.to_owned()),
        after: Some(format!(r#"{{"maxConcurrent":{number}}}"#)),
        batch: None,
    }
}
