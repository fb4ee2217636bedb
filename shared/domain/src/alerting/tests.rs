//! Tables of what rules and alerts do.

use uuid::Uuid;

use super::*;
use crate::id::{AlertId, SilenceId};
use crate::time::{DurationMs, Timestamp};

fn rule(hold: i64) -> AlertRule {
    let rules = default_rules();
    let depth = rules.into_iter().find(|rule| rule.metric == AlertMetric::Depth).expect("a default");
    AlertRule { threshold: Threshold::Number(10.0), hold: DurationMs::from_secs(hold), ..depth }
}

fn labels() -> Labels {
    Labels::from([("queue".to_owned(), "workflow-node".to_owned())])
}

/// Follows one alert over values at seconds; answers where it stands after each.
fn follow(rule: &AlertRule, values: &[(i64, Option<f64>)]) -> Vec<&'static str> {
    let mut known: Option<Alert> = None;
    let seen = values.iter().map(|&(at, value)| {
        let now = Timestamp(at * 1_000);
        let change =
            step(rule, &labels(), value, known.as_ref(), now, || AlertId::from_uuid(Uuid::from_u128(1)));
        match change {
            Change::None => "none",
            Change::Drop(_) => {
                known = None;
                "dropped"
            }
            Change::Keep(alert) => {
                let status = alert.status.as_str();
                known = (alert.status != AlertStatus::Resolved).then_some(*alert);
                status
            }
        }
    });
    seen.collect()
}

#[test]
fn it_fires_when_it_has_been_so_for_long_enough() {
    let values = [(0, Some(11.0)), (20, Some(11.0)), (30, Some(12.0)), (45, Some(12.0))];
    assert_eq!(follow(&rule(30), &values), ["pending", "pending", "firing", "firing"]);
    assert_eq!(follow(&rule(0), &[(0, Some(11.0))]), ["firing"], "at once where no time is asked for");
    assert_eq!(follow(&rule(30), &[(0, Some(10.0))]), ["none"], "the bound itself is not beyond it");
}

#[test]
fn what_is_over_before_it_fires_is_forgotten() {
    let values = [(0, Some(11.0)), (15, Some(9.0)), (30, Some(11.0)), (45, None)];
    assert_eq!(follow(&rule(30), &values), ["pending", "dropped", "pending", "dropped"]);
}

/// Between the bound and that of the end nothing changes, and the end takes as long as the beginning.
#[test]
fn it_resolves_with_hysteresis() {
    let values = [
        (0, Some(20.0)),
        (30, Some(20.0)),
        (45, Some(9.0)),
        (90, Some(9.0)),
        (100, Some(8.0)),
        (115, Some(9.0)),
        (120, Some(7.0)),
        (149, Some(7.0)),
        (150, Some(7.0)),
        (160, Some(7.0)),
    ];
    let seen = follow(&rule(30), &values);
    let firing = ["firing"; 7];
    assert_eq!(seen[..1], ["pending"]);
    assert_eq!(seen[1..8], firing);
    assert_eq!(seen[8..], ["resolved", "none"]);
    assert_eq!(follow(&rule(0), &[(0, Some(20.0)), (15, None)]), ["firing", "resolved"], "it is gone");
}

#[test]
fn a_rule_below_a_bound_is_the_same_upside_down() {
    let below = AlertRule { is_below: true, ..rule(0) };
    assert_eq!(
        follow(&below, &[(0, Some(9.0)), (15, Some(12.0)), (30, Some(12.5))]),
        ["firing", "firing", "resolved"]
    );
}

#[test]
fn what_is_counted_since_it_was_seen_fires_after_the_bound() {
    let held = AlertRule {
        metric: AlertMetric::LimitHeld,
        threshold: Threshold::Duration(DurationMs::from_secs(60)),
        ..rule(0)
    };
    let values = [(0, Some(1.0)), (59, Some(1.0)), (61, Some(1.0)), (90, Some(1.0)), (100, None)];
    assert_eq!(follow(&held, &values), ["pending", "pending", "firing", "firing", "resolved"]);
    assert_eq!(follow(&held, &[(0, Some(1.0)), (30, None)]), ["pending", "dropped"]);
}

#[test]
fn minutes_are_shown_without_milliseconds() {
    assert_eq!(AlertMetric::OldestAge.shown(621_186.0), "10m21s");
    assert_eq!(AlertMetric::OldestAge.shown(1_500.0), "1s500ms");
}

#[test]
fn default_rules_are_sound() {
    for rule in default_rules() {
        assert_eq!(rule.faults(), [], "{}", rule.name);
        assert!(rule.enabled && rule.routes == ["log"]);
    }
    assert_eq!(default_rules().len(), AlertMetric::ALL.len());
}

#[test]
fn faults_of_rules_have_places() {
    let pointers =
        |rule: AlertRule| -> Vec<String> { rule.faults().into_iter().map(|fault| fault.pointer).collect() };
    let span = Threshold::Duration(DurationMs::from_secs(1));
    assert_eq!(pointers(AlertRule { threshold: span, ..rule(0) }), ["/above"]);
    assert_eq!(pointers(AlertRule { clear_at: Some(Threshold::Number(11.0)), ..rule(0) }), ["/clearAt"]);
    assert_eq!(
        pointers(AlertRule { window: Some(DurationMs(1)), name: "a b".into(), ..rule(-1) }),
        ["/name", "/window", "/for"]
    );
    let share = AlertRule { metric: AlertMetric::ErrorRate, threshold: Threshold::Number(1.5), ..rule(0) };
    assert_eq!(pointers(share), ["/above"]);
    let scope = AlertScope {
        queue: Some("workflow-node".into()),
        webhook_id: Some("whk_1".into()),
        ..AlertScope::default()
    };
    assert_eq!(pointers(AlertRule { scope, ..rule(0) }), ["/scope/webhookId"], "it would never fire");
}

#[test]
fn silences_hold_by_rule_labels_and_time() {
    let Change::Keep(alert) =
        step(&rule(0), &labels(), Some(11.0), None, Timestamp(0), || AlertId::from_uuid(Uuid::nil()))
    else {
        panic!("it fires");
    };
    let silence = |number: u128, rule: Option<&str>, of: Labels, until: i64| Silence {
        id: SilenceId::from_uuid(Uuid::from_u128(number)),
        rule: rule.map(str::to_owned),
        labels: of,
        until: Timestamp(until),
        reason: String::new(),
        created_by: String::new(),
        created_at: Timestamp(0),
    };
    let other = Labels::from([("queue".to_owned(), "other".to_owned())]);
    let all = [
        silence(1, Some("depth"), labels(), 10),
        silence(2, None, Labels::new(), 20),
        silence(3, None, other, 90),
        silence(4, Some("other"), Labels::new(), 90),
    ];
    let by = |now| silenced_by(&all, &alert, Timestamp(now)).map(|id| id.uuid().as_u128());
    assert_eq!([by(5), by(19), by(20)], [Some(2), Some(2), None]);
}

#[test]
fn tries_wait_longer_and_longer_until_they_end() {
    let backoff = SendBackoff::default();
    let waits: Vec<_> = (1..=10).map(|tries| backoff.after(tries).map(|wait| wait.0 / 1_000)).collect();
    let secs = [5, 20, 80, 320, 1_280, 3_600, 3_600, 3_600, 3_600].map(Some);
    assert_eq!(waits[..9], secs);
    assert_eq!(waits[9], None);
}

#[test]
fn routes_say_what_they_need() {
    let route = |kind, url: Option<&str>| AlertRoute {
        name: "on-call".into(),
        kind,
        url: url.map(str::to_owned),
        to: Vec::new(),
        send_resolved: true,
        repeat_every: None,
    };
    let places = |route: AlertRoute| -> Vec<String> {
        route.faults().into_iter().map(|fault| fault.pointer).collect()
    };
    assert!(places(route(RouteKind::Log, None)).is_empty());
    assert!(places(route(RouteKind::Webhook, Some("https://a.example/x"))).is_empty());
    assert_eq!(places(route(RouteKind::Slack, None)), ["/url"]);
    assert_eq!(places(route(RouteKind::Webhook, Some("file:///x"))), ["/url"]);
    assert_eq!(places(route(RouteKind::Log, Some("https://a.example"))), ["/url"]);
    let mail = |to: &[&str]| AlertRoute {
        to: to.iter().map(|&address| address.to_owned()).collect(),
        ..route(RouteKind::Mail, None)
    };
    assert!(places(mail(&["ops@example.com", "o'neil+x@mail.example"])).is_empty());
    assert_eq!(places(mail(&[])), ["/to"]);
    assert_eq!(places(mail(&["ops@example.com", "Ops <ops@example.com>", "a@b@c"])), ["/to/1", "/to/2"]);
    assert_eq!(places(mail(&["ops@example.com"; 21])), ["/to"]);
    assert_eq!(places(AlertRoute { kind: RouteKind::Log, ..mail(&["ops@example.com"]) }), ["/to"]);
    assert_eq!(slack_text("alert.firing", "critical", "a <b>"), "[FIRING, critical] a &lt;b&gt;");
}

#[test]
fn mails_have_a_subject_of_one_line_and_a_fact_a_line() {
    let alert = serde_json::json!({
        "id": "alt_1", "rule": "depth", "severity": "critical", "labels": {"queue": "workflow-node"},
        "value": 12.5, "threshold": "5m", "summary": "deep\r\nBcc: x@y.example", "startedAt": "2026-11-26T12:00:00Z",
    });
    let (subject, text) = mail_text("alert.firing", &alert);
    assert_eq!(subject, "[FIRING, critical] deep  Bcc: x@y.example");
    for line in ["Rule: depth", "queue: workflow-node", "Value: 12.5", "Threshold: 5m", "Alert: alt_1"] {
        assert!(text.lines().any(|known| known == line), "{line} in {text}");
    }
    assert!(!text.contains("Resolved"));
}
