//! Why a job is not running: from facts to one reason and a sentence.

mod reason;

use crate::job::JobStatus;
use crate::names::CallerKey;
use crate::rate::Rate;
use crate::time::Timestamp;

pub use reason::WhyReason;

/// What the store and the settings know about a waiting job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhyFacts {
    /// The job's state.
    pub status: JobStatus,
    /// When it is due.
    pub run_at: Timestamp,
    /// What is paused, where something is: `queue workflow-node` or `workflow order`.
    pub paused: Option<String>,
    /// The limits that apply, with how many they count now and who holds the slots, in the order global,
    /// tenant, workflow, concurrency key.
    pub levels: Vec<LimitLevel>,
    /// The rates that the job's start counts under, each with the earliest instant at which it can admit the job.
    pub rates: Vec<RateLevel>,
    /// Whether a worker that takes this job type showed itself lately.
    pub has_worker: bool,
    /// The builds that the job type is pinned to, where it is, and those that workers run which took it lately.
    pub pinned: Option<PinFacts>,
    /// How many queued jobs of the same lane are ahead, counted up to a bound.
    pub rank: u64,
    /// Until when it is offered, where it is.
    pub offered_until: Option<Timestamp>,
    /// How often it was offered and nobody took it.
    pub offers_returned: u32,
    /// What keeps it from being offered, where jobs are pushed and something does.
    pub unoffered: Option<Unoffered>,
}

/// What keeps jobs from being offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unoffered {
    /// Dispatch is drained.
    Draining,
    /// No node publishes the offers of its job type.
    NoRelay,
    /// The node that does has not reached the broker since then.
    BrokerAway(Timestamp),
    /// The node that does has not been able to create a topic of its job type since then.
    NoTopic(Timestamp),
    /// The brokers have acknowledged no message of its job type since then.
    NotAcknowledged(Timestamp),
}

/// What is known of a job type that is pinned to builds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinFacts {
    /// The builds that take it.
    pub builds: Vec<CallerKey>,
    /// Whether a worker of one of them showed itself lately.
    pub has_worker: bool,
}

/// One level of the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitLevel {
    /// The reason when this level is full: one of `limit_…`.
    pub code: WhyReason,
    /// The limit.
    pub limit: u32,
    /// How many are leased.
    pub running: u32,
    /// The public ids of the jobs that hold the slots, at most ten.
    pub holders: Vec<String>,
}

/// One rate that the job's start counts under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLevel {
    /// The reason when the job waits for it: one of `rate_…`.
    pub code: WhyReason,
    /// The rate.
    pub rate: Rate,
    /// The earliest instant at which it can admit the job after those ahead of it, a lower bound.
    pub can_start_at: Timestamp,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// Why, as a stable code.
    pub reason: WhyReason,
    /// A sentence.
    pub detail: String,
    /// The level that is full, where one is.
    pub level: Option<LimitLevel>,
    /// How many are ahead in the lane; those count under the same rates.
    pub rank: Option<u64>,
    /// The rate that the job waits for, where it does.
    pub rate: Option<Rate>,
    /// The earliest instant at which that rate can admit it, a lower bound.
    pub can_start_at: Option<Timestamp>,
    /// What would let the job run.
    pub frees_when: Option<String>,
}

/// Picks the first thing that keeps the job from running, in the order in which it would have to be removed.
pub fn why(facts: &WhyFacts, now: Timestamp) -> Why {
    match facts.status {
        JobStatus::Processing => {
            return plain(WhyReason::Running, "The job is leased to a worker.".into(), None);
        }
        JobStatus::Waiting => {
            return plain(
                WhyReason::Waiting,
                "The execution is parked until a timer fires, or a signal, user task or child execution completes.".into(),
                None,
            );
        }
        status if status.is_terminal() => {
            return plain(WhyReason::Finished, format!("The job is {}.", status.as_str()), None);
        }
        JobStatus::Scheduled | JobStatus::RetryWait if facts.run_at > now => {
            return plain(
                WhyReason::NotDue,
                format!("The job is due at {}.", facts.run_at),
                Some(facts.run_at.to_string()),
            );
        }
        _ => {}
    }
    if let Some(until) = facts.offered_until {
        return offered(until, facts.offers_returned);
    }
    if let Some(paused) = &facts.paused {
        return plain(
            WhyReason::QueuePaused,
            format!("The {paused} is paused."),
            Some(format!("the {paused} is resumed")),
        );
    }
    if let Some(level) = facts.levels.iter().find(|level| level.running >= level.limit) {
        return full(level, facts.rank);
    }
    if let Some(held) = held_by_rate(facts, now) {
        return held;
    }
    if let Some(unoffered) = facts.unoffered {
        return unoffered.why();
    }
    if let Some(pinned) = facts.pinned.as_ref().filter(|pinned| !pinned.has_worker) {
        return no_worker_of_build(pinned, facts.has_worker);
    }
    if !facts.has_worker {
        return plain(
            WhyReason::NoWorker,
            "No worker has polled for this job type recently.".into(),
            Some("a worker polls for it".into()),
        );
    }
    Why { rank: Some(facts.rank), ..plain(WhyReason::Behind, behind(facts), Some("its turn comes".into())) }
}

/// The answer for a job that waits for a slot of a level that is full.
fn full(level: &LimitLevel, rank: u64) -> Why {
    let over = level.running - level.limit + 1;
    Why {
        reason: level.code,
        detail: format!("{} of {} slots are in use.", level.running, level.limit),
        level: Some(level.clone()),
        rank: Some(rank),
        rate: None,
        can_start_at: None,
        frees_when: Some(format!(
            "{over} of the running jobs end, or the limit is at least {}",
            level.running + 1
        )),
    }
}

/// A reason that has neither a limit nor a rate.
fn plain(reason: WhyReason, detail: String, frees_when: Option<String>) -> Why {
    Why { reason, detail, level: None, rank: None, rate: None, can_start_at: None, frees_when }
}

impl Unoffered {
    fn why(self) -> Why {
        let (reason, detail, frees_when) = match self {
            Self::Draining => (
                WhyReason::DispatchDraining,
                "No offers are made: dispatch is drained.".to_owned(),
                "`trunkline dispatch drain --undo`",
            ),
            Self::NoRelay => (
                WhyReason::NoRelay,
                "No node publishes the offers of its job type.".to_owned(),
                "a node with the role scheduler starts",
            ),
            Self::BrokerAway(since) => (
                WhyReason::BrokerAway,
                format!("No Kafka broker has been reached since {since}; jobs wait in the database."),
                "a broker is reached again",
            ),
            Self::NoTopic(since) => (
                WhyReason::TopicNotCreated,
                format!(
                    "A topic of its type is missing and cannot be created since {since}; jobs wait in the database."
                ),
                "the topics of its type exist",
            ),
            Self::NotAcknowledged(since) => (
                WhyReason::NotAcknowledged,
                format!(
                    "Kafka has not acknowledged any message of its type since {since}, for example because the brokers \
                     of its partitions are unavailable; jobs wait in the database."
                ),
                "a message of its type is acknowledged, or the relay retries the type",
            ),
        };
        plain(reason, detail, Some(frees_when.to_owned()))
    }
}

/// The answer for a job that waits for a rate. Of several the one that admits it last: all must have room.
fn held_by_rate(facts: &WhyFacts, now: Timestamp) -> Option<Why> {
    let held = facts.rates.iter().filter(|level| level.can_start_at > now);
    let RateLevel { code, rate, can_start_at } = held.max_by_key(|level| level.can_start_at)?;
    let ahead = facts.rank;
    Some(Why {
        reason: *code,
        detail: format!("The rate {rate} is used up by earlier starts; {ahead} jobs are ahead in its lane."),
        level: None,
        rank: Some(ahead),
        rate: Some(*rate),
        can_start_at: Some(*can_start_at),
        frees_when: Some(can_start_at.to_string()),
    })
}

/// The job waits for a worker of a build that its type is pinned to.
fn no_worker_of_build(pinned: &PinFacts, has_others: bool) -> Why {
    let builds: Vec<&str> = pinned.builds.iter().map(CallerKey::as_str).collect();
    let others = if has_others { "; workers of other builds have" } else { "" };
    Why {
        reason: WhyReason::NoWorkerOfBuild,
        detail: format!(
            "The job type is pinned to the builds {}, and no worker that runs one of them has polled for it recently{others}.",
            builds.join(", ")
        ),
        level: None,
        rank: None,
        rate: None,
        can_start_at: None,
        frees_when: Some("a worker of such a build polls for it, or the job type is unpinned".into()),
    }
}

/// The job waits for a worker that takes what is offered.
fn offered(until: Timestamp, offers_returned: u32) -> Why {
    let returned = returned(offers_returned);
    Why {
        reason: WhyReason::Offered,
        detail: format!(
            "The job is published to Kafka and waits for a worker to accept it, until {until}{returned}."
        ),
        level: None,
        rank: None,
        rate: None,
        can_start_at: None,
        frees_when: Some("a consumer of its topic accepts it".into()),
    }
}

/// What is said of a job that waits for its turn.
fn behind(facts: &WhyFacts) -> String {
    let returned = returned(facts.offers_returned);
    format!("{} jobs are ahead in the same lane; other lanes take turns with it{returned}.", facts.rank)
}

/// What is said of offers that nobody took.
fn returned(offers: u32) -> String {
    match offers {
        0 => String::new(),
        1 => "; an earlier offer was returned, because no consumer accepted it".to_owned(),
        offers => format!("; {offers} earlier offers were returned, because no consumer accepted them"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> WhyFacts {
        WhyFacts {
            status: JobStatus::Queued,
            run_at: Timestamp(0),
            paused: None,
            levels: vec![LimitLevel { code: WhyReason::LimitGlobal, limit: 2, running: 1, holders: vec![] }],
            rates: Vec::new(),
            has_worker: true,
            pinned: None,
            rank: 4,
            offered_until: None,
            offers_returned: 0,
            unoffered: None,
        }
    }

    #[test]
    fn the_rate_that_admits_last_is_the_reason() {
        let level = |code, at| RateLevel {
            code,
            rate: Rate::parse("2/1m").expect("valid"),
            can_start_at: Timestamp(at),
        };
        let rates = vec![
            level(WhyReason::RateGlobal, 20),
            level(WhyReason::RateTenant, 30),
            level(WhyReason::RateJobType, 10),
        ];
        let answer = why(&WhyFacts { rates: rates.clone(), ..facts() }, Timestamp(10));
        assert_eq!((answer.reason, answer.can_start_at), (WhyReason::RateTenant, Some(Timestamp(30))));
        assert_eq!(answer.rank, Some(4));
        assert_eq!(why(&WhyFacts { rates, ..facts() }, Timestamp(30)).reason, WhyReason::Behind);
    }

    #[test]
    fn what_a_relay_reports_of_a_topic_is_a_reason() {
        assert_eq!(WhyReason::TopicNotCreated.as_str(), crate::dispatch::TOPIC_NOT_CREATED);
        assert_eq!(WhyReason::NotAcknowledged.as_str(), crate::dispatch::NOT_ACKNOWLEDGED);
    }

    #[test]
    fn reasons_come_in_order() {
        let now = Timestamp(10);
        assert_eq!(why(&facts(), now).reason, WhyReason::Behind);
        let offered = why(&WhyFacts { offered_until: Some(now), offers_returned: 2, ..facts() }, now);
        assert_eq!(offered.reason, WhyReason::Offered);
        for (unoffered, reason) in [
            (Unoffered::Draining, WhyReason::DispatchDraining),
            (Unoffered::NoRelay, WhyReason::NoRelay),
            (Unoffered::BrokerAway(now), WhyReason::BrokerAway),
            (Unoffered::NoTopic(now), WhyReason::TopicNotCreated),
            (Unoffered::NotAcknowledged(now), WhyReason::NotAcknowledged),
        ] {
            let facts = WhyFacts { unoffered: Some(unoffered), ..facts() };
            assert_eq!(why(&facts, now).reason, reason);
            let limited = WhyFacts { paused: Some("queue q".into()), ..facts };
            assert_eq!(why(&limited, now).reason, WhyReason::QueuePaused);
        }
        assert!(offered.detail.contains("2 earlier offers"), "{}", offered.detail);
        assert_eq!(why(&WhyFacts { has_worker: false, ..facts() }, now).reason, WhyReason::NoWorker);
        let pinned = |has_worker| Some(PinFacts { builds: vec![CallerKey::trusted("v2")], has_worker });
        let held = why(&WhyFacts { pinned: pinned(false), ..facts() }, now);
        assert_eq!(held.reason, WhyReason::NoWorkerOfBuild);
        assert!(held.detail.contains("builds v2") && held.detail.contains("other builds"), "{}", held.detail);
        assert_eq!(why(&WhyFacts { pinned: pinned(true), ..facts() }, now).reason, WhyReason::Behind);
        let full = vec![LimitLevel {
            code: WhyReason::LimitTenant,
            limit: 2,
            running: 2,
            holders: vec!["job_1".into()],
        }];
        assert_eq!(
            why(&WhyFacts { levels: full.clone(), has_worker: false, ..facts() }, now).reason,
            WhyReason::LimitTenant
        );
        assert_eq!(
            why(&WhyFacts { levels: full, paused: Some("queue q".into()), ..facts() }, now).reason,
            WhyReason::QueuePaused
        );
        let later = WhyFacts {
            status: JobStatus::RetryWait,
            run_at: Timestamp(11),
            paused: Some("workflow w".into()),
            ..facts()
        };
        assert_eq!(why(&later, now).reason, WhyReason::NotDue);
    }
}
