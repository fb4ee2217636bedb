//! The queue before a sink that can be held up.

use std::sync::atomic::{AtomicUsize, Ordering};

use domain::id::EventId;
use domain::time::Timestamp;
use store::audit::riding_lines;
use tokio::sync::Semaphore;

use super::*;

/// Doubles numbers once it has a permit; refuses 13, and everything while it is away.
#[derive(Clone)]
struct Doubles {
    at_once: usize,
    second: Second,
    permits: Arc<Semaphore>,
    sizes: Arc<Mutex<Vec<usize>>>,
    away: Arc<AtomicUsize>,
}

impl Doubles {
    fn new(permits: usize) -> Self {
        Self {
            at_once: 1,
            second: Second::AT_ONCE,
            permits: Arc::new(Semaphore::new(permits)),
            sizes: Arc::default(),
            away: Arc::default(),
        }
    }

    fn sizes(&self) -> Vec<usize> {
        self.sizes.lock().clone()
    }
}

#[async_trait]
impl Sink for Doubles {
    type Item = u32;
    type Answer = u32;

    async fn commit(&self, items: &[u32]) -> StoreResult<Vec<u32>> {
        self.sizes.lock().push(items.len());
        self.permits.acquire().await.expect("never closed").forget();
        assert!(!items.contains(&99), "a fault of the sink");
        if self.away.load(Ordering::SeqCst) > 0 {
            return Err(ended());
        }
        if items.contains(&13) {
            return Err(StoreError::Refused { statement: "double", source: "13".into() });
        }
        Ok(items.iter().map(|item| item * 2).collect())
    }

    fn commits_at_once(&self) -> usize {
        self.at_once
    }

    fn second(&self) -> Second {
        self.second
    }
}

/// Sends items so that the first is under way and the others wait behind it; then lets all commits through.
async fn together(sink: &Doubles, items: &[u32]) -> Vec<Result<u32, EngineError>> {
    let group = GroupCommit::default();
    let all = items.iter().map(|&item| group.commit(item, || sink.clone()));
    let release = async {
        while sink.sizes().is_empty() {
            tokio::task::yield_now().await;
        }
        sink.permits.add_permits(1_000);
    };
    tokio::join!(futures::future::join_all(all), release).0
}

#[tokio::test]
async fn what_arrives_meanwhile_is_written_together() {
    let sink = Doubles::new(0);
    let items: Vec<u32> = (1_000..2_200).collect();
    let answers = together(&sink, &items).await;
    let answers: Vec<u32> = answers.into_iter().map(|answer| answer.expect("written")).collect();
    assert_eq!(answers, items.iter().map(|item| item * 2).collect::<Vec<_>>());
    assert!(sink.sizes().len() <= 4, "{:?}", sink.sizes());
    assert!(sink.sizes().iter().all(|&size| size <= GROUP_MAX));
}

#[tokio::test]
async fn an_item_alone_is_written_at_once() {
    let sink = Doubles::new(1);
    let group = GroupCommit::default();
    assert_eq!(group.commit(4, || sink.clone()).await.expect("written"), 8);
    assert_eq!(sink.sizes(), [1]);
}

#[tokio::test]
async fn a_bad_item_fails_alone() {
    let sink = Doubles::new(0);
    let answers = together(&sink, &[1, 2, 13, 4]).await;
    let answers: Vec<Option<u32>> = answers.into_iter().map(Result::ok).collect();
    assert_eq!(answers, [Some(2), Some(4), None, Some(8)]);
}

#[tokio::test]
async fn a_bad_item_is_found_in_few_commits() {
    let sink = Doubles::new(0);
    let items: Vec<u32> = (1_000..1_300).chain([13]).chain(2_000..2_199).collect();
    let answers = together(&sink, &items).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_err()).count(), 1);
    assert!(answers[300].is_err(), "the bad one");
    // Two for each halving of 500 items, and those before it.
    assert!(sink.sizes().len() <= 2 * 9 + 3, "{:?}", sink.sizes());
}

#[tokio::test]
async fn a_store_that_is_away_is_asked_once() {
    let sink = Doubles::new(0);
    sink.away.store(1, Ordering::SeqCst);
    let answers = together(&sink, &[1, 2, 3, 4]).await;
    assert!(
        answers
            .iter()
            .all(|answer| { answer.as_ref().is_err_and(|error| error.code() == "store_unavailable") })
    );
    assert!(sink.sizes().len() <= 2, "{:?}", sink.sizes());
}

#[tokio::test]
async fn a_panic_is_answered_and_survived() {
    let sink = Doubles::new(10);
    let group = GroupCommit::default();
    let answer = group.commit(99, || sink.clone()).await;
    assert!(answer.is_err_and(|error| error.is_retryable()));
    assert_eq!(group.commit(4, || sink.clone()).await.expect("written"), 8);
}

#[tokio::test]
async fn what_does_not_fit_is_refused() {
    let sink = Doubles::new(0);
    // The commit under way holds a group, the queue its fill, and one is left.
    let count = (QUEUE_MAX + GROUP_MAX + 1) as u32;
    let items: Vec<u32> = (100..100 + count).collect();
    let answers = together(&sink, &items).await;
    let refused = answers.iter().filter(|answer| matches!(answer, Err(EngineError::Overloaded { .. })));
    assert!(refused.count() > 0);
}

#[tokio::test]
async fn no_more_commits_are_under_way_than_the_sink_allows() {
    let sink = Doubles { at_once: 2, ..Doubles::new(0) };
    let group = Arc::new(GroupCommit::default());
    let mut callers = Vec::new();
    for item in 0..4 {
        let (group, its_sink) = (Arc::clone(&group), sink.clone());
        callers.push(tokio::spawn(async move { group.commit(item, || its_sink).await }));
        let begun = usize::try_from(item + 1).expect("small").min(2);
        while sink.sizes().len() < begun {
            tokio::task::yield_now().await;
        }
    }
    // Two hold the permits' place; the other two wait together.
    assert_eq!(sink.sizes(), [1, 1]);
    sink.permits.add_permits(10);
    for (item, caller) in (0..4).zip(callers) {
        assert_eq!(caller.await.expect("no panic").expect("written"), item * 2);
    }
    assert!(sink.sizes().len() <= 4, "{:?}", sink.sizes());
}

/// Time passes only where nobody has anything to do: a small group also goes after a while.
#[tokio::test(start_paused = true)]
async fn a_second_commit_is_begun_for_enough_items_or_after_the_first() {
    let second = Second { items_min: 3, ..Second::FOR_MANY };
    let sink = Doubles { at_once: 2, second, ..Doubles::new(0) };
    let group = Arc::new(GroupCommit::default());
    let mut callers = Vec::new();
    let mut call = |item: u32| {
        let (group, its_sink) = (Arc::clone(&group), sink.clone());
        callers.push(tokio::spawn(async move { group.commit(item, || its_sink).await }));
    };
    let begun = |count: usize| {
        let sink = sink.clone();
        async move {
            while sink.sizes().len() < count {
                tokio::task::yield_now().await;
            }
        }
    };
    call(0);
    begun(1).await;
    (1..3).for_each(&mut call);
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert_eq!(sink.sizes(), [1], "two are not worth a second commit");
    call(3);
    begun(2).await;
    (4..6).for_each(&mut call);
    sink.permits.add_permits(10);
    for (item, caller) in (0..6).zip(callers) {
        assert_eq!(caller.await.expect("no panic").expect("written"), item * 2);
    }
    assert_eq!(sink.sizes(), [1, 3, 2], "two go after the others");
}

/// The commit that is under way takes longer than its sink lets a small group wait.
#[tokio::test(start_paused = true)]
async fn a_small_second_commit_waits_no_longer_than_its_sink_says() {
    let second = Second { items_min: 3, ..Second::FOR_MANY_SOON };
    let sink = Doubles { at_once: 2, second, ..Doubles::new(0) };
    let group = Arc::new(GroupCommit::default());
    let call = |item: u32| {
        let (group, its_sink) = (Arc::clone(&group), sink.clone());
        tokio::spawn(async move { group.commit(item, || its_sink).await })
    };
    let first = call(1);
    while sink.sizes().is_empty() {
        tokio::task::yield_now().await;
    }
    let small = call(2);
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert_eq!(sink.sizes(), [1], "one is not worth a second commit");
    tokio::time::advance(2 * second.wait_max).await;
    while sink.sizes().len() < 2 {
        tokio::task::yield_now().await;
    }
    sink.permits.add_permits(2);
    assert_eq!(first.await.expect("no panic").expect("written"), 2);
    assert_eq!(small.await.expect("no panic").expect("written"), 4);
    assert_eq!(sink.sizes(), [1, 1]);
}

fn line(actor: &str) -> AuditRecord {
    AuditRecord {
        id: EventId::from_uuid(uuid::Uuid::nil()),
        at: Timestamp(0),
        actor: actor.to_owned(),
        tenant: None,
        action: "job.enqueue".to_owned(),
        subject: "job_1".to_owned(),
        detail: None,
        address: None,
        user_agent: None,
        request_id: None,
        door: None,
        outcome: None,
        reason: None,
        before: None,
        after: None,
        batch: None,
    }
}

/// Keeps the items and the number of lines of each commit; refuses 13.
#[derive(Clone, Default)]
struct Recorded(Arc<Mutex<Vec<(Vec<u32>, usize)>>>);

#[async_trait]
impl Sink for Recorded {
    type Item = u32;
    type Answer = u32;

    async fn commit(&self, items: &[u32]) -> StoreResult<Vec<u32>> {
        self.0.lock().push((items.to_vec(), riding_lines().len()));
        if items.contains(&13) {
            return Err(StoreError::Refused { statement: "record", source: "13".into() });
        }
        Ok(items.to_vec())
    }
}

#[tokio::test]
async fn each_part_of_a_group_has_the_lines_of_its_calls() {
    let (sink, group) = (Recorded::default(), GroupCommit::default());
    let calls = [("key_1", 1), ("key_2", 13), ("key_1", 2)]
        .map(|(actor, item)| group.commit_recorded(Some(line(actor)), item, || sink.clone()));
    let answers = futures::future::join_all(calls).await;
    assert_eq!(answers.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    let expected = [(vec![1, 13, 2], 2), (vec![1], 1), (vec![13, 2], 2), (vec![13], 1), (vec![2], 1)];
    assert_eq!(*sink.0.lock(), expected);
}
