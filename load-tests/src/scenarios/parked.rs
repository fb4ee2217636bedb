//! Executions that only wait: whether very many of them cost anything to those that do something.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use domain::id::ExecutionId;
use domain::names::{CallerKey, WorkflowName};
use domain::queue::QueueName;
use domain::time::DurationMs;
use domain::workflow::execution::ExecutionStatus;
use domain::workflow::parse::Format;
use engine::{Caller, ExecutionRequest};
use serde_json::json;
use tokio_util::sync::CancellationToken;
use worker::{Handlers, Pools};

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::jobs::BULK;
use crate::measure::{ms, percentile};
use crate::node::Node;
use crate::report::{Report, Target};

const EXPLANATION: &str = "Very many executions wait for a signal on PostgreSQL, beside a few. The reference is the engine \
    itself with a few: a ratio of 1 means that what waits costs nothing. *Start*: another node connects and carries out \
    a first synchronous run; it loads none of those that wait. *Run*: start an execution of one TRANSFORM node and wait \
    for its end. *Signal*: from the call to the end of one that waited. *Upkeep*: one look for what is due and one for \
    parked executions with something in their inbox. All parked executions were started and parked by the engine.";

const FEW: usize = 1_000;
const SLOTS: usize = 256;
/// Measurements of one round.
const COUNT: usize = 60;
const LATE: DurationMs = DurationMs::from_secs(10);
const DRAIN: Duration = Duration::from_secs(30);
/// How long nobody may be parked while they are being made.
const STALL: Duration = Duration::from_mins(5);

/// Runs it.
pub(crate) async fn parked(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("Parked executions", EXPLANATION);
    let mut few = Waiting::start(arguments, FEW).await?;
    let mut many = Waiting::start(arguments, arguments.sizes.parked).await?;
    let mut runs: [[Vec<f64>; 2]; 4] = Default::default();
    for _ in 0..arguments.sizes.rounds {
        for (place, waiting) in [&mut few, &mut many].into_iter().enumerate() {
            runs[0][place].push(waiting.join_ms().await?);
            runs[1][place].push(waiting.run_ms().await?);
            runs[2][place].push(waiting.signal_ms().await?);
            runs[3][place].push(waiting.upkeep_ms().await?);
        }
    }
    few.end().await?;
    many.end().await?;
    let beside = format!("{} parked against {FEW}", arguments.sizes.parked);
    let lines = [
        ("start of a node, first run included", 1.5),
        ("synchronous run, p50", 1.2),
        ("signal to end, p50", 1.2),
        ("upkeep, p50", 1.5),
    ];
    for ((what, ratio), [few, many]) in lines.into_iter().zip(&runs) {
        report.add(format!("{what}, {beside}"), "ms", few, many).aim(Target::RatioMax(ratio));
    }
    Ok(report)
}

/// A node with executions that wait.
struct Waiting {
    node: Node,
    pools: Pools,
    ids: Vec<ExecutionId>,
}

impl Waiting {
    /// Starts them and waits until all are parked.
    async fn start(arguments: &Arguments, count: usize) -> Result<Self> {
        let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
        let caller = Caller::system();
        for workflow in [
            json!({"name": "wait", "version": 1, "nodes": [{"id": "go", "type": "SIGNAL", "signal": "go"}]}),
            json!({"name": "one", "version": 1, "nodes": [{"id": "a", "type": "TRANSFORM", "output": "${input.n}"}]}),
        ] {
            node.engine.register_workflow(&caller, workflow.to_string().as_bytes(), Format::Json).await?;
        }
        let pools = node.start_pool(QueueName::Execution, SLOTS, Handlers::new())?;
        let mut ids = Vec::with_capacity(count);
        while ids.len() < count {
            let wait = || ExecutionRequest::new(WorkflowName::trusted("wait"), "{}".to_owned());
            let requests = (0..BULK.min(count - ids.len())).map(|_| wait()).collect();
            let created = node.engine.start_executions(&caller, requests).await?;
            ids.extend(created.into_iter().map(|execution| execution.id));
        }
        all_parked(&node).await?;
        node.vacuum().await?;
        Ok(Self { node, pools, ids })
    }

    /// How long another node takes from nothing to the end of its first run, which any node may carry out.
    async fn join_ms(&self) -> Result<f64> {
        let started_at = Instant::now();
        let other = self.node.join().await?;
        let pools = other.start_pool(QueueName::Execution, SLOTS, Handlers::new())?;
        run(&other).await?;
        let elapsed = ms(started_at.elapsed());
        pools.drain(DRAIN, CancellationToken::new()).await;
        other.end().await?;
        Ok(elapsed)
    }

    async fn run_ms(&self) -> Result<f64> {
        let mut times = Vec::with_capacity(COUNT);
        for _ in 0..COUNT {
            let started_at = Instant::now();
            run(&self.node).await?;
            times.push(ms(started_at.elapsed()));
        }
        Ok(percentile(&times, 50.0))
    }

    async fn signal_ms(&mut self) -> Result<f64> {
        let (caller, go) = (Caller::system(), CallerKey::trusted("go"));
        let mut times = Vec::with_capacity(COUNT);
        for _ in 0..COUNT {
            let id = self.ids.pop().context("all were signalled")?;
            let started_at = Instant::now();
            self.node.engine.signal_execution(&caller, id, &go, "1".to_owned()).await?;
            ended(&self.node, id).await?;
            times.push(ms(started_at.elapsed()));
        }
        Ok(percentile(&times, 50.0))
    }

    async fn upkeep_ms(&self) -> Result<f64> {
        let mut times = Vec::with_capacity(COUNT);
        for _ in 0..COUNT {
            let started_at = Instant::now();
            self.node.engine.promote_tick().await?;
            self.node.engine.wake_parked_tick().await?;
            times.push(ms(started_at.elapsed()));
        }
        Ok(percentile(&times, 50.0))
    }

    async fn end(self) -> Result<()> {
        self.pools.drain(DRAIN, CancellationToken::new()).await;
        self.node.end().await
    }
}

/// Starts an execution and waits for its end.
async fn run(node: &Node) -> Result<()> {
    let request = ExecutionRequest::new(WorkflowName::trusted("one"), r#"{"n":1}"#.to_owned());
    let created = node.engine.start_executions(&Caller::system(), vec![request]).await?;
    ended(node, created.first().context("no execution was made")?.id).await
}

async fn ended(node: &Node, id: ExecutionId) -> Result<()> {
    let ended = node.engine.wait_execution(&Caller::system(), id, LATE).await?;
    ensure!(ended.status == ExecutionStatus::Completed, "a run is {:?}", ended.status);
    Ok(())
}

async fn all_parked(node: &Node) -> Result<()> {
    let observer = node.postgres(1).await?;
    let mut pause = tokio::time::interval(Duration::from_millis(500));
    let (mut least, mut since) = (i64::MAX, Instant::now());
    while least > 0 {
        pause.tick().await;
        let left: i64 =
            sqlx::query_scalar("SELECT count(*) FROM job WHERE state IN ('queued', 'processing')")
                .fetch_one(&observer)
                .await?;
        if left < least {
            (least, since) = (left, Instant::now());
        }
        ensure!(since.elapsed() < STALL, "{left} executions are not parked");
    }
    observer.close().await;
    Ok(())
}
