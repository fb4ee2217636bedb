//! No job is passed over: whatever brings jobs back to older places, on whichever node, a claim takes of each lane
//! those that come first, and in the end every job was claimed. Random steps on one node, and on two of one database.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use domain::access::TenantScope;
use domain::failure::JobError;
use domain::id::JobId;
use domain::job::Disposition;
use domain::limits::LimitScope;
use domain::names::{CallerKey, JobType};
use domain::queue::Tier;
use domain::time::{DurationMs, Timestamp};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use sqlx::{Connection as _, PgConnection, Row as _};
use store::Store as _;
use store::jobs::{ClaimRequest, ClaimedJob, JobStore as _, LeaseAnswer, LeaseRef, NewJob, Settlement};
use store::limits::{LimitChange, LimitStore as _};
use store_sql::SqlStore;
use testkit::database::postgres;
use testkit::eventually;
use tokio::sync::Mutex;
use uuid::Uuid;

use crate::fixture::{NOW, QUEUE, job, request};

const STEPS: usize = 80;
const CASES: u32 = 8;
/// More than there ever is.
const ALL: u32 = 1_000;

/// What happens. Jobs and leases are named by numbers, taken modulo how many there are.
#[derive(Debug, Clone)]
enum Step {
    Enqueue(Vec<Draft>),
    Claim(u32, Option<u8>),
    Settle(Vec<usize>, Report),
    Release(Vec<usize>),
    Reprioritize(usize, Tier),
    RunNow(usize),
    Cancel(usize),
    Pass(i64),
    Limit(Option<u32>),
    /// From now on the other node claims.
    Switch,
}

#[derive(Debug, Clone)]
struct Draft {
    tenant: u8,
    job_type: u8,
    delay_ms: i64,
    key: Option<u8>,
}

#[derive(Debug, Clone, Copy)]
enum Report {
    Done,
    AtOnce,
    Later,
}

fn draft() -> impl Strategy<Value = Draft> {
    let delay = prop_oneof![4 => Just(0_i64), 1 => Just(500)];
    (0..2_u8, 0..2_u8, delay, option::weighted(0.2, 0..2_u8))
        .prop_map(|(tenant, job_type, delay_ms, key)| Draft { tenant, job_type, delay_ms, key })
}

/// Each with the node that does it, unless it is a claim.
fn step() -> impl Strategy<Value = (usize, Step)> {
    let report = prop_oneof![2 => Just(Report::Done), 2 => Just(Report::AtOnce), 1 => Just(Report::Later)];
    let tier = prop_oneof![Just(Tier::Normal), Just(Tier::High)];
    let step = prop_oneof![
        10 => vec(draft(), 1..8).prop_map(Step::Enqueue),
        24 => (1..6_u32, option::weighted(0.2, 0..2_u8)).prop_map(|(jobs, kind)| Step::Claim(jobs, kind)),
        10 => (vec(any::<usize>(), 1..4), report).prop_map(|(picks, report)| Step::Settle(picks, report)),
        4 => vec(any::<usize>(), 1..3).prop_map(Step::Release),
        3 => (any::<usize>(), tier).prop_map(|(pick, tier)| Step::Reprioritize(pick, tier)),
        2 => any::<usize>().prop_map(Step::RunNow),
        2 => any::<usize>().prop_map(Step::Cancel),
        4 => (1..800_i64).prop_map(Step::Pass),
        1 => option::of(1..8_u32).prop_map(Step::Limit),
        1 => Just(Step::Switch),
    ];
    (0..2_usize, step)
}

/// Nodes, and what they hold.
struct Run {
    nodes: Vec<Arc<SqlStore>>,
    claiming: usize,
    database: PgConnection,
    held: Vec<ClaimedJob>,
    jobs: Vec<JobId>,
    now: Timestamp,
    /// How often was claimed at the end.
    round: usize,
}

impl Run {
    async fn carry_out(&mut self, node: usize, step: &Step) {
        let node = Arc::clone(&self.nodes[node % self.nodes.len()]);
        let now = self.now;
        match step {
            Step::Enqueue(drafts) => self.enqueue(&node, drafts).await,
            Step::Claim(jobs, kind) => {
                let node = Arc::clone(&self.nodes[self.claiming % self.nodes.len()]);
                let claimed = self.claim(&node, *jobs, *kind).await;
                self.held.extend(claimed);
            }
            Step::Settle(picks, report) => {
                let jobs = self.let_go(picks);
                self.settle(&node, &jobs, *report).await;
            }
            Step::Release(picks) => {
                let leases: Vec<LeaseRef> = self.let_go(picks).iter().map(lease).collect();
                node.release(&leases, now).await.expect("release works");
            }
            Step::Reprioritize(pick, tier) => {
                if let Some(id) = self.job(*pick) {
                    let changed = node.reprioritize_job(&TenantScope::All, id, *tier, now).await;
                    changed.expect("reprioritize works");
                }
            }
            Step::RunNow(pick) => {
                if let Some(id) = self.job(*pick) {
                    node.run_job_now(&TenantScope::All, id, now).await.expect("run now works");
                }
            }
            Step::Cancel(pick) => {
                if let Some(id) = self.job(*pick) {
                    node.cancel_job(&TenantScope::All, id, now).await.expect("cancel works");
                    self.held.retain(|held| held.id != id);
                }
            }
            Step::Pass(ms) => {
                self.now = now.plus(DurationMs(*ms));
                let age = [(QUEUE, DurationMs(600))];
                node.promote_due(&age, self.now, ALL).await.expect("promote works");
            }
            Step::Limit(max) => limit(&node, *max, now).await,
            Step::Switch => self.claiming += 1,
        }
    }

    fn job(&self, pick: usize) -> Option<JobId> {
        (!self.jobs.is_empty()).then(|| self.jobs[pick % self.jobs.len()])
    }

    fn let_go(&mut self, picks: &[usize]) -> Vec<ClaimedJob> {
        let mut jobs = Vec::new();
        for pick in picks {
            if !self.held.is_empty() {
                jobs.push(self.held.swap_remove(pick % self.held.len()));
            }
        }
        jobs
    }

    async fn enqueue(&mut self, node: &SqlStore, drafts: &[Draft]) {
        let new = |draft: &Draft| NewJob {
            tier: Tier::Normal,
            job_type: JobType::trusted(format!("type{}", draft.job_type)),
            run_at: self.now.plus(DurationMs(draft.delay_ms)),
            concurrency_key: draft.key.map(|key| CallerKey::trusted(format!("k{key}"))),
            ..job(&format!("t{}", draft.tenant))
        };
        let batch: Vec<NewJob> = drafts.iter().map(new).collect();
        node.enqueue(&batch, self.now).await.expect("enqueue works");
        self.jobs.extend(batch.iter().map(|job| job.id));
    }

    /// Claims, and looks whether the first jobs of each lane were taken.
    async fn claim(&mut self, node: &SqlStore, jobs: u32, kind: Option<u8>) -> Vec<ClaimedJob> {
        let before = self.waiting().await;
        let job_types = kind.map(|kind| vec![JobType::trusted(format!("type{kind}"))]);
        let asked = ClaimRequest { job_types, now: self.now, ..request(jobs) };
        let claimed = node.claim(&asked).await.expect("claim works");
        let taken: BTreeSet<Uuid> = claimed.iter().map(|job| job.id.uuid()).collect();
        for (lane, waiting) in before {
            let is_taken: Vec<bool> = waiting.iter().map(|id| taken.contains(id)).collect();
            assert!(
                is_taken.is_sorted_by(|one, next| one >= next),
                "lane {lane}: taken in order: {is_taken:?}"
            );
        }
        claimed
    }

    /// The jobs that can be claimed, by lane in order of their positions.
    async fn waiting(&mut self) -> BTreeMap<i32, Vec<Uuid>> {
        let query = sqlx::query("SELECT lane, id FROM job WHERE state = 'queued' ORDER BY lane, position");
        let mut waiting: BTreeMap<i32, Vec<Uuid>> = BTreeMap::new();
        for row in query.fetch_all(&mut self.database).await.expect("jobs can be read") {
            waiting.entry(row.get(0)).or_default().push(row.get(1));
        }
        waiting
    }

    async fn settle(&self, node: &SqlStore, jobs: &[ClaimedJob], report: Report) {
        let retry = |at| Disposition::RetryAt { at, error: JobError::coded("again", "once more") };
        let disposition = match report {
            Report::Done => Disposition::Complete(None),
            Report::AtOnce => retry(self.now),
            Report::Later => retry(self.now.plus(DurationMs(300))),
        };
        let settlement = |job| Settlement { lease: lease(job), disposition: disposition.clone() };
        let batch: Vec<Settlement> = jobs.iter().map(settlement).collect();
        let answers = node.settle(&batch, self.now).await.expect("settle works");
        assert!(answers.iter().all(|answer| matches!(answer, LeaseAnswer::Ok(_))), "{answers:?}");
    }

    /// Everything that is left is claimed and done.
    async fn drain(&mut self) {
        let held = std::mem::take(&mut self.held);
        self.settle(&self.nodes[0], &held, Report::Done).await;
        limit(&self.nodes[0], None, self.now).await;
        // A node finds by itself what others enqueued, after a tenth of a second.
        let run = Mutex::new(self);
        eventually("every job is claimed in the end", || async { run.lock().await.drain_more().await }).await;
    }

    /// Claims for as long as there is something to be had. Answers whether no job is left.
    async fn drain_more(&mut self) -> bool {
        let mut misses = 0;
        while misses < self.nodes.len() {
            self.now = self.now.plus(DurationMs::from_secs(3_600));
            self.round += 1;
            let node = Arc::clone(&self.nodes[self.round % self.nodes.len()]);
            node.promote_due(&[], self.now, ALL).await.expect("promote works");
            let claimed = self.claim(&node, 4, None).await;
            self.settle(&node, &claimed, Report::Done).await;
            misses = if claimed.is_empty() { misses + 1 } else { 0 };
        }
        let left = sqlx::query("SELECT count(*) FROM job").fetch_one(&mut self.database).await;
        left.expect("jobs can be counted").get::<i64, _>(0) == 0
    }
}

fn lease(job: &ClaimedJob) -> LeaseRef {
    LeaseRef { id: job.id, token: job.token }
}

async fn limit(node: &SqlStore, max_concurrent: Option<u32>, now: Timestamp) {
    let change =
        LimitChange { queue: QUEUE, scope: LimitScope::Global, max_concurrent: Some(max_concurrent) };
    node.change_limits_and_rates(&[change], &[], now).await.expect("limits can be set");
}

async fn run(nodes: usize, steps: &[(usize, Step)]) {
    let first = postgres().await;
    let mut run = Run {
        nodes: vec![Arc::clone(&first.store)],
        claiming: 0,
        database: PgConnection::connect(&first.url).await.expect("the server answers"),
        held: Vec::new(),
        jobs: Vec::new(),
        now: NOW,
        round: 0,
    };
    for _ in 1..nodes {
        run.nodes.push(first.another().await);
    }
    for (node, step) in steps {
        run.carry_out(*node, step).await;
    }
    run.drain().await;
    for node in &run.nodes {
        node.close().await;
    }
}

fn check(nodes: usize) {
    let config = Config {
        cases: CASES * (Config::default().cases / 256).clamp(1, 10),
        max_shrink_iters: 200,
        failure_persistence: None,
        ..Config::default()
    };
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be made");
    let result = TestRunner::new(config).run(&vec(step(), STEPS..=STEPS), |steps| {
        runtime.block_on(run(nodes, &steps));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

#[test]
fn i04_one_node_passes_no_job_over() {
    check(1);
}

#[test]
fn i04_two_nodes_pass_no_job_over() {
    check(2);
}
