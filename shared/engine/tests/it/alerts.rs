//! Alerts over three nodes: one evaluates, one alert fires, and its notification arrives once, signed.

use std::sync::Arc;

use async_trait::async_trait;
use domain::access::Role;
use domain::alerting::{
    AlertMetric, AlertRoute, AlertRule, AlertScope, AlertStatus, Labels, RouteKind, Severity, Threshold,
    signed_headers, signing_key,
};
use domain::names::JobType;
use domain::time::{DurationMs, Timestamp};
use engine::{AlertMail, AlertSender, EngineError, JobRequest, RouteRequest, SecretText, SilenceRequest};
use parking_lot::Mutex;
use serde_json::{Value, json};
use store::PageRequest;
use store::alerts::{AlertFilter, Notification, NotificationStatus};
use testkit::EngineHarness;

const PAGE: PageRequest = PageRequest { limit: 50, after: None };
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// One request that a receiver got.
#[derive(Debug, Clone)]
struct Post {
    url: String,
    headers: Vec<(String, String)>,
    body: String,
}

/// A receiver that answers with these statuses, and 204 afterwards.
#[derive(Default)]
struct Receiver {
    statuses: Mutex<Vec<u16>>,
    posts: Mutex<Vec<Post>>,
    mails: Mutex<Vec<AlertMail>>,
}

#[async_trait]
impl AlertSender for Receiver {
    async fn post(&self, url: &str, headers: &[(&str, String)], body: String) -> Result<u16, String> {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        self.posts.lock().push(Post { url: url.to_owned(), headers, body });
        Ok(self.statuses.lock().pop().unwrap_or(204))
    }

    async fn mail(&self, mail: AlertMail) -> Result<(), String> {
        self.mails.lock().push(mail);
        match self.statuses.lock().pop() {
            Some(status) => Err(format!("answered with {status}")),
            None => Ok(()),
        }
    }
}

impl Receiver {
    fn take(&self) -> Vec<Post> {
        std::mem::take(&mut *self.posts.lock())
    }
}

impl Post {
    fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// The body, after its signature was checked.
    fn verified(&self) -> Value {
        let key = signing_key(SECRET).unwrap();
        let seconds: i64 = self.header("webhook-timestamp").parse().unwrap();
        let expected =
            signed_headers(&key, self.header("webhook-id"), Timestamp(seconds * 1_000), &self.body);
        assert_eq!(self.header("webhook-signature"), expected[2].1);
        serde_json::from_str(&self.body).unwrap()
    }
}

fn depth_rule(routes: &[&str]) -> AlertRule {
    AlertRule {
        name: "deep".into(),
        metric: AlertMetric::Depth,
        scope: AlertScope { queue: Some("workflow-node".into()), ..AlertScope::default() },
        threshold: Threshold::Number(1.0),
        is_below: false,
        clear_at: None,
        window: None,
        hold: DurationMs::from_secs(30),
        severity: Severity::Critical,
        routes: routes.iter().map(|&route| route.to_owned()).collect(),
        enabled: true,
    }
}

fn route(name: &str, kind: RouteKind, url: Option<&str>) -> AlertRoute {
    let url = url.map(str::to_owned);
    AlertRoute { name: name.into(), kind, url, to: Vec::new(), send_resolved: true, repeat_every: None }
}

/// Three nodes with one receiver, a signed route, a rule on it, and three jobs that wait.
struct Cluster {
    nodes: Vec<EngineHarness>,
    receiver: Arc<Receiver>,
}

impl Cluster {
    async fn start(first: EngineHarness) -> Self {
        let receiver = Arc::new(Receiver::default());
        let nodes = vec![first.node(2), first.node(3), first];
        for node in &nodes {
            node.engine.set_alert_sender(Arc::<Receiver>::clone(&receiver));
        }
        let (admin, engine) = (nodes[0].admin(), &nodes[0].engine);
        let request = RouteRequest {
            route: route("on-call", RouteKind::Webhook, Some("https://pager.example/hook")),
            secret: Some(SecretText::new(SECRET)),
        };
        engine.put_alert_route(&admin, request).await.unwrap();
        engine.put_alert_rule(&admin, depth_rule(&["on-call"])).await.unwrap();
        for _ in 0..3 {
            nodes[0].enqueue(JobRequest::new(JobType::trusted("slow"), "1")).await.unwrap();
        }
        Self { nodes, receiver }
    }

    /// All nodes do their duties at once, after some seconds.
    async fn tick(&self, after_secs: i64) -> Vec<Post> {
        self.nodes[0].clock.advance(DurationMs::from_secs(after_secs));
        for node in &self.nodes {
            node.engine.alerts_tick().await.unwrap();
        }
        let sending = self.nodes.iter().map(|node| node.engine.notifications_tick());
        for sent in futures::future::join_all(sending).await {
            sent.unwrap();
        }
        self.receiver.take()
    }

    /// Where the alerts of the rule stand, newest first.
    async fn alerts(&self) -> Vec<AlertStatus> {
        let filter = AlertFilter { rule: Some("deep".into()), ..AlertFilter::default() };
        let page = self.nodes[1].engine.list_alerts(&self.nodes[1].admin(), &filter, PAGE).await.unwrap();
        page.items.into_iter().map(|alert| alert.status).collect()
    }

    async fn notifications(&self) -> Vec<Notification> {
        self.nodes[2].engine.list_notifications(&self.nodes[2].admin(), &[], PAGE).await.unwrap().items
    }

    async fn work_off(&self) {
        for job in self.nodes[0].poll(&["slow"], 10).await.unwrap() {
            self.nodes[0].complete(&job, &json!(1)).await.unwrap();
        }
    }
}

async fn an_alert_fires_once_over_three_nodes(harness: EngineHarness) {
    let cluster = Cluster::start(harness).await;
    assert!(cluster.tick(0).await.is_empty());
    assert_eq!(cluster.alerts().await, [AlertStatus::Pending]);
    let posts = cluster.tick(31).await;
    let [firing] = &posts[..] else { panic!("one notification: {posts:?}") };
    assert_eq!(firing.url, "https://pager.example/hook");
    let body = firing.verified();
    assert_eq!((&body["type"], &body["data"]["rule"]), (&json!("alert.firing"), &json!("deep")));
    assert_eq!((&body["data"]["value"], &body["data"]["severity"]), (&json!(3.0), &json!("critical")));
    assert_eq!(body["data"]["labels"], json!({"queue": "workflow-node", "tier": "normal"}));
    assert_eq!(cluster.alerts().await, [AlertStatus::Firing]);
    assert!(cluster.tick(15).await.is_empty(), "it is not sent again");

    cluster.work_off().await;
    assert!(cluster.tick(15).await.is_empty(), "its end takes as long as its beginning");
    let posts = cluster.tick(31).await;
    let [resolved] = &posts[..] else { panic!("one notification: {posts:?}") };
    assert_eq!(resolved.verified()["type"], "alert.resolved");
    assert_ne!(resolved.header("webhook-id"), firing.header("webhook-id"));
    assert_eq!(cluster.alerts().await, [AlertStatus::Resolved]);
    let sent = cluster.notifications().await;
    assert!(sent.iter().all(|of| of.status == NotificationStatus::Sent && of.tries == 1), "{sent:?}");
    assert_eq!(sent.len(), 2);
}

async fn a_node_that_stops_loses_its_turn(harness: EngineHarness) {
    let cluster = Cluster::start(harness).await;
    assert!(cluster.nodes[0].engine.alerts_tick().await.unwrap());
    assert!(!cluster.nodes[1].engine.alerts_tick().await.unwrap(), "it is the turn of the other");
    cluster.nodes[0].clock.advance(DurationMs::from_secs(60));
    assert!(cluster.nodes[1].engine.alerts_tick().await.unwrap(), "nobody kept the turn");
    assert!(!cluster.nodes[0].engine.alerts_tick().await.unwrap());
    assert_eq!(cluster.alerts().await, [AlertStatus::Firing], "it goes on with the same alert");
}

async fn what_does_not_arrive_is_sent_again_under_its_id(harness: EngineHarness) {
    let cluster = Cluster::start(harness).await;
    cluster.tick(0).await;
    *cluster.receiver.statuses.lock() = vec![302, 500];
    let first = cluster.tick(31).await;
    assert_eq!(first.len(), 1);
    assert!(cluster.tick(4).await.is_empty(), "the first wait is five seconds");
    let second = cluster.tick(2).await;
    assert!(cluster.tick(15).await.is_empty());
    let third = cluster.tick(6).await;
    assert_eq!((second.len(), third.len()), (1, 1));
    for again in [&second[0], &third[0]] {
        assert_eq!(again.header("webhook-id"), first[0].header("webhook-id"));
        again.verified();
    }
    assert!(cluster.tick(3_600).await.is_empty(), "it has arrived");

    let (admin, engine) = (cluster.nodes[0].admin(), &cluster.nodes[0].engine);
    engine.test_alert_route(&admin, "on-call").await.unwrap();
    *cluster.receiver.statuses.lock() = vec![500; 10];
    let mut tries = 0;
    for _ in 0..12 {
        tries += cluster.tick(3_601).await.len();
    }
    assert_eq!(tries, 10, "then it is given up");
    let failed = cluster.notifications().await.into_iter().find(|of| of.kind == "alert.test").unwrap();
    assert_eq!(failed.status, NotificationStatus::Failed);
    assert_eq!(failed.error.as_deref(), Some("answered with status 500"));
    engine.retry_notification(&admin, failed.id).await.unwrap();
    assert_eq!(cluster.tick(1).await.len(), 1);
    let again = engine.retry_notification(&admin, failed.id).await;
    assert!(matches!(again, Err(EngineError::NotFound { .. })), "it has arrived");
}

async fn slack_gets_a_text_that_nobody_signed(harness: EngineHarness) {
    let cluster = Cluster::start(harness).await;
    let (admin, engine) = (cluster.nodes[0].admin(), &cluster.nodes[0].engine);
    let chat = route("chat", RouteKind::Slack, Some("https://chat.example/hook"));
    engine.put_alert_route(&admin, RouteRequest { route: chat, secret: None }).await.unwrap();
    engine.test_alert_route(&admin, "chat").await.unwrap();
    *cluster.receiver.statuses.lock() = vec![404];
    assert_eq!(cluster.tick(1).await.len(), 1);
    let posts = cluster.tick(10).await;
    let [again] = &posts[..] else { panic!("it is sent until it is taken: {posts:?}") };
    assert_eq!((again.url.as_str(), again.headers.len()), ("https://chat.example/hook", 0));
    let body: Value = serde_json::from_str(&again.body).unwrap();
    assert_eq!(body, json!({"text": "[TEST, warning] A test of this route."}));
    assert!(cluster.tick(60).await.iter().all(|post| post.url != again.url), "it has arrived");
}

async fn a_firing_alert_is_sent_again_to_each_route_in_its_time(harness: EngineHarness) {
    let cluster = Cluster::start(harness).await;
    let (admin, engine) = (cluster.nodes[0].admin(), &cluster.nodes[0].engine);
    for (name, minutes, send_resolved) in [("often", 1, false), ("seldom", 4, true)] {
        let url = format!("https://{name}.example/hook");
        let repeat_every = Some(DurationMs::from_secs(60 * minutes));
        let of = AlertRoute { send_resolved, repeat_every, ..route(name, RouteKind::Slack, Some(&url)) };
        engine.put_alert_route(&admin, RouteRequest { route: of, secret: None }).await.unwrap();
    }
    engine.put_alert_rule(&admin, depth_rule(&["often", "seldom"])).await.unwrap();
    cluster.tick(0).await;
    assert_eq!(cluster.tick(31).await.len(), 2);
    let mut sent = Vec::new();
    for _ in 0..8 {
        sent.extend(cluster.tick(30).await.into_iter().map(|post| post.url));
    }
    let seldom = sent.iter().filter(|url| url.contains("seldom")).count();
    assert_eq!((sent.len() - seldom, seldom), (4, 1), "in four minutes");

    cluster.work_off().await;
    assert!(cluster.tick(15).await.is_empty());
    let posts = cluster.tick(31).await;
    let urls: Vec<&str> = posts.iter().map(|post| post.url.as_str()).collect();
    assert_eq!(urls, ["https://seldom.example/hook"], "the end is sent where it is wanted");
}

async fn a_silence_holds_back_until_it_ends(harness: EngineHarness) {
    let cluster = Cluster::start(harness).await;
    let (admin, engine) = (cluster.nodes[0].admin(), &cluster.nodes[0].engine);
    let request = SilenceRequest {
        rule: Some("deep".into()),
        labels: Labels::from([("queue".into(), "workflow-node".into())]),
        span: Some(DurationMs::from_secs(3_600)),
        until: None,
        reason: "maintenance".into(),
    };
    let silence = engine.add_silence(&admin, request.clone()).await.unwrap();
    cluster.tick(0).await;
    assert!(cluster.tick(31).await.is_empty());
    let filter = AlertFilter { statuses: vec![AlertStatus::Firing], ..AlertFilter::default() };
    let firing = engine.list_alerts(&admin, &filter, PAGE).await.unwrap().items;
    let of_rule: Vec<_> = firing.iter().filter(|alert| alert.rule == "deep").collect();
    assert_eq!(of_rule.len(), 1);
    assert_eq!(of_rule[0].silenced_by, Some(silence.id));
    engine.end_silence(&admin, silence.id).await.unwrap();
    assert_eq!(cluster.tick(15).await.len(), 1, "what still fires is sent then");
    let again = engine.add_silence(&admin, request).await.unwrap();
    assert!(cluster.tick(15).await.is_empty());
    engine.end_silence(&admin, again.id).await.unwrap();
    assert_eq!(cluster.tick(15).await.len(), 1, "although it was sent before the silence");
    assert!(cluster.tick(15).await.is_empty(), "and not once more");
}

async fn an_end_under_a_silence_is_sent_after_it(harness: EngineHarness) {
    let cluster = Cluster::start(harness).await;
    let (admin, engine) = (cluster.nodes[0].admin(), &cluster.nodes[0].engine);
    cluster.tick(0).await;
    let posts = cluster.tick(31).await;
    let [firing] = &posts[..] else { panic!("one notification: {posts:?}") };
    let request = SilenceRequest {
        rule: Some("deep".into()),
        labels: Labels::new(),
        span: Some(DurationMs::from_secs(3_600)),
        until: None,
        reason: "maintenance".into(),
    };
    engine.add_silence(&admin, request.clone()).await.unwrap();
    cluster.work_off().await;
    for secs in [15, 31, 15] {
        assert!(cluster.tick(secs).await.is_empty(), "nothing is sent under a silence");
    }
    assert_eq!(cluster.alerts().await, [AlertStatus::Resolved]);
    let posts = cluster.tick(3_600).await;
    let [resolved] = &posts[..] else { panic!("one notification: {posts:?}") };
    let (began, ended) = (firing.verified(), resolved.verified());
    assert_eq!((&ended["type"], &ended["data"]["id"]), (&json!("alert.resolved"), &began["data"]["id"]));
    assert_eq!(ended["data"]["silencedBy"], Value::Null);
    assert!(cluster.tick(15).await.is_empty(), "and not once more");

    // Nobody was notified that this one fires, so nobody waits for its end.
    let silence = engine.add_silence(&admin, request).await.unwrap();
    for _ in 0..3 {
        cluster.nodes[0].enqueue(JobRequest::new(JobType::trusted("slow"), "1")).await.unwrap();
    }
    cluster.tick(15).await;
    cluster.tick(31).await;
    assert_eq!(cluster.alerts().await, [AlertStatus::Firing, AlertStatus::Resolved]);
    cluster.work_off().await;
    cluster.tick(15).await;
    cluster.tick(31).await;
    assert_eq!(cluster.alerts().await, [AlertStatus::Resolved, AlertStatus::Resolved]);
    engine.end_silence(&admin, silence.id).await.unwrap();
    assert!(cluster.tick(15).await.is_empty());
}

async fn rules_and_routes_are_checked(harness: EngineHarness) {
    let (admin, engine) = (harness.admin(), &harness.engine);
    let places = |error: EngineError| match error {
        EngineError::Invalid(faults) => faults.into_iter().map(|fault| fault.pointer).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    let unknown = engine.put_alert_rule(&admin, depth_rule(&["log", "nowhere"])).await.unwrap_err();
    assert_eq!(places(unknown), ["/routes/1"]);
    let bad = RouteRequest {
        route: route("log", RouteKind::Webhook, None),
        secret: Some(SecretText::new("plain")),
    };
    assert_eq!(places(engine.put_alert_route(&admin, bad).await.unwrap_err()), ["/url", "/secret", "/type"]);
    let hook = |url: &str| RouteRequest { route: route("a", RouteKind::Webhook, Some(url)), secret: None };
    let made = engine.put_alert_route(&admin, hook("https://a.example")).await.unwrap();
    assert!(signing_key(made.made_secret.unwrap().reveal()).is_some(), "one is made and shown");
    let kept = engine.put_alert_route(&admin, hook("https://b.example")).await.unwrap();
    assert!(kept.made_secret.is_none() && kept.has_secret, "it is kept, and not shown again");

    let all = engine.alert_rules(&admin).await.unwrap().len();
    let off = AlertRule { name: "depth".into(), enabled: false, ..depth_rule(&["log"]) };
    engine.put_alert_rule(&admin, off).await.unwrap();
    let rules = engine.alert_rules(&admin).await.unwrap();
    assert_eq!(rules.len(), all, "it stands in the place of the default");
    assert!(rules.iter().any(|rule| rule.name == "depth" && !rule.enabled));
    engine.delete_alert_rule(&admin, "depth").await.unwrap();
    let rules = engine.alert_rules(&admin).await.unwrap();
    assert!(rules.iter().any(|rule| rule.name == "depth" && rule.enabled), "the default is back");

    let bound = harness.bound("acme", Role::Admin);
    assert!(engine.alert_rules(&bound).await.is_err(), "alerts are of all tenants");
    assert!(engine.list_alerts(&bound, &AlertFilter::default(), PAGE).await.is_err());
}

on_both_databases!(
    an_alert_fires_once_over_three_nodes,
    a_node_that_stops_loses_its_turn,
    what_does_not_arrive_is_sent_again_under_its_id,
    slack_gets_a_text_that_nobody_signed,
    a_firing_alert_is_sent_again_to_each_route_in_its_time,
    a_silence_holds_back_until_it_ends,
    an_end_under_a_silence_is_sent_after_it,
    rules_and_routes_are_checked,
);
