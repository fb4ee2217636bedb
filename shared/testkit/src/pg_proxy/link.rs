//! One connection through the proxy: a task for each direction.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::watch;

use super::fault::{Act, Way};
use super::proxy::Shared;
use super::wire::Framed;

/// One connection.
#[derive(Debug)]
pub(super) struct Link {
    /// Whether each direction is silent.
    silent: [watch::Sender<bool>; 2],
    is_cut: watch::Sender<bool>,
}

impl Link {
    /// Starts the two tasks.
    pub(super) fn start(
        number: u64,
        client: TcpStream,
        server: TcpStream,
        shared: &Arc<Shared>,
    ) -> Arc<Self> {
        let link = Arc::new(Self {
            silent: [watch::Sender::new(false), watch::Sender::new(false)],
            is_cut: watch::Sender::new(false),
        });
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = server.into_split();
        let pump = |way, from, to| Pump {
            way,
            number,
            from,
            to: Some(to),
            link: Arc::clone(&link),
            shared: Arc::clone(shared),
        };
        tokio::spawn(pump(Way::ToServer, from_client, to_server).run());
        tokio::spawn(pump(Way::ToClient, from_server, to_client).run());
        link
    }

    pub(super) fn is_open(&self) -> bool {
        !*self.is_cut.borrow()
    }

    /// Lets nothing pass in this direction.
    pub(super) fn silence(&self, way: Way) {
        self.silent[way as usize].send_replace(true);
    }

    /// Lets everything pass again.
    pub(super) fn resume(&self) {
        self.silent.iter().for_each(|silent| {
            silent.send_replace(false);
        });
    }

    /// Closes both sides.
    pub(super) fn cut(&self) {
        self.is_cut.send_replace(true);
    }
}

/// One direction.
struct Pump {
    way: Way,
    number: u64,
    from: OwnedReadHalf,
    to: Option<OwnedWriteHalf>,
    link: Arc<Link>,
    shared: Arc<Shared>,
}

impl Pump {
    /// Passes messages on until one side ends or the connection is cut.
    async fn run(mut self) {
        let mut is_cut = self.link.is_cut.subscribe();
        let link = Arc::clone(&self.link);
        tokio::select! {
            _ = is_cut.wait_for(|is_cut| *is_cut) => {}
            passed = self.pass_all() => {
                if !passed.unwrap_or(false) {
                    link.cut();
                }
            }
        }
    }

    /// Answers whether the other direction goes on.
    async fn pass_all(&mut self) -> io::Result<bool> {
        let mut silent = self.link.silent[self.way as usize].subscribe();
        let mut random: Option<(u64, StdRng)> = None;
        let mut has_type = self.way == Way::ToClient;
        let mut nth = 0;
        loop {
            // A silent connection is not read either, so that nobody learns of its end.
            let _ = silent.wait_for(|is_silent| !*is_silent).await;
            let Some(message) = Framed::read(&mut self.from, has_type).await? else {
                return Ok(false);
            };
            let _ = silent.wait_for(|is_silent| !*is_silent).await;
            if message.asks_for_encryption() {
                self.refuse_encryption().await?;
                continue;
            }
            has_type = true;
            nth += 1;
            if let Some((longest, seed)) = self.shared.jitter() {
                let seed = seed ^ (self.number << 1) ^ self.way as u64;
                let known = random.take().filter(|(known, _)| *known == seed);
                let (_, random) = random.insert(known.unwrap_or((seed, StdRng::seed_from_u64(seed))));
                let micros = u64::try_from(longest.as_micros()).unwrap_or(u64::MAX);
                if random.random_range(0..4) == 0 {
                    let held = Duration::from_micros(random.random_range(0..=micros));
                    self.hold(held).await;
                }
            }
            match self.shared.act_on(self.way, &message, nth) {
                None => self.send(message.bytes()).await?,
                Some(Act::Delay(held)) => {
                    self.hold(held).await;
                    self.send(message.bytes()).await?;
                }
                Some(Act::Stall) => {
                    self.link.silence(self.way);
                }
                Some(Act::Silence) => {
                    self.link.silence(Way::ToServer);
                    self.link.silence(Way::ToClient);
                }
                Some(Act::Cut) => return Ok(false),
                Some(Act::HalfClose) => {
                    self.send(message.bytes()).await?;
                    // Dropping the half shuts the sending side down; the task of the other direction keeps the socket.
                    self.to = None;
                    return Ok(true);
                }
            }
        }
    }

    /// Waits for so long, or until the connection is cut.
    async fn hold(&self, held: Duration) {
        let mut is_cut = self.link.is_cut.subscribe();
        let _ = tokio::time::timeout(held, is_cut.wait_for(|is_cut| *is_cut)).await;
    }

    async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.to {
            Some(to) => to.write_all(bytes).await,
            None => Ok(()),
        }
    }

    /// The server of the tests has none, and the proxy could not read it: the client goes on in clear text, on loopback.
    async fn refuse_encryption(&mut self) -> io::Result<()> {
        // Nothing passes to the client before the first message has passed to the server, so nobody else writes there.
        let client: &TcpStream = self.from.as_ref();
        client.writable().await?;
        client.try_write(b"N").map(|_| ())
    }
}
