//! Enqueue many jobs in one commit.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use engine::{Caller, JobRequest};

use crate::extract::{Identity, JsonBody, Traceparent};
use crate::problem::ApiResult;
use crate::routes::batch_items::{Items, below_batch, results};
use crate::shapes::batch_results::{BatchResult, BatchResultsResponse};
use crate::shapes::jobs::{EnqueuedResponse, JobBatchBody, JobBody};
use crate::state::ApiState;

type Answer = ApiResult<(StatusCode, Json<BatchResultsResponse<EnqueuedResponse>>)>;

/// Enqueue many jobs in one commit
///
/// Atomic, unless `partial` is true: then valid jobs are accepted and each invalid one has its error in the
/// results.
#[utoipa::path(
    post, path = "/v1/jobs/batch", tag = "jobs", request_body = JobBatchBody,
    responses((status = 202, description = "Accepted.", body = BatchResultsResponse<EnqueuedResponse>))
)]
pub(super) async fn enqueue_jobs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Traceparent(header): Traceparent,
    JsonBody(body): JsonBody<JobBatchBody>,
) -> Answer {
    let items_max = state.engine.policy().batch_max;
    let items =
        Items::read("jobs", body.jobs, items_max, |job: JobBody| job.into_request(header.as_deref()))?;
    if body.partial {
        accept_valid(&state, &caller, items).await
    } else {
        accept_all(&state, &caller, items).await
    }
}

async fn accept_all(state: &ApiState, caller: &Caller, items: Items<JobRequest>) -> Answer {
    let requests = items.all()?;
    let len = requests.len();
    let enqueued =
        state.engine.enqueue(caller, requests).await.map_err(|error| below_batch(error, "jobs", len))?;
    let results = enqueued.into_iter().map(|job| BatchResult::Accepted(job.into())).collect();
    Ok((StatusCode::ACCEPTED, Json(BatchResultsResponse { results })))
}

async fn accept_valid(state: &ApiState, caller: &Caller, mut items: Items<JobRequest>) -> Answer {
    for index in 0..items.len() {
        let Some(request) = items.request(index) else {
            continue;
        };
        if let Err(error) = state.engine.check_job(caller, request).await {
            items.refuse(index, error)?;
        }
    }
    let (requests, places) = items.part();
    let enqueued =
        if requests.is_empty() { Vec::new() } else { state.engine.enqueue(caller, requests).await? };
    let accepted = enqueued.into_iter().map(EnqueuedResponse::from).collect();
    Ok((StatusCode::ACCEPTED, Json(results(places, accepted))))
}
