//! From what was measured to the values of a rule, each with its labels.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::alerting::{AlertMetric, AlertRule, Labels, Sample};
use domain::dispatch::HeldType;
use domain::id::WebhookId;
use domain::names::{JobType, TenantName, WorkflowName};
use domain::queue::{LaneKey, QueueName, Tier};
use domain::scaling::QueueLoad;
use domain::time::{DurationMs, Timestamp};
use store::alerts::{Measured, RecentLane};

/// From how many attempts or deliveries on a share says something.
const SHARE_OF_MIN: u64 = 20;

/// All that rules look at, of one instant.
pub(super) struct Measures {
    pub(super) now: Timestamp,
    pub(super) loads: Vec<(QueueName, Arc<QueueLoad>)>,
    /// Queued jobs by queue and tier, also beyond what a load counts.
    pub(super) depths: BTreeMap<(QueueName, Tier), u64>,
    /// Lanes whose jobs no worker takes, and since when the oldest has waited.
    pub(super) without_worker: Vec<(LaneKey, Timestamp)>,
    /// Nodes whose relays do not reach the broker, and since when.
    pub(super) without_broker: Vec<(String, Timestamp)>,
    /// Job types of which relays make no offers, and since when.
    pub(super) held_types: Vec<HeldType>,
    /// By the span over which it was measured.
    pub(super) measured: BTreeMap<DurationMs, Measured>,
}

impl Measures {
    /// The values of a rule.
    pub(super) fn samples(&self, rule: &AlertRule) -> Vec<Sample> {
        match rule.metric {
            AlertMetric::OldestAge => self.by_tier(rule, |measures, _, lanes| {
                let oldest = lanes.iter().filter_map(|lane| lane.oldest_at).min()?;
                Some(measures.now.since(oldest).0.max(0) as f64)
            }),
            AlertMetric::Depth => self.by_tier(rule, |measures, key, lanes| {
                let counted: u64 = lanes.iter().map(|lane| lane.queued + lane.blocked).sum();
                let is_whole = rule.scope.fields().all(|(name, _)| name == "queue");
                let depth = if is_whole { measures.depths.get(&key).copied().unwrap_or(0) } else { 0 };
                Some(counted.max(depth) as f64)
            }),
            AlertMetric::LimitHeld => self.held(rule),
            AlertMetric::NoWorker => self.without_worker(rule),
            AlertMetric::BrokerAway => self.without_broker(rule),
            AlertMetric::TypeHeld => self.held_types(rule),
            AlertMetric::DiskUsed => {
                self.of_database(rule, &[("node", "database")], |measured| measured.disk_used)
            }
            AlertMetric::LogBytes => {
                self.of_database(rule, &[], |measured| measured.log_bytes.map(|bytes| bytes as f64))
            }
            _ => self.measured_of(rule).map_or_else(Vec::new, |measured| self.recent(rule, measured)),
        }
    }

    fn recent(&self, rule: &AlertRule, measured: &Measured) -> Vec<Sample> {
        match rule.metric {
            AlertMetric::WaitP99 => wait_p99(rule, measured),
            AlertMetric::ErrorRate => error_rate(rule, measured),
            AlertMetric::DeliveryRejectedRate => {
                let of = |(id, tenant, received, rejected): &(WebhookId, TenantName, u64, u64)| {
                    let id = id.to_string();
                    let labels = of_scope(rule, &[("webhookId", id.as_str())]);
                    let known = with(&labels, &[("tenant", tenant.as_str())]);
                    let is_meant = *received >= SHARE_OF_MIN && rule.scope.has(&known);
                    is_meant.then(|| Sample { labels, value: *rejected as f64 / *received as f64 })
                };
                measured.deliveries.iter().filter_map(of).collect()
            }
            AlertMetric::ScheduleLate => {
                let of = |late: &store::alerts::LateSchedule| {
                    let labels = of_scope(rule, &[("scheduleId", late.id.as_str())]);
                    let known = with(
                        &labels,
                        &[("tenant", late.tenant.as_str()), ("workflow", late.workflow.as_str())],
                    );
                    let value = self.now.since(late.due_at).0.max(0) as f64;
                    rule.scope.has(&known).then_some(Sample { labels, value })
                };
                measured.late.iter().filter_map(of).collect()
            }
            AlertMetric::DeadLetterGrowth => dead_letter_growth(rule, measured),
            _ => Vec::new(),
        }
    }

    fn measured_of(&self, rule: &AlertRule) -> Option<&Measured> {
        let over = rule.measured_over().or_else(|| AlertMetric::WaitP99.window_default())?;
        self.measured.get(&over)
    }

    fn of_database(
        &self,
        rule: &AlertRule,
        of: &[(&str, &str)],
        value: impl Fn(&Measured) -> Option<f64>,
    ) -> Vec<Sample> {
        let value = self.measured_of(rule).and_then(value);
        value.map(|value| Sample { labels: of_scope(rule, of), value }).into_iter().collect()
    }

    /// One value for each queue and tier in which jobs wait.
    fn by_tier(
        &self,
        rule: &AlertRule,
        value: impl Fn(&Self, (QueueName, Tier), &[&domain::scaling::LaneLoad]) -> Option<f64>,
    ) -> Vec<Sample> {
        let mut samples = Vec::new();
        for (queue, load) in &self.loads {
            for tier in Tier::ALL {
                let is_meant = |lane: &&domain::scaling::LaneLoad| {
                    lane.key.tier == tier
                        && lane.queued + lane.blocked > 0
                        && rule.scope.has(&of_lane(&lane.key))
                };
                let lanes: Vec<_> = load.lanes.iter().filter(is_meant).collect();
                if lanes.is_empty() {
                    continue;
                }
                let labels = of_scope(rule, &[("queue", queue.as_str()), ("tier", tier.as_str())]);
                samples.extend(value(self, (*queue, tier), &lanes).map(|value| Sample { labels, value }));
            }
        }
        samples
    }

    /// Limits that keep jobs waiting now. For how long is counted from when the rule first sees them.
    fn held(&self, rule: &AlertRule) -> Vec<Sample> {
        let mut samples = Vec::new();
        for (queue, load) in &self.loads {
            let scopes = load.full_limits().scopes();
            for (scope, count) in scopes.into_iter().filter(|(_, count)| *count > 0) {
                let labels = of_scope(rule, &[("queue", queue.as_str()), ("scope", scope)]);
                if rule.scope.has(&labels) {
                    samples.push(Sample { labels, value: count as f64 });
                }
            }
        }
        samples
    }

    fn without_worker(&self, rule: &AlertRule) -> Vec<Sample> {
        let mut oldest: BTreeMap<&str, Timestamp> = BTreeMap::new();
        for (key, since) in self.without_worker.iter().filter(|(key, _)| rule.scope.has(&of_lane(key))) {
            let known = oldest.entry(key.job_type.as_str()).or_insert(*since);
            *known = (*since).min(*known);
        }
        let of = |(job_type, since): (&str, Timestamp)| Sample {
            labels: of_scope(rule, &[("jobType", job_type)]),
            value: self.now.since(since).0.max(0) as f64,
        };
        oldest.into_iter().map(of).collect()
    }

    fn without_broker(&self, rule: &AlertRule) -> Vec<Sample> {
        let of = |(node, since): &(String, Timestamp)| {
            let labels = of_scope(rule, &[("node", node.as_str())]);
            let value = self.now.since(*since).0.max(0) as f64;
            rule.scope.has(&labels).then_some(Sample { labels, value })
        };
        self.without_broker.iter().filter_map(of).collect()
    }

    fn held_types(&self, rule: &AlertRule) -> Vec<Sample> {
        let of = |held: &HeldType| {
            let labels = of_scope(rule, &[("jobType", held.job_type.as_str())]);
            let value = self.now.since(held.since).0.max(0) as f64;
            let queue = QueueName::Node.as_str();
            rule.scope.has(&with(&labels, &[("queue", queue)])).then_some(Sample { labels, value })
        };
        self.held_types.iter().filter_map(of).collect()
    }
}

fn wait_p99(rule: &AlertRule, measured: &Measured) -> Vec<Sample> {
    let mut waits: BTreeMap<(QueueName, Tier), Vec<i64>> = BTreeMap::new();
    for lane in &measured.recent {
        if rule.scope.has(&of_recent(lane)) {
            waits.entry((lane.queue, lane.tier)).or_default().extend(lane.waits.iter().map(|wait| wait.0));
        }
    }
    let of = |((queue, tier), mut waits): ((QueueName, Tier), Vec<i64>)| {
        waits.sort_unstable();
        let rank = (waits.len() * 99).div_ceil(100).saturating_sub(1);
        let value = waits.get(rank).copied().unwrap_or(0) as f64;
        Sample { labels: of_scope(rule, &[("queue", queue.as_str()), ("tier", tier.as_str())]), value }
    };
    waits.into_iter().map(of).collect()
}

fn error_rate(rule: &AlertRule, measured: &Measured) -> Vec<Sample> {
    let mut by_type: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for lane in &measured.recent {
        if rule.scope.has(&of_recent(lane)) {
            let (attempts, failed) = by_type.entry(lane.job_type.as_str()).or_default();
            *attempts += lane.attempts;
            *failed += lane.failed;
        }
    }
    let enough = by_type.into_iter().filter(|(_, (attempts, _))| *attempts >= SHARE_OF_MIN);
    let of = |(job_type, (attempts, failed)): (&str, (u64, u64))| Sample {
        labels: of_scope(rule, &[("jobType", job_type)]),
        value: failed as f64 / attempts as f64,
    };
    enough.map(of).collect()
}

fn dead_letter_growth(rule: &AlertRule, measured: &Measured) -> Vec<Sample> {
    let mut by_error: BTreeMap<&str, u64> = BTreeMap::new();
    for new in &measured.dead_letters {
        if rule.scope.has(&of_jobs(new.queue, &new.tenant, new.workflow.as_ref(), &new.job_type)) {
            *by_error.entry(new.fingerprint.as_str()).or_default() += new.letters;
        }
    }
    let of = |(fingerprint, letters): (&str, u64)| Sample {
        labels: of_scope(rule, &[("fingerprint", fingerprint)]),
        value: letters as f64,
    };
    by_error.into_iter().map(of).collect()
}

fn of_lane(key: &LaneKey) -> Labels {
    of_jobs(key.queue, &key.tenant, key.workflow.as_ref().map(|workflow| &workflow.name), &key.job_type)
}

fn of_recent(lane: &RecentLane) -> Labels {
    of_jobs(lane.queue, &lane.tenant, lane.workflow.as_ref(), &lane.job_type)
}

/// What the scope of a rule is compared with, of jobs that are alike.
fn of_jobs(
    queue: QueueName,
    tenant: &TenantName,
    workflow: Option<&WorkflowName>,
    job_type: &JobType,
) -> Labels {
    let mut all =
        labels(&[("queue", queue.as_str()), ("tenant", tenant.as_str()), ("jobType", job_type.as_str())]);
    if let Some(workflow) = workflow {
        all.insert("workflow".to_owned(), workflow.to_string());
    }
    all
}

fn labels(of: &[(&str, &str)]) -> Labels {
    of.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// The labels of an alert: the fields of the rule's scope, and what tells its alerts apart.
fn of_scope(rule: &AlertRule, per: &[(&str, &str)]) -> Labels {
    let mut all: Labels =
        rule.scope.fields().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    all.extend(labels(per));
    all
}

fn with(known: &Labels, more: &[(&str, &str)]) -> Labels {
    let mut all = known.clone();
    all.extend(labels(more));
    all
}

#[cfg(test)]
mod tests {
    use domain::alerting::{AlertScope, default_rules};
    use domain::claim::LimitTable;
    use domain::limits::QueueLimits;
    use domain::queue::WorkflowRef;
    use domain::scaling::LaneLoad;
    use store::alerts::{LateSchedule, NewDeadLetters};
    use uuid::Uuid;

    use super::*;

    const NOW: Timestamp = Timestamp(10_000_000);
    const LATELY: DurationMs = DurationMs::from_secs(300);

    fn ago(seconds: i64) -> Timestamp {
        NOW.minus(DurationMs::from_secs(seconds))
    }

    fn measures(measured: Measured) -> Measures {
        Measures {
            now: NOW,
            loads: Vec::new(),
            depths: BTreeMap::new(),
            without_worker: Vec::new(),
            without_broker: Vec::new(),
            held_types: Vec::new(),
            measured: BTreeMap::from([(LATELY, measured)]),
        }
    }

    fn rule(metric: AlertMetric) -> AlertRule {
        default_rules().into_iter().find(|rule| rule.metric == metric).expect("each metric has a rule")
    }

    /// What a rule sees: labels as text, and the value.
    fn seen(measures: &Measures, rule: &AlertRule) -> Vec<(String, f64)> {
        let text = |labels: &Labels| {
            labels.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
        };
        measures.samples(rule).iter().map(|sample| (text(&sample.labels), sample.value)).collect()
    }

    fn ended(job_type: &str, attempts: u64, failed: u64, waits: std::ops::Range<i64>) -> RecentLane {
        RecentLane {
            queue: QueueName::Node,
            tier: Tier::Normal,
            tenant: TenantName::trusted("acme"),
            workflow: Some(WorkflowName::trusted("films")),
            job_type: JobType::trusted(job_type),
            attempts,
            failed,
            waits: waits.map(DurationMs::from_secs).collect(),
        }
    }

    #[test]
    fn jobs_that_ended_lately_are_looked_at_by_tier_and_by_type() {
        let recent = vec![ended("encode", 60, 30, 1..101), ended("rare", 19, 19, 0..0)];
        let measures = measures(Measured { recent, ..Measured::default() });
        let waits = seen(&measures, &rule(AlertMetric::WaitP99));
        assert_eq!(waits, [("queue=workflow-node tier=normal".to_owned(), 99_000.0)]);
        let failing = seen(&measures, &rule(AlertMetric::ErrorRate));
        assert_eq!(failing, [("jobType=encode".to_owned(), 0.5)], "of fewer than 20 a share says nothing");
        let scope = AlertScope { tenant: Some("umbrella".to_owned()), ..AlertScope::default() };
        let of_another = AlertRule { scope, ..rule(AlertMetric::ErrorRate) };
        assert_eq!(seen(&measures, &of_another), []);
        for metric in [AlertMetric::WaitP99, AlertMetric::ErrorRate] {
            let count = |workflow: &str| seen(&measures, &of_workflow(metric, workflow)).len();
            assert_eq!((count("films"), count("bills")), (1, 0), "{metric:?}");
        }
    }

    fn of_workflow(metric: AlertMetric, workflow: &str) -> AlertRule {
        let scope = AlertScope { workflow: Some(workflow.to_owned()), ..AlertScope::default() };
        AlertRule { scope, ..rule(metric) }
    }

    fn letters(fingerprint: &str, tenant: &str, letters: u64) -> NewDeadLetters {
        NewDeadLetters {
            fingerprint: fingerprint.to_owned(),
            queue: QueueName::Node,
            tenant: TenantName::trusted(tenant),
            workflow: None,
            job_type: JobType::trusted("encode"),
            letters,
        }
    }

    #[test]
    fn letters_of_an_error_add_up_over_those_that_a_rule_is_about() {
        let dead_letters = vec![letters("f1", "acme", 4), letters("f1", "umbrella", 7)];
        let measures = measures(Measured { dead_letters, ..Measured::default() });
        let all = rule(AlertMetric::DeadLetterGrowth);
        assert_eq!(seen(&measures, &all), [("fingerprint=f1".to_owned(), 11.0)]);
        let scope = AlertScope { tenant: Some("acme".to_owned()), ..AlertScope::default() };
        let of_one = AlertRule { scope, ..all };
        assert_eq!(seen(&measures, &of_one), [("fingerprint=f1 tenant=acme".to_owned(), 4.0)]);
        assert_eq!(seen(&measures, &of_workflow(AlertMetric::DeadLetterGrowth, "films")), []);
    }

    #[test]
    fn letters_deliveries_schedules_disk_and_log_are_looked_at_one_by_one() {
        let webhook = |number| WebhookId::from_uuid(Uuid::from_u128(number));
        let tenant = || TenantName::trusted("acme");
        let late = LateSchedule {
            id: "sch_1".to_owned(),
            tenant: tenant(),
            workflow: "report".to_owned(),
            due_at: ago(90),
        };
        let measures = measures(Measured {
            dead_letters: vec![letters("f1", "acme", 11), letters("f2", "acme", 2)],
            deliveries: vec![(webhook(1), tenant(), 40, 30), (webhook(2), tenant(), 19, 19)],
            late: vec![late],
            log_bytes: Some(7),
            disk_used: Some(0.95),
            ..Measured::default()
        });
        for (metric, expected) in [
            (
                AlertMetric::DeadLetterGrowth,
                vec![("fingerprint=f1".to_owned(), 11.0), ("fingerprint=f2".to_owned(), 2.0)],
            ),
            (AlertMetric::DeliveryRejectedRate, vec![(format!("webhookId={}", webhook(1)), 0.75)]),
            (AlertMetric::ScheduleLate, vec![("scheduleId=sch_1".to_owned(), 90_000.0)]),
            (AlertMetric::DiskUsed, vec![("node=database".to_owned(), 0.95)]),
            (AlertMetric::LogBytes, vec![(String::new(), 7.0)]),
        ] {
            assert_eq!(seen(&measures, &rule(metric)), expected, "{metric:?}");
        }
    }

    fn waiting(tier: Tier, queued: u64, oldest_at: Timestamp) -> LaneLoad {
        let key = LaneKey {
            queue: QueueName::Node,
            tier,
            tenant: TenantName::trusted("acme"),
            workflow: None,
            job_type: JobType::trusted("encode"),
            rate_key: None,
        };
        LaneLoad { key, queued, blocked: 0, processing: 2, offered: 0, oldest_at: Some(oldest_at) }
    }

    #[test]
    fn what_waits_is_looked_at_by_tier_limit_and_type() {
        let limits = QueueLimits { global: Some(4), ..QueueLimits::default() };
        let load = QueueLoad {
            lanes: vec![waiting(Tier::High, 3, ago(400)), waiting(Tier::Low, 1, ago(10))],
            limits: LimitTable::resolve(limits, &[], &[]),
            is_paused: false,
            paused: Vec::new(),
            is_exact: true,
            starts: BTreeMap::new(),
            as_of: NOW,
        };
        let workflow = WorkflowRef { owner: None, name: WorkflowName::trusted("films") };
        let film = LaneKey { workflow: Some(workflow), ..waiting(Tier::High, 1, ago(130)).key };
        let measures = Measures {
            loads: vec![(QueueName::Node, Arc::new(load))],
            without_worker: vec![(film, ago(130)), (waiting(Tier::Low, 1, ago(90)).key, ago(90))],
            ..measures(Measured::default())
        };
        let tier = |tier: &str, value: f64| (format!("queue=workflow-node tier={tier}"), value);
        for (metric, expected) in [
            (AlertMetric::OldestAge, vec![tier("high", 400_000.0), tier("low", 10_000.0)]),
            (AlertMetric::Depth, vec![tier("high", 3.0), tier("low", 1.0)]),
            (AlertMetric::LimitHeld, vec![("queue=workflow-node scope=global".to_owned(), 1.0)]),
            (AlertMetric::NoWorker, vec![("jobType=encode".to_owned(), 130_000.0)]),
        ] {
            assert_eq!(seen(&measures, &rule(metric)), expected, "{metric:?}");
        }
        let of_films = seen(&measures, &of_workflow(AlertMetric::NoWorker, "films"));
        assert_eq!(of_films, [("jobType=encode workflow=films".to_owned(), 130_000.0)]);
        assert_eq!(seen(&measures, &of_workflow(AlertMetric::NoWorker, "bills")), []);
    }
}
