//! The client against servers on loopback that behave and misbehave.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use domain::names::TenantName;
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Method, Url};

use super::error::{EgressError, Refusal};
use super::{
    AddressRule, EgressClient, EgressClients, EgressOptions, EgressRequest, EgressResponse, Lookup,
    ProxyAddress, TenantRule,
};
use crate::test_server::{Answer, TestServer, response};

fn get(url: &str) -> EgressRequest {
    EgressRequest {
        method: Method::GET,
        url: Url::parse(url).expect("a valid URL"),
        headers: HeaderMap::new(),
        body: None,
    }
}

async fn call(client: &EgressClient, url: &str) -> Result<EgressResponse, EgressError> {
    client.call(get(url), |status| status.is_success()).await
}

fn options(allow: &[&str]) -> EgressOptions {
    EgressOptions::default().allowing(allow.iter().copied()).expect("valid entries")
}

fn client(allow: &[&str]) -> EgressClient {
    EgressClient::new(options(allow)).expect("a client")
}

/// Answers each name with the next of its prepared addresses; the last one is repeated.
struct FakeLookup {
    answers: Vec<IpAddr>,
    asked: AtomicUsize,
}

#[async_trait]
impl Lookup for FakeLookup {
    async fn addresses(&self, _name: &str) -> io::Result<Vec<IpAddr>> {
        let index = self.asked.fetch_add(1, Ordering::SeqCst).min(self.answers.len() - 1);
        Ok(vec![self.answers[index]])
    }
}

fn resolving(allow: &[&str], answers: &[&str]) -> EgressClient {
    let answers = answers.iter().map(|text| text.parse().expect("a valid address")).collect();
    let lookup: Arc<dyn Lookup> = Arc::new(FakeLookup { answers, asked: AtomicUsize::new(0) });
    EgressClient::with_lookup(options(allow), &lookup).expect("a client")
}

fn refused_as(answer: &Result<EgressResponse, EgressError>, expected: AddressRule) -> bool {
    matches!(answer, Err(EgressError::Refused(Refusal::Address { rule, .. })) if *rule == expected)
}

#[tokio::test]
async fn loopback_is_refused_without_a_connection_unless_allow_listed() {
    let server = TestServer::start(vec![response("200 OK", &[], "hello")]).await;
    let port = server.address.port();
    for host in ["127.0.0.1", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]"] {
        let answer = call(&client(&[]), &format!("http://{host}:{port}/")).await;
        assert!(refused_as(&answer, AddressRule::Loopback), "{host}: {answer:?}");
    }
    assert!(server.requests().is_empty());

    let answer = call(&client(&[&server.address.to_string()]), &server.url("/x")).await.expect("allowed");
    assert_eq!(answer.body, b"hello");
    let other = format!("127.0.0.1:{}", port.wrapping_add(1).max(1));
    assert!(refused_as(&call(&client(&[&other]), &server.url("/x")).await, AddressRule::Loopback));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn names_are_classified_by_what_they_resolve_to() {
    let server = TestServer::start(vec![response("200 OK", &[], "hello")]).await;
    let port = server.address.port();
    let url = format!("http://service.example:{port}/");
    for (address, rule) in [
        ("127.0.0.1", AddressRule::Loopback),
        ("10.0.0.1", AddressRule::Private),
        ("169.254.169.254", AddressRule::Metadata),
        ("::1", AddressRule::Loopback),
        ("::ffff:127.0.0.1", AddressRule::Loopback),
        ("fd00::1", AddressRule::UniqueLocal),
    ] {
        let answer = call(&resolving(&[], &[address]), &url).await;
        assert!(refused_as(&answer, rule), "{address}: {answer:?}");
    }
    assert!(server.requests().is_empty());
    // An entry for the host with its port opens that port of whatever the name resolves to, and no other.
    let entry = format!("service.example:{port}");
    assert!(call(&resolving(&[&entry], &["127.0.0.1"]), &url).await.is_ok());
    let answer = call(&resolving(&["service.example:1"], &["127.0.0.1"]), &url).await;
    assert!(refused_as(&answer, AddressRule::Loopback), "{answer:?}");
    assert!(call(&resolving(&["127.0.0.0/8"], &["127.0.0.1"]), &url).await.is_ok());
}

/// A tenant chooses the names, and must not learn from refusals which machines there are inside.
#[tokio::test]
async fn refusals_show_no_inner_address() {
    for address in ["10.20.30.40", "169.254.169.254", "fd00::1234", "127.0.0.9"] {
        let answer = call(&resolving(&[], &[address]), "http://service.example:8080/path").await;
        let error = answer.expect_err("it is refused");
        let mut shown = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(inner) = source {
            shown.push_str(&inner.to_string());
            source = inner.source();
        }
        assert!(!shown.contains(address), "{shown}");
    }
}

#[tokio::test]
async fn localhost_of_the_system_resolver_is_refused() {
    let answer = call(&client(&[]), "http://localhost:1/").await;
    assert!(refused_as(&answer, AddressRule::Loopback), "{answer:?}");
}

#[tokio::test]
async fn a_name_that_changes_its_answer_is_checked_again() {
    // The allow-listed address first, a private one when the name is asked again for the next connection.
    let server = TestServer::start(vec![response("302 Found", &[("location", "/again")], "")]).await;
    let url = format!("http://rebind.example:{}/", server.address.port());
    let client = resolving(&[&server.address.to_string()], &["127.0.0.1", "10.0.0.1"]);
    let answer = call(&client, &url).await;
    assert!(refused_as(&answer, AddressRule::Private), "{answer:?}");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn every_hop_of_a_redirect_is_checked() {
    for (target, rule) in [
        ("http://169.254.169.254/latest/", AddressRule::Metadata),
        ("http://[::1]:9/", AddressRule::Loopback),
        ("//10.0.0.1/", AddressRule::Private),
        ("http://0x7f.1:9/", AddressRule::Loopback),
    ] {
        let server = TestServer::start(vec![response("302 Found", &[("location", target)], "")]).await;
        let answer = call(&client(&[&server.address.to_string()]), &server.url("/")).await;
        assert!(refused_as(&answer, rule), "{target}: {answer:?}");
    }
    for (target, expected) in
        [("file:///etc/passwd", Refusal::Scheme), ("http://user:word@example.com/", Refusal::Userinfo)]
    {
        let server =
            TestServer::start(vec![response("307 Temporary Redirect", &[("location", target)], "")]).await;
        let answer = call(&client(&[&server.address.to_string()]), &server.url("/")).await;
        assert!(
            matches!(&answer, Err(EgressError::Refused(seen)) if *seen == expected),
            "{target}: {answer:?}"
        );
    }
}

#[tokio::test]
async fn redirects_are_followed_up_to_the_cap() {
    let hop = response("302 Found", &[("location", "/next")], "");
    let server = TestServer::start(vec![hop.clone(), hop.clone(), response("200 OK", &[], "end")]).await;
    let client = client(&["127.0.0.1"]);
    let answer = call(&client, &server.url("/first")).await.expect("followed");
    assert_eq!(answer.body, b"end");
    assert_eq!(server.requests().len(), 3);

    let endless = TestServer::start(vec![hop.clone()]).await;
    let answer = call(&client, &endless.url("/")).await;
    assert!(matches!(answer, Err(EgressError::Redirects { redirects_max: 5 })), "{answer:?}");
    assert_eq!(endless.requests().len(), 6);

    let wanted =
        client.call(get(&endless.url("/")), |status| status.as_u16() == 302).await.expect("taken as it is");
    assert_eq!(wanted.status.as_u16(), 302);
}

#[tokio::test]
async fn secrets_do_not_follow_a_redirect_to_another_origin() {
    let other = TestServer::start(vec![response("200 OK", &[], "")]).await;
    let target = other.url("/");
    let server = TestServer::start(vec![response("302 Found", &[("location", &target)], "")]).await;
    let mut request = get(&server.url("/"));
    request.headers.insert("authorization", HeaderValue::from_static("Bearer canary"));
    client(&["127.0.0.1"]).call(request, |status| status.is_success()).await.expect("followed");
    assert!(server.requests()[0].contains("canary"));
    assert!(!other.requests()[0].contains("canary"));
}

#[tokio::test]
async fn large_responses_are_cut_off() {
    let client = EgressClient::new(EgressOptions { response_bytes_max: 10_000, ..options(&["127.0.0.1"]) })
        .expect("a client");
    let announced = response("200 OK", &[], &"x".repeat(10_001));
    let fits = response("200 OK", &[], &"x".repeat(10_000));
    let server = TestServer::start(vec![announced, Answer::Flood, fits]).await;
    for _ in 0..2 {
        let answer = call(&client, &server.url("/")).await;
        assert!(matches!(answer, Err(EgressError::TooLarge { bytes_max: 10_000 })), "{answer:?}");
    }
    assert_eq!(call(&client, &server.url("/")).await.expect("fits").body.len(), 10_000);
}

#[tokio::test]
async fn slow_responses_are_cut_off() {
    let client =
        EgressClient::new(EgressOptions { timeout: Duration::from_millis(300), ..options(&["127.0.0.1"]) })
            .expect("a client");
    let server = TestServer::start(vec![Answer::Drip, Answer::Silence]).await;
    for _ in 0..2 {
        let started = Instant::now();
        let answer = call(&client, &server.url("/")).await;
        assert!(matches!(answer, Err(EgressError::TimedOut { timeout_ms: 300 })), "{answer:?}");
        assert!(started.elapsed() < Duration::from_secs(20));
    }
}

#[tokio::test]
async fn failed_connections_say_so_without_the_url() {
    let server = TestServer::start(vec![Answer::Close]).await;
    let answer = call(&client(&["127.0.0.1"]), &server.url("/?token=canary")).await;
    let Err(error @ EgressError::Connection(_)) = answer else { panic!("{answer:?}") };
    assert!(!format!("{error:?} {error}").contains("canary"));
}

#[tokio::test]
async fn compressed_bodies_are_not_unpacked() {
    let server =
        TestServer::start(vec![response("200 OK", &[("content-encoding", "gzip")], "not gzip")]).await;
    let answer = call(&client(&["127.0.0.1"]), &server.url("/")).await.expect("read as it is");
    assert_eq!(answer.body, b"not gzip");
    assert!(!server.requests()[0].to_ascii_lowercase().contains("accept-encoding"));
}

#[tokio::test]
async fn a_proxy_is_what_is_connected_to_and_inner_addresses_are_refused_all_the_same() {
    let proxy = TestServer::start(vec![response("200 OK", &[], "by the proxy")]).await;
    let address = ProxyAddress::parse(&proxy.url("")).expect("an address");
    let options = EgressOptions { proxy: Some(address), ..EgressOptions::default() };
    let client = EgressClient::new(options).expect("a client");
    let answer = call(&client, "http://name.invalid/x?y=z").await.expect("the proxy answers");
    assert_eq!(answer.body, b"by the proxy");
    assert!(proxy.requests()[0].starts_with("GET http://name.invalid/x?y=z "), "{:?}", proxy.requests());
    let refused = call(&client, "http://10.1.2.3/").await;
    assert!(refused_as(&refused, AddressRule::Private), "{refused:?}");
    assert_eq!(proxy.requests().len(), 1);
}

#[tokio::test]
async fn tenants_have_lists_of_their_own() {
    let server = TestServer::start(vec![response("200 OK", &[], "hello")]).await;
    let rules = [format!("acme allow {}", server.address), "umbrella deny *".to_owned()];
    let tenants = rules.iter().map(|rule| TenantRule::parse(rule).expect("valid")).collect();
    let clients = EgressClients::new(EgressOptions { tenants, ..EgressOptions::default() }).expect("clients");
    let call_of = |tenant: &str, url: String| {
        let client = clients.of(&TenantName::trusted(tenant));
        async move { call(client, &url).await }
    };
    assert_eq!(call_of("acme", server.url("/")).await.expect("allowed").body, b"hello");
    assert!(refused_as(&call_of("other", server.url("/")).await, AddressRule::Loopback));
    let denied = call_of("umbrella", "http://1.1.1.1/".to_owned()).await;
    assert!(matches!(denied, Err(EgressError::Refused(Refusal::Denied))), "{denied:?}");
}

#[tokio::test]
async fn a_body_does_not_follow_a_redirect_to_another_origin() {
    let other = TestServer::start(vec![response("200 OK", &[], "got it")]).await;
    let location = other.url("/");
    let first =
        TestServer::start(vec![response("307 Temporary Redirect", &[("location", &location)], "")]).await;
    let request = EgressRequest { method: Method::POST, body: Some(b"{}".to_vec()), ..get(&first.url("/")) };
    let answer = client(&["127.0.0.1"]).call(request, |status| status.is_success()).await;
    assert!(matches!(answer, Err(EgressError::RedirectOrigin)), "{answer:?}");
    assert!(other.requests().is_empty());
}
