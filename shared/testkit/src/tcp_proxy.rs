//! A TCP proxy that can stall each direction by itself, cut all connections, and cut those that are idle: what networks and
//! proxies do to long streams.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

/// A proxy on 127.0.0.1, until this is dropped.
#[derive(Debug)]
pub struct TcpProxy {
    address: SocketAddr,
    stalls_to_server: watch::Sender<bool>,
    stalls_to_client: watch::Sender<bool>,
    cuts: watch::Sender<u64>,
    _end: DropGuard,
}

impl TcpProxy {
    /// A proxy before a server.
    pub async fn before(server: SocketAddr) -> Self {
        Self::start(server, None).await
    }

    /// A proxy before a server that cuts a connection once nothing has come from one of its ends for so long.
    pub async fn cutting_idle(server: SocketAddr, after: Duration) -> Self {
        Self::start(server, Some(after)).await
    }

    async fn start(server: SocketAddr, idle_max: Option<Duration>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("there are ports");
        let address = listener.local_addr().expect("it is bound");
        let (stalls_to_server, to_server) = watch::channel(false);
        let (stalls_to_client, to_client) = watch::channel(false);
        let (cuts, cut) = watch::channel(0);
        let end = CancellationToken::new();
        let ended = end.clone();
        tokio::spawn(async move {
            loop {
                let client = tokio::select! {
                    accepted = listener.accept() => accepted,
                    () = ended.cancelled() => return,
                };
                let Ok((client, _)) = client else { return };
                let (to_server, to_client) = (to_server.clone(), to_client.clone());
                let (mut cut, ended) = (cut.clone(), ended.clone());
                cut.mark_unchanged();
                tokio::spawn(async move {
                    let Ok(server) = TcpStream::connect(server).await else { return };
                    let (from_client, into_client) = client.into_split();
                    let (from_server, into_server) = server.into_split();
                    // Both ends of the connection are closed together.
                    tokio::select! {
                        () = pump(from_client, into_server, to_server, idle_max) => {}
                        () = pump(from_server, into_client, to_client, idle_max) => {}
                        _ = cut.changed() => {}
                        () = ended.cancelled() => {}
                    }
                });
            }
        });
        Self { address, stalls_to_server, stalls_to_client, cuts, _end: end.drop_guard() }
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Lets nothing through to the server, or everything again.
    pub fn stall_to_server(&self, stalls: bool) {
        self.stalls_to_server.send_replace(stalls);
    }

    /// Lets nothing through to clients, or everything again.
    pub fn stall_to_client(&self, stalls: bool) {
        self.stalls_to_client.send_replace(stalls);
    }

    /// Cuts all connections that are open.
    pub fn cut(&self) {
        self.cuts.send_modify(|count| *count += 1);
    }
}

/// Forwards one direction until an end of it closes, or nothing has come for too long.
async fn pump(
    mut from: OwnedReadHalf,
    mut into: OwnedWriteHalf,
    mut stalls: watch::Receiver<bool>,
    idle_max: Option<Duration>,
) {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let read = from.read(&mut buffer);
        let read = match idle_max {
            Some(idle_max) => match tokio::time::timeout(idle_max, read).await {
                Ok(read) => read,
                Err(_idle) => return,
            },
            None => read.await,
        };
        let Ok(count @ 1..) = read else { return };
        if stalls.wait_for(|stalls| !stalls).await.is_err() {
            return;
        }
        if into.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}
