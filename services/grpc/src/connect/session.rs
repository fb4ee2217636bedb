//! One stream of a worker, from `hello` to its end.

use std::sync::Arc;

use domain::problem::ProblemCode;
use engine::{Caller, Engine, EngineError, PollRequest, PolledJobs, Seat};
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt as _};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tonic::{Status, Streaming};

use super::held::{Held, Lost, Offers};
use super::outbox::Outbox;
use super::reports::Reported;
use crate::door::Head;
use crate::meter::Meter;
use crate::options::StreamOptions;
use crate::proto::to_worker::Message;
use crate::proto::{Alive, Drain, FromWorker};
use crate::status;
use crate::streams::{OpenStream, Shared};

/// What a stream begins with.
pub(super) struct SessionParts {
    pub(super) shared: Shared,
    pub(super) caller: Caller,
    pub(super) head: Head,
    /// Says that the connection is about to end.
    pub(super) connection: CancellationToken,
    /// Counts what comes of a message.
    pub(super) meter: Arc<Meter>,
    /// Its place among those who wait for jobs.
    pub(super) _seat: Seat,
}

/// One stream.
pub(super) struct Session {
    pub(super) parts: SessionParts,
    pub(super) options: StreamOptions,
    pub(super) stream: OpenStream,
    pub(super) request: PollRequest,
    pub(super) outbox: Outbox,
    /// How many more jobs the worker takes.
    pub(super) credits: u32,
    pub(super) offers: Offers,
    pub(super) held: Held,
    pub(super) reports: FuturesUnordered<BoxFuture<'static, Reported>>,
    pub(super) poll: Option<BoxFuture<'static, Result<PolledJobs, EngineError>>>,
    pub(super) look: Option<BoxFuture<'static, Looked>>,
    pub(super) times: Times,
    /// It let offered jobs go back: nothing more is offered before something comes from it.
    pub(super) is_suspended: bool,
    pub(super) is_half_closed: bool,
}

/// When what happens next.
pub(super) struct Times {
    pub(super) heard: Instant,
    pub(super) alive: Instant,
    pub(super) look: Instant,
    /// When the stream is old.
    pub(super) age: Instant,
    /// When a drained stream ends.
    pub(super) end: Option<Instant>,
    /// Not before then are jobs claimed.
    pub(super) poll: Instant,
    /// Not before then is more read.
    pub(super) read: Instant,
}

/// What a look came to.
pub(super) enum Looked {
    Lost(Vec<Lost>),
    /// The key holds no more.
    Refused(Status),
}

/// What happened.
enum Event {
    Sent(Result<Option<FromWorker>, Status>),
    Polled(Result<PolledJobs, EngineError>),
    Reported(Reported),
    Looked(Looked),
    Drain(&'static str),
    /// Time has come for something, or room.
    Time,
    Gone,
}

impl Session {
    pub(super) fn new(parts: SessionParts, request: PollRequest, outbox: Outbox) -> Self {
        let options = parts.shared.parts.options.streams;
        let engine = &parts.shared.parts.engine;
        let now = Instant::now();
        // Streams that began together do not end together.
        let jitter = 0.8 + 0.4 * engine.entropy().jitter().0;
        let id = format!("str_{}", engine.entropy().uuid(engine.now()).simple());
        let times = Times {
            heard: now,
            alive: now + options.alive_interval.to_std(),
            look: now + options.look_interval.to_std(),
            age: now + options.age.to_std().mul_f64(jitter),
            end: None,
            poll: now,
            read: now,
        };
        Self {
            stream: parts.shared.streams.open(id),
            parts,
            options,
            request,
            outbox,
            credits: 0,
            offers: Offers::default(),
            held: Held::default(),
            reports: FuturesUnordered::new(),
            poll: None,
            look: None,
            times,
            is_suspended: false,
            is_half_closed: false,
        }
    }

    /// Keeps the stream until it ends. What was not confirmed goes back with it.
    pub(super) async fn run(mut self, mut inbound: Streaming<FromWorker>) {
        self.say_alive();
        loop {
            self.begin_poll();
            if self.is_over() {
                break;
            }
            let event = self.next(&mut inbound).await;
            if let Err(status) = self.handle(event).await {
                if let Some(status) = status {
                    self.outbox.fail(status);
                }
                break;
            }
        }
        // What was offered goes back at once; what was reported is carried out to its end.
        (self.poll, self.offers) = (None, Offers::default());
        while self.reports.next().await.is_some() {}
    }

    async fn next(&mut self, inbound: &mut Streaming<FromWorker>) -> Event {
        let is_draining = self.times.end.is_some();
        // Asked once: the connection takes messages meanwhile, and of two answers neither might wait for it.
        let takes_answers = self.outbox.takes_answers();
        let reads = !self.is_half_closed
            && self.reports.len() < self.options.reports_max
            && takes_answers
            && Instant::now() >= self.times.read;
        // Otherwise nothing depends on what the connection takes, and each message would wake this twice.
        let lacks_room = !self.outbox.has_room(self.options.buffer_bytes_max) || !takes_answers;
        let wake = self.wake_at();
        let engine = self.engine().clone();
        tokio::select! {
            sent = inbound.message(), if reads => Event::Sent(sent),
            polled = ready(&mut self.poll), if self.poll.is_some() => Event::Polled(polled),
            looked = ready(&mut self.look), if self.look.is_some() => Event::Looked(looked),
            Some(reported) = self.reports.next(), if !self.reports.is_empty() => Event::Reported(reported),
            () = self.parts.connection.cancelled(), if !is_draining => Event::Drain("age"),
            () = engine.until_shutdown(), if !is_draining => Event::Drain("shutdown"),
            () = self.outbox.gone() => Event::Gone,
            () = self.outbox.taken(), if lacks_room => Event::Time,
            () = tokio::time::sleep_until(wake) => Event::Time,
        }
    }

    fn wake_at(&self) -> Instant {
        let times = &self.times;
        let now = Instant::now();
        let mut wake = times.alive.min(times.look).min(times.end.unwrap_or(times.age));
        if !self.is_half_closed {
            wake = wake.min(times.heard + self.options.silence_max.to_std());
        }
        for later in [times.poll, times.read].into_iter().filter(|at| *at > now) {
            wake = wake.min(later);
        }
        self.offers.until().map_or(wake, |until| wake.min(until))
    }

    /// The error ends the stream, with a status or as it is.
    async fn handle(&mut self, event: Event) -> Result<(), Option<Status>> {
        match event {
            Event::Sent(Ok(Some(sent))) => {
                self.times.heard = Instant::now();
                self.is_suspended = false;
                let parts = &self.parts;
                let room = parts.meter.next(parts.shared.parts.gate.room(&parts.caller));
                self.read(sent, room).await.map_err(|problem| Some(status::of_problem(problem)))?;
            }
            Event::Sent(Ok(None)) => self.half_close(),
            // The connection broke, or what came is no message.
            Event::Sent(Err(status)) => return Err(Some(status)),
            Event::Polled(polled) => {
                self.poll = None;
                self.offer(polled)?;
            }
            Event::Reported(reported) => self.answer(reported),
            Event::Looked(looked) => {
                self.look = None;
                match looked {
                    Looked::Lost(lost) => self.cancel(lost),
                    Looked::Refused(status) => return Err(Some(status)),
                }
            }
            Event::Drain(reason) => self.drain(reason),
            Event::Time => {}
            Event::Gone => return Err(None),
        }
        self.keep_time()
    }

    /// Does what time asks for.
    fn keep_time(&mut self) -> Result<(), Option<Status>> {
        let now = Instant::now();
        let silence_max = self.options.silence_max.to_std();
        let is_stuck = self.outbox.stuck_since().is_some_and(|since| now >= since + silence_max);
        if (now >= self.times.heard + silence_max && !self.is_half_closed) || is_stuck {
            return Err(Some(silent()));
        }
        let late = self.offers.give_back_late(now);
        if !late.is_empty() {
            self.take_back(&late);
        }
        if now >= self.times.alive {
            // Where something waits, it says the same as soon as it is taken.
            if self.outbox.is_empty() {
                self.say_alive();
            }
            self.times.alive = now + self.options.alive_interval.to_std();
        }
        if now >= self.times.look {
            self.times.look = now + self.options.look_interval.to_std();
            self.begin_look();
        }
        if self.times.end.is_none() && now >= self.times.age {
            self.drain("age");
        }
        Ok(())
    }

    /// Whether everything is said, or the time for that is up.
    fn is_over(&self) -> bool {
        let is_idle = self.reports.is_empty() && self.offers.is_empty();
        let is_late = self.times.end.is_some_and(|end| Instant::now() >= end);
        let is_drained = self.times.end.is_some() && self.held.is_empty();
        is_late || (is_idle && (self.is_half_closed || is_drained))
    }

    fn say_alive(&self) {
        self.outbox.send(Message::Alive(Alive { stream_id: self.stream.id().to_owned() }));
    }

    /// No more jobs. The worker reports what it has, here or elsewhere.
    pub(super) fn drain(&mut self, reason: &'static str) {
        if self.times.end.is_some() {
            return;
        }
        self.poll = None;
        self.times.end = Some(Instant::now() + self.options.drain_within.to_std());
        self.outbox.send(Message::Drain(Drain { reason: reason.to_owned() }));
    }

    /// The worker sends nothing more: what it was offered goes back, what it reported is answered.
    fn half_close(&mut self) {
        self.is_half_closed = true;
        self.poll = None;
        self.offers = Offers::default();
    }

    pub(super) fn engine(&self) -> &Engine {
        &self.parts.shared.parts.engine
    }
}

/// The result of a future that is there.
async fn ready<T>(future: &mut Option<BoxFuture<'static, T>>) -> T {
    match future {
        Some(future) => future.await,
        None => std::future::pending().await,
    }
}

/// The status of a stream whose worker says nothing.
pub(super) fn silent() -> Status {
    let detail = "The worker sent nothing for too long; open another stream.";
    status::of_problem(engine::Problem::new(408, ProblemCode::StreamSilent, detail))
}
