//! A listener: takes connections and has them served, asked to retry, or closed.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result};
use axum::Router;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::accept::Acceptor;
use super::caps::{Admission, CapOptions, Caps};
use super::connection::{Manner, refuse, serve as serve_connection};
use super::tls::TlsConfig;

/// How a listener treats its callers.
#[derive(Clone)]
pub(in crate::serve) struct ListenerOptions {
    /// How long the head of a request may take to arrive, from the connection or the answer before it on.
    pub(in crate::serve) head_timeout: Duration,
    /// Whether callers may speak HTTP/2.
    pub(in crate::serve) serves_http2: bool,
    /// TLS, where there is one.
    pub(in crate::serve) tls: Option<TlsConfig>,
    /// How many requests of one HTTP/2 connection may be under way.
    pub(in crate::serve) streams_max: u32,
    /// How old connections get, up to a fifth more or less; they are not ended for their age where absent.
    pub(in crate::serve) age_max: Option<Duration>,
    /// How many connections there may be.
    pub(in crate::serve) caps: CapOptions,
}

/// Binds, and says in words for people why that failed.
pub(in crate::serve) async fn bind(addr: SocketAddr, what: &str, flag: &str) -> Result<TcpListener> {
    TcpListener::bind(addr).await.with_context(|| {
        format!("cannot listen on {addr} for {what}; is another process using it? choose another with {flag} HOST:PORT")
    })
}

/// Serves a router until `closing`; requests under way are answered.
pub(in crate::serve) fn serve(
    listener: TcpListener,
    router: Router,
    options: ListenerOptions,
    closing: CancellationToken,
) -> JoinHandle<()> {
    tokio::spawn(serve_all(listener, router, options, closing))
}

/// `axum::serve` has no bound on heads or connections.
async fn serve_all(
    listener: TcpListener,
    router: Router,
    options: ListenerOptions,
    closing: CancellationToken,
) {
    let ListenerOptions { head_timeout, serves_http2, tls, streams_max, age_max, caps } = options;
    let closing_connections = closing.clone();
    let manner =
        Manner { head_timeout, serves_http2, tls, streams_max, age_max, closing: closing_connections };
    let caps = Caps::new(caps);
    let connections = TaskTracker::new();
    let mut acceptor = Acceptor::new(listener);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = acceptor.accept() => accepted,
            () = closing.cancelled() => break,
        };
        let (manner, router) = (manner.clone(), router.clone());
        match caps.admit(peer.ip()) {
            Admission::Served(place) => {
                connections.spawn(async move {
                    serve_connection(manner, stream, peer, router).await;
                    drop(place);
                });
            }
            Admission::Refused(place) => {
                metrics::counter!("trunkline_http_connections_refused_total", "answer" => "503").increment(1);
                connections.spawn(async move {
                    refuse(manner, stream, peer, router).await;
                    drop(place);
                });
            }
            Admission::Closed => {
                metrics::counter!("trunkline_http_connections_refused_total", "answer" => "closed")
                    .increment(1);
            }
        }
    }
    drop(acceptor);
    connections.close();
    connections.wait().await;
}
