//! What callers may hold open, and how they have to say whom they ask.

use std::sync::Mutex;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::harness::{Client, Database, Server, until};

const DEADLINE: Duration = Duration::from_secs(30);
const CONNECTIONS_MAX: usize = 5;

/// A connection, and the beginning of the answer to a request on it; empty where it was closed without one.
pub(crate) async fn asked(server: &Server, request: &str) -> (TcpStream, String) {
    let url = server.url();
    let mut stream = TcpStream::connect(url.trim_start_matches("http://")).await.expect("it listens");
    stream.write_all(request.as_bytes()).await.expect("it is read");
    let mut status = [0; 12];
    let is_answered = stream.read_exact(&mut status).await.is_ok();
    (stream, if is_answered { String::from_utf8_lossy(&status).into_owned() } else { String::new() })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_all_connections_taken_callers_are_asked_to_retry_and_health_is_answered() {
    let database = Database::sqlite();
    let bound = CONNECTIONS_MAX.to_string();
    let server = Server::start_with(&database, &[("TRUNKLINE_HTTP__CONNECTIONS_MAX", &bound)]).await;
    // Connections that ended a moment ago, such as the one that asked whether the server is ready, may still have a place.
    let held = Mutex::new(Vec::new());
    until("all places are taken", DEADLINE, || async {
        let (stream, status) = asked(&server, "GET /v1/queues HTTP/1.1\r\nHost: x\r\n\r\n").await;
        let mut held = held.lock().expect("nobody panics");
        if status == "HTTP/1.1 401" {
            held.push(stream);
        }
        (held.len() == CONNECTIONS_MAX).then_some(())
    })
    .await;
    let refused = server.client().try_get("/v1/queues").await;
    refused.problem(503);
    assert!(refused.header("retry-after").is_some());
    for base in [server.url(), server.metrics_url()] {
        assert_eq!(Client::new(&base, None).try_get("/healthz").await.status, 200, "{base}");
    }
    drop(held);
    until("there are places again", DEADLINE, || async {
        (server.client().try_get("/v1/queues").await.status == 200).then_some(())
    })
    .await;
}

/// The pages that browsers show run nothing of others, stand in no frame, and do not say where somebody was.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_for_browsers_keep_to_themselves() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    let anybody = Client::new(&server.url(), None);
    for (path, referrer) in
        [("/docs/", "no-referrer"), ("/console/", "same-origin"), ("/console/jobs", "same-origin")]
    {
        let page = anybody.try_get(path).await;
        // 503 where the console was not built into the binary.
        assert!([200, 503].contains(&page.status), "{path}: {}", page.status);
        let policy = page.header("content-security-policy").unwrap_or_default();
        for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri "] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(
            !policy.contains("script-src 'unsafe") && !policy.contains("unsafe-eval"),
            "{path}: {policy}"
        );
        assert_eq!(page.header("x-frame-options"), Some("DENY"), "{path}");
        assert_eq!(page.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(page.header("referrer-policy"), Some(referrer), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_names_its_host_exactly_once() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    for (head, expected) in [
        ("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 200"),
        ("GET /healthz HTTP/1.1\r\n\r\n", "HTTP/1.1 400"),
        ("GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", "HTTP/1.1 400"),
        ("GET /console/ HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", "HTTP/1.1 400"),
    ] {
        let (_, status) = asked(&server, head).await;
        assert_eq!(status, expected, "{head}");
    }
}
