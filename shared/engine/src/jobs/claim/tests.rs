//! Who claims together, and who gets what.

use std::sync::Arc;

use domain::names::WorkerId;
use domain::time::DurationMs;
use futures::FutureExt as _;
use uuid::Uuid;

use super::batcher::WAIT_MAX;
use super::*;
use crate::jobs::sample_job::sample_job;

type Answer = oneshot::Receiver<Result<PolledJobs, EngineError>>;

fn key() -> LineKey {
    LineKey {
        queue: QueueName::Node,
        tenant: None,
        job_types: None,
        build: WorkerBuild::Any,
        lease: DurationMs(30_000),
    }
}

fn waiting(worker: &str, jobs_max: u32) -> (Waiting, Answer) {
    let (answer, answered) = oneshot::channel();
    let (worker_id, since) = (WorkerId::trusted(worker), Instant::now());
    (Waiting { worker_id, jobs_max, since, is_again: false, answer }, answered)
}

fn names(group: &[Waiting]) -> Vec<&str> {
    group.iter().map(|waiting| waiting.worker_id.as_str()).collect()
}

fn tokens(count: u128) -> Vec<LeaseToken> {
    (1..=count).map(|number| LeaseToken(Uuid::from_u128(number))).collect()
}

/// Joins a line with a poll that is not given up; answers the turn, if there is one.
fn join(lines: &Arc<PollBatcher>, worker: &str, jobs_max: u32) -> (Option<Turn>, Answer) {
    let (waiting, answer) = waiting(worker, jobs_max);
    (PollBatcher::join(lines, key(), waiting), answer)
}

#[test]
fn those_who_come_while_claims_are_under_way_claim_together() {
    let lines = Arc::default();
    let [(first, _a), (second, _b), (third, _c)] = ["a", "b", "c"].map(|name| join(&lines, name, 1));
    let (mut first, mut second) = (first.expect("a turn"), second.expect("a turn"));
    assert!(third.is_none());
    assert_eq!(first.next_group().as_deref().map(names), Some(vec!["a", "b", "c"]));
    assert!(second.next_group().is_none(), "nobody is left for it");
    let (again, _e) = join(&lines, "e", 1);
    assert!(again.is_some(), "one claim is under way, and another one may be");
    assert_eq!(first.next_group().as_deref().map(names), Some(vec!["e"]));
}

#[tokio::test]
async fn a_group_is_closed_when_its_turn_has_come() {
    let lines = Arc::default();
    let [(first, _a), (second, _b)] = ["a", "b"].map(|name| join(&lines, name, 1));
    let (mut first, mut second) = (first.expect("a turn"), second.expect("a turn"));
    let alone = first.begin().await;
    assert!(alone.is_some(), "nobody else claims");
    assert_eq!(first.next_group().as_deref().map(names), Some(vec!["a", "b"]));
    let (_, _c) = join(&lines, "c", 1);
    let mut begins = Box::pin(second.begin());
    assert!(begins.as_mut().now_or_never().is_none(), "the first claim is under way");
    let (_, _d) = join(&lines, "d", 1);
    drop(alone);
    assert!(begins.await.is_some());
    assert_eq!(second.next_group().as_deref().map(names), Some(vec!["c", "d"]));
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_takes_long_keeps_nobody_waiting() {
    let lines = Arc::default();
    let [(first, _a), (second, _b)] = ["a", "b"].map(|name| join(&lines, name, 1));
    let (first, mut second) = (first.expect("a turn"), second.expect("a turn"));
    let _alone = first.begin().await;
    assert!(second.begin().await.is_none(), "the other one goes on");
    assert_eq!(second.next_group().as_deref().map(names), Some(vec!["a", "b"]));
}

#[test]
fn those_who_got_nothing_are_next_and_those_who_hung_up_are_left_out() {
    let lines = Arc::default();
    let [(turn, _a), (_, b), (_, _c)] = ["a", "b", "c"].map(|name| join(&lines, name, 1));
    let mut turn = turn.expect("a turn");
    let group = turn.next_group().expect("three wait");
    let (_, _d) = join(&lines, "d", 1);
    turn.put_back(group);
    drop(b);
    assert_eq!(turn.next_group().as_deref().map(names), Some(vec!["a", "c", "d"]));
}

#[test]
fn a_line_that_nobody_waits_in_is_forgotten_and_the_next_begins_anew() {
    let lines = Arc::default();
    let (only, _a) = join(&lines, "a", 1);
    let mut only = only.expect("a turn");
    assert!(only.next_group().is_some() && only.next_group().is_none());
    assert!(lines.0.lock().is_empty());
    let (_turn, _b) = join(&lines, "b", 1);
    drop(only);
    assert_eq!(lines.0.lock()[&key()].claims_under_way, 1, "a turn that is over is not given up twice");
}

#[test]
fn no_group_asks_for_more_than_a_claim_gives() {
    let lines = Arc::default();
    let joined = [("a", 600), ("b", 400), ("c", 1), ("d", 1_000)].map(|(name, max)| join(&lines, name, max));
    let (turns, _answers): (Vec<_>, Vec<_>) = joined.into_iter().unzip();
    let mut turn = turns.into_iter().flatten().next().expect("a turn");
    for expected in [vec!["a", "b"], vec!["c"], vec!["d"]] {
        assert_eq!(turn.next_group().as_deref().map(names), Some(expected));
    }
}

#[test]
fn waiting_polls_are_answered_when_their_claims_are_dropped() {
    let lines = Arc::default();
    let (turn, mut answer) = join(&lines, "a", 1);
    drop(turn);
    assert!(matches!(answer.try_recv(), Err(oneshot::error::TryRecvError::Closed)));
    assert!(join(&lines, "b", 1).0.is_some(), "the next begins anew");
}

/// Who was served with how many jobs, and who is left.
fn shared(group: &[(&str, u32)], places: &[usize]) -> (Vec<(String, usize)>, Vec<String>) {
    let mut group: Vec<Waiting> = group.iter().map(|(name, jobs_max)| waiting(name, *jobs_max).0).collect();
    let tokens = tokens(group.iter().map(|waiting| u128::from(waiting.jobs_max)).sum());
    let jobs = places.iter().map(|&place| sample_job(tokens[place])).collect();
    let served = share(&mut group, &tokens, jobs);
    let count = |(waiting, jobs): &(Waiting, Vec<ClaimedJob>)| (waiting.worker_id.to_string(), jobs.len());
    (served.iter().map(count).collect(), group.iter().map(|left| left.worker_id.to_string()).collect())
}

#[test]
fn jobs_go_to_whom_their_tokens_belong_and_the_others_are_claimed_for_again() {
    let group = [("a", 2), ("b", 3), ("c", 1)];
    let (served, left) = shared(&group, &[4, 0, 2]);
    assert_eq!(served, [("a".to_owned(), 1), ("b".to_owned(), 2)]);
    assert_eq!(left, ["c"]);
    let (served, left) = shared(&group, &[]);
    assert_eq!(served.iter().map(|(_, jobs)| *jobs).collect::<Vec<_>>(), [0, 0, 0]);
    assert!(left.is_empty());
}

#[test]
fn whoever_got_nothing_is_claimed_for_again_once_however_long_the_first_claim_took() {
    let long_ago = Instant::now().checked_sub(WAIT_MAX).expect("the machine has run for longer");
    for (is_again, expected) in [(false, vec!["b"]), (true, Vec::new())] {
        let (late, _answer) = waiting("b", 1);
        let mut group = vec![waiting("a", 1).0, Waiting { since: long_ago, is_again, ..late }];
        let tokens = tokens(2);
        let served = share(&mut group, &tokens, vec![sample_job(tokens[0])]);
        assert_eq!((names(&group), served.len()), (expected.clone(), 2 - expected.len()));
    }
}

/// A token is used again in a second round of a claim where a job of the first was gone.
#[test]
fn nobody_gets_more_than_was_asked_for_while_others_have_room() {
    let (served, left) = shared(&[("a", 1), ("b", 2)], &[0, 0, 1]);
    assert_eq!(served, [("a".to_owned(), 1), ("b".to_owned(), 2)]);
    assert!(left.is_empty());
}

#[test]
fn a_failed_claim_is_reported_to_each() {
    let (group, mut answers): (Vec<_>, Vec<_>) = ["a", "b"].map(|name| waiting(name, 1)).into_iter().unzip();
    fail(group, StoreError::Contended { source: "busy".into() });
    let mut next = || answers.remove(0).try_recv().expect("an answer").expect_err("an error");
    assert!(matches!(next(), EngineError::Store(StoreError::Contended { .. })));
    assert!(matches!(next(), EngineError::Store(StoreError::Unavailable { .. })));
}
