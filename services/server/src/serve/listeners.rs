//! Sockets.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use axum::Router;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Binds, and says in words for people why that failed.
pub(super) async fn bind(addr: SocketAddr, what: &str, flag: &str) -> Result<TcpListener> {
    TcpListener::bind(addr).await.with_context(|| {
        format!("cannot listen on {addr} for {what}; is another process using it? choose another with {flag} HOST:PORT")
    })
}

/// Serves a router until `closing`; requests under way are answered.
pub(super) fn serve(listener: TcpListener, router: Router, closing: CancellationToken) -> JoinHandle<()> {
    tokio::spawn(async move {
        let service = router.into_make_service_with_connect_info::<SocketAddr>();
        let served = axum::serve(listener, service).with_graceful_shutdown(closing.cancelled_owned()).await;
        if let Err(error) = served {
            tracing::error!(%error, "a listener ended");
        }
    })
}
