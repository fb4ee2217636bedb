//! `/v1/events`: server-sent hints that something changed. They say where to look, not what is there.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse as _, Sse};
use domain::access::{Action, Permission, TenantScope};
use domain::id::{ExecutionId, JobId};
use domain::queue::QueueName;
use engine::{Caller, Engine, Seat, Waiting};
use futures::stream;
use futures::{Stream, StreamExt as _};
use serde::Serialize;
use store::wakeup::Hint;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, timeout, timeout_at};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, NoQuery};
use crate::gate::identify;
use crate::problem::ApiResult;
use crate::shapes::QueueSchema;
use crate::state::ApiState;

/// Changes that come within this time are sent as one event.
const GATHER: Duration = Duration::from_millis(200);
/// How often a stream looks whether its caller may still come in, and an idle one whether the server shuts down.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// More changed executions and jobs at once than this are sent as "everything may have changed".
const CHANGED_MAX: usize = 500;
/// How often an idle stream sends a comment, so that proxies keep it open.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(stream_events, super::triggers::send_event))
        .routes(routes!(super::triggers::send_event_batch))
}

/// A change.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChangeEvent)]
struct ChangeResponse {
    /// `queue`, `execution`, `job.logged`, `alert`, `settings`, or `resync` if changes were missed and all resources must be
    /// read again.
    #[schema(value_type = String)]
    kind: &'static str,
    /// The queue whose jobs or slots changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<QueueSchema>)]
    queue: Option<&'static str>,
    /// The execution that changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    execution_id: Option<ExecutionId>,
    /// The job that has new log lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    job_id: Option<JobId>,
    /// Whether the execution ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<bool>,
}

impl ChangeResponse {
    const fn of(kind: &'static str) -> Self {
        Self { kind, queue: None, execution_id: None, job_id: None, ended: None }
    }
}

/// Stream change events
///
/// Each event signals that a resource changed; read the resource for its current state. The event name is its `kind`.
#[utoipa::path(
    get, path = "/v1/events", tag = "operations",
    responses((status = 200, description = "Server-sent events.", body = ChangeResponse, content_type = "text/event-stream"))
)]
async fn stream_events(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    _: NoQuery,
    request: Request,
) -> ApiResult<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    caller.require(Permission::Read)?;
    let seat = state.engine.take_seat(&caller, Waiting::Stream)?;
    let hints = state.engine.wakeup().subscribe();
    let (head, _) = request.into_parts();
    let feed = Feed {
        engine: state.engine.clone(),
        state,
        caller,
        head,
        looked_at: Instant::now(),
        hints,
        ready: VecDeque::new(),
        _seat: seat,
    };
    let events = stream::unfold(feed, |mut feed| async {
        let change = feed.next().await?;
        let event = Event::default().event(change.kind).json_data(&change).unwrap_or_default();
        Some((Ok(event), feed))
    });
    Ok(Sse::new(events.fuse()).keep_alive(KeepAlive::new().interval(HEARTBEAT).text("heartbeat")))
}

/// One caller's stream.
struct Feed {
    engine: Engine,
    state: ApiState,
    caller: Caller,
    /// What the caller came with, by which it is let in anew.
    head: Parts,
    /// When it was last let in.
    looked_at: Instant,
    hints: Receiver<Hint>,
    ready: VecDeque<ChangeResponse>,
    /// Its place among those who wait.
    _seat: Seat,
}

/// Hints that came close together.
#[derive(Debug, Default)]
struct Gathered {
    queues: BTreeSet<QueueName>,
    executions: BTreeMap<ExecutionId, bool>,
    logged: BTreeSet<JobId>,
    settings: bool,
    alerts: bool,
    missed: bool,
}

impl Gathered {
    fn record(&mut self, hint: &Result<Hint, RecvError>) {
        match *hint {
            Ok(Hint::Queue(queue) | Hint::Enqueued(queue) | Hint::Freed(queue)) => {
                self.queues.insert(queue);
            }
            Ok(Hint::Inbox(execution)) => {
                self.executions.entry(execution).or_insert(false);
            }
            Ok(Hint::Finished(execution)) => {
                self.executions.insert(execution, true);
            }
            Ok(Hint::Logged(job)) => {
                self.logged.insert(job);
            }
            Ok(Hint::Settings) => self.settings = true,
            Ok(Hint::Alerts) => self.alerts = true,
            Err(RecvError::Lagged(_)) => self.missed = true,
            Ok(Hint::Intake) | Err(RecvError::Closed) => {}
        }
    }
}

impl Feed {
    /// The next change; `None` when the server shuts down, or the caller is let in no more.
    async fn next(&mut self) -> Option<ChangeResponse> {
        loop {
            if let Some(change) = self.ready.pop_front() {
                return Some(change);
            }
            let gathered = self.gather().await?;
            self.ready = self.changes(gathered).await.into();
        }
    }

    /// Waits for a hint, and takes those that come right after it along.
    async fn gather(&mut self) -> Option<Gathered> {
        let first = loop {
            if self.engine.shutdown_started() || !self.is_let_in().await {
                return None;
            }
            if let Ok(hint) = timeout(LOOK_INTERVAL, self.hints.recv()).await {
                break hint;
            }
        };
        if matches!(first, Err(RecvError::Closed)) {
            return None;
        }
        let mut gathered = Gathered::default();
        gathered.record(&first);
        let until = Instant::now() + GATHER;
        while let Ok(hint) = timeout_at(until, self.hints.recv()).await {
            if matches!(hint, Err(RecvError::Closed)) {
                break;
            }
            gathered.record(&hint);
        }
        Some(gathered)
    }

    /// Whether the caller may still come in: keys are revoked, and sessions end, while a stream goes on. Where nobody can tell for
    /// now, it may.
    async fn is_let_in(&mut self) -> bool {
        if self.looked_at.elapsed() < LOOK_INTERVAL {
            return true;
        }
        self.looked_at = Instant::now();
        let mut request = Request::from_parts(self.head.clone(), Body::empty());
        match identify(&self.state, &mut request).await {
            Ok(caller) => {
                self.caller = caller;
                self.caller.allows(Action::EventsRead)
            }
            Err(problem) => problem.into_response().status().is_server_error(),
        }
    }

    async fn changes(&self, gathered: Gathered) -> Vec<ChangeResponse> {
        if gathered.missed || gathered.executions.len() + gathered.logged.len() > CHANGED_MAX {
            return vec![ChangeResponse::of("resync")];
        }
        let mut changes: Vec<ChangeResponse> = gathered
            .queues
            .iter()
            .map(|queue| ChangeResponse { queue: Some(queue.as_str()), ..ChangeResponse::of("queue") })
            .collect();
        for (execution, ended) in gathered.executions {
            if self.may_know(execution).await {
                let (execution_id, ended) = (Some(execution), Some(ended));
                changes.push(ChangeResponse { execution_id, ended, ..ChangeResponse::of("execution") });
            }
        }
        for job in gathered.logged {
            if self.may_know_job(job).await {
                changes.push(ChangeResponse { job_id: Some(job), ..ChangeResponse::of("job.logged") });
            }
        }
        // Alerts are of all tenants.
        if gathered.alerts && self.caller.scope == TenantScope::All {
            changes.push(ChangeResponse::of("alert"));
        }
        if gathered.settings {
            changes.push(ChangeResponse::of("settings"));
        }
        changes
    }

    /// Whether the caller may know of a job. Where the store cannot tell, it may not.
    async fn may_know_job(&self, job: JobId) -> bool {
        match self.caller.scope {
            TenantScope::All => true,
            TenantScope::One(_) => self.engine.job(&self.caller, job).await.is_ok(),
        }
    }

    /// Whether the caller may know of an execution. Where the store cannot tell, it may not.
    async fn may_know(&self, execution: ExecutionId) -> bool {
        match self.caller.scope {
            TenantScope::All => true,
            TenantScope::One(_) => self.engine.execution(&self.caller, execution).await.is_ok(),
        }
    }
}
