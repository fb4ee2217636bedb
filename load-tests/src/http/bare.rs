//! The least that a durable HTTP enqueue can be: one route, JSON in, one insert for whatever has arrived meanwhile.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use sqlx::postgres::PgPool;
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::reference;

const BATCH_MAX: usize = 500;
const WRITERS: usize = 2;

type Item = (String, oneshot::Sender<i64>);

/// A router that answers 202 after the commit.
pub(crate) fn bare_router(pool: &PgPool) -> Router {
    let (sender, receiver) = mpsc::channel::<Item>(10_000);
    let receiver = Arc::new(Mutex::new(receiver));
    for _ in 0..WRITERS {
        tokio::spawn(write(pool.clone(), Arc::clone(&receiver)));
    }
    Router::new().route("/v1/jobs", post(accept)).route("/hooks/{id}", post(receive)).with_state(sender)
}

async fn accept(
    State(sender): State<mpsc::Sender<Item>>,
    Json(body): Json<Value>,
) -> Result<(StatusCode, Json<Value>), StatusCode> {
    let (answer, answered) = oneshot::channel();
    let data = body["data"].to_string();
    sender.send((data, answer)).await.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    let id = answered.await.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "id": id, "status": "QUEUED" }))))
}

/// A delivery of a webhook: whatever it is, and whoever signed it.
async fn receive(
    State(sender): State<mpsc::Sender<Item>>,
    body: String,
) -> Result<(StatusCode, Json<Value>), StatusCode> {
    let (answer, answered) = oneshot::channel();
    sender.send((body, answer)).await.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    let id = answered.await.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "deliveryId": id }))))
}

/// Ends with the router, or with the first failure: requests are then answered with 503.
async fn write(pool: PgPool, receiver: Arc<Mutex<mpsc::Receiver<Item>>>) {
    loop {
        let mut items = Vec::new();
        if receiver.lock().await.recv_many(&mut items, BATCH_MAX).await == 0 {
            return;
        }
        let (payloads, answers): (Vec<String>, Vec<oneshot::Sender<i64>>) = items.into_iter().unzip();
        let Ok(ids) = reference::insert(&pool, payloads).await else {
            return;
        };
        for (id, answer) in ids.into_iter().zip(answers) {
            // Whoever hung up does not want to know.
            let _ = answer.send(id);
        }
    }
}
