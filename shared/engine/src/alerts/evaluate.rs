//! One evaluation of all rules, by the node that has the turn.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use domain::alerting::{
    Alert, AlertMetric, AlertRule, AlertStatus, Change, Labels, Silence, silenced_by, step,
};
use domain::id::{AlertId, NotificationId};
use domain::queue::QueueName;
use domain::retention::RetentionSubject;
use domain::time::{DurationMs, Timestamp};
use store::alerts::{Evaluated, Notification, NotificationStatus, labels_text};
use store::dispatch::DispatchNode;
use store::wakeup::Hint;

use super::routes::StoredRoute;
use super::samples::Measures;
use super::stored::{alert_json, body_text};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// For how many evaluations a node that stops answering keeps the turn.
const TURNS: i64 = 3;
/// The least time for which it does.
const TURN_MIN: DurationMs = DurationMs::from_secs(10);
/// How much of what is over is removed at once.
const PRUNED_AT_ONCE: u32 = 500;

impl Engine {
    /// Evaluates all rules, if this node has or gets the turn. Answers whether it did.
    pub async fn alerts_tick(&self) -> Result<bool, EngineError> {
        let (holder, now) = (self.process(), self.now());
        let every = self.policy().alerts.evaluate_every;
        let until = now.plus(DurationMs(every.0 * TURNS).max(TURN_MIN));
        if !self.store().take_alert_turn(holder, until, now).await? {
            return Ok(false);
        }
        let rules = self.rules_in_force().await?;
        let measures = self.measures(&rules).await?;
        let evaluation = Evaluation {
            engine: self,
            now: measures.now,
            silences: self.store().silences(now).await?,
            routes: self.routes_in_force().await?,
        };
        let open = self.store().open_alerts().await?;
        let before: HashMap<AlertId, AlertStatus> =
            open.iter().map(|alert| (alert.id, alert.status)).collect();
        let mut evaluated = evaluation.of(&rules, &measures, open);
        evaluation.send_ends(&rules, self.store().silenced_ends().await?, &mut evaluated);
        let is_written = self.store().commit_alerts(holder, &evaluated, self.now()).await?;
        let is_new_status = |alert: &Alert| before.get(&alert.id) != Some(&alert.status);
        if is_written && (!evaluated.drop.is_empty() || evaluated.keep.iter().any(is_new_status)) {
            self.wake(&[Hint::Alerts]);
        }
        let before = self.retention_now(now).await?.before(RetentionSubject::Alerts);
        self.store().prune_alerts(before.unwrap_or(Timestamp(0)), PRUNED_AT_ONCE).await?;
        Ok(is_written)
    }

    async fn measures(&self, rules: &[AlertRule]) -> Result<Measures, EngineError> {
        let now = self.now();
        let (mut loads, mut depths) = (Vec::new(), BTreeMap::new());
        for queue in QueueName::ALL {
            let load = Arc::new(self.store().queue_load(queue, now).await?);
            let counted =
                if load.is_exact { None } else { Some(self.queue_figures(&Caller::system(), queue).await?) };
            for tier in counted.into_iter().flat_map(|figures| figures.tiers) {
                depths.insert((queue, tier.tier), tier.queued);
            }
            loads.push((queue, load));
        }
        let windows: BTreeSet<DurationMs> = rules
            .iter()
            .filter(|rule| rule.enabled)
            .filter_map(AlertRule::measured_over)
            .chain(AlertMetric::WaitP99.window_default())
            .collect();
        let mut measured = BTreeMap::new();
        for window in windows {
            measured.insert(window, self.store().measure_alerts(now.minus(window), now).await?);
        }
        let nodes = loads.iter().find(|(queue, _)| *queue == QueueName::Node);
        let without_worker = match nodes {
            Some((_, load)) => self.lanes_without_worker(load).await?,
            None => Vec::new(),
        };
        let relays = self.relays(now).await?;
        let away = relays.iter().filter_map(|node| Some((node.name.clone(), node.broker_away_since?)));
        let without_broker = away.collect();
        let held_types = relays.into_iter().flat_map(|node| node.figures.held).collect();
        Ok(Measures { now, loads, depths, without_worker, without_broker, held_types, measured })
    }

    /// The nodes that are there. None where workers poll.
    async fn relays(&self, now: Timestamp) -> Result<Vec<DispatchNode>, EngineError> {
        if self.policy().dispatch.is_none() {
            return Ok(Vec::new());
        }
        Ok(self.store().dispatch_nodes(now).await?)
    }
}

/// One evaluation.
struct Evaluation<'a> {
    engine: &'a Engine,
    now: Timestamp,
    silences: Vec<Silence>,
    routes: BTreeMap<String, StoredRoute>,
}

impl Evaluation<'_> {
    fn of(&self, rules: &[AlertRule], measures: &Measures, open: Vec<Alert>) -> Evaluated {
        let mut evaluated = Evaluated::default();
        let mut known: HashMap<(String, String), Alert> =
            open.into_iter().map(|alert| ((alert.rule.clone(), labels_text(&alert.labels)), alert)).collect();
        for rule in rules.iter().filter(|rule| rule.enabled) {
            let mut seen = BTreeSet::new();
            for sample in measures.samples(rule) {
                let labels = labels_text(&sample.labels);
                if seen.insert(labels.clone()) {
                    let alert = known.remove(&(rule.name.clone(), labels));
                    self.look(rule, &sample.labels, Some(sample.value), alert.as_ref(), &mut evaluated);
                }
            }
            let gone: Vec<Alert> =
                known.extract_if(|(name, _), _| *name == rule.name).map(|(_, alert)| alert).collect();
            for alert in gone {
                self.look(rule, &alert.labels, None, Some(&alert), &mut evaluated);
            }
        }
        // What no rule looks at any more.
        for mut alert in known.into_values() {
            if alert.status == AlertStatus::Pending {
                evaluated.drop.push(alert.id);
                continue;
            }
            alert.status = AlertStatus::Resolved;
            alert.resolved_at = Some(self.now);
            self.keep(&[], alert, &mut evaluated);
        }
        evaluated
    }

    /// Sends the ends of alerts that ended under a silence which holds no longer: whoever was notified that they fire would
    /// believe it for ever.
    fn send_ends(&self, rules: &[AlertRule], ended: Vec<Alert>, evaluated: &mut Evaluated) {
        for alert in ended {
            if silenced_by(&self.silences, &alert, self.now).is_some() {
                continue;
            }
            let rule = rules.iter().find(|rule| rule.name == alert.rule);
            let routes = rule.map(|rule| rule.routes.as_slice()).unwrap_or_default();
            self.keep(routes, alert, evaluated);
        }
    }

    fn look(
        &self,
        rule: &AlertRule,
        labels: &Labels,
        value: Option<f64>,
        known: Option<&Alert>,
        evaluated: &mut Evaluated,
    ) {
        let new = || AlertId::from_uuid(self.engine.entropy().uuid(self.now));
        match step(rule, labels, value, known, self.now, new) {
            Change::None => {}
            Change::Drop(id) => evaluated.drop.push(id),
            Change::Keep(alert) => self.keep(&rule.routes, *alert, evaluated),
        }
    }

    /// Decides who is notified, and keeps the alert.
    fn keep(&self, routes: &[String], mut alert: Alert, evaluated: &mut Evaluated) {
        let was_silenced = alert.silenced_by.is_some();
        alert.silenced_by = silenced_by(&self.silences, &alert, self.now);
        let routes = routes.iter().filter_map(|name| self.routes.get(name));
        if alert.silenced_by.is_none() {
            let first = alert.notified_at.is_none();
            match alert.status {
                AlertStatus::Pending => {}
                AlertStatus::Firing => {
                    let is_due = |of: &&StoredRoute| {
                        let again = |every| alert.is_due_again(every, self.now);
                        first || was_silenced || of.route.repeat_every.is_some_and(again)
                    };
                    let due: Vec<&StoredRoute> = routes.filter(is_due).collect();
                    if first || !due.is_empty() {
                        alert.notified_at = Some(self.now);
                    }
                    self.notify("alert.firing", &alert, due.into_iter(), evaluated);
                }
                AlertStatus::Resolved if first => {}
                AlertStatus::Resolved => {
                    let wanted = routes.filter(|of| of.route.send_resolved);
                    self.notify("alert.resolved", &alert, wanted, evaluated);
                }
            }
        }
        evaluated.keep.push(alert);
    }

    fn notify<'r>(
        &self,
        kind: &str,
        alert: &Alert,
        routes: impl Iterator<Item = &'r StoredRoute>,
        evaluated: &mut Evaluated,
    ) {
        let body = body_text(kind, &alert_json(alert), self.now);
        evaluated.notify.extend(routes.map(|of| Notification {
            id: NotificationId::from_uuid(self.engine.entropy().uuid(self.now)),
            alert_id: Some(alert.id),
            route: of.route.name.clone(),
            kind: kind.to_owned(),
            body: body.clone(),
            status: NotificationStatus::Pending,
            tries: 0,
            due_at: self.now,
            error: None,
            created_at: self.now,
            sent_at: None,
        }));
    }
}
