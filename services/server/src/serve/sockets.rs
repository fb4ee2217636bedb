//! The sockets of a process: bound once, and kept while the engine behind them is replaced by another one.

use std::io;
use std::net::TcpListener as StdListener;

use anyhow::Result;
use settings::Settings;
use tokio::net::TcpListener;

use crate::serve::callers::CallerSockets;
use crate::serve::{listeners, parts};

/// Bound, and nobody accepts at them by themselves: callers wait in the queue of the system.
pub(super) struct Sockets {
    http: Option<StdListener>,
    grpc: Option<StdListener>,
    metrics: StdListener,
}

impl Sockets {
    /// Binds what the roles of this process ask for.
    pub(super) async fn bind(settings: &Settings) -> Result<Self> {
        let metrics = listeners::bind(settings.metrics.addr, "metrics", "--metrics").await?;
        let http = if parts::answers_rest(settings) {
            Some(listeners::bind(settings.http.addr, "REST", "--http").await?)
        } else {
            None
        };
        let grpc = if parts::answers_grpc(settings) {
            Some(listeners::bind(settings.grpc.addr, "gRPC", "--grpc").await?)
        } else {
            None
        };
        let kept = |socket: Option<TcpListener>| socket.map(TcpListener::into_std).transpose();
        Ok(Self { http: kept(http)?, grpc: kept(grpc)?, metrics: metrics.into_std()? })
    }

    /// The addresses for callers, to be served.
    pub(super) fn callers(&self) -> io::Result<CallerSockets> {
        let another = |socket: &Option<StdListener>| socket.as_ref().map(another).transpose();
        Ok(CallerSockets { http: another(&self.http)?, grpc: another(&self.grpc)? })
    }

    /// The metrics address, to be served.
    pub(super) fn metrics(&self) -> io::Result<TcpListener> {
        another(&self.metrics)
    }
}

/// The same socket once more.
fn another(socket: &StdListener) -> io::Result<TcpListener> {
    TcpListener::from_std(socket.try_clone()?)
}
