//! Dead letters: history, requeue, archive.

use domain::access::TenantScope;
use domain::failure::{
    DeadLetterStatus, DeadReason, GroupDecision, GroupState, IgnoreUntil, IgnoredVersion, JobError,
};
use domain::id::{DeadLetterId, JobId};
use domain::job::{Disposition, JobStatus};
use domain::names::{JobType, WorkflowName};
use domain::queue::{QueueName, Tier};
use domain::search::SearchList;
use domain::time::Timestamp;

use super::executions::node_job;
use super::fixture::{
    T0, after_secs, claim_nodes, complete, enqueue, execution, id, job, lease, number_found, status, tenant,
    version,
};
use crate::Store;
use crate::dead_letters::{DeadLetterChange, DeadLetterFilter, DeadLetterRecord, GroupFacts, RequeueEdit};
use crate::executions::NewExecution;
use crate::jobs::{NewJob, Settlement};
use crate::page::PageRequest;
use crate::workflows::WorkflowVersion;

const ALL: TenantScope = TenantScope::All;

/// Lets a job die with a message and answers its dead letter.
async fn dead(store: &dyn Store, new: NewJob, message: &str) -> DeadLetterRecord {
    let job_id = new.id;
    enqueue(store, &[new]).await;
    let claimed = claim_nodes(store, 1, T0).await;
    assert_eq!(claimed[0].id, job_id);
    let error = JobError { message: message.to_owned(), code: None, details: None };
    let disposition = Disposition::Die { reason: DeadReason::RetriesExhausted, error };
    store
        .settle(&[Settlement { lease: lease(&claimed[0]), disposition }], after_secs(1))
        .await
        .expect("settle works");
    letter_of(store, job_id).await
}

async fn letter_of(store: &dyn Store, job_id: JobId) -> DeadLetterRecord {
    let page = PageRequest { limit: 100, after: None };
    let list = store.list_dead_letters(&ALL, &DeadLetterFilter::default(), page).await.expect("list works");
    let id = list.items.iter().find(|letter| letter.job_id == job_id).expect("the letter is listed").id;
    store.dead_letter(&ALL, id).await.expect("read works").expect("the letter is there")
}

async fn requeue(store: &dyn Store, id: DeadLetterId, edit: &RequeueEdit) -> DeadLetterChange {
    store.requeue_dead_letter(&ALL, id, edit, after_secs(2)).await.expect("requeue works")
}

/// A dead letter tells what, why and how often.
pub async fn i10_a_dead_letter_keeps_its_history(store: &dyn Store) {
    let letter = dead(store, job(), "disk full").await;
    assert_eq!((letter.reason, letter.status), (DeadReason::RetriesExhausted, DeadLetterStatus::Open));
    assert_eq!(
        (letter.error.message.as_str(), letter.attempt_count, letter.died_at),
        ("disk full", 1, after_secs(1))
    );
    assert_eq!((letter.data.as_deref(), letter.tenant.as_str()), (Some(r#"{"n": 1}"#), "a"));
    assert_eq!((letter.attempts.len(), letter.fingerprint.len()), (1, 16));
    assert_eq!(status(store, letter.job_id).await, JobStatus::DeadLetter);
}

/// Requeueing puts the same job back with fresh retries, once.
pub async fn i10_requeueing_twice_makes_one_job(store: &dyn Store) {
    let letter = dead(store, job(), "x").await;
    let expected =
        DeadLetterChange::Changed { job_id: letter.job_id, queue: QueueName::Node, execution_id: None };
    assert_eq!(requeue(store, letter.id, &RequeueEdit::default()).await, expected);
    let again = requeue(store, letter.id, &RequeueEdit::default()).await;
    assert_eq!(again, DeadLetterChange::AlreadyDone { job_id: letter.job_id });
    let claimed = claim_nodes(store, 10, after_secs(2)).await;
    assert_eq!(claimed.len(), 1);
    assert_eq!(
        (claimed[0].id, claimed[0].attempt, claimed[0].facts.attempt),
        (letter.job_id, 2, 1),
        "fresh retries"
    );
    complete(store, &claimed[0], after_secs(3)).await;
    let record = store.job(&ALL, letter.job_id).await.expect("read works").expect("there");
    assert_eq!(
        (record.status, record.attempts.len()),
        (JobStatus::Completed, 2),
        "the first attempt is still listed"
    );
    assert_eq!(number_found(store, &ALL, SearchList::DeadLetters, "status:open").await, 0);
    let kept = store.dead_letter(&ALL, letter.id).await.expect("read works").expect("there");
    assert_eq!((kept.status, kept.resolved_at), (DeadLetterStatus::Requeued, Some(after_secs(2))));
}

/// A job that dies again is another letter; the first stays as it was.
pub async fn i10_dying_again_is_another_letter(store: &dyn Store) {
    let letter = dead(store, job(), "x").await;
    requeue(store, letter.id, &RequeueEdit::default()).await;
    let claimed = claim_nodes(store, 1, after_secs(3)).await;
    let disposition = Disposition::Die { reason: DeadReason::NonRetryable, error: JobError::coded("y", "y") };
    store
        .settle(&[Settlement { lease: lease(&claimed[0]), disposition }], after_secs(3))
        .await
        .expect("settle works");
    let second = letter_of(store, letter.job_id).await;
    assert_ne!(second.id, letter.id);
    assert_eq!((second.attempt_count, second.attempts.len()), (2, 2));
}

/// Data, tier and retries can be changed on the way back; the letter keeps what died.
pub async fn a_requeue_can_edit(store: &dyn Store) {
    let letter = dead(store, job(), "x").await;
    let edit = RequeueEdit { data: Some(r#"{"n":2}"#.into()), tier: Some(Tier::High), retries_max: Some(0) };
    requeue(store, letter.id, &edit).await;
    let claimed = claim_nodes(store, 1, after_secs(2)).await;
    assert_eq!(
        (claimed[0].data.as_str(), claimed[0].tier, claimed[0].facts.retries_max),
        (r#"{"n":2}"#, Tier::High, 0)
    );
    let kept = store.dead_letter(&ALL, letter.id).await.expect("read works").expect("there");
    assert_eq!(kept.data.as_deref(), Some(r#"{"n": 1}"#));
}

/// An archived letter is out of the way and cannot be requeued.
pub async fn an_archived_letter_stays_archived(store: &dyn Store) {
    let letter = dead(store, job(), "x").await;
    let archived = store
        .archive_dead_letter(&ALL, letter.id, "known fault", after_secs(2))
        .await
        .expect("archive works");
    assert!(matches!(archived, DeadLetterChange::Changed { .. }));
    assert!(matches!(
        requeue(store, letter.id, &RequeueEdit::default()).await,
        DeadLetterChange::Refused { .. }
    ));
    assert_eq!(number_found(store, &ALL, SearchList::DeadLetters, "status:open").await, 0);
    let filter = DeadLetterFilter { status: Some(DeadLetterStatus::Archived), ..DeadLetterFilter::default() };
    let page = PageRequest { limit: 10, after: None };
    let archive = store.list_dead_letters(&ALL, &filter, page).await.expect("list works");
    assert_eq!(archive.items.len(), 1);
    assert_eq!(archive.items[0].archive_reason.as_deref(), Some("known fault"));
}

/// Filters and groups.
pub async fn letters_are_filtered_and_grouped(store: &dyn Store) {
    for number in 0..3 {
        dead(store, job(), &format!("order {number} not found")).await;
    }
    let other = NewJob { job_type: JobType::trusted("other"), tenant: tenant("b"), ..job() };
    let lone = dead(store, other, "disk full").await;
    let groups = store.dead_letter_groups(&ALL, &DeadLetterFilter::default(), 10).await.expect("groups work");
    assert_eq!(groups.iter().map(|group| group.count).collect::<Vec<_>>(), [3, 1]);
    assert_eq!(groups[1].fingerprint, lone.fingerprint);
    let page = PageRequest { limit: 10, after: None };
    let listed = async |filter: DeadLetterFilter| {
        store.list_dead_letters(&ALL, &filter, page).await.expect("list works").items.len()
    };
    for filter in [
        DeadLetterFilter { job_type: Some(JobType::trusted("other")), ..DeadLetterFilter::default() },
        DeadLetterFilter { tenant: Some(tenant("b")), ..DeadLetterFilter::default() },
        DeadLetterFilter { fingerprint: Some(lone.fingerprint.clone()), ..DeadLetterFilter::default() },
    ] {
        assert_eq!(listed(filter.clone()).await, 1, "{filter:?}");
    }
    let early = DeadLetterFilter { to: Some(after_secs(1)), ..DeadLetterFilter::default() };
    assert_eq!(listed(early).await, 0);
}

fn decided(state: GroupState, at: i64) -> GroupDecision {
    GroupDecision {
        state,
        until: IgnoreUntil {
            instant: Some(after_secs(500)),
            count: Some(3),
            version: Some(IgnoredVersion { workflow: WorkflowName::trusted("w"), version: 2 }),
        },
        note: Some("the gateway is back".into()),
        decided_by: "ops".into(),
        decided_at: after_secs(at),
    }
}

async fn facts(store: &dyn Store, scope: &TenantScope, fingerprint: &str) -> GroupFacts {
    let asked = [fingerprint.to_owned()];
    let mut facts = store.dead_letter_group_facts(scope, None, &asked, T0).await.expect("facts are read");
    facts.remove(fingerprint).expect("each asked for is there")
}

async fn decide(store: &dyn Store, scope: &TenantScope, fingerprint: &str, decision: &GroupDecision) -> bool {
    store.decide_dead_letter_group(scope, fingerprint, decision, &[]).await.expect("it is stored")
}

/// A decision is kept with what has died since, and a later one takes its place.
pub async fn a_group_keeps_its_decision(store: &dyn Store) {
    let letter = dead(store, job(), "order 1 not found").await;
    let group = letter.fingerprint.as_str();
    assert_eq!(facts(store, &ALL, group).await.decision, None);
    let early = decided(GroupState::Resolved, 0);
    assert!(decide(store, &ALL, group, &early).await);
    let since = facts(store, &ALL, group).await;
    assert_eq!((since.decision.as_ref(), since.deaths.count), (Some(&early), 1), "it died a second later");
    let late = GroupDecision { until: IgnoreUntil::default(), note: None, ..decided(GroupState::Ignored, 1) };
    assert!(decide(store, &ALL, group, &late).await);
    let since = facts(store, &ALL, group).await;
    assert_eq!((since.decision.as_ref(), since.deaths.count), (Some(&late), 0), "it died at that instant");
    requeue(store, letter.id, &RequeueEdit::default()).await;
    assert!(decide(store, &ALL, group, &early).await, "letters that were requeued count");
    assert_eq!(facts(store, &ALL, group).await.deaths.count, 1);
    assert!(!decide(store, &ALL, "0000000000000000", &early).await, "nothing died of that");
    assert_eq!(facts(store, &ALL, "0000000000000000").await, GroupFacts::default());
}

/// A group that waits for a version is notified of what dies of that version or a later one, whatever became of it.
pub async fn a_group_waits_for_a_version(store: &dyn Store) {
    for number in 1..=3 {
        let of = WorkflowVersion { version: number, content_hash: format!("{number}"), ..version("w") };
        store.register_workflow(&of).await.expect("register works");
    }
    let die = async |version: u32| {
        let new = NewExecution { version, ..execution("w") };
        store.create_executions(std::slice::from_ref(&new), T0).await.expect("create works");
        dead(store, node_job(&new, "charge"), "order 1 not found").await
    };
    let first = die(1).await;
    dead(store, job(), "order 2 not found").await;
    let group = first.fingerprint.as_str();
    let until = |workflow: &str, version| GroupDecision {
        until: IgnoreUntil {
            version: Some(IgnoredVersion { workflow: WorkflowName::trusted(workflow), version }),
            ..IgnoreUntil::default()
        },
        ..decided(GroupState::Ignored, 0)
    };
    assert!(decide(store, &ALL, group, &until("w", 2)).await);
    let before = facts(store, &ALL, group).await;
    assert_eq!(
        (before.deaths.count, before.deaths.is_of_version),
        (2, false),
        "of version 1, and of no execution"
    );
    let third = die(3).await;
    assert_eq!(third.fingerprint, group);
    assert!(facts(store, &ALL, group).await.deaths.is_of_version, "a later version counts as well");
    store.archive_dead_letter(&ALL, third.id, "known fault", after_secs(2)).await.expect("archive works");
    assert!(facts(store, &ALL, group).await.deaths.is_of_version, "an archived one counts");
    for (decision, what) in [(until("w", 4), "a version to come"), (until("other", 2), "another workflow")] {
        assert!(decide(store, &ALL, group, &decision).await);
        assert!(!facts(store, &ALL, group).await.deaths.is_of_version, "{what}");
    }
    let late = GroupDecision { decided_at: after_secs(1), ..until("w", 2) };
    assert!(decide(store, &ALL, group, &late).await);
    assert!(!facts(store, &ALL, group).await.deaths.is_of_version, "it died before the decision");
}

/// Counts of open letters follow each change of one, whether it was added up yet or not.
pub async fn counts_of_groups_follow_the_letters(store: &dyn Store) {
    let mut letters = Vec::new();
    for number in 0..3 {
        letters.push(dead(store, job(), &format!("order {number} not found")).await);
    }
    let group = letters[0].fingerprint.as_str();
    let check = async |open: u64, what: &str| {
        let groups =
            store.dead_letter_groups(&ALL, &DeadLetterFilter::default(), 10).await.expect("groups work");
        assert_eq!(groups.iter().map(|group| group.count).sum::<u64>(), open, "{what}");
        let figures = store.queue_figures(&ALL, QueueName::Node, after_secs(3)).await.expect("read works");
        assert_eq!(figures.dead_letters, open, "{what}");
        let facts = facts(store, &ALL, group).await;
        assert_eq!(facts.trend, [(0, 3)], "{what}: what died did, whatever became of it");
        let of_tenant = if open > 0 { vec![(letters[0].tenant.clone(), open)] } else { Vec::new() };
        assert_eq!(facts.tenants, of_tenant, "{what}");
    };
    let add_up = || store.add_up_dead_letters(after_secs(-7_200), 2);
    check(3, "not added up").await;
    assert_eq!(add_up().await.expect("adding works"), 2);
    check(3, "partly added up").await;
    assert_eq!(add_up().await.expect("adding works"), 1);
    assert_eq!(add_up().await.expect("adding works"), 0);
    check(3, "added up").await;
    requeue(store, letters[0].id, &RequeueEdit::default()).await;
    requeue(store, letters[0].id, &RequeueEdit::default()).await;
    check(2, "requeued").await;
    assert_eq!(add_up().await.expect("adding works"), 1, "a second requeue changes nothing");
    check(2, "requeued and added up").await;
    let claimed = claim_nodes(store, 1, after_secs(3)).await;
    complete(store, &claimed[0], after_secs(3)).await;
    for letter in &letters[1..] {
        let archived = store.archive_dead_letter(&ALL, letter.id, "known fault", after_secs(3)).await;
        archived.expect("archive works");
    }
    check(0, "archived").await;
    assert_eq!(add_up().await.expect("adding works"), 2);
    check(0, "archived and added up").await;
    dead(store, job(), "order 9 not found").await;
    store.add_up_dead_letters(after_secs(100_000), 2).await.expect("adding works");
    assert_eq!(facts(store, &ALL, group).await.trend, [(0, 1)], "earlier hours are forgotten");
}

/// Groups of a span of time are those of the letters that died in it.
pub async fn groups_of_a_span_of_time(store: &dyn Store) {
    let letter = dead(store, job(), "order 1 not found").await;
    let lone = NewJob { job_type: JobType::trusted("other"), tenant: tenant("b"), ..job() };
    dead(store, lone, "disk full").await;
    let of = async |scope: &TenantScope, filter: DeadLetterFilter| -> Vec<(u64, Timestamp, Timestamp)> {
        let groups = store.dead_letter_groups(scope, &filter, 10).await.expect("groups work");
        groups.into_iter().map(|group| (group.count, group.first_at, group.last_at)).collect()
    };
    let at = after_secs(1);
    let from = |from| DeadLetterFilter { from: Some(from), ..DeadLetterFilter::default() };
    assert_eq!(of(&ALL, from(at)).await, [(1, at, at), (1, at, at)]);
    assert_eq!(of(&ALL, from(after_secs(2))).await, []);
    assert_eq!(of(&ALL, DeadLetterFilter { to: Some(at), ..DeadLetterFilter::default() }).await, []);
    let of_type = DeadLetterFilter { job_type: Some(JobType::trusted("other")), ..from(T0) };
    assert_eq!(of(&ALL, of_type.clone()).await, [(1, at, at)]);
    assert_eq!(of(&TenantScope::One(letter.tenant), of_type).await, []);
}

/// Tenants decide for themselves, and see their own figures.
pub async fn i13_groups_are_decided_within_the_tenant(store: &dyn Store) {
    let letter = dead(store, job(), "order 1 not found").await;
    let other = NewJob { tenant: tenant("b"), ..job() };
    dead(store, other, "order 2 not found").await;
    let lone = NewJob { tenant: tenant("b"), ..job() };
    dead(store, lone, "order 3 not found").await;
    let group = letter.fingerprint.as_str();
    let (a, b, c) = (
        TenantScope::One(letter.tenant.clone()),
        TenantScope::One(tenant("b")),
        TenantScope::One(tenant("c")),
    );
    assert!(decide(store, &b, group, &decided(GroupState::Resolved, 0)).await);
    assert!(!decide(store, &c, group, &decided(GroupState::Resolved, 0)).await, "it has none");
    let of_b = facts(store, &b, group).await;
    assert_eq!((of_b.deaths.count, of_b.tenant_count), (2, 1));
    assert_eq!(of_b.tenants, [(tenant("b"), 2)]);
    assert_eq!(of_b.trend, [(0, 2)]);
    for scope in [&a, &ALL] {
        assert_eq!(facts(store, scope, group).await.decision, None, "{scope:?}");
    }
    let all = facts(store, &ALL, group).await;
    assert_eq!((all.tenant_count, all.trend), (2, vec![(0, 3)]));
    assert_eq!(all.tenants, [(tenant("b"), 2), (letter.tenant.clone(), 1)]);
    let asked = [group.to_owned()];
    let narrowed =
        store.dead_letter_group_facts(&ALL, Some(&letter.tenant), &asked, T0).await.expect("facts are read");
    assert_eq!(narrowed[group].tenants, [(letter.tenant, 1)]);
}

/// Another tenant's letter does not exist.
pub async fn i13_letters_stay_within_the_tenant(store: &dyn Store) {
    let letter = dead(store, job(), "x").await;
    let other = TenantScope::One(tenant("b"));
    assert_eq!(store.dead_letter(&other, letter.id).await.expect("answers"), None);
    let change =
        store.requeue_dead_letter(&other, letter.id, &RequeueEdit::default(), T0).await.expect("answers");
    assert_eq!(change, DeadLetterChange::NotFound);
    assert_eq!(
        store.archive_dead_letter(&other, letter.id, "x", T0).await.expect("answers"),
        DeadLetterChange::NotFound
    );
    assert_eq!(number_found(store, &other, SearchList::DeadLetters, "").await, 0);
    assert_eq!(requeue(store, id(), &RequeueEdit::default()).await, DeadLetterChange::NotFound);
}
