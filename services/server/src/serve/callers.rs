//! The addresses for callers: REST with what belongs to it, and gRPC. One router of REST serves both, so that what it knows
//! of calls under way holds for both.

use std::net::SocketAddr;

use anyhow::Result;
use engine::Engine;
use settings::Settings;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::serve::listeners::{self, ListenerOptions};
use crate::serve::{outside, parts, time_skip};

/// Bound, and not yet served.
pub(super) struct CallerSockets {
    /// REST, ingress and console.
    pub(super) http: Option<TcpListener>,
    /// gRPC.
    pub(super) grpc: Option<TcpListener>,
}

impl CallerSockets {
    /// Where REST is.
    pub(super) fn http_addr(&self) -> std::io::Result<Option<SocketAddr>> {
        self.http.as_ref().map(TcpListener::local_addr).transpose()
    }

    /// Where gRPC is.
    pub(super) fn grpc_addr(&self) -> std::io::Result<Option<SocketAddr>> {
        self.grpc.as_ref().map(TcpListener::local_addr).transpose()
    }

    /// Serves them until `closing`, REST and gRPC with the options in this order.
    pub(super) async fn serve(
        self,
        engine: &Engine,
        settings: &Settings,
        rate_limit: &api::LiveRateLimit,
        [http_options, grpc_options]: [ListenerOptions; 2],
        closing: &CancellationToken,
    ) -> Result<Vec<JoinHandle<()>>> {
        let mut running = Vec::new();
        let options = api::ApiOptions { rate_limit: rate_limit.clone(), ..parts::api_options(settings)? };
        let rest = time_skip::count_requests(engine, api::router(engine.clone(), options.clone()));
        if let Some(socket) = self.grpc {
            let router = outside::router(engine, settings, rest.clone(), options).await;
            running.push(listeners::serve(socket, router, grpc_options, closing.clone()));
        }
        if let Some(socket) = self.http {
            let router = parts::http_router(engine, settings, rest);
            running.push(listeners::serve(socket, router, http_options, closing.clone()));
        }
        Ok(running)
    }
}
