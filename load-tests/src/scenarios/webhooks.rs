//! Deliveries of webhooks: what is left of a bare handler's speed behind verification, two guards against repetitions and
//! the engine.

use std::time::Duration;

use anyhow::{Context, Result};
use domain::webhook::Provider;
use engine::{Caller, SecretText, WebhookRequest};
use store_sql::FastPath;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::http::{Deliverer, Load, Served, bare_router, compare};
use crate::node::Node;
use crate::reference::PostgresReference;
use crate::report::{Report, Target};

const EXPLANATION: &str = "`POST /hooks/{id}` with a push of about 700 bytes, each another one, signed by its sender with \
    HMAC-SHA256 while the time runs, answered after its commit, on loopback; senders, server and PostgreSQL share the \
    machine. Reference: a bare axum handler that verifies nothing, behind two writers that insert whatever has arrived \
    meanwhile in one statement, in the same process, sent the same requests. Trunkline: the whole ingress with \
    verification, replay guard, delivery guard, the delivery with its headers and raw body, and its job. The job is not \
    worked on meanwhile.";

const SECRET: &str = "the secret of the load tests, 32 bytes and more";
/// Connections, and which part of the bare handler's rate is aimed at.
const CONNECTIONS: [(usize, f64); 2] = [(64, 0.6), (256, 0.4)];

/// Runs it.
pub(crate) async fn webhooks(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("Deliveries of webhooks", EXPLANATION);
    for (connections, ratio_min) in CONNECTIONS {
        let (mut bare, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..arguments.sizes.rounds {
            bare.push(reference(arguments, connections).await?);
            ours.push(server(arguments, connections, None).await?);
        }
        let p99 = compare(&mut report, connections, "deliveries/s", ratio_min, [&bare, &ours]);
        if connections == 64 {
            p99.aim(Target::ValueMax(25.0));
        }
    }
    Ok(report)
}

async fn reference(arguments: &Arguments, connections: usize) -> Result<Load> {
    let reference = PostgresReference::start(&arguments.postgres_url).await?;
    let served = Served::start(bare_router(&reference.pool)).await?;
    let load = load(&served, "/hooks/bare", connections, arguments.sizes.seconds).await;
    served.end().await?;
    reference.end().await?;
    load
}

/// Deliveries to a server, whose store may leave a fast path out.
pub(super) async fn server(
    arguments: &Arguments,
    connections: usize,
    without: Option<FastPath>,
) -> Result<Load> {
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    node.leave_out(without);
    let request = WebhookRequest {
        secrets: Some(vec![SecretText::new(SECRET)]),
        ..WebhookRequest::new("load", Provider::GitHub)
    };
    let saved =
        node.engine.create_webhook(&Caller::system(), request).await.context("cannot create a webhook")?;
    let (served, _) = Served::api(&node.engine).await?;
    let load = load(&served, &saved.view.path, connections, arguments.sizes.seconds).await;
    served.end().await?;
    node.end().await?;
    load
}

async fn load(served: &Served, path: &str, connections: usize, seconds: u64) -> Result<Load> {
    let sender = Deliverer { address: served.address, path: path.to_owned(), secret: SECRET.to_owned() };
    // A moment to open connections and to prepare statements.
    let (_, next) = sender.deliver_for(connections, Duration::from_millis(300), 0).await?;
    let (load, _) = sender.deliver_for(connections, Duration::from_secs(seconds), next).await?;
    Ok(load)
}
