//! Bodies of every size and kind: kept to the byte, read only if they can be, bounded by the endpoint.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::endpoint::{Endpoint, SECRET, create_github, execution_count, finished, register_workflow};
use super::providers::body_of;
use super::sender::{Delivery, Sender, assert_refused, signature};
use crate::harness::{Client, Database, Server, on_both_databases, within};

const CAP: usize = 4096;

on_both_databases!(
    bodies_up_to_the_cap_are_accepted_however_they_are_sent,
    compressed_bodies_are_verified_as_received,
    what_is_no_json_is_kept_and_not_parsed,
);

async fn started(database: &Database) -> (Server, Client, Sender, Endpoint) {
    let server = Server::start(database).await;
    let (client, sender) = (server.client(), Sender::to(&server));
    register_workflow(&client).await;
    let endpoint = create_github(&client, "bounded", json!({ "maxBody": CAP })).await;
    (server, client, sender, endpoint)
}

async fn bodies_up_to_the_cap_are_accepted_however_they_are_sent(database: Database) {
    let (server, client, sender, endpoint) = started(&database).await;
    // An empty body is signed in one way only, and the same signature again is a repetition.
    let in_chunks = create_github(&client, "in chunks", json!({ "maxBody": CAP })).await;
    let mut accepted = Vec::new();
    for bytes in [0, 1, CAP] {
        let body = vec![b'7'; bytes];
        let id = format!("plain-{bytes}");
        let id = sender.accepted(&endpoint.path, &Delivery::signed(SECRET, &id, &body)).await;
        accepted.push((id, body));
        let body = vec![b'8'; bytes];
        let answer = send_chunked(&server, &in_chunks.path, &format!("chunked-{bytes}"), &body).await;
        assert!(answer.starts_with("HTTP/1.1 202 "), "{bytes} bytes in chunks: {answer}");
        let (_, answer) = answer.split_once("\r\n\r\n").expect("a body");
        let answer: Value = serde_json::from_str(answer).expect("JSON");
        accepted.push((answer["deliveryId"].as_str().expect("an id").to_owned(), body));
    }
    let large = vec![b'7'; CAP + 1];
    let answer = sender.send(&endpoint.path, &Delivery::signed(SECRET, "large", &large)).await;
    assert_refused(&answer, 413, "too_large", "a byte too many");
    let answer = send_chunked(&server, &in_chunks.path, "large", &large).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "a byte too many in chunks: {answer}");
    for (id, body) in &accepted {
        let (delivery, execution) = finished(&client, id).await;
        assert_eq!(body_of(&delivery), *body, "{id}");
        let is_null = execution["input"] == json!({ "body": null });
        assert_eq!(is_null, body.is_empty(), "{execution}");
    }
    assert_eq!(execution_count(&client).await, accepted.len());
}

/// Sends a body in chunks of a few sizes, without its length. Answers the whole answer as text.
async fn send_chunked(server: &Server, path: &str, id: &str, body: &[u8]) -> String {
    let address = server.url().replace("http://", "");
    let mut stream = TcpStream::connect(&address).await.expect("the server listens");
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\
         X-GitHub-Event: push\r\nX-GitHub-Delivery: {id}\r\nX-Hub-Signature-256: {}\r\n\r\n",
        signature(SECRET, body)
    );
    stream.write_all(head.as_bytes()).await.expect("the server reads");
    for chunk in body.chunks(1_000) {
        let length = format!("{:x}\r\n", chunk.len());
        // The server may have answered and closed already, once it was too much.
        let _ = stream.write_all(&[length.as_bytes(), chunk, b"\r\n"].concat()).await;
    }
    let _ = stream.write_all(b"0\r\n\r\n").await;
    let mut answer = Vec::new();
    let read = within("an answer", std::time::Duration::from_secs(30), stream.read_to_end(&mut answer)).await;
    // A connection that is cut after its answer is an answer.
    assert!(read.is_ok() || !answer.is_empty(), "{read:?}");
    String::from_utf8_lossy(&answer).into_owned()
}

async fn compressed_bodies_are_verified_as_received(database: Database) {
    let (_server, client, sender, endpoint) = started(&database).await;
    let text = br#"{"squeezed": "a a a a a a a a a a a a a a a a a a a a a a a a a a"}"#;
    let zipped = gzip(text);
    let with = |encoding: &str, id: &str, body: &[u8]| {
        Delivery::signed(SECRET, id, body).with("Content-Encoding", encoding)
    };
    let id = sender.accepted(&endpoint.path, &with("gzip", "zipped", &zipped)).await;
    let (delivery, execution) = finished(&client, &id).await;
    assert_eq!(body_of(&delivery), zipped, "kept as received");
    let input: Value = serde_json::from_slice(text).expect("JSON");
    assert_eq!(execution["input"], input, "read as meant");
    // Signed before it was compressed: nobody does, and it could not be checked before it is unpacked.
    let before = with("gzip", "before", &zipped).with_other("X-Hub-Signature-256", &signature(SECRET, text));
    assert_refused(&sender.send(&endpoint.path, &before).await, 401, "signature", "signed before");
    let brotli = sender.send(&endpoint.path, &with("br", "br", &zipped)).await;
    assert_refused(&brotli, 415, "encoding", "an unknown encoding");
    let broken = sender.send(&endpoint.path, &with("gzip", "broken", &zipped[..zipped.len() - 4])).await;
    assert_refused(&broken, 400, "malformed", "a broken one");
    // It fits the endpoint as it comes, and is far too much once it is unpacked.
    let bomb = gzip(&vec![0; 3 * 1024 * 1024]);
    assert!(bomb.len() < CAP, "{}", bomb.len());
    let unverified = Delivery::signed("another secret", "bomb", &bomb).with("Content-Encoding", "gzip");
    assert_refused(&sender.send(&endpoint.path, &unverified).await, 401, "signature", "a stranger's bomb");
    assert_eq!(execution_count(&client).await, 1);
}

async fn what_is_no_json_is_kept_and_not_parsed(database: Database) {
    let (_server, client, sender, endpoint) = started(&database).await;
    let kinds: [(&str, Option<&str>, &[u8], Value); 6] = [
        ("no type", None, br#"{"a": 1}"#, json!({"a": 1})),
        ("a type that lies", Some("text/html"), br#"{"a": 2}"#, json!({"a": 2})),
        (
            "no JSON for all that it says",
            Some("application/json"),
            b"{not json",
            json!({"body": "{not json"}),
        ),
        ("a list", Some("application/json"), b"[1, 2]", json!({"body": [1, 2]})),
        (
            "a form",
            Some("application/x-www-form-urlencoded"),
            b"a=1&b=x+y&b=z",
            json!({"a": "1", "b": ["x y", "z"]}),
        ),
        ("nothing", Some("application/json"), b"", json!({"body": null})),
    ];
    for (why, content_type, body, input) in &kinds {
        let mut delivery = Delivery::signed(SECRET, why, body).without("Content-Type");
        if let Some(content_type) = content_type {
            delivery = delivery.with("Content-Type", content_type);
        }
        let id = sender.accepted(&endpoint.path, &delivery).await;
        let (kept, execution) = finished(&client, &id).await;
        assert_eq!(execution["input"], *input, "{why}");
        assert_eq!(body_of(&kept), *body, "{why}");
    }
    let binary = [0, 255, 0, 159, 146, 150];
    let id = sender.accepted(&endpoint.path, &Delivery::signed(SECRET, "binary", &binary)).await;
    let (kept, execution) = finished(&client, &id).await;
    assert_eq!(execution["input"], json!({"base64": "AP8An5KW"}), "{kept}");
    assert_eq!(kept["bodyEncoding"], "base64", "{kept}");
    assert_eq!(body_of(&kept), binary);
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(body).expect("memory can be written");
    encoder.finish().expect("memory can be written")
}
