//! `/v1/events`: server-sent hints that something changed. They say where to look, not what is there.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse as _, Sse};
use domain::access::{Action, Permission, TenantScope};
use domain::id::{ExecutionId, JobId};
use engine::{Caller, Changes, Follower, Seat, Waiting};
use futures::stream;
use futures::{Stream, StreamExt as _};
use serde::Serialize;
use tokio::time::{Instant, timeout};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, NoQuery};
use crate::gate::identify;
use crate::problem::ApiResult;
use crate::shapes::QueueSchema;
use crate::state::ApiState;

/// How often a stream looks whether its caller may still come in, and an idle one whether the server shuts down.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// More changed executions and jobs at once than this, of those that the caller may know of, are sent as "everything may have
/// changed".
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
    let follower = state.engine.follow_changes();
    let (head, _) = request.into_parts();
    let feed = Feed {
        state,
        caller,
        head,
        looked_at: Instant::now(),
        follower,
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
    state: ApiState,
    caller: Caller,
    /// What the caller came with, by which it is let in anew.
    head: Parts,
    /// When it was last let in.
    looked_at: Instant,
    follower: Follower,
    ready: VecDeque<ChangeResponse>,
    /// Its place among those who wait.
    _seat: Seat,
}

impl Feed {
    /// The next change; `None` when the server shuts down, or the caller is let in no more.
    async fn next(&mut self) -> Option<ChangeResponse> {
        loop {
            if let Some(change) = self.ready.pop_front() {
                return Some(change);
            }
            let changes = self.wait().await?;
            self.ready = self.responses(&changes).await.into();
        }
    }

    /// Waits for changes.
    async fn wait(&mut self) -> Option<Arc<Changes>> {
        loop {
            if self.state.engine.shutdown_started() || !self.is_let_in().await {
                return None;
            }
            if let Ok(changes) = timeout(LOOK_INTERVAL, self.follower.next()).await {
                return changes;
            }
        }
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

    async fn responses(&self, changes: &Changes) -> Vec<ChangeResponse> {
        let resync = || vec![ChangeResponse::of("resync")];
        if changes.missed {
            return resync();
        }
        let changed = self.state.engine.changed_for(&self.caller, changes).await;
        if changed.is_some_and(|changed| changed.len() > CHANGED_MAX) {
            return resync();
        }
        let mut responses: Vec<ChangeResponse> = changes
            .queues
            .iter()
            .map(|queue| ChangeResponse { queue: Some(queue.as_str()), ..ChangeResponse::of("queue") })
            .collect();
        if let Some(changed) = changed {
            responses.extend(changed.executions.iter().map(|(&execution, &ended)| {
                let (execution_id, ended) = (Some(execution), Some(ended));
                ChangeResponse { execution_id, ended, ..ChangeResponse::of("execution") }
            }));
            let logged = changed.logged.iter();
            responses.extend(
                logged.map(|&job| ChangeResponse { job_id: Some(job), ..ChangeResponse::of("job.logged") }),
            );
        }
        // Alerts are of all tenants.
        if changes.alerts && self.caller.scope == TenantScope::All {
            responses.push(ChangeResponse::of("alert"));
        }
        if changes.settings {
            responses.push(ChangeResponse::of("settings"));
        }
        responses
    }
}
