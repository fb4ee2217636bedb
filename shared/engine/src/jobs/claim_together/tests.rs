//! Who claims together, and who gets what.

use domain::job::AttemptFacts;
use domain::names::{JobType, TenantName, WorkerId};
use domain::queue::{QueueName, Tier};
use domain::retry::Backoff;
use domain::time::{DurationMs, Timestamp};
use uuid::Uuid;

use super::*;
use crate::jobs::claim::PoolClaim;

fn claim(worker: &str, jobs_max: u32, job_type: &str) -> Claim {
    Claim {
        pool: PoolClaim {
            queue: QueueName::Node,
            jobs_max,
            worker_id: WorkerId::trusted(worker),
            job_types: Some(vec![JobType::trusted(job_type)]),
        },
        tenant: None,
        lease: DurationMs(30_000),
    }
}

fn tokens(count: u128) -> Vec<LeaseToken> {
    (1..=count).map(|number| LeaseToken(Uuid::from_u128(number))).collect()
}

fn job(token: LeaseToken) -> ClaimedJob {
    ClaimedJob {
        id: domain::id::JobId::from_uuid(token.0),
        queue: QueueName::Node,
        job_type: JobType::trusted("a"),
        tenant: TenantName::trusted("t"),
        workflow: None,
        tier: Tier::Normal,
        position: 1,
        data: "{}".into(),
        attempt: 1,
        facts: AttemptFacts { attempt: 1, retries_max: 3, crashes: 0, backoff: Backoff::default() },
        timeout: None,
        token,
        lease_until: Timestamp(1),
        created_at: Timestamp(0),
        queued_at: Timestamp(0),
        traceparent: None,
        execution_id: None,
        node_id: None,
    }
}

#[test]
fn those_who_ask_for_the_same_claim_together_up_to_what_one_claim_gives() {
    let mut of_tenant = claim("e", 1, "a");
    of_tenant.tenant = Some(TenantName::trusted("t"));
    let mut short = claim("f", 1, "a");
    short.lease = DurationMs(5_000);
    let claims = [
        claim("a", 600, "a"),
        claim("b", 1, "b"),
        claim("c", 300, "a"),
        claim("d", 200, "a"),
        of_tenant,
        short,
        claim("g", 100, "a"),
    ];
    assert_eq!(together(&claims), [vec![0, 2, 6], vec![1], vec![3], vec![4], vec![5]]);
}

#[test]
fn jobs_go_to_whom_their_tokens_belong() {
    let claims = [claim("a", 2, "a"), claim("x", 9, "b"), claim("b", 3, "a")];
    let tokens = tokens(5);
    let mut answers = vec![Vec::new(); 3];
    let jobs = [4, 0, 2].map(|place: usize| job(tokens[place])).to_vec();
    share(&claims, &[0, 2], &tokens, jobs, &mut answers);
    let got = answers.iter().map(|jobs| jobs.iter().map(|job| job.token).collect::<Vec<_>>());
    assert_eq!(got.collect::<Vec<_>>(), [vec![tokens[0]], vec![], vec![tokens[4], tokens[2]]]);
}

#[test]
fn nobody_gets_more_than_was_asked_for_while_others_have_room() {
    let claims = [claim("a", 1, "a"), claim("b", 2, "a")];
    let tokens = tokens(3);
    let mut answers = vec![Vec::new(); 2];
    // A token may be used again in a second round of the claim, after the job of the first was gone.
    let jobs = vec![job(tokens[0]), job(tokens[0]), job(tokens[1])];
    share(&claims, &[0, 1], &tokens, jobs, &mut answers);
    assert_eq!(answers.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2]);
}
