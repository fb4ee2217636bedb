//! The life of a server process.

use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use engine::{CalibratedClock, Engine, MoveDesk, ServerInfo, TimeSkip};
use settings::{Role, Settings};
use store::{Clock, Store};
use store_sql::SqlStore;
use telemetry::{LabelOptions, LogFilter, LogFormat, MetricsHandle};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::serve::banner::{self, Addresses, StopSignals};
use crate::serve::doors::HttpDoor;
use crate::serve::engine::{Shared, build, list_options, replica_options, store_options};
use crate::serve::listeners::install_provider;
use crate::serve::moving::{self, Next, StandIn};
use crate::serve::reload::{Read, Reload};
use crate::serve::sockets::Sockets;
use crate::serve::{bootstrap, check, dispatch, doors, figures, listeners, outside, parts};

/// How often recorded metrics are folded.
const METRICS_UPKEEP: Duration = Duration::from_secs(5);

/// The bound on open files of a process that does not say which one it has.
const OPEN_FILES_LEAST: u64 = 1_024;

/// How long open requests may take when the server ends.
const REQUESTS_END: Duration = Duration::from_secs(5);

/// What kind of server it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Time is that of the database.
    Usual,
    /// Time jumps while nothing is under way.
    TimeSkipping,
}

impl Kind {
    /// A clock that skips belongs to a database that goes with the process.
    fn can_be_moved(self) -> bool {
        self == Self::Usual
    }

    /// The engine's clock over that of the database. Leases go on by the latter: no jump ends one.
    fn clock(self, own: &Arc<CalibratedClock>) -> (Arc<dyn Clock>, Option<Arc<TimeSkip>>) {
        match self {
            Self::Usual => (Arc::clone(own) as _, None),
            Self::TimeSkipping => {
                let skip = Arc::new(TimeSkip::new(Arc::clone(own) as _));
                (Arc::clone(&skip) as _, Some(skip))
            }
        }
    }
}

/// What a process has once, whichever engines it runs one after the other.
struct Process {
    kind: Kind,
    logs: LogFilter,
    metrics: MetricsHandle,
    open_files_max: u64,
    read: Arc<Read>,
    sockets: Option<Sockets>,
    moves: Arc<MoveDesk>,
}

/// Runs the server until a signal ends it. `read` reads the settings again.
pub(crate) async fn run(settings: Settings, read: Read, kind: Kind) -> Result<ExitCode> {
    let format =
        LogFormat::parse(settings.log.format.as_str()).context("unknown log format in the settings")?;
    let logs = telemetry::init_logs(format, &settings.log.filter)?;
    let open_files_max = raise_open_files();
    install_provider();
    telemetry::set_label_options(LabelOptions {
        tenant: settings.metrics.tenant_label,
        job_type: settings.metrics.job_type_label,
        values_max: settings.metrics.label_values_max as usize,
    });
    let metrics = telemetry::install_metrics();
    let spans = outside::start(&settings)?;
    // Taken over first: a signal during start-up must not end the process half-way.
    let mut signals = StopSignals::listen().context("cannot listen for signals")?;
    // Taken over for good: no engine reads the settings again yet, and the signal must not end the process.
    drop(signal(SignalKind::hangup()).context("cannot listen for signals")?);
    let (read, moves) = (Arc::new(read), Arc::default());
    let mut process = Process { kind, logs, metrics, open_files_max, read, sockets: None, moves };
    Box::pin(work(&mut process, settings, &mut signals)).await?;
    if let Some(spans) = spans {
        spans.stop().await;
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs one engine after the other: another one only where the store was to be moved.
async fn work(process: &mut Process, mut settings: Settings, signals: &mut StopSignals) -> Result<()> {
    let mut stood_still: Option<Instant> = None;
    loop {
        let started = tokio::select! {
            started = start(&settings, process) => started?,
            signal = signals.next() => {
                tracing::info!(signal, "stopped before it was ready");
                return Ok(());
            }
        };
        let reloading = reload_settings(process, &started, &settings)?;
        if let Some(since) = stood_still.take() {
            moving::resumed(&process.moves, since);
        }
        match moving::next(&started.store, &process.moves, &settings, signals).await {
            Next::Stop(signal) => {
                tracing::info!(
                    signal,
                    "stopping: accepting no new work; a second signal stops without waiting"
                );
                // Callers are refused as soon as the listeners are closed.
                process.sockets = None;
                stop_at_signal(started, &settings, signals).await;
                return Ok(());
            }
            Next::Finish(live, request) => {
                stood_still = Some(Instant::now());
                let drain = settings.workers.drain_timeout.to_std().min(moving::DRAIN_MAX);
                stop(started, Within { drain, requests: moving::REQUESTS_MAX }, CancellationToken::new())
                    .await;
                settings = reloading.await.context("the settings could not be kept")?;
                let sockets = process.sockets.as_ref().context("the sockets are kept until the end")?;
                let stand_in = StandIn::start(sockets, &settings, process.open_files_max)?;
                if moving::finish(live, &process.moves).await {
                    settings = moving::settings_after(settings, &request);
                }
                stand_in.stop().await;
            }
        }
    }
}

async fn stop_at_signal(started: Started, settings: &Settings, signals: &mut StopSignals) {
    let within = Within { drain: settings.workers.drain_timeout.to_std(), requests: REQUESTS_END };
    let hurry = CancellationToken::new();
    let mut stopped = pin!(stop(started, within, hurry.clone()));
    tokio::select! {
        () = &mut stopped => {}
        _ = signals.next() => {
            hurry.cancel();
            stopped.await;
        }
    }
}

/// Takes over what can change in the settings with each SIGHUP, as long as this engine runs. Ends with what was in use last.
fn reload_settings(
    process: &Process,
    started: &Started,
    settings: &Settings,
) -> Result<JoinHandle<Settings>> {
    let hangups = signal(SignalKind::hangup()).context("cannot listen for signals")?;
    let reload = Reload {
        read: Arc::clone(&process.read),
        known: settings.clone(),
        logs: process.logs.clone(),
        door: started.door.clone(),
        rate_limit: started.rate_limit.clone(),
    };
    Ok(tokio::spawn(reload.run(hangups, started.closing.clone())))
}

/// Lets the process have as many files and connections open as it may: callers, and the HTTP calls of a thousand slots,
/// are more than the soft limit of most systems. Answers how many it may have.
fn raise_open_files() -> u64 {
    rlimit::increase_nofile_limit(u64::MAX).unwrap_or_else(|error| {
        tracing::warn!(%error, "cannot raise the limit of open files; see `ulimit -n`");
        rlimit::getrlimit(rlimit::Resource::NOFILE).map_or(OPEN_FILES_LEAST, |(soft, _)| soft)
    })
}

/// What runs, to be stopped.
struct Started {
    engine: Engine,
    store: Arc<SqlStore>,
    pools: worker::Pools,
    own_upkeep: scheduler::Upkeep,
    upkeep: Option<scheduler::Upkeep>,
    dispatch: dispatch::Dispatch,
    /// Ends the listeners.
    closing: CancellationToken,
    listeners: Vec<JoinHandle<()>>,
    /// What of the HTTP address can change.
    door: Option<HttpDoor>,
    rate_limit: api::LiveRateLimit,
}

/// Opens the store, on a schema that fits, where it can be written.
async fn open_store(settings: &Settings) -> Result<Arc<SqlStore>> {
    let options = store_options(settings);
    let store = SqlStore::connect_with(&options, list_options(settings))
        .await
        .map_err(check::explain)
        .with_context(|| format!("cannot open {}", settings.database.url_masked()))?;
    if !options.migrate {
        check::require_workable(&store).await?;
    }
    store.require_serving().await.map_err(check::explain)?;
    store.end_broken_move().await?;
    if store.is_replica().await? {
        bail!(
            "{} is a replica, which cannot be written: let database.url lead to the primary",
            settings.database.url_masked()
        );
    }
    if let Some(replica) = replica_options(settings) {
        store.read_from(&replica).context("cannot use database.read_url")?;
    }
    // Beside the rest of the start, which does not wait for it.
    let connections = Arc::clone(&store);
    tokio::spawn(async move { connections.warm_up().await });
    Ok(store)
}

async fn start(settings: &Settings, process: &mut Process) -> Result<Started> {
    let (metrics_handle, open_files_max) = (process.metrics.clone(), process.open_files_max);
    let store = open_store(settings).await?;
    let own_clock = Arc::new(CalibratedClock::start(store.as_ref()).await?);
    let shared = Shared::of(settings)?;
    let (clock, skip) = process.kind.clock(&own_clock);
    let engine = build(Arc::clone(&store), Arc::clone(&clock), shared.clone());
    process.moves.accept(process.kind.can_be_moved() && store.can_be_moved_in_use());
    engine.set_move_desk(Arc::clone(&process.moves));
    if let Some(skip) = skip {
        engine.set_time_skip(skip);
    }

    // Bound before anything is started, so that a port that is taken stops the start-up at once.
    let sockets = match &mut process.sockets {
        Some(sockets) => sockets,
        unbound => unbound.insert(Sockets::bind(settings).await?),
    };
    let (metrics_socket, callers) = (sockets.metrics()?, sockets.callers()?);
    let addresses = Addresses {
        http: callers.http_addr()?,
        grpc: callers.grpc_addr()?,
        metrics: metrics_socket.local_addr()?,
    };

    let closing = CancellationToken::new();
    // Read before anything is started as well: a certificate that cannot be used stops the start-up.
    let (http_options, mut door) = doors::http(settings, open_files_max, &closing)?;
    let grpc_options = doors::grpc(settings, &http_options, &mut door, &closing)?;

    dispatch::join(&engine, settings).await?;
    let first_key = bootstrap::first_key(&engine, settings).await?;
    let pools = parts::start_pools(&engine, &store, &clock, shared, settings).await?;
    engine.set_alert_sender(Arc::new(parts::notification_sender(settings)?));
    engine.describe_server(server_info(settings));
    let named = settings.clone();
    engine.show_certificates(move || doors::of(&named));
    let upkeep_options = parts::options(settings);
    let own_upkeep = scheduler::start_own(&engine, own_clock, upkeep_options.workers_every);
    let upkeep = settings.has_role(Role::Scheduler).then(|| scheduler::start(&engine, upkeep_options));

    let dispatch = dispatch::start(&engine, settings)?;
    let skipping = engine.clone();
    let mut running = vec![tokio::spawn(async move { skipping.skip_time().await })];
    running.push(tokio::spawn(fold_metrics(metrics_handle.clone(), closing.clone())));
    let scrapes = figures::Scrapes::new();
    running.push(tokio::spawn(scrapes.clone().answer(engine.clone(), Arc::clone(&store), closing.clone())));
    // Printed before the server reports that it is ready.
    banner::print(settings, &addresses, &first_key)?;
    let has_keys = engine.has_keys().await.map_err(|error| anyhow!(error))?;
    banner::warn_if_open(settings.http.open, has_keys, &addresses);
    banner::warn_if_keys_are_inside(&engine);
    let metrics_router = figures::router(metrics_handle, scrapes, Arc::clone(&store) as Arc<dyn Store>);
    running.push(listeners::serve(metrics_socket, metrics_router, doors::metrics(), closing.clone()));
    let rate_limit = api::LiveRateLimit::new(parts::rate_limit(settings));
    let options = [http_options, grpc_options];
    running.extend(callers.serve(&engine, settings, &rate_limit, options, &closing).await?);
    Ok(Started {
        engine,
        store,
        pools,
        own_upkeep,
        upkeep,
        dispatch,
        closing,
        listeners: running,
        door: Some(door),
        rate_limit,
    })
}

/// What the process says of itself to those who list processes.
fn server_info(settings: &Settings) -> ServerInfo {
    ServerInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        roles: settings.roles.iter().map(ToString::to_string).collect(),
    }
}

/// How long parts may take to end.
struct Within {
    /// Handlers that run in this process.
    drain: Duration,
    /// Open requests, afterwards.
    requests: Duration,
}

/// Stops in the order in which nothing is lost: no new work, running work ends or is given back, then the answers.
async fn stop(started: Started, within: Within, hurry: CancellationToken) {
    let Started { engine, store, pools, own_upkeep, upkeep, dispatch, closing, listeners, .. } = started;
    engine.begin_shutdown();
    dispatch.stop().await;
    // Workers elsewhere may still report while ours end: only then are the listeners closed.
    let drained = pools.drain(within.drain, hurry).await;
    closing.cancel();
    for upkeep in upkeep.into_iter().chain([own_upkeep]) {
        upkeep.stop().await;
    }
    let all_closed = async {
        for listener in listeners {
            let _ = listener.await;
        }
    };
    if tokio::time::timeout(within.requests, all_closed).await.is_err() {
        tracing::warn!("open requests are closed");
    }
    engine.flush_audit().await;
    if let Err(error) = engine.flush_stats().await {
        tracing::warn!(error = &error as &dyn std::error::Error, "the last statistics could not be written");
    }
    if let Err(error) = engine.remove_server().await {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "the process could not be removed from the list of servers"
        );
    }
    store.close().await;
    tracing::info!(drain.in_time = drained.in_time, drain.blocked = drained.blocked, "stopped");
}

async fn fold_metrics(handle: MetricsHandle, closing: CancellationToken) {
    let mut ticks = tokio::time::interval(METRICS_UPKEEP);
    loop {
        tokio::select! {
            _ = ticks.tick() => handle.upkeep(),
            () = closing.cancelled() => return,
        }
    }
}
