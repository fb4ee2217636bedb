//! The process moves its own store: it copies while it works, stands still for the last changes, and starts again on the new
//! database behind the same sockets.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use domain::time::DurationMs;
use engine::{AskedMove, MoveDesk, MovePhase, MoveRequest};
use secrecy::SecretString;
use settings::Settings;
use store_sql::{LiveMove, MoveEnd, MoveStep, SqlStore};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::serve::banner::StopSignals;
use crate::serve::sockets::Sockets;
use crate::serve::{check, doors, listeners};

/// How long the process's own handlers may take to end. What still runs then is given back, and runs again on the new database.
pub(super) const DRAIN_MAX: Duration = Duration::from_secs(2);

/// How long open requests may take after that.
pub(super) const REQUESTS_MAX: Duration = Duration::from_secs(1);

/// What callers are answered meanwhile.
const STANDS_STILL: &str = "The store is being moved to another database. Retry the request.";

/// What the process is to do next.
pub(super) enum Next {
    /// End, because of this signal.
    Stop(&'static str),
    /// Stand still and finish the move, for which all but the last changes are copied.
    Finish(Box<LiveMove>, MoveRequest),
}

/// Waits for a signal. Moves that are asked for are made meanwhile as far as work can go on.
pub(super) async fn next(
    store: &Arc<SqlStore>,
    desk: &MoveDesk,
    settings: &Settings,
    signals: &mut StopSignals,
) -> Next {
    loop {
        let asked = tokio::select! {
            signal = signals.next() => return Next::Stop(signal),
            asked = desk.next() => asked,
        };
        let copied = tokio::select! {
            copied = copy(store, desk, settings, &asked) => copied,
            () = asked.abort.cancelled() => Err(anyhow::anyhow!("it was aborted")),
            signal = signals.next() => {
                undo(store).await;
                return Next::Stop(signal);
            }
        };
        match copied {
            Ok(live) if desk.begin_finishing() => return Next::Finish(Box::new(live), asked.request),
            Ok(live) => {
                live.abort().await;
                give_up(desk, &anyhow::anyhow!("it was aborted"));
            }
            Err(error) => {
                undo(store).await;
                give_up(desk, &error);
            }
        }
    }
}

async fn copy(
    store: &Arc<SqlStore>,
    desk: &MoveDesk,
    settings: &Settings,
    asked: &AskedMove,
) -> Result<LiveMove> {
    // What would keep the process from starting again is found before anything stops.
    check::settings(settings)?;
    let to = MoveEnd { url: asked.request.url.reveal().to_owned(), schema: asked.request.schema.clone() };
    let mut live = store.begin_move(&to, asked.id).await?;
    desk.update(|view| view.rows_total = live.rows());
    tracing::info!(to = live.to(), rows = live.rows(), "the store is being moved; work continues");
    let observe = |step: MoveStep| {
        if let MoveStep::Written(rows) = step {
            desk.update(|view| view.rows_copied += rows);
        }
        reach(step);
    };
    live.copy(&observe).await?;
    Ok(live)
}

/// Removes what a move that was given up leaves in the store.
async fn undo(store: &SqlStore) {
    if let Err(error) = store.end_broken_move().await {
        tracing::warn!(
            error = &error as &dyn Error,
            "changes are still recorded for the move, until the next start"
        );
    }
}

/// Copies the last changes; the store was closed. Answers whether the new database counts from now on.
pub(super) async fn finish(live: Box<LiveMove>, desk: &MoveDesk) -> bool {
    match live.finish(&reach).await {
        Ok((report, left)) => {
            tracing::info!(
                to = report.to,
                rows.left = left,
                "the store was moved; the old database is read-only"
            );
            desk.update(|view| view.rows_left = Some(left as u64));
            true
        }
        Err(error) => {
            give_up(desk, &error.into());
            false
        }
    }
}

/// The same settings with the new database.
pub(super) fn settings_after(mut settings: Settings, request: &MoveRequest) -> Settings {
    settings.database.url = SecretString::from(request.url.reveal().to_owned());
    settings.database.schema.clone_from(&request.schema);
    settings.database.listen_url = None;
    settings.database.read_url = None;
    settings
}

/// The process works again, since it stood still then.
pub(super) fn resumed(desk: &MoveDesk, stood_still: Instant) {
    let paused = i64::try_from(stood_still.elapsed().as_millis()).unwrap_or(i64::MAX);
    desk.update(|view| {
        view.paused_for = Some(DurationMs(paused));
        if view.phase == MovePhase::Finishing {
            view.phase = MovePhase::Done;
        }
    });
}

fn give_up(desk: &MoveDesk, error: &anyhow::Error) {
    let reason = format!("{error:#}");
    tracing::error!(reason, "the store was not moved; work continues on the old database");
    desk.fail(reason);
}

/// Where tests end the process.
pub(crate) fn reach(step: MoveStep) {
    engine::reach_move(match step {
        MoveStep::Begun => "move-begun",
        MoveStep::Written(_) => return,
        MoveStep::Copied { .. } => "move-copied",
        MoveStep::Complete => "move-complete",
        MoveStep::Fenced => "move-fenced",
        MoveStep::Ended => "move-ended",
    });
}

/// Answers callers while the process stands still.
pub(super) struct StandIn {
    closing: CancellationToken,
    listeners: Vec<JoinHandle<()>>,
}

impl StandIn {
    /// Answers 503 at the addresses for callers.
    pub(super) fn start(sockets: &Sockets, settings: &Settings, open_files_max: u64) -> Result<Self> {
        let closing = CancellationToken::new();
        let (http_options, mut door) = doors::http(settings, open_files_max, &closing)?;
        let grpc_options = doors::grpc(settings, &http_options, &mut door, &closing)?;
        let callers = sockets.callers()?;
        let served = [(callers.http, http_options), (callers.grpc, grpc_options)];
        let listeners = served
            .into_iter()
            .filter_map(|(socket, options)| {
                let router = api::unavailable_router(STANDS_STILL);
                socket.map(|socket| listeners::serve(socket, router, options, closing.clone()))
            })
            .collect();
        Ok(Self { closing, listeners })
    }

    /// Lets others answer.
    pub(super) async fn stop(self) {
        self.closing.cancel();
        for listener in self.listeners {
            let _ = listener.await;
        }
    }
}
