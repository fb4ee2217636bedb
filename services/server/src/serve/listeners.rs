//! Sockets, and the connections on them.

use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::ConnectInfo;
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

/// How long the head of a request may take to arrive, from the connection or the answer before it on. Longer than load
/// balancers keep an idle connection (60 seconds as a rule): they are to be the ones who close it.
const HEAD_TIMEOUT: Duration = Duration::from_secs(75);

/// Binds, and says in words for people why that failed.
pub(super) async fn bind(addr: SocketAddr, what: &str, flag: &str) -> Result<TcpListener> {
    TcpListener::bind(addr).await.with_context(|| {
        format!("cannot listen on {addr} for {what}; is another process using it? choose another with {flag} HOST:PORT")
    })
}

/// Serves a router until `closing`; requests under way are answered.
pub(super) fn serve(listener: TcpListener, router: Router, closing: CancellationToken) -> JoinHandle<()> {
    tokio::spawn(serve_within(HEAD_TIMEOUT, listener, router, closing))
}

/// `axum::serve` has no bound on heads, and anyone could hold any number of connections with a few bytes each.
async fn serve_within(
    head_timeout: Duration,
    mut listener: TcpListener,
    router: Router,
    closing: CancellationToken,
) {
    let connections = TaskTracker::new();
    loop {
        let (stream, peer) = tokio::select! {
            // Waits after errors, such as too many open files.
            accepted = Listener::accept(&mut listener) => accepted,
            () = closing.cancelled() => break,
        };
        connections.spawn(connection(head_timeout, stream, peer, router.clone(), closing.clone()));
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}

async fn connection(
    head_timeout: Duration,
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    closing: CancellationToken,
) {
    let service = router.map_request(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        request
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(head_timeout);
    let connection = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    let mut connection = pin!(connection.with_upgrades());
    let mut closing = pin!(closing.cancelled_owned());
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = &mut closing => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::trace!(error = &error as &dyn std::error::Error, "a connection broke");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::sync::Notify;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);
    const LONG: Duration = Duration::from_mins(10);

    struct Served {
        addr: SocketAddr,
        closing: CancellationToken,
        task: JoinHandle<()>,
    }

    async fn serve(head_timeout: Duration, router: Router) -> Served {
        let listener = bind("127.0.0.1:0".parse().expect("an address"), "a test", "").await.expect("a port");
        let (addr, closing) = (listener.local_addr().expect("bound"), CancellationToken::new());
        let task = tokio::spawn(serve_within(head_timeout, listener, router, closing.clone()));
        Served { addr, closing, task }
    }

    fn hello() -> Router {
        Router::new()
            .route("/", get(|ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.to_string() }))
    }

    /// What the server sends after these bytes, until it closes the connection.
    async fn answer(addr: SocketAddr, sent: &[u8]) -> String {
        let mut stream = TcpStream::connect(addr).await.expect("it listens");
        stream.write_all(sent).await.expect("it is read");
        let mut answer = Vec::new();
        // A reset ends the connection as well.
        let closed = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
        assert!(closed.is_ok(), "the connection is still open");
        String::from_utf8_lossy(&answer).into_owned()
    }

    #[tokio::test]
    async fn requests_are_answered_and_know_their_peer() {
        let served = serve(LONG, hello()).await;
        let text = answer(served.addr, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
        assert!(text.starts_with("HTTP/1.1 200") && text.contains("127.0.0.1:"), "{text}");
        served.closing.cancel();
        served.task.await.expect("it ends");
    }

    #[tokio::test]
    async fn a_head_that_does_not_come_ends_the_connection() {
        let served = serve(Duration::from_millis(50), hello()).await;
        for sent in ["", "G", "GET / HTTP/1.1\r\nHost: x\r\nX-A: b"] {
            let text = answer(served.addr, sent.as_bytes()).await;
            assert!(!text.contains("200"), "{sent:?}: {text}");
        }
        let text = answer(served.addr, b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HT").await;
        assert!(text.starts_with("HTTP/1.1 200"), "the second head is late, the first was not: {text}");
    }

    #[tokio::test]
    async fn what_is_under_way_is_answered_before_the_end() {
        let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (tell, wait) = (Arc::clone(&begun), Arc::clone(&go_on));
        let slow = get(move || async move {
            tell.notify_one();
            wait.notified().await;
            "done"
        });
        let served = serve(LONG, Router::new().route("/", slow)).await;
        let asking = tokio::spawn(answer(served.addr, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
        let _idle = TcpStream::connect(served.addr).await.expect("it listens");
        begun.notified().await;
        served.closing.cancel();
        go_on.notify_one();
        let text = tokio::time::timeout(PATIENCE, asking).await.expect("in time").expect("no panic");
        assert!(text.ends_with("done"), "{text}");
        tokio::time::timeout(PATIENCE, served.task)
            .await
            .expect("idle connections do not hold it")
            .expect("no panic");
    }
}
