//! Serves a router on loopback.

use std::future::IntoFuture;
use std::io;
use std::net::SocketAddr;

use anyhow::Result;
use api::ApiOptions;
use axum::Router;
use axum::serve::ListenerExt as _;
use domain::access::Role;
use engine::{Caller, Engine};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A server on a free port of loopback.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    closing: CancellationToken,
    task: JoinHandle<io::Result<()>>,
}

impl Served {
    /// Starts it.
    pub(crate) async fn start(router: Router) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        // As the server does: the small frames of a stream would wait 40 ms for the client's acknowledgement.
        let listener = listener.tap_io(|stream| {
            if let Err(error) = stream.set_nodelay(true) {
                eprintln!("a connection ended before its first request: {error}");
            }
        });
        let closing = CancellationToken::new();
        let service = router.into_make_service_with_connect_info::<SocketAddr>();
        let served = axum::serve(listener, service).with_graceful_shutdown(closing.clone().cancelled_owned());
        Ok(Self { address, closing, task: tokio::spawn(served.into_future()) })
    }

    /// Starts the whole REST interface over an engine; answers a key for it too.
    pub(crate) async fn api(engine: &Engine) -> Result<(Self, String)> {
        let (_, key) = engine.create_key(&Caller::system(), "load", Role::Admin, None).await?;
        let served = Self::start(api::router(engine.clone(), ApiOptions::default())).await?;
        Ok((served, key.reveal().to_owned()))
    }

    /// Ends it when the connections are closed.
    pub(crate) async fn end(self) -> Result<()> {
        self.closing.cancel();
        self.task.await??;
        Ok(())
    }
}
