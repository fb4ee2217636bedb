//! Sockets, and the connections on them: how many there may be, how long they may take to say what they want, and TLS.

mod accept;
mod caps;
mod connection;
mod tls;

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result};
use axum::Router;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub(super) use accept::served_max;
pub(super) use caps::CapOptions;
pub(super) use tls::{TlsConfig, TlsFiles, install_provider, watched};

use accept::Acceptor;
use caps::{Admission, Caps};
use connection::{Manner, refuse, serve as serve_connection};

/// How a listener treats its callers.
#[derive(Clone)]
pub(super) struct ListenerOptions {
    /// How long the head of a request may take to arrive, from the connection or the answer before it on.
    pub(super) head_timeout: Duration,
    /// Whether callers may speak HTTP/2.
    pub(super) serves_http2: bool,
    /// TLS, where there is one.
    pub(super) tls: Option<TlsConfig>,
    /// How many connections there may be.
    pub(super) caps: CapOptions,
}

/// Binds, and says in words for people why that failed.
pub(super) async fn bind(addr: SocketAddr, what: &str, flag: &str) -> Result<TcpListener> {
    TcpListener::bind(addr).await.with_context(|| {
        format!("cannot listen on {addr} for {what}; is another process using it? choose another with {flag} HOST:PORT")
    })
}

/// Serves a router until `closing`; requests under way are answered.
pub(super) fn serve(
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
    let ListenerOptions { head_timeout, serves_http2, tls, caps } = options;
    let manner = Manner { head_timeout, serves_http2, tls, closing: closing.clone() };
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

#[cfg(test)]
mod tests;
