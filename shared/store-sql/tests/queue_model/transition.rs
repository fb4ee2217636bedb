//! What can happen to a queue, and how likely it is.
//!
//! A step names jobs and leases by numbers that are taken modulo how many there are when it is carried out, so that
//! it still means something when steps before it are left out.

use domain::queue::Tier;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use store::queues::QueueMode;

use crate::pick::{JobPick, LeasePick, LetterPick};

/// Tenants, and workflows, and values of keys there are.
pub(crate) const TENANTS: u8 = 3;
/// Job types there are.
pub(crate) const JOB_TYPES: u8 = 2;

/// One step.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Jobs come in, in one batch.
    Enqueue(Vec<Draft>),
    /// The same, and somebody has slots for them.
    EnqueueEagerly(Vec<Draft>, Claim),
    /// Somebody claims.
    Claim(Claim),
    /// Workers renew leases.
    Extend(Vec<(LeasePick, Option<i64>)>),
    /// Workers report, in one batch.
    Settle(Vec<(LeasePick, Report)>),
    /// Workers give leases back.
    Release(Vec<LeasePick>),
    /// Time passes.
    Advance(i64),
    /// Due jobs are promoted; with aging after so many milliseconds, if at all.
    Promote(Option<i64>),
    /// Expired leases are looked for and settled.
    Reap,
    /// The reaper settles leases that it looked at long ago: most of them are renewed, settled or somebody else's now.
    ReapLate(Vec<(LeasePick, Report)>),
    /// A job is cancelled.
    Cancel(JobPick),
    /// A job moves to another tier.
    Reprioritize(JobPick, Tier),
    /// A job need not wait for its time.
    RunNow(JobPick),
    /// A dead letter goes back.
    Requeue(LetterPick, Edit),
    /// A dead letter is put away.
    Archive(LetterPick),
    /// The queue is paused, drained or resumed.
    Mode(QueueMode),
    /// A limit is set or removed.
    Limit(Scope, Setting),
    /// Somebody asks for figures, and why a job waits.
    Look(JobPick),
}

/// A job to enqueue.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    /// Whose.
    pub(crate) tenant: u8,
    /// Of which workflow.
    pub(crate) workflow: Option<u8>,
    /// How urgent.
    pub(crate) tier: Tier,
    /// What kind of work.
    pub(crate) job_type: u8,
    /// How many milliseconds from now.
    pub(crate) delay_ms: i64,
    /// How often it is retried.
    pub(crate) retries_max: u32,
    /// How many milliseconds an attempt may take.
    pub(crate) timeout_ms: Option<i64>,
    /// Its unique key.
    pub(crate) unique_key: Option<u8>,
    /// Its concurrency key.
    pub(crate) concurrency_key: Option<u8>,
    /// With the id of a job that came before.
    pub(crate) again: Option<JobPick>,
}

/// A claim.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    /// How many at most.
    pub(crate) size: u32,
    /// One type only.
    pub(crate) job_type: Option<u8>,
    /// One tenant only.
    pub(crate) tenant: Option<u8>,
}

/// What a worker, or the reaper, says about an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Report {
    /// It worked.
    Completed,
    /// It did not. What becomes of the job is decided by the product's own rule.
    Failed {
        /// Whether another try may help.
        retryable: bool,
        /// Whether it is to be tried again at once.
        at_once: bool,
    },
    /// It took too long.
    TimedOut,
}

/// What changes with a requeue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edit {
    /// Another tier.
    pub(crate) tier: Option<Tier>,
    /// Other retries.
    pub(crate) retries_max: Option<u32>,
}

/// Whom a limit is for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Scope {
    /// All.
    Global,
    /// Each tenant.
    TenantDefault,
    /// Each workflow.
    WorkflowDefault,
    /// One tenant.
    Tenant(u8),
    /// One workflow.
    Workflow(u8),
}

/// What a limit is set to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Setting {
    /// Nothing: the default counts.
    Removed,
    /// To no limit, whatever the default says.
    Unlimited,
    /// To so many.
    AtMost(u32),
}

/// Any step.
pub(crate) fn step() -> BoxedStrategy<Step> {
    let mode = prop_oneof![
        4 => Just(QueueMode::Running),
        1 => Just(QueueMode::Paused),
        1 => Just(QueueMode::Draining),
    ];
    let extension = (LeasePick::any(), option::of(prop_oneof![Just(1_000_i64), Just(45_000)]));
    prop_oneof![
        12 => vec(job(), 1..6).prop_map(Step::Enqueue),
        6 => (vec(job(), 1..3), claim()).prop_map(|(jobs, claim)| Step::EnqueueEagerly(jobs, claim)),
        14 => claim().prop_map(Step::Claim),
        12 => vec((LeasePick::any(), report()), 1..4).prop_map(Step::Settle),
        3 => vec(extension, 1..4).prop_map(Step::Extend),
        3 => vec(LeasePick::any(), 1..3).prop_map(Step::Release),
        6 => advance().prop_map(Step::Advance),
        6 => option::weighted(0.6, prop_oneof![Just(1_000_i64), Just(20_000)]).prop_map(Step::Promote),
        4 => Just(Step::Reap),
        2 => vec((LeasePick::any(), report()), 1..4).prop_map(Step::ReapLate),
        3 => JobPick::any().prop_map(Step::Cancel),
        3 => (JobPick::any(), tier()).prop_map(|(job, tier)| Step::Reprioritize(job, tier)),
        3 => JobPick::any().prop_map(Step::RunNow),
        4 => (LetterPick::any(), edit()).prop_map(|(letter, edit)| Step::Requeue(letter, edit)),
        1 => LetterPick::any().prop_map(Step::Archive),
        2 => mode.prop_map(Step::Mode),
        5 => (scope(), setting()).prop_map(|(scope, setting)| Step::Limit(scope, setting)),
        2 => JobPick::any().prop_map(Step::Look),
    ]
    .boxed()
}

/// Jobs come in. Every case begins with this: there is nothing else to do.
pub(crate) fn first_step() -> BoxedStrategy<Step> {
    vec(job(), 1..6).prop_map(Step::Enqueue).boxed()
}

fn tier() -> impl Strategy<Value = Tier> {
    prop_oneof![Just(Tier::Normal), Just(Tier::High), Just(Tier::Low)]
}

fn job() -> impl Strategy<Value = Draft> {
    let delay = prop_oneof![5 => Just(0_i64), 1 => Just(1), 1 => Just(5_000)];
    let timeout = option::weighted(0.2, Just(5_000_i64));
    let place = (0..TENANTS, option::of(0..TENANTS), tier(), 0..JOB_TYPES);
    let keys = (option::weighted(0.15, 0..2_u8), option::weighted(0.25, 0..2_u8));
    let again = option::weighted(0.05, JobPick::any());
    (place, delay, 0..3_u32, timeout, keys, again).prop_map(
        |((tenant, workflow, tier, job_type), delay_ms, retries_max, timeout_ms, keys, again)| Draft {
            tenant,
            workflow,
            tier,
            job_type,
            delay_ms,
            retries_max,
            timeout_ms,
            unique_key: keys.0,
            concurrency_key: keys.1,
            again,
        },
    )
}

fn claim() -> impl Strategy<Value = Claim> {
    let filters = (option::weighted(0.3, 0..JOB_TYPES), option::weighted(0.2, 0..TENANTS));
    (1..8_u32, filters).prop_map(|(size, (job_type, tenant))| Claim { size, job_type, tenant })
}

fn report() -> impl Strategy<Value = Report> {
    let failed = |retryable, at_once| Just(Report::Failed { retryable, at_once });
    prop_oneof![
        4 => Just(Report::Completed),
        3 => failed(true, false),
        2 => failed(true, true),
        2 => failed(false, false),
        1 => Just(Report::TimedOut),
    ]
}

fn advance() -> impl Strategy<Value = i64> {
    prop_oneof![2 => Just(1_i64), 2 => Just(1_000), 2 => Just(5_000), 2 => Just(31_000)]
}

fn edit() -> impl Strategy<Value = Edit> {
    (option::weighted(0.3, tier()), option::weighted(0.3, 0..3_u32))
        .prop_map(|(tier, retries_max)| Edit { tier, retries_max })
}

fn scope() -> impl Strategy<Value = Scope> {
    prop_oneof![
        Just(Scope::Global),
        Just(Scope::TenantDefault),
        Just(Scope::WorkflowDefault),
        (0..TENANTS).prop_map(Scope::Tenant),
        (0..TENANTS).prop_map(Scope::Workflow),
    ]
}

fn setting() -> impl Strategy<Value = Setting> {
    prop_oneof![
        2 => Just(Setting::Removed),
        1 => Just(Setting::Unlimited),
        5 => (0..5_u32).prop_map(Setting::AtMost),
    ]
}
