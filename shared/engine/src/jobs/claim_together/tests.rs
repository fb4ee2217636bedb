//! Who claims together, and who gets what.

use domain::job::AttemptFacts;
use domain::queue::Tier;
use domain::retry::Backoff;
use domain::time::Timestamp;
use uuid::Uuid;

use super::*;

type Answer = oneshot::Receiver<Result<PolledJobs, EngineError>>;

fn key() -> LineKey {
    LineKey { queue: QueueName::Node, tenant: None, job_types: None, lease: DurationMs(30_000) }
}

fn waiting(worker: &str, jobs_max: u32) -> (Waiting, Answer) {
    let (answer, answered) = oneshot::channel();
    (Waiting { worker_id: WorkerId::trusted(worker), jobs_max, answer }, answered)
}

fn names(group: &[Waiting]) -> Vec<&str> {
    group.iter().map(|waiting| waiting.worker_id.as_str()).collect()
}

fn turn<'a>(lines: &'a ClaimLines, key: &'a LineKey) -> Turn<'a> {
    Turn { lines, key, is_over: false }
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
fn those_who_come_while_claims_are_under_way_claim_together() {
    let (lines, key) = (ClaimLines::default(), key());
    let begins: Vec<bool> = ["a", "b", "c", "d"].map(|name| lines.join(&key, waiting(name, 1).0)).to_vec();
    assert_eq!(begins, [true, true, false, false]);
    let (mut first, mut second) = (turn(&lines, &key), turn(&lines, &key));
    assert_eq!(first.next_group().as_deref().map(names), Some(vec!["a", "b", "c", "d"]));
    assert!(second.next_group().is_none(), "nobody is left for it");
    assert!(lines.join(&key, waiting("e", 1).0), "one claim is under way, and another one may be");
    assert_eq!(first.next_group().as_deref().map(names), Some(vec!["e"]));
}

#[test]
fn a_line_that_nobody_waits_in_is_forgotten_and_the_next_begins_anew() {
    let (lines, key) = (ClaimLines::default(), key());
    assert!(lines.join(&key, waiting("a", 1).0));
    let mut only = turn(&lines, &key);
    assert!(only.next_group().is_some() && only.next_group().is_none());
    assert!(lines.0.lock().is_empty());
    assert!(lines.join(&key, waiting("b", 1).0));
    drop(only);
    assert_eq!(lines.0.lock()[&key].claims_under_way, 1, "a turn that is over is not given up twice");
}

#[test]
fn no_group_asks_for_more_than_a_claim_gives() {
    let (lines, key) = (ClaimLines::default(), key());
    for (name, jobs_max) in [("a", 600), ("b", 400), ("c", 1), ("d", 1_000)] {
        lines.join(&key, waiting(name, jobs_max).0);
    }
    let mut turn = turn(&lines, &key);
    for expected in [vec!["a", "b"], vec!["c"], vec!["d"]] {
        assert_eq!(turn.next_group().as_deref().map(names), Some(expected));
    }
}

#[test]
fn after_a_panic_nobody_waits_for_ever() {
    let (lines, key) = (ClaimLines::default(), key());
    let (left, mut answer) = waiting("a", 1);
    lines.join(&key, left);
    drop(turn(&lines, &key));
    assert!(matches!(answer.try_recv(), Err(oneshot::error::TryRecvError::Closed)));
}

/// Who was served with how many jobs, and who is left.
fn shared(group: &[(&str, u32)], places: &[usize], is_over: bool) -> (Vec<(String, usize)>, Vec<String>) {
    let mut group: Vec<Waiting> = group.iter().map(|(name, jobs_max)| waiting(name, *jobs_max).0).collect();
    let tokens = tokens(group.iter().map(|waiting| u128::from(waiting.jobs_max)).sum());
    let jobs = places.iter().map(|&place| job(tokens[place])).collect();
    let served = share(&mut group, &tokens, jobs, is_over);
    let count = |(waiting, jobs): &(Waiting, Vec<ClaimedJob>)| (waiting.worker_id.to_string(), jobs.len());
    (served.iter().map(count).collect(), group.iter().map(|left| left.worker_id.to_string()).collect())
}

#[test]
fn jobs_go_to_whom_their_tokens_belong_and_the_others_are_claimed_for_again() {
    let group = [("a", 2), ("b", 3), ("c", 1)];
    let (served, left) = shared(&group, &[4, 0, 2], false);
    assert_eq!(served, [("a".to_owned(), 1), ("b".to_owned(), 2)]);
    assert_eq!(left, ["c"]);
    let (served, left) = shared(&group, &[], true);
    assert_eq!(served.iter().map(|(_, jobs)| *jobs).collect::<Vec<_>>(), [0, 0, 0]);
    assert!(left.is_empty());
}

/// A token is used again in a second round of a claim where a job of the first was gone.
#[test]
fn nobody_gets_more_than_was_asked_for_while_others_have_room() {
    let (served, left) = shared(&[("a", 1), ("b", 2)], &[0, 0, 1], false);
    assert_eq!(served, [("a".to_owned(), 1), ("b".to_owned(), 2)]);
    assert!(left.is_empty());
}

#[test]
fn a_failed_claim_is_told_to_each() {
    let (group, mut answers): (Vec<_>, Vec<_>) = ["a", "b"].map(|name| waiting(name, 1)).into_iter().unzip();
    fail(group, StoreError::Contended { source: "busy".into() });
    let mut next = || answers.remove(0).try_recv().expect("an answer").expect_err("an error");
    assert!(matches!(next(), EngineError::Store(StoreError::Contended { .. })));
    assert!(matches!(next(), EngineError::Store(StoreError::Unavailable { .. })));
}
