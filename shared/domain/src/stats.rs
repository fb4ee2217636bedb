//! Figures of queues over time: how much was done in each minute or hour, and how long it took.
//!
//! Durations are kept in histograms of fixed buckets, so that those of many rows, tenants and processes add up, and
//! percentiles are taken from the sum.

use crate::names::{TenantName, WorkflowName};
use crate::queue::{QueueName, Tier};
use crate::time::{DurationMs, Timestamp};

/// Upper bounds of the buckets of a histogram, in milliseconds, included. A last bucket has what is longer.
pub const BUCKET_BOUNDS_MS: [i64; 17] =
    [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 1_800_000];
/// How many buckets a histogram has.
pub const BUCKETS: usize = BUCKET_BOUNDS_MS.len() + 1;
/// How many points a series has at most.
pub const POINTS_MAX: i64 = 1_500;

/// Durations, by bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Histogram(pub [u64; BUCKETS]);

impl Histogram {
    /// Counts a duration.
    pub fn add(&mut self, span: DurationMs) {
        self.0[BUCKET_BOUNDS_MS.partition_point(|bound| *bound < span.0)] += 1;
    }

    /// Counts what another one has counted, too.
    pub fn merge(&mut self, other: &Self) {
        for (own, more) in self.0.iter_mut().zip(other.0) {
            *own += more;
        }
    }

    /// How many were counted.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The duration below which this share of them lies (0 to 1), as if those of a bucket were spread evenly over it. Of
    /// the last bucket its lower bound. `None` where nothing was counted.
    pub fn percentile(&self, share: f64) -> Option<DurationMs> {
        let total = self.total();
        if total == 0 {
            return None;
        }
        let wanted = share.clamp(0.0, 1.0) * total as f64;
        let mut below = 0_u64;
        for (index, &count) in self.0.iter().enumerate() {
            if count > 0 && (below + count) as f64 >= wanted {
                let lower = index.checked_sub(1).map_or(0, |before| BUCKET_BOUNDS_MS[before]);
                let upper = BUCKET_BOUNDS_MS.get(index).copied().unwrap_or(lower);
                let within = ((wanted - below as f64) / count as f64).clamp(0.0, 1.0);
                return Some(DurationMs(lower + ((upper - lower) as f64 * within).round() as i64));
            }
            below += count;
        }
        None
    }
}

/// What was done in a span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Jobs that were stored.
    pub enqueued: u64,
    /// Leases that began.
    pub claimed: u64,
    /// Jobs that completed.
    pub completed: u64,
    /// Attempts that failed, the last ones too.
    pub failed: u64,
    /// Jobs that became dead letters.
    pub dead_lettered: u64,
    /// How long attempts that ended had run, together, in milliseconds.
    pub run_ms: u64,
    /// How long jobs waited for their claims.
    pub waits: Histogram,
    /// How long attempts ran.
    pub runs: Histogram,
    /// How long jobs took from their creation to their end.
    pub ends: Histogram,
}

impl Counts {
    /// Adds others.
    pub fn merge(&mut self, other: &Self) {
        self.enqueued += other.enqueued;
        self.claimed += other.claimed;
        self.completed += other.completed;
        self.failed += other.failed;
        self.dead_lettered += other.dead_lettered;
        self.run_ms += other.run_ms;
        self.waits.merge(&other.waits);
        self.runs.merge(&other.runs);
        self.ends.merge(&other.ends);
    }
}

/// What waited and ran when it was last looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Levels {
    /// Jobs that could be claimed.
    pub queued: u64,
    /// Leased jobs.
    pub processing: u64,
    /// How long the oldest had been claimable.
    pub oldest_age_ms: u64,
}

impl Levels {
    /// Adds others: what waits is summed, the oldest stays.
    pub fn merge(&mut self, other: &Self) {
        self.queued += other.queued;
        self.processing += other.processing;
        self.oldest_age_ms = self.oldest_age_ms.max(other.oldest_age_ms);
    }

    /// Whether nothing waits and nothing runs.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Of which jobs a row of figures is. Rows of a tenant, of a workflow and of both stand beside those of all, so that each
/// question is answered by one row for each instant, queue and tier.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StatKey {
    /// The queue.
    pub queue: QueueName,
    /// The tier.
    pub tier: Tier,
    /// Of one tenant; `None` of all.
    pub tenant: Option<TenantName>,
    /// Of one workflow; `None` of all jobs, those without a workflow too.
    pub workflow: Option<WorkflowName>,
}

impl StatKey {
    /// The rows that a job of this tenant and workflow counts for.
    pub fn with_sums(self) -> impl Iterator<Item = Self> {
        let Self { queue, tier, tenant, workflow } = self;
        let of = move |tenant, workflow| Self { queue, tier, tenant, workflow };
        let by_tenant = tenant.clone().map(|tenant| of(Some(tenant), None));
        let by_workflow = workflow.clone().map(|workflow| of(None, Some(workflow)));
        let by_both = tenant.zip(workflow).map(|(tenant, workflow)| of(Some(tenant), Some(workflow)));
        [Some(of(None, None)), by_tenant, by_workflow, by_both].into_iter().flatten()
    }
}

words! {
    /// How long the spans of a series are.
    #[derive(PartialOrd, Ord)]
    Step {
        /// A minute. Kept for a day.
        Minute "1m",
        /// An hour. Kept for 30 days.
        Hour "1h",
    }
}

impl Step {
    /// The number stored in rows: minutes. Never changes.
    pub const fn code(self) -> i16 {
        match self {
            Self::Minute => 1,
            Self::Hour => 60,
        }
    }

    /// How long it is, in milliseconds.
    pub const fn ms(self) -> i64 {
        self.code() as i64 * 60_000
    }

    /// For how long rows are kept: a step longer than they are shown, so that the oldest one shown is whole.
    pub const fn kept(self) -> DurationMs {
        match self {
            Self::Minute => DurationMs(25 * 3_600_000),
            Self::Hour => DurationMs((30 * 24 + 1) * 3_600_000),
        }
    }

    /// The beginning of the span that an instant lies in.
    pub const fn start_of(self, at: Timestamp) -> Timestamp {
        Timestamp(at.0 - at.0.rem_euclid(self.ms()))
    }
}

/// The spans that a series shows: from the one that `from` lies in up to the one before `to`, or with it where it has begun.
/// `None` where they are none or more than [`POINTS_MAX`].
pub fn points(step: Step, from: Timestamp, to: Timestamp) -> Option<Vec<Timestamp>> {
    let first = step.start_of(from).0;
    if to.0 <= first || (to.0 - first) / step.ms() > POINTS_MAX {
        return None;
    }
    Some((first..to.0).step_by(step.ms() as usize).map(Timestamp).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(spans: &[i64]) -> Histogram {
        let mut histogram = Histogram::default();
        for span in spans {
            histogram.add(DurationMs(*span));
        }
        histogram
    }

    #[test]
    fn percentiles_lie_within_the_bucket_of_the_value() {
        assert_eq!(Histogram::default().percentile(0.5), None);
        let spans: Vec<i64> = (1..=1_000).collect();
        let all = histogram(&spans);
        for (share, exact) in [(0.5, 500), (0.95, 950), (0.99, 990)] {
            let is = all.percentile(share).expect("there are some").0;
            assert!((is - exact).abs() <= 10, "{share}: {is}");
        }
        assert_eq!(histogram(&[0]).percentile(0.99), Some(DurationMs(1)));
        assert_eq!(histogram(&[9_000_000]).percentile(0.5), Some(DurationMs(1_800_000)), "its lower bound");
        assert_eq!(histogram(&[-5]).0[0], 1, "a clock that went back");
    }

    #[test]
    fn histograms_of_parts_are_the_histogram_of_the_whole() {
        let (one, other) = (histogram(&[1, 70, 4_000]), histogram(&[3, 80, 999_999]));
        let mut sum = one;
        sum.merge(&other);
        assert_eq!(sum, histogram(&[1, 70, 4_000, 3, 80, 999_999]));
        assert_eq!(sum.total(), 6);
    }

    #[test]
    fn a_job_counts_for_all_its_tenant_its_workflow_and_both() {
        let key = |tenant: Option<&str>, workflow: Option<&str>| StatKey {
            queue: QueueName::Node,
            tier: Tier::Normal,
            tenant: tenant.map(TenantName::trusted),
            workflow: workflow.map(WorkflowName::trusted),
        };
        let sums = |of: StatKey| of.with_sums().collect::<Vec<_>>();
        assert_eq!(
            sums(key(Some("a"), Some("w"))),
            [key(None, None), key(Some("a"), None), key(None, Some("w")), key(Some("a"), Some("w"))]
        );
        assert_eq!(sums(key(Some("a"), None)), [key(None, None), key(Some("a"), None)]);
        assert_eq!(sums(key(None, None)), [key(None, None)]);
    }

    #[test]
    fn series_have_whole_spans_and_an_end() {
        let at =
            |points: Option<Vec<Timestamp>>| points.map(|all| all.iter().map(|at| at.0).collect::<Vec<_>>());
        let minutes = |from, to| at(points(Step::Minute, Timestamp(from), Timestamp(to)));
        assert_eq!(minutes(60_000, 180_000), Some(vec![60_000, 120_000]));
        assert_eq!(minutes(61_000, 120_001), Some(vec![60_000, 120_000]));
        assert_eq!(minutes(60_000, 60_000), None);
        assert_eq!(minutes(0, 1_501 * 60_000), None);
        assert_eq!(at(points(Step::Hour, Timestamp(1), Timestamp(2))), Some(vec![0]));
        for step in Step::ALL {
            assert_eq!(Step::parse(step.as_str()), Some(step));
        }
    }
}
