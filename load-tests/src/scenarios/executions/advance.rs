//! How long executions take from one node to the next while very many are under way.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use domain::queue::QueueName;
use domain::time::DurationMs;
use engine::Engine;
use sqlx::postgres::PgListener;
use store::jobs::LeaseRef;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use worker::Handlers;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::measure::ms;
use crate::node::Node;
use crate::reference::{RawChain, RawStep};
use crate::scenarios::executions::chain::{Chain, IDS, NODES, complete, poll};

const TICK: Duration = Duration::from_millis(10);
const LEASE: DurationMs = DurationMs::from_secs(1_800);
const STUCK_AFTER: Duration = Duration::from_mins(15);
/// How long nothing at all may happen.
const STALL: Duration = Duration::from_mins(1);

/// Claimed steps that wait for their turn to be completed, and what was measured. `C` names a chain, `L` a lease.
struct Board<C, L> {
    claimed: VecDeque<(C, usize, L)>,
    /// When the result of a step was committed.
    committed: HashMap<(C, usize), Instant>,
    first_steps: usize,
    done: usize,
    times: Vec<f64>,
    touched_at: Instant,
}

impl<C: std::hash::Hash + Eq + Copy, L> Board<C, L> {
    fn new() -> Self {
        Self {
            claimed: VecDeque::new(),
            committed: HashMap::new(),
            first_steps: 0,
            done: 0,
            times: Vec::new(),
            touched_at: Instant::now(),
        }
    }

    fn claim(&mut self, chain: C, step: usize, lease: L, now: Instant) {
        match step.checked_sub(1) {
            None => self.first_steps += 1,
            // A step may be claimed before the answer to its predecessor's completion is here: that took no time.
            Some(before) => {
                let committed = self.committed.remove(&(chain, before));
                self.times.push(committed.map_or(0.0, |at| ms(now.saturating_duration_since(at))));
            }
        }
        self.touched_at = now;
        self.claimed.push_back((chain, step, lease));
    }

    fn take(&mut self, count: usize) -> Vec<(C, usize, L)> {
        let count = count.min(self.claimed.len());
        self.claimed.drain(..count).collect()
    }

    fn commit(&mut self, steps: &[(C, usize)]) {
        let now = Instant::now();
        for &(chain, step) in steps.iter().filter(|(_, step)| step + 1 < NODES) {
            self.committed.insert((chain, step), now);
        }
        self.done += steps.len();
    }

    fn check(&self, what: &str) -> Result<()> {
        ensure!(self.touched_at.elapsed() < STALL, "{what}: nothing happens after {} steps", self.done);
        Ok(())
    }
}

type Shared<C, L> = Arc<Mutex<Board<C, L>>>;

/// Milliseconds of each advance through the engine.
pub(super) async fn engine(arguments: &Arguments) -> Result<Vec<f64>> {
    let count = arguments.sizes.concurrent;
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    Chain::Queued.register(&node.engine).await?;
    Chain::Queued.start(&node.engine, count).await?;
    let pools = node.start_pool(QueueName::Execution, count, Handlers::new())?;
    let board: Shared<_, LeaseRef> = Arc::new(Mutex::new(Board::new()));
    let claimer = tokio::spawn(claim_all(node.engine.clone(), Arc::clone(&board)));
    let complete_some = async |leases: Vec<LeaseRef>| complete(&node.engine, leases).await;
    let paced = pace(&board, (count, arguments.sizes.results_rate), complete_some);
    let paced = tokio::time::timeout(STUCK_AFTER, paced).await.context("the executions are stuck");
    claimer.abort();
    // It ends by being cut off, which is what was asked for.
    let _ = claimer.await;
    paced??;
    pools.drain(Duration::from_secs(30), CancellationToken::new()).await;
    node.end().await?;
    let times = std::mem::take(&mut board.lock().await.times);
    Ok(times)
}

/// Milliseconds of each advance in raw SQL.
pub(super) async fn raw(arguments: &Arguments) -> Result<Vec<f64>> {
    let count = arguments.sizes.concurrent;
    let chain = Arc::new(RawChain::start(&arguments.postgres_url, count, NODES).await?);
    let board: Shared<i64, i64> = Arc::new(Mutex::new(Board::new()));
    let claimer =
        tokio::spawn(claim_all_raw(Arc::clone(&chain), chain.listener().await?, Arc::clone(&board)));
    let complete_some = async |ids: Vec<i64>| chain.complete(&ids).await;
    let paced = pace(&board, (count, arguments.sizes.results_rate), complete_some).await;
    claimer.abort();
    // It ends by being cut off, which is what was asked for.
    let _ = claimer.await;
    paced?;
    Arc::into_inner(chain).context("the claimer still runs")?.end().await?;
    let times = std::mem::take(&mut board.lock().await.times);
    Ok(times)
}

/// Completes steps at a steady pace, once the first step of every chain is claimed, until all are done.
async fn pace<C: std::hash::Hash + Eq + Copy, L>(
    board: &Shared<C, L>,
    (chains, rate): (usize, usize),
    complete_some: impl AsyncFn(Vec<L>) -> Result<()>,
) -> Result<()> {
    let mut ticks = tokio::time::interval(TICK);
    loop {
        ticks.tick().await;
        let board = board.lock().await;
        board.check("starting")?;
        if board.first_steps >= chains {
            break;
        }
    }
    board.lock().await.touched_at = Instant::now();
    let each = (rate as f64 * TICK.as_secs_f64()).round().max(1.0) as usize;
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let taken = board.lock().await.take(each);
        let steps: Vec<(C, usize)> = taken.iter().map(|(chain, step, _)| (*chain, *step)).collect();
        if !steps.is_empty() {
            complete_some(taken.into_iter().map(|(_, _, lease)| lease).collect()).await?;
        }
        let mut board = board.lock().await;
        board.commit(&steps);
        board.check("advancing")?;
        if board.done >= chains * NODES {
            return Ok(());
        }
    }
}

async fn claim_all(engine: Engine, board: Shared<domain::id::ExecutionId, LeaseRef>) -> Result<()> {
    loop {
        let jobs = poll(&engine, 0, LEASE).await?;
        let now = Instant::now();
        let mut board = board.lock().await;
        for job in jobs {
            let chain = job.execution_id.context("a step belongs to an execution")?;
            let node = job.node_id.as_ref().context("a step belongs to a node")?.to_string();
            let step = IDS.iter().position(|id| *id == node).context("a step that nobody knows")?;
            board.claim(chain, step, job.lease(), now);
        }
    }
}

async fn claim_all_raw(
    chain: Arc<RawChain>,
    mut listener: PgListener,
    board: Shared<i64, i64>,
) -> Result<()> {
    loop {
        let steps = chain.claim(500).await?;
        let now = Instant::now();
        if steps.is_empty() {
            listener.recv().await?;
            continue;
        }
        let mut board = board.lock().await;
        for RawStep { id, chain, step } in steps {
            board.claim(chain, step as usize, id, now);
        }
    }
}
