//! The use cases on the real store, on both databases, with a clock that the tests move.

#![expect(clippy::unwrap_used, reason = "tests may take what they made themselves")]

use std::sync::Arc;

use domain::time::DurationMs;
use engine::{Policy, WorkbenchPolicy};
use testkit::EngineHarness;

/// Runs each test on a fresh SQLite database in memory and on a fresh PostgreSQL database.
macro_rules! on_both_databases {
    ($($test:ident),* $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test($crate::on_sqlite().await).await;
                }
            )*
        }
        mod postgres {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test($crate::on_postgres().await).await;
                }
            )*
        }
    };
}

mod access;
mod alerts;
mod attributes;
mod audit;
mod back_pressure;
mod build_pins;
mod bulk;
mod dead_letters;
mod delivered;
mod eager;
mod encryption;
mod events;
mod executions;
mod idle_polls;
mod intake;
mod jobs;
mod limits;
mod operators;
mod polls;
mod repeats;
mod schedules;
mod secrets;
mod starts;
mod takeover;
mod unique;
mod waiting;
mod webhooks;
mod workflows;

async fn on_sqlite() -> EngineHarness {
    EngineHarness::new(testkit::database::sqlite_memory().await.store)
}

async fn on_postgres() -> EngineHarness {
    EngineHarness::new(testkit::database::postgres().await.store)
}

/// Another node of the same deployment, which takes on no call that has to wait for a place or takes long. Its clock shows
/// what that of the first shows at the moment.
fn impatient(harness: &EngineHarness) -> EngineHarness {
    let workbench = WorkbenchPolicy { deadline: DurationMs(0), ..WorkbenchPolicy::default() };
    let policy = Policy { workbench, ..Policy::default() };
    // What it draws must differ from what the first has drawn.
    let node = EngineHarness::with_policy(Arc::clone(&harness.store), policy).node(2);
    node.clock.set(harness.engine.now());
    node
}
