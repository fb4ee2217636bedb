//! Single requests over HTTP: what is left of a bare handler's speed behind keys, checks and the engine.

use std::time::Duration;

use anyhow::Result;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::http::{Load, Served, bare_router, compare, post_for};
use crate::jobs::payload;
use crate::node::Node;
use crate::reference::PostgresReference;
use crate::report::Report;

const EXPLANATION: &str = "`POST /v1/jobs` with one job of about 110 bytes, answered after its commit, on loopback; \
    client, server and PostgreSQL share the machine. Reference: a bare axum handler behind two writers that insert \
    whatever has arrived meanwhile in one statement, in the same process. Trunkline: the whole REST interface with \
    an API key.";

/// Connections, and which part of the bare handler's rate is aimed at.
const CONNECTIONS: [(usize, f64); 2] = [(64, 0.65), (256, 0.75)];

/// Runs it.
pub(crate) async fn http_post(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("Single jobs over HTTP", EXPLANATION);
    for (connections, ratio_min) in CONNECTIONS {
        let (mut bare, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..arguments.sizes.rounds {
            bare.push(reference(arguments, connections).await?);
            ours.push(server(arguments, connections).await?);
        }
        compare(&mut report, connections, "requests/s", ratio_min, [&bare, &ours]);
    }
    Ok(report)
}

async fn reference(arguments: &Arguments, connections: usize) -> Result<Load> {
    let reference = PostgresReference::start(&arguments.postgres_url).await?;
    let served = Served::start(bare_router(&reference.pool)).await?;
    let load = load(&served, connections, "none", arguments.sizes.seconds).await;
    served.end().await?;
    reference.end().await?;
    load
}

async fn server(arguments: &Arguments, connections: usize) -> Result<Load> {
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    let (served, key) = Served::api(&node.engine).await?;
    let load = load(&served, connections, &key, arguments.sizes.seconds).await;
    served.end().await?;
    node.end().await?;
    load
}

async fn load(served: &Served, connections: usize, key: &str, seconds: u64) -> Result<Load> {
    let body = format!(r#"{{"jobType":"noop","data":{}}}"#, payload(1));
    // A moment to open connections and to prepare statements.
    post_for(served.address, connections, (&body, key), Duration::from_millis(300)).await?;
    post_for(served.address, connections, (&body, key), Duration::from_secs(seconds)).await
}
