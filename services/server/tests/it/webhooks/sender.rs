//! A sender: any method, any headers, any bytes, and no API key.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use reqwest::Method;
use serde_json::Value;
use sha2::Sha256;

use crate::harness::{Answer, Server};

/// A request to an endpoint.
#[derive(Debug, Clone)]
pub(super) struct Delivery {
    pub(super) method: Method,
    pub(super) query: Option<String>,
    /// Names and values, in order; those that stand more than once do so here.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Delivery {
    /// A POST without headers.
    pub(super) const fn of(body: Vec<u8>) -> Self {
        Self { method: Method::POST, query: None, headers: Vec::new(), body }
    }

    /// A delivery as GitHub signs it, with this id.
    pub(super) fn signed(secret: &str, id: &str, body: &[u8]) -> Self {
        Self::of(body.to_vec())
            .with("Content-Type", "application/json")
            .with("X-GitHub-Event", "push")
            .with("X-GitHub-Delivery", id)
            .with("X-Hub-Signature-256", &signature(secret, body))
    }

    /// With a header more.
    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Without the header.
    pub(super) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self
    }

    /// With another value of the header.
    pub(super) fn with_other(self, name: &str, value: &str) -> Self {
        self.without(name).with(name, value)
    }

    /// The value of the header. Panics if there is none.
    pub(super) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        &found.unwrap_or_else(|| panic!("no header {name}")).1
    }
}

/// GitHub's signature.
pub(super) fn signature(secret: &str, body: &[u8]) -> String {
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(secret.as_bytes()).expect("any key will do");
    mac.update(body);
    format!("sha256={}", hex::encode(mac.finalize().into_bytes()))
}

/// The bytes of base64. Panics on anything else.
pub(super) fn bytes_of(base64: &str) -> Vec<u8> {
    STANDARD.decode(base64).expect("base64")
}

/// Sends to one server.
#[derive(Debug, Clone)]
pub(super) struct Sender {
    http: reqwest::Client,
    base: String,
}

impl Sender {
    /// A sender to this server.
    pub(super) fn to(server: &Server) -> Self {
        let http = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build();
        Self { http: http.expect("a client can be built"), base: server.url() }
    }

    /// Sends; the error says that no whole answer came back.
    pub(super) async fn try_send(&self, path: &str, delivery: &Delivery) -> Result<Answer, reqwest::Error> {
        let query = delivery.query.as_ref().map(|query| format!("?{query}")).unwrap_or_default();
        let mut request = self.http.request(delivery.method.clone(), format!("{}{path}{query}", self.base));
        for (name, value) in &delivery.headers {
            request = request.header(name, value);
        }
        let response = request.body(delivery.body.clone()).send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Ok(Answer { status, headers, text: response.text().await? })
    }

    /// Sends to a server that must answer.
    pub(super) async fn send(&self, path: &str, delivery: &Delivery) -> Answer {
        self.try_send(path, delivery).await.expect("the server answers")
    }

    /// Sends; panics unless it is stored as a new delivery. Its id.
    pub(super) async fn accepted(&self, path: &str, delivery: &Delivery) -> String {
        let answer = self.send(path, delivery).await;
        assert_eq!(answer.status, 202, "{}", answer.text);
        delivery_id(&answer)
    }

    /// Sends what is taken, and kept until its endpoint goes on; answers its id.
    pub(super) async fn held(&self, path: &str, delivery: &Delivery) -> String {
        let answer = self.send(path, delivery).await;
        assert!(is_held(&answer), "{} {}", answer.status, answer.text);
        delivery_id(&answer)
    }
}

/// Whether a delivery was taken, and is kept until its endpoint goes on.
pub(super) fn is_held(answer: &Answer) -> bool {
    answer.status == 202 && answer.json()["status"] == "held"
}

/// The delivery's id in an answer.
pub(super) fn delivery_id(answer: &Answer) -> String {
    answer.json()["deliveryId"].as_str().unwrap_or_else(|| panic!("no id: {}", answer.text)).to_owned()
}

/// Panics unless the answer refuses so.
#[track_caller]
pub(super) fn assert_refused(answer: &Answer, status: u16, word: &str, why: &str) {
    let is_so = answer.status == status
        && serde_json::from_str::<Value>(&answer.text)
            .is_ok_and(|body| body == serde_json::json!({ "error": word }));
    assert!(is_so, "{why}: expected {status} {word}, got {}: {}", answer.status, answer.text);
}

/// Panics unless the answer says that the sender may come again later.
#[track_caller]
pub(super) fn assert_later(answer: &Answer, status: u16) {
    assert_eq!(answer.status, status, "{}", answer.text);
    let wait = answer.header("retry-after").and_then(|text| text.parse::<u32>().ok());
    assert!(
        wait.is_some_and(|seconds| (1..=3_600).contains(&seconds)),
        "Retry-After: {wait:?}: {}",
        answer.text
    );
}
