//! The queue against a model: random sequences of everything that can be done to one queue, on both databases, each
//! step compared with a plain queue in memory. Tokens of ended leases are kept and shown again later.
//!
//! The state machine checks one call at a time. What several workers on several nodes do at once is the second
//! test's business. Executions and workflows are left out: they have suites of their own.

mod bench;
mod checks;
mod concurrent;
mod machine;
mod pick;
mod steps;
mod system;
mod transition;

use proptest::test_runner::{Config, FileFailurePersistence, TestError, TestRunner};
use proptest_state_machine::{ReferenceStateMachine as _, StateMachineTest as _};

use bench::{Bench, Postgres, SqliteMemory};
use machine::{Machine, Script};

/// How many steps a case has.
const STEPS: usize = 60;

/// Where the seeds of failed runs are kept, to be tried first in the next run.
const SEEDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/queue_model/seeds.txt");

#[test]
fn i02_i03_i04_i05_i10_sqlite_behaves_like_the_model() {
    check::<SqliteMemory>(64);
}

#[test]
fn i02_i03_i04_i05_i10_postgres_behaves_like_the_model() {
    check::<Postgres>(12);
}

/// Runs so many cases; fails with the shortest sequence that was found to go wrong.
fn check<B: Bench>(cases: u32) {
    let config = Config {
        cases,
        // Each try of a shorter sequence is a run on a database.
        max_shrink_iters: 400,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(SEEDS))),
        ..Config::default()
    };
    let mut runner = TestRunner::new(config.clone());
    let scripts = Script::sequential_strategy(STEPS..=STEPS);
    B::prepare();
    let result = runner.run(&scripts, |(start, steps, seen)| {
        Machine::<B>::test_sequential(config.clone(), start, steps, seen);
        Ok(())
    });
    B::clean_up();
    match result {
        Ok(()) => {}
        Err(TestError::Fail(reason, (_, steps, _))) => {
            let steps: Vec<String> = steps.iter().map(|step| format!("  {step:?}")).collect();
            panic!("{reason}\nafter these steps, the last of which failed:\n{}", steps.join("\n"));
        }
        Err(TestError::Abort(reason)) => panic!("the run was given up: {reason}"),
    }
}
