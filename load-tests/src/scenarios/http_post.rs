//! Single requests over HTTP: what is left of a bare handler's speed behind keys, checks and the engine.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Result;
use api::ApiOptions;
use axum::Router;
use domain::access::Role;
use engine::Caller;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::http::{Load, bare_router, post_for};
use crate::jobs::payload;
use crate::node::Node;
use crate::reference::PostgresReference;
use crate::report::Report;

const EXPLANATION: &str = "`POST /v1/jobs` with one job of about 110 bytes, answered after its commit, on loopback; \
    client, server and PostgreSQL share the machine. Reference: a bare axum handler behind two writers that insert \
    whatever has arrived meanwhile in one statement, in the same process. Trunkline: the whole REST interface with \
    an API key.";

const CONNECTIONS: [usize; 2] = [64, 256];

/// Runs it.
pub(crate) async fn http_post(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("Single jobs over HTTP", EXPLANATION);
    for connections in CONNECTIONS {
        let (mut bare, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..arguments.rounds {
            bare.push(reference(arguments, connections).await?);
            ours.push(server(arguments, connections).await?);
        }
        let of = |loads: &[Load], value: fn(&Load) -> f64| loads.iter().map(value).collect::<Vec<f64>>();
        for (unit, value) in [
            ("requests/s", (|load| load.rate) as fn(&Load) -> f64),
            ("ms p50", |load| load.p50_ms),
            ("ms p99", |load| load.p99_ms),
        ] {
            report.add(format!("{connections} connections"), unit, &of(&bare, value), &of(&ours, value));
        }
    }
    Ok(report)
}

async fn reference(arguments: &Arguments, connections: usize) -> Result<Load> {
    let reference = PostgresReference::start(&arguments.postgres_url).await?;
    let load = load(bare_router(&reference.pool), connections, "none", arguments.seconds).await?;
    reference.end().await?;
    Ok(load)
}

async fn server(arguments: &Arguments, connections: usize) -> Result<Load> {
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    let (_, key) = node.engine.create_key(&Caller::system(), "load", Role::Admin, None).await?;
    let router = api::router(node.engine.clone(), ApiOptions::default());
    let load = load(router, connections, key.reveal(), arguments.seconds).await?;
    node.end().await?;
    Ok(load)
}

/// Serves a router on loopback for as long as the load lasts.
async fn load(router: Router, connections: usize, key: &str, seconds: u64) -> Result<Load> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let closing = CancellationToken::new();
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    let served = axum::serve(listener, service).with_graceful_shutdown(closing.clone().cancelled_owned());
    let served = tokio::spawn(served.into_future());
    let body = format!(r#"{{"jobType":"noop","data":{}}}"#, payload(1));
    // A moment to open connections and to prepare statements.
    post_for(address, connections, (&body, key), Duration::from_millis(300)).await?;
    let load = post_for(address, connections, (&body, key), Duration::from_secs(seconds)).await;
    closing.cancel();
    served.await??;
    load
}
