//! The proxy as a test sees it.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpStream, lookup_host};
use tokio::task::AbortHandle;

use super::fault::{self, Act, Armed, Fault, Message, Way};
use super::link::Link;
use super::wire;

/// A running proxy. Everything of it ends when it is dropped.
#[derive(Debug)]
pub struct PgProxy {
    shared: Arc<Shared>,
    address: SocketAddr,
    direct_url: String,
    accepting: AbortHandle,
}

/// What the proxy and its links share.
#[derive(Debug)]
pub(crate) struct Shared {
    upstream: SocketAddr,
    /// Faults that wait for their message.
    armed: Mutex<Vec<Armed>>,
    links: Mutex<Vec<Arc<Link>>>,
    /// One message in four is held for a random time up to this, in each direction.
    jitter: Mutex<Option<(Duration, u64)>>,
    accepted: AtomicU64,
    /// How often a session that was in a transaction was asked to begin one.
    nested_begins: AtomicU64,
}

impl PgProxy {
    /// Starts a proxy before the server of this URL (`postgres://user:password@host:port/database`).
    pub async fn start(direct_url: &str) -> Self {
        let upstream = upstream_of(direct_url).await;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let shared = Arc::new(Shared {
            upstream,
            armed: Mutex::default(),
            links: Mutex::default(),
            jitter: Mutex::default(),
            accepted: AtomicU64::new(0),
            nested_begins: AtomicU64::new(0),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared))).abort_handle();
        Self { shared, address, direct_url: direct_url.to_owned(), accepting }
    }

    /// The database's URL by way of the proxy.
    pub fn url(&self) -> String {
        let (access, rest) = self.direct_url.rsplit_once('@').expect("the URL names a role");
        let path = rest.split_once('/').expect("the URL names a database").1;
        format!("{access}@{}/{path}", self.address)
    }

    /// Lets the next message of this kind, on whichever connection it comes, meet a fault.
    pub fn arm(&self, way: Way, message: Message, act: Act) -> Fault {
        self.arm_times(way, message, act, 1)
    }

    /// The same for the next `times` such messages.
    pub fn arm_times(&self, way: Way, message: Message, act: Act, times: u32) -> Fault {
        let (armed, fault) = fault::arm(way, message, act, times);
        self.shared.armed.lock().push(armed);
        fault
    }

    /// Holds one message in four for a random time up to `longest`, in each direction; `None` ends that.
    pub fn set_jitter(&self, longest: Option<Duration>, seed: u64) {
        *self.shared.jitter.lock() = longest.map(|longest| (longest, seed));
    }

    /// Nothing passes on the connections that are open now, in neither direction, and no side is notified: as after an
    /// address has moved to another machine. New connections work. Answers how many there are.
    pub fn silence_open(&self) -> usize {
        self.of_open(|link| {
            link.silence(Way::ToServer);
            link.silence(Way::ToClient);
        })
    }

    /// Lets silent connections go on.
    pub fn resume(&self) -> usize {
        self.of_open(Link::resume)
    }

    /// Closes the connections that are open now, on both sides.
    pub fn cut_open(&self) -> usize {
        self.of_open(Link::cut)
    }

    /// How many connections were accepted so far.
    pub fn accepted(&self) -> u64 {
        self.shared.accepted.load(Ordering::Relaxed)
    }

    /// How many connections are open.
    pub fn open(&self) -> usize {
        self.of_open(|_| {})
    }

    /// How often the server warned that a transaction was begun inside another one. Above zero somebody used a session
    /// of whose state it knew nothing.
    pub fn nested_begins(&self) -> u64 {
        self.shared.nested_begins.load(Ordering::Relaxed)
    }

    fn of_open(&self, act: impl Fn(&Link)) -> usize {
        let mut links = self.shared.links.lock();
        links.retain(|link| link.is_open());
        links.iter().for_each(|link| act(link));
        links.len()
    }
}

impl Drop for PgProxy {
    fn drop(&mut self) {
        self.accepting.abort();
        self.cut_open();
    }
}

impl Shared {
    /// What a message meets.
    pub(crate) fn act_on(&self, way: Way, message: &wire::Framed, nth: u64) -> Option<Act> {
        if way == Way::ToClient && message.is_nested_begin() {
            self.nested_begins.fetch_add(1, Ordering::Relaxed);
        }
        let mut armed = self.armed.lock();
        let place = armed.iter().position(|armed| armed.is_for(way, message, nth))?;
        let act = armed[place].strike();
        if armed[place].is_spent() {
            armed.remove(place);
        }
        Some(act)
    }

    pub(crate) fn jitter(&self) -> Option<(Duration, u64)> {
        *self.jitter.lock()
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((client, _)) = listener.accept().await {
        let number = shared.accepted.fetch_add(1, Ordering::Relaxed);
        let Ok(server) = TcpStream::connect(shared.upstream).await else {
            continue;
        };
        let _ = (client.set_nodelay(true), server.set_nodelay(true));
        let link = Link::start(number, client, server, &shared);
        let mut links = shared.links.lock();
        links.retain(|link| link.is_open());
        links.push(link);
    }
}

async fn upstream_of(url: &str) -> SocketAddr {
    let rest = url.rsplit_once('@').expect("the URL names a role").1;
    let place = rest.split_once('/').expect("the URL names a database").0;
    let mut found = lookup_host(place).await.expect("the test server's host is known");
    found.next().expect("the test server's host has an address")
}
