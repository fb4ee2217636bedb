//! The queue against a model: random sequences of everything that can be done to one queue, on both databases, each
//! step compared with a plain queue in memory. Tokens of ended leases are kept and shown again later.
//!
//! The state machine checks one call at a time. What several workers on several nodes do at once is the second
//! test's business. Executions and workflows are left out: they have suites of their own.

mod checks;
mod concurrent;
mod found;
mod harness;
mod load;
mod machine;
mod pick;
mod steps;
mod system;
mod transition;
mod work;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use proptest::test_runner::{Config, FileFailurePersistence, TestError, TestRunner};
use proptest_state_machine::{ReferenceStateMachine as _, StateMachineTest as _};

use harness::{Harness, Postgres, SqliteMemory};
use machine::{Machine, Script};

/// How many steps a case has.
const STEPS: usize = 60;

/// Where the seeds of failed runs are kept, to be tried first in the next run.
const SEEDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/queue_model/seeds.txt");

#[test]
fn i02_i03_i04_i05_i10_sqlite_behaves_like_the_model() {
    check::<SqliteMemory>(96);
}

#[test]
fn i02_i03_i04_i05_i10_postgres_behaves_like_the_model() {
    check::<Postgres>(16);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i03_concurrent_claims_stay_within_limits_on_sqlite() {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let url = format!("sqlite://{}", directory.path().join("queue.db").display());
    concurrent::crowd(vec![harness::open(&url).await]).await;
}

/// Two nodes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i03_concurrent_claims_stay_within_limits_on_postgres() {
    let url = harness::new_postgres().await;
    concurrent::crowd(vec![harness::open(&url).await, harness::open(&url).await]).await;
}

/// Runs so many cases, and up to ten times as many where `PROPTEST_CASES` is above its default of 256; fails with the shortest sequence that was found to go wrong.
fn check<B: Harness>(cases: u32) {
    let defaults = Config::default();
    let config = Config {
        cases: cases * (defaults.cases / 256).clamp(1, 10),
        // Each try of a shorter sequence is a run on a database.
        max_shrink_iters: 600,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(SEEDS))),
        ..defaults
    };
    let mut runner = TestRunner::new(config.clone());
    let scripts = Script::sequential_strategy(STEPS..=STEPS);
    let has_failed = Cell::new(false);
    B::prepare();
    let result = runner.run(&scripts, |(start, steps, seen)| {
        // Whose turn it is depends a little on the time that passes, so a sequence may go well that failed before.
        // The search for a shorter one would end there.
        let tries = if has_failed.get() { 3 } else { 1 };
        for _ in 0..tries {
            let (steps, seen) = (steps.clone(), seen.clone());
            let case = || Machine::<B>::test_sequential(config.clone(), start, steps, seen);
            if let Err(panic) = catch_unwind(AssertUnwindSafe(case)) {
                has_failed.set(true);
                resume_unwind(panic);
            }
        }
        Ok(())
    });
    match result {
        Ok(()) => {}
        Err(TestError::Fail(reason, (_, steps, _))) => {
            let steps: Vec<String> = steps.iter().map(|step| format!("  {step:?}")).collect();
            panic!("{reason}\nafter these steps, the last of which failed:\n{}", steps.join("\n"));
        }
        Err(TestError::Abort(reason)) => panic!("the run was given up: {reason}"),
    }
}
