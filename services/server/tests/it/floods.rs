//! One caller holds open or sends as much as it can; others go on, and what it takes of the process and the disk has a bound.
//!
//! Figures are generous, for a loaded machine: before there were caps, a flood raised the time of another tenant's call from one to
//! hundreds of milliseconds, and the disk by gigabytes within minutes.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use crate::harness::{Client, Database, Server, key_of, longest_call, on_both_databases, until};

on_both_databases!(
    waiting_callers_beyond_their_cap_are_refused_and_others_go_on,
    idle_connections_of_one_address_leave_room_for_health,
    forged_deliveries_take_a_bounded_part_of_the_disk,
);

const DEADLINE: Duration = Duration::from_mins(1);
/// How long a call of the other tenant may take.
const CALL_MAX: Duration = Duration::from_secs(15);
/// What the process may have used at most, in KiB: 1 GiB.
const RESIDENT_MAX_KIB: u64 = 1 << 20;

/// Polls of one key, of which each names a job type of its own so that none wakes another.
const POLLS: usize = 600;
const POLLS_MAX: usize = 200;
const STREAMS: usize = 120;
const STREAMS_MAX: usize = 40;

/// The statuses that some calls were answered with before they were given up, in any order.
async fn refusals(calls: &mut JoinSet<u16>, expected: usize) -> Vec<u16> {
    let mut answered = Vec::new();
    while answered.len() < expected {
        let next =
            tokio::time::timeout(DEADLINE, calls.join_next()).await.expect("what is refused is answered");
        answered.push(next.expect("there are that many calls").expect("not cancelled"));
    }
    answered
}

async fn waiting_callers_beyond_their_cap_are_refused_and_others_go_on(database: Database) {
    let (polls_max, streams_max) = (POLLS_MAX.to_string(), STREAMS_MAX.to_string());
    let server = Server::start_with(
        &database,
        &[
            ("TRUNKLINE_WAITING__POLLS_PER_KEY", &polls_max),
            ("TRUNKLINE_WAITING__STREAMS_PER_KEY", &streams_max),
        ],
    )
    .await;
    let admin = server.client();
    let (mallory, watcher) =
        (key_of(&admin, "worker", "mallory").await, key_of(&admin, "viewer", "mallory").await);
    let bob = key_of(&admin, "client", "bob").await;

    let mut polls = JoinSet::new();
    for number in 0..POLLS {
        let body = json!({"workerId": "w", "jobTypes": [format!("absent-{number}")], "wait": "30s"});
        let call = mallory.call(Method::POST, "/v1/jobs/poll").json(&body);
        polls.spawn(async move { call.answer().await.status });
    }
    let refused = refusals(&mut polls, POLLS - POLLS_MAX).await;
    assert!(refused.iter().all(|&status| status == 429), "{refused:?}");

    let mut streams = JoinSet::new();
    for _ in 0..STREAMS {
        let call = watcher.call(Method::GET, "/v1/events");
        streams.spawn(async move { call.answer().await.status });
    }
    let refused = refusals(&mut streams, STREAMS - STREAMS_MAX).await;
    assert!(refused.iter().all(|&status| status == 429), "{refused:?}");

    let longest = longest_call(&bob).await;
    assert!(longest < CALL_MAX, "another tenant waited {longest:?}");
    assert!(server.resident_max_kib() < RESIDENT_MAX_KIB, "{} KiB", server.resident_max_kib());

    // Whoever hangs up gives its places back.
    polls.shutdown().await;
    until("there is room for a poll again", DEADLINE, || async {
        let body = json!({"workerId": "w", "jobTypes": ["absent"]});
        (mallory.try_post("/v1/jobs/poll", &body).await.status == 200).then_some(())
    })
    .await;
}

const CONNECTIONS_MAX: usize = 300;
const CONNECTIONS_PER_ADDRESS_MAX: usize = 100;

async fn connections(server: &Server, count: usize) -> Vec<TcpStream> {
    let mut opened = Vec::with_capacity(count);
    for _ in 0..count {
        opened.push(TcpStream::connect(server.address()).await.expect("the kernel accepts"));
    }
    opened
}

async fn idle_connections_of_one_address_leave_room_for_health(database: Database) {
    let (all, of_one) = (CONNECTIONS_MAX.to_string(), CONNECTIONS_PER_ADDRESS_MAX.to_string());
    let server = Server::start_with(
        &database,
        &[
            ("TRUNKLINE_HTTP__CONNECTIONS_MAX", &all),
            ("TRUNKLINE_HTTP__CONNECTIONS_PER_ADDRESS_MAX", &of_one),
        ],
    )
    .await;
    let idle = Mutex::new(connections(&server, CONNECTIONS_PER_ADDRESS_MAX).await);
    until("the address has no place left", DEADLINE, || async {
        let answered = server.client().call(Method::GET, "/v1/queues").send().await;
        if answered.map_or(true, |answer| answer.status == 503) {
            return Some(());
        }
        // A connection of the start had a place until now.
        idle.lock().await.extend(connections(&server, 1).await);
        None
    })
    .await;
    let mut idle = idle.into_inner();
    idle.extend(connections(&server, CONNECTIONS_PER_ADDRESS_MAX).await);
    // Health is asked at an address of its own, as probes do; it has places that the flood cannot take.
    let started = Instant::now();
    assert_eq!(Client::new(&server.metrics_url(), None).try_get("/healthz").await.status, 200);
    assert!(started.elapsed() < CALL_MAX);
    // Nothing arrives on idle connections, so that the server ends them by itself.
    for stream in &mut idle {
        let mut rest = Vec::new();
        let ended = tokio::time::timeout(DEADLINE, stream.read_to_end(&mut rest)).await;
        assert!(ended.is_ok(), "an idle connection stays open");
    }
    until("the address has places again", DEADLINE, || async {
        let answer = server.client().call(Method::GET, "/v1/queues").send().await;
        answer.is_ok_and(|answer| answer.status == 200).then_some(())
    })
    .await;
}

/// Forged deliveries, how many of them are under way at once, and the bytes of each.
const FORGED: usize = 3_000;
const FORGED_AT_ONCE: usize = 50;
const FORGED_BYTES: usize = 100_000;
/// How many rejected deliveries a webhook keeps, as set for the test.
const REJECTED_KEPT: usize = 200;
/// What the database may hold afterwards: of 300 MB that were sent, the kept ones with 4 KiB each, and room for the log of writes.
const DISK_MAX: u64 = 64 << 20;

async fn forged_deliveries_take_a_bounded_part_of_the_disk(database: Database) {
    let kept = REJECTED_KEPT.to_string();
    let server = Server::start_with(
        &database,
        &[("TRUNKLINE_WEBHOOKS__REJECTED_KEPT", &kept), ("TRUNKLINE_UPKEEP__PRUNE_EVERY", "1s")],
    )
    .await;
    let admin = server.client();
    admin
        .post(
            "/v1/workflows",
            &json!({"name": "hook", "version": 1, "nodes": [{"id": "a", "type": "TRANSFORM", "output": 1}]}),
        )
        .await;
    let endpoint = json!({
        "name": "forged", "provider": "github", "secrets": ["a secret of the tests, 77c1"],
        "triggers": [{"id": "all", "workflow": "hook"}],
    });
    let made = admin.post("/v1/webhooks", &endpoint).await;
    let path = made["url"].as_str().expect("a path").to_owned();
    let bob = key_of(&admin, "client", "bob").await;

    let before = database.size().await;
    let stranger = Client::new(&server.url(), None);
    let mut sent = JoinSet::new();
    for number in 0..FORGED {
        if sent.len() == FORGED_AT_ONCE {
            assert_forged(sent.join_next().await.expect("some are under way").expect("not cancelled"));
        }
        let call = stranger
            .call(Method::POST, &path)
            .header("x-github-event", "push")
            .header("x-github-delivery", &format!("forged-{number}"))
            .header("x-hub-signature-256", &format!("sha256={}", "0".repeat(64)))
            .bytes(vec![b'x'; FORGED_BYTES], "application/json");
        sent.spawn(async move { call.answer().await.status });
        if number == FORGED / 2 {
            let longest = longest_call(&bob).await;
            assert!(longest < CALL_MAX, "another tenant waited {longest:?}");
        }
    }
    while let Some(status) = sent.join_next().await {
        assert_forged(status.expect("not cancelled"));
    }
    let rejected = format!("/v1/webhooks/{}/deliveries?status=rejected", made["id"].as_str().expect("an id"));
    until("no more is kept than the bound says", DEADLINE, || async {
        let rows: Vec<Value> = admin.all(&rejected).await;
        (!rows.is_empty() && rows.len() <= REJECTED_KEPT).then_some(())
    })
    .await;
    let grown = database.size().await.saturating_sub(before);
    assert!(grown < DISK_MAX, "the database grew by {grown} bytes");
}

fn assert_forged(status: u16) {
    // 429 and 503 say that the sender comes too fast; nothing forged is ever accepted.
    assert!([401, 429, 503].contains(&status), "a forged delivery was answered {status}");
}
