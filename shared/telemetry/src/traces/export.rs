//! The task that sends recorded spans, in batches.

use std::time::Duration;

use secrecy::SecretString;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::traces::span::Span;
use crate::traces::transport::{SendFault, TraceProtocol, TracesError, Transport};
use crate::traces::{TRACER, Tracer, dropped, transport};

/// How many spans one message holds at most.
const BATCH_MAX: usize = 512;
/// How often one message is sent at most, while the collector is away or overloaded.
const TRIES_MAX: u32 = 4;
/// The wait before it is sent again; each next one is twice as long. New spans wait in the queue meanwhile.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// How long what is left may take when the process ends.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// Where spans go, and how.
#[derive(Debug, Clone)]
pub struct TraceOptions {
    /// The address of the collector.
    pub endpoint: String,
    /// How it is spoken to.
    pub protocol: TraceProtocol,
    /// Headers of each message.
    pub headers: Vec<(String, SecretString)>,
    /// What the spans are of: `service.name` and others.
    pub resource: Vec<(String, String)>,
    /// The share of traces that begin here which is kept, from 0 to 1.
    pub share: f64,
    /// How long a span may wait for others.
    pub flush_every: Duration,
    /// How many spans may wait; more are dropped.
    pub queue: usize,
}

/// The sending of spans, to be stopped.
#[derive(Debug)]
pub struct TraceExport {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

/// Has spans sent from now on, by a task of the current runtime. Connects nothing before there is one.
pub fn start_traces(options: TraceOptions) -> Result<TraceExport, TracesError> {
    let (tracer, exporter) = exporter(options)?;
    TRACER.set(tracer).map_err(|_| TracesError::Installed)?;
    Ok(exporter.spawn())
}

/// A tracer, and what sends its spans.
pub(super) fn exporter(options: TraceOptions) -> Result<(Tracer, Exporter), TracesError> {
    let transport = Transport::new(options.protocol, &options.endpoint, &options.headers)?;
    let (queue, spans) = mpsc::channel(options.queue.max(1));
    let tracer = Tracer { share: options.share, queue };
    let (resource, flush_every) = (options.resource, options.flush_every);
    let retry_after = RETRY_AFTER;
    Ok((tracer, Exporter { transport, spans, resource, flush_every, retry_after, is_failing: false }))
}

impl TraceExport {
    /// Sends what was recorded, for a few seconds at most.
    pub async fn stop(self) {
        let Self { stop, task } = self;
        let _ = stop.send(());
        let abort = task.abort_handle();
        if tokio::time::timeout(STOP_TIMEOUT, task).await.is_err() {
            abort.abort();
            tracing::warn!("the last spans could not be sent in time");
        }
    }
}

pub(super) struct Exporter {
    transport: Transport,
    spans: mpsc::Receiver<Span>,
    resource: Vec<(String, String)>,
    flush_every: Duration,
    pub(super) retry_after: Duration,
    /// Whether the last message did not arrive.
    is_failing: bool,
}

impl Exporter {
    pub(super) fn spawn(self) -> TraceExport {
        let (stop, stopped) = oneshot::channel();
        TraceExport { stop, task: tokio::spawn(self.run(stopped)) }
    }

    /// How many spans wait.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.spans.len()
    }

    async fn run(mut self, mut stopped: oneshot::Receiver<()>) {
        let mut is_over = false;
        while !is_over {
            let mut batch = Vec::new();
            is_over = self.collect(&mut batch, &mut stopped).await;
            is_over |= self.send(batch, if is_over { None } else { Some(&mut stopped) }).await;
        }
        // Whatever is recorded from now on is dropped.
        self.spans.close();
        loop {
            let mut batch = Vec::new();
            if self.spans.recv_many(&mut batch, BATCH_MAX).await == 0 {
                return;
            }
            self.send(batch, None).await;
        }
    }

    /// Takes spans until there are enough of them or the first has waited long enough. Answers whether it is time to stop.
    async fn collect(&mut self, batch: &mut Vec<Span>, stopped: &mut oneshot::Receiver<()>) -> bool {
        let mut flush_at = None;
        while batch.len() < BATCH_MAX {
            let room = BATCH_MAX - batch.len();
            let flush = async {
                match flush_at {
                    Some(at) => tokio::time::sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                taken = self.spans.recv_many(batch, room) => if taken == 0 { return true },
                () = flush => return false,
                _ = &mut *stopped => return true,
            }
            flush_at.get_or_insert_with(|| Instant::now() + self.flush_every);
        }
        false
    }

    /// Sends spans, more than once where the fault may pass and there is a sign to wait for that says that it is time to stop.
    /// Answers whether that sign came.
    async fn send(&mut self, batch: Vec<Span>, mut stopped: Option<&mut oneshot::Receiver<()>>) -> bool {
        if batch.is_empty() {
            return false;
        }
        let spans = batch.len();
        let request = transport::request(&self.resource, batch);
        let (mut wait, mut is_over) = (self.retry_after, false);
        for again in 1..=TRIES_MAX {
            let fault = match self.transport.send(request.clone()).await {
                Ok(refused) => {
                    dropped(refused);
                    if std::mem::take(&mut self.is_failing) {
                        tracing::info!("the trace collector accepts spans again");
                    }
                    return is_over;
                }
                Err(fault) => fault,
            };
            let may_pass = fault.may_pass() && again < TRIES_MAX && !is_over;
            let Some(stop) = stopped.as_deref_mut().filter(|_| may_pass) else {
                self.give_up(spans, &fault);
                break;
            };
            tokio::select! {
                // The collector is polled a few times, each after a longer pause.
                () = tokio::time::sleep(wait) => wait *= 2,
                // What is left is sent once more, and then all others.
                _ = stop => is_over = true,
            }
        }
        is_over
    }

    fn give_up(&mut self, spans: usize, fault: &SendFault) {
        // Once, until it is better. Said before it is counted: whoever sees the figure finds the reason.
        if !std::mem::replace(&mut self.is_failing, true) {
            let error = fault as &dyn std::error::Error;
            tracing::warn!(error, "spans could not be sent to the collector and are dropped");
        }
        dropped(spans as u64);
    }
}
