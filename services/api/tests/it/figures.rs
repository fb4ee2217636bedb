//! The figures of requests, for Prometheus.

use metrics_exporter_prometheus::PrometheusBuilder;

use serde_json::json;

use crate::harness::{Harness, bare, send};
use crate::webhooks::sender::{Sender, started};

#[test]
fn requests_are_counted_by_route_and_not_by_path() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    metrics::with_local_recorder(&recorder, || {
        runtime.block_on(async {
            let harness = Harness::start().await;
            let admin = harness.admin();
            for n in 1..=2 {
                admin.get(&format!("/v1/jobs/job_0000000000000000000000000000000{n}")).await.expect(404);
            }
            send(&harness.router, bare("GET", "/healthz")).await.expect(200);
            send(&harness.router, bare("BREW", "/teapot")).await.expect(404);
        });
    });
    let page = handle.render();
    let line = |labels: &str, value: u32| format!("trunkline_http_requests_total{{{labels}}} {value}");
    for expected in [
        line(r#"method="GET",route="/v1/jobs/{id}",status="404""#, 2),
        line(r#"method="GET",route="/healthz",status="200""#, 1),
        line(r#"method="other",route="unmatched",status="404""#, 1),
    ] {
        assert!(page.lines().any(|line| line == expected), "{expected} is not in\n{page}");
    }
    assert!(page.contains("trunkline_http_request_seconds"));
    assert!(!page.contains("job_0000"), "ids are not labels");
}

/// Requests by how they were answered, and deliveries by what matching them came to, are two counters.
#[test]
fn a_delivery_is_counted_once() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    metrics::with_local_recorder(&recorder, || {
        runtime.block_on(async {
            let (harness, admin) = started().await;
            let sender = Sender::github(&admin).await;
            sender.matched(&harness, "guid-1", &json!({"who": "Ada"})).await;
            sender.send(&harness, "guid-1", &json!({"who": "Ada"})).await.expect(200);
            admin.post("/v1/events", &json!({"name": "order.paid"})).await.expect(202);
        });
    });
    let page = handle.render();
    let sum = |name: &str, labels: &str| -> u64 {
        let of_name = |line: &&str| line.starts_with(&format!("{name}{{")) && line.contains(labels);
        let counts = page.lines().filter(of_name).map(|line| line.rsplit(' ').next().unwrap_or_default());
        counts.map(|count| count.parse::<u64>().expect("a count")).sum()
    };
    let deliveries = "trunkline_webhook_deliveries_total";
    assert_eq!(sum(deliveries, r#"source="webhook",status="accepted""#), 1, "{page}");
    assert_eq!(sum(deliveries, r#"source="webhook""#), 2, "and its repetition once: {page}");
    assert_eq!(sum(deliveries, r#"source="event",status="accepted""#), 1, "{page}");
    assert_eq!(sum(deliveries, ""), 3, "{page}");
    assert_eq!(sum("trunkline_webhook_matches_total", ""), 1, "{page}");
}
