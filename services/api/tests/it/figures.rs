//! The figures of requests, for Prometheus.

use metrics_exporter_prometheus::PrometheusBuilder;

use crate::harness::{Harness, bare, send};

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
