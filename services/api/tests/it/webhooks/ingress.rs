//! `/hooks`: what senders are answered.

use std::convert::Infallible;
use std::task::Poll;

use api::{ApiOptions, IngressOptions, TrustedProxies};
use axum::body::{Body, Bytes};
use axum::http::Request;
use domain::time::DurationMs;
use futures::stream;
use serde_json::json;

use super::sender::{Sender, endpoint, started};
use crate::harness::{Answer, Harness, bare, from_address, send};
use crate::workflows::register;

#[track_caller]
fn refused(answer: &Answer, status: u16, word: &str) {
    assert_eq!(answer.status.as_u16(), status, "{}", answer.text);
    assert_eq!(answer.body, json!({"error": word}));
    assert_eq!(answer.header("content-type"), Some("application/json"));
}

async fn post(harness: &Harness, path: &str, headers: &[(&str, &str)], body: impl Into<Body>) -> Answer {
    let mut request = Request::builder().method("POST").uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    send(&harness.router, request.body(body.into()).expect("a request")).await
}

#[tokio::test]
async fn a_delivery_is_stored_and_a_repetition_known() {
    let (harness, admin) = started().await;
    let sender = Sender::github(&admin).await;
    let first = sender.send(&harness, "guid-1", &json!({"who": "Ada"})).await.expect(202);
    assert!(first.str("deliveryId").starts_with("dlv_"));
    assert_eq!(first.body.as_object().map(serde_json::Map::len), Some(1), "{}", first.text);
    let again = sender.send(&harness, "guid-1", &json!({"who": "Ada"})).await.expect(200);
    assert_eq!(again.body, json!({"deliveryId": first.body["deliveryId"], "deduplicated": true}));
    // The id is not signed: who changes it alone sends the same delivery.
    let captured = sender.send(&harness, "guid-2", &json!({"who": "Ada"})).await.expect(200);
    assert_eq!(captured.body["deliveryId"], first.body["deliveryId"]);
    sender.send(&harness, "guid-3", &json!({"who": "Grace"})).await.expect(202);
}

#[tokio::test]
async fn the_status_is_the_one_that_the_endpoint_wants() {
    let (harness, admin) = started().await;
    for status in [200, 204] {
        let mut body = endpoint("github");
        body["name"] = json!(format!("with-{status}"));
        body["respondWith"] = json!(status);
        let sender = Sender::of(&admin, &body).await;
        let answer = sender.send(&harness, "1", &json!({})).await.expect(status);
        assert_eq!(answer.text.is_empty(), status == 204);
        let again = sender.send(&harness, "1", &json!({})).await.expect(200);
        assert_eq!(again.body["deduplicated"], true);
    }
}

#[tokio::test]
async fn all_that_is_unsigned_looks_the_same() {
    let (harness, admin) = started().await;
    let sender = Sender::github(&admin).await;
    let zeros = format!("sha256={}", "0".repeat(64));
    let mut texts = Vec::new();
    for headers in [
        &[] as &[(&str, &str)],
        &[("x-hub-signature-256", "sha256=")],
        &[("x-hub-signature-256", "sha256=zz")],
        &[("x-hub-signature-256", &zeros)],
        &[("x-hub-signature", "sha1=0000000000000000000000000000000000000000")],
    ] {
        let answer = post(&harness, &sender.path, headers, "{}").await;
        refused(&answer, 401, "signature");
        texts.push(answer.text);
    }
    texts.dedup();
    assert_eq!(texts.len(), 1, "the body says nothing of the reason");
    let changed = {
        let (mut parts, _) = sender.signed(&harness, &[], b"{\"who\":\"Ada\"}").into_parts();
        parts.extensions.clear();
        Request::from_parts(parts, Body::from("{\"who\":\"Eve\"}"))
    };
    refused(&send(&harness.router, changed).await, 401, "signature");
}

/// A forger decides how large a body is: what is kept of it for the log is its beginning.
#[tokio::test]
async fn of_a_rejected_body_four_kibibytes_are_kept() {
    let (harness, admin) = started().await;
    let sender = Sender::github(&admin).await;
    let body = format!("{{\"who\":\"{}\"}}", "x".repeat(100_000));
    let zeros = format!("sha256={}", "0".repeat(64));
    let headers = [("x-hub-signature-256", zeros.as_str())];
    refused(&post(&harness, &sender.path, &headers, body.clone()).await, 401, "signature");
    let list = format!("/v1/webhooks/{}/deliveries?status=rejected", sender.id);
    testkit::eventually("it is in the log", || async {
        admin.get(&list).await.body["items"][0]["id"].is_string()
    })
    .await;
    let listed = admin.get(&list).await.expect(200).body["items"][0]["id"].clone();
    let shown = admin.get(&format!("/v1/deliveries/{}", listed.as_str().expect("an id"))).await.expect(200);
    assert_eq!((shown.str("status"), shown.str("reason")), ("rejected", "signature_mismatch"));
    assert_eq!(shown.str("body"), &body[..4 * 1024]);
    // What is accepted is whole.
    let whole = sender.send(&harness, "guid-1", &json!({"who": "y".repeat(100_000)})).await.expect(202);
    let shown = admin.get(&format!("/v1/deliveries/{}", whole.str("deliveryId"))).await.expect(200);
    assert!(shown.str("body").len() > 100_000);
}

/// Whoever sends without a signature decides how large headers are, and what a delivery counts beside its body is fixed.
#[tokio::test]
async fn of_headers_about_as_much_is_kept_as_is_counted() {
    let (harness, admin) = started().await;
    let open = json!({"name": "open", "provider": "none", "triggers": []});
    let open = admin.post("/v1/webhooks", &open).await.expect(201);
    let (first, large) = ("a".repeat(1_000), "b".repeat(20_000));
    let headers = [("x-first", first.as_str()), ("x-large", large.as_str()), ("x-last", "c")];
    let answer = post(&harness, open.str("url"), &headers, "{}").await.expect(202);
    let path = format!("/v1/deliveries/{}", answer.str("deliveryId"));
    let kept = admin.get(&path).await.expect(200).body["headers"].to_string();
    assert!(
        kept.contains(&first) && kept.contains("x-last") && !kept.contains("x-large"),
        "{} bytes",
        kept.len()
    );
}

#[tokio::test]
async fn what_is_not_there_is_unknown() {
    let (harness, admin) = started().await;
    let sender = Sender::github(&admin).await;
    for path in ["/hooks/whk_00000000000000000000000000000007", "/hooks/whk_7", "/hooks/orders"] {
        refused(&post(&harness, path, &[], "{}").await, 404, "unknown");
    }
    admin.send(admin.request("DELETE", &format!("/v1/webhooks/{}", sender.id), "")).await.expect(204);
    refused(&sender.send(&harness, "1", &json!({})).await, 404, "unknown");
}

#[tokio::test]
async fn what_no_honest_sender_sends_is_malformed() {
    let (harness, admin) = started().await;
    let sender = Sender::github(&admin).await;
    let mut twice = sender.signed(&harness, &[], b"{}");
    let signature = twice.headers()["x-hub-signature-256"].clone();
    twice.headers_mut().append("x-hub-signature-256", signature);
    refused(&send(&harness.router, twice).await, 400, "malformed");
    let long = "0".repeat(9 * 1024);
    refused(
        &post(&harness, &sender.path, &[("x-hub-signature-256", &long)], "{}").await,
        431,
        "header_too_large",
    );
    let wide: Vec<(String, String)> = (0..9).map(|n| (format!("x-wide-{n}"), "w".repeat(8_000))).collect();
    let wide: Vec<(&str, &str)> = wide.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    refused(&post(&harness, &sender.path, &wide, "{}").await, 431, "header_too_large");
}

#[tokio::test]
async fn only_posts_are_deliveries() {
    let (harness, admin) = started().await;
    let sender = Sender::github(&admin).await;
    let got = send(&harness.router, bare("GET", &sender.path)).await;
    refused(&got, 405, "method");
    assert_eq!(got.header("allow"), Some("POST"));
    assert_eq!(send(&harness.router, bare("DELETE", &sender.path)).await.status, 405);
}

#[tokio::test]
async fn bodies_are_bounded_to_the_byte() {
    let (harness, admin) = started().await;
    let mut body = endpoint("github");
    body["maxBody"] = json!(1_000);
    let sender = Sender::of(&admin, &body).await;
    let fits = sender.signed(&harness, &[], &[b'a'; 1_000]);
    send(&harness.router, fits).await.expect(202);
    refused(&send(&harness.router, sender.signed(&harness, &[], &[b'a'; 1_001])).await, 413, "too_large");
    let announced = post(&harness, &sender.path, &[("content-length", "1001")], "").await;
    refused(&announced, 413, "too_large");
    let pieces = |count| {
        let piece = Bytes::from_static(&[b'b'; 100]);
        Body::from_stream(stream::iter((0..count).map(move |_| Ok::<_, Infallible>(piece.clone()))))
    };
    let chunked = |count: usize| {
        let (parts, _) = sender.signed(&harness, &[], &vec![b'b'; count * 100]).into_parts();
        Request::from_parts(parts, pieces(count))
    };
    send(&harness.router, chunked(10)).await.expect(202);
    refused(&send(&harness.router, chunked(11)).await, 413, "too_large");
    send(&harness.router, sender.signed(&harness, &[], b"")).await.expect(202);
}

#[tokio::test]
async fn any_content_type_is_taken_as_it_is() {
    let (harness, admin) = started().await;
    let sender = Sender::github(&admin).await;
    let bodies: [(&str, &[u8]); 4] = [
        ("application/json", b"{not json"),
        ("image/png", &[0x89, 0x50, 0x00, 0xff]),
        ("application/x-www-form-urlencoded", b"a=1&a=2"),
        ("nonsense", b"x"),
    ];
    for (content_type, body) in bodies {
        send(&harness.router, sender.signed(&harness, &[("content-type", content_type)], body))
            .await
            .expect(202);
    }
}

#[tokio::test]
async fn an_endpoint_over_its_rate_says_when_to_come_back() {
    let (harness, admin) = started().await;
    let mut body = endpoint("github");
    body["rateLimit"] = json!({"requests": 1, "per": "1h", "burst": 2});
    let sender = Sender::of(&admin, &body).await;
    for id in ["1", "2"] {
        sender.send(&harness, id, &json!({"n": id})).await.expect(202);
    }
    let over = sender.send(&harness, "3", &json!({"n": 3})).await.expect(202);
    assert_eq!(over.body["status"], "held");
    let again = sender.send(&harness, "3", &json!({"n": 3})).await.expect(200);
    assert_eq!(again.body, json!({"deliveryId": over.body["deliveryId"], "deduplicated": true}));
    let shown = admin.get(&format!("/v1/deliveries/{}", over.str("deliveryId"))).await.expect(200);
    assert_eq!(shown.body["status"], "held");
    let held = admin.get("/v1/deliveries?status=held").await.expect(200);
    assert_eq!(held.body["items"].as_array().map(Vec::len), Some(1), "{}", held.text);
    let replayed = admin.act(&format!("/v1/deliveries/{}/replay", over.str("deliveryId"))).await;
    replayed.problem(409, "delivery_not_replayable");
}

#[tokio::test]
async fn trouble_of_ours_is_503() {
    let (harness, admin) = started().await;
    let sender = Sender::github(&admin).await;
    admin.act(&format!("/v1/webhooks/{}/pause", sender.id)).await.expect(200);
    let paused = sender.send(&harness, "1", &json!({})).await.expect(202);
    assert_eq!(paused.body["status"], "held", "nothing is lost of senders that never come again");
    admin.act(&format!("/v1/webhooks/{}/resume", sender.id)).await.expect(200);
    let before = sender.send(&harness, "1", &json!({"n": 1})).await.expect(202);
    assert!(before.header("retry-after").is_none());
    harness.engine.store.close().await;
    let gone = sender.send(&harness, "2", &json!({"n": 2})).await;
    refused(&gone, 503, "unavailable");
    assert!(gone.header("retry-after").is_some());
}

#[tokio::test]
async fn slow_bodies_are_cut() {
    let ingress = IngressOptions { body_timeout: DurationMs(100), ..IngressOptions::default() };
    let harness = Harness::with(ApiOptions { ingress, ..ApiOptions::default() }).await;
    register(&harness.admin(), "greeter").await;
    let sender = Sender::github(&harness.admin()).await;
    let never = Body::from_stream(stream::pending::<Result<Bytes, Infallible>>());
    let slow = post(&harness, &sender.path, &[], never).await;
    refused(&slow, 503, "unavailable");
    assert_eq!(slow.header("connection"), Some("close"));
}

#[tokio::test]
async fn a_panic_is_trouble_of_ours() {
    let (harness, admin) = started().await;
    let sender = Sender::github(&admin).await;
    let broken = Body::from_stream(stream::poll_fn(|_| -> Poll<Option<Result<Bytes, Infallible>>> {
        panic!("a fault of ours")
    }));
    let answer = post(&harness, &sender.path, &[], broken).await;
    refused(&answer, 503, "unavailable");
    assert!(answer.header("retry-after").is_some());
    sender.send(&harness, "1", &json!({})).await.expect(202);
}

#[tokio::test]
async fn a_trusted_proxy_says_where_a_delivery_comes_from() {
    let trusted_proxies = TrustedProxies::parse(["127.0.0.0/8"]).expect("a network");
    let harness = Harness::with(ApiOptions { trusted_proxies, ..ApiOptions::default() }).await;
    let admin = harness.admin();
    register(&admin, "greeter").await;
    let sender = Sender::github(&admin).await;
    for (number, (peer, expected)) in
        [("127.0.0.1:4711", "192.0.2.7"), ("198.51.100.9:4711", "198.51.100.9")].into_iter().enumerate()
    {
        let id = number.to_string();
        let headers = [
            ("x-github-event", "push"),
            ("x-github-delivery", id.as_str()),
            ("x-forwarded-for", "10.6.6.6, 192.0.2.7"),
        ];
        let request = sender.signed(&harness, &headers, id.as_bytes());
        let answer = send(&harness.router, from_address(request, peer)).await.expect(202);
        let delivery = admin.get(&format!("/v1/deliveries/{}", answer.str("deliveryId"))).await.expect(200);
        assert_eq!(delivery.str("remoteAddress"), expected);
    }
}

#[tokio::test]
async fn the_addresses_of_a_subscriber_have_one_share_of_the_room() {
    let harness = Harness::with(ApiOptions { bodies_bytes_max: 64 * 1024, ..ApiOptions::default() }).await;
    register(&harness.admin(), "greeter").await;
    let sender = Sender::github(&harness.admin()).await;
    // A body of which a part has come holds its room.
    let (pieces, sent) = tokio::sync::mpsc::channel::<Result<Vec<u8>, Infallible>>(1);
    let sent = stream::unfold(sent, |mut sent| async move {
        let piece = sent.recv().await?;
        Some((piece, sent))
    });
    let slow = Request::post(&sender.path).body(Body::from_stream(sent)).expect("a request");
    let (slow, router) = (from_address(slow, "[2001:db8:1:2::1]:4711"), harness.router.clone());
    let slow = tokio::spawn(async move { send(&router, slow).await });
    pieces.send(Ok(vec![b'1'; 20 * 1024])).await.expect("it is read");
    // There is room for one piece: this one is taken over when the first was read.
    pieces.send(Ok(vec![b'1'])).await.expect("it is read");
    let large = vec![b'1'; 20 * 1024];
    let send_from = async |address: &str, id: &str| {
        let headers = [("x-github-event", "push"), ("x-github-delivery", id)];
        send(&harness.router, from_address(sender.signed(&harness, &headers, &large), address)).await
    };
    refused(&send_from("[2001:db8:1:2:3::4]:4711", "1").await, 503, "unavailable");
    send_from("[2001:db8:1:3::1]:4711", "2").await.expect(202);
    drop(pieces);
    refused(&slow.await.expect("no panic"), 401, "signature");
    send_from("[2001:db8:1:2:3::4]:4711", "3").await.expect(200);
}

#[tokio::test]
async fn roles_say_what_is_served() {
    let hooks_only = Harness::with(ApiOptions { serves_rest: false, ..ApiOptions::default() }).await;
    for uri in ["/v1/webhooks", "/openapi.json", "/docs/"] {
        hooks_only.admin().get(uri).await.problem(404, "not_found");
    }
    hooks_only.admin().get("/healthz").await.expect(200);
    refused(&post(&hooks_only, "/hooks/whk_7", &[], "").await, 404, "unknown");
    let rest_only = Harness::with(ApiOptions { serves_hooks: false, ..ApiOptions::default() }).await;
    rest_only.admin().get("/v1/webhooks").await.expect(200);
    post(&rest_only, "/hooks/whk_7", &[], "").await.problem(404, "not_found");
}

#[tokio::test]
async fn many_copies_at_once_are_one_delivery() {
    let (harness, admin) = started().await;
    let sender = Sender::github(&admin).await;
    let copies = (0..50).map(|_| async {
        let answer = sender.send(&harness, "same", &json!({"who": "Ada"})).await;
        (answer.status.as_u16(), answer.str("deliveryId").to_owned())
    });
    let answers = futures::future::join_all(copies).await;
    assert_eq!(answers.iter().filter(|(status, _)| *status == 202).count(), 1, "{answers:?}");
    assert!(
        answers.iter().all(|(status, id)| [200, 202].contains(status) && *id == answers[0].1),
        "{answers:?}"
    );
}
