//! Sequences that went wrong once, kept as they were found, because seeds mean nothing after a change of the steps.

use domain::queue::Tier;
use proptest::test_runner::Config;
use proptest_state_machine::StateMachineTest as _;

use crate::harness::SqliteMemory;
use crate::machine::Machine;
use crate::pick::{JobPick, LeasePick};
use crate::transition::{Claim, Draft, Report, Scope, Setting, Step};

fn job(tenant: u8, tier: Tier, job_type: u8) -> Draft {
    Draft {
        tenant,
        workflow: None,
        tier,
        job_type,
        delay_ms: 0,
        retries_max: 1,
        timeout_ms: None,
        unique_key: None,
        concurrency_key: None,
        again: None,
    }
}

fn claim(size: u32, job_type: Option<u8>) -> Step {
    Step::Claim(Claim { size, job_type, tenant: None })
}

/// A cancelled job kept the room of its tenant from a job of its own tier for one round of a claim, so that a lower
/// tier was started first.
#[test]
fn i05_a_cancelled_job_lets_no_lower_tier_go_first() {
    let kept_back = Draft { workflow: Some(0), ..job(0, Tier::High, 0) };
    let steps = vec![
        Step::Enqueue(vec![job(0, Tier::High, 1)]),
        Step::Limit(Scope::TenantDefault, Setting::AtMost(1)),
        Step::Enqueue(vec![job(2, Tier::Normal, 0), kept_back, job(1, Tier::Normal, 0)]),
        claim(2, Some(0)),
        Step::Cancel(JobPick::Unfinished(0)),
        Step::Settle(vec![(LeasePick::Held(1), Report::Completed)]),
        Step::Settle(vec![(LeasePick::Held(0), Report::Failed { retryable: true, at_once: true })]),
        claim(2, None),
    ];
    Machine::<SqliteMemory>::test_sequential(Config::default(), false, steps, None);
}
