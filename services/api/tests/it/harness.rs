//! A server in this process, and a client that sends one request at a time.

use std::net::SocketAddr;
use std::sync::Arc;

use api::{ApiOptions, router};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request, StatusCode};
use domain::access::Role;
use domain::names::TenantName;
use engine::{Caller, Policy};
use serde_json::{Value, json};
use store::Store;
use testkit::EngineHarness;
use testkit::database::TestStore;
use tower::ServiceExt;

/// A server with an administrator's key.
pub(crate) struct Harness {
    pub(crate) engine: EngineHarness,
    pub(crate) router: Router,
    key: String,
    _store: TestStore,
}

/// A client with one key.
#[derive(Clone)]
pub(crate) struct Client {
    router: Router,
    key: String,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
    pub(crate) body: Value,
}

impl Harness {
    pub(crate) async fn start() -> Self {
        Self::with(ApiOptions::default()).await
    }

    pub(crate) async fn with(options: ApiOptions) -> Self {
        let store = testkit::database::sqlite_memory().await;
        let engine = EngineHarness::new(Arc::clone(&store.store) as Arc<dyn Store>);
        Self::over(engine, store, options).await
    }

    /// A server whose policy is the default but for a change.
    pub(crate) async fn with_policy(options: ApiOptions, change: impl FnOnce(&mut Policy)) -> Self {
        let store = testkit::database::sqlite_memory().await;
        let mut policy = Policy::default();
        change(&mut policy);
        let engine = EngineHarness::with_policy(Arc::clone(&store.store) as Arc<dyn Store>, policy);
        Self::over(engine, store, options).await
    }

    async fn over(engine: EngineHarness, store: TestStore, options: ApiOptions) -> Self {
        let router = router(engine.engine.clone(), options);
        let key = make_key(&engine, Role::Admin, None).await;
        Self { engine, router, key, _store: store }
    }

    /// A client that may do everything.
    pub(crate) fn admin(&self) -> Client {
        self.client_of(&self.key)
    }

    /// Who the client that may do everything is.
    pub(crate) async fn caller(&self) -> Caller {
        let caller = self.engine.engine.authenticate(&self.key).await.expect("the store works");
        caller.expect("the key is valid")
    }

    /// A client with a new key.
    pub(crate) async fn client(&self, role: Role, tenant: Option<&str>) -> Client {
        self.client_of(&make_key(&self.engine, role, tenant).await)
    }

    pub(crate) fn client_of(&self, key: &str) -> Client {
        Client { router: self.router.clone(), key: key.to_owned() }
    }

    /// Enqueues a job and lets it die; answers the dead letter's id.
    pub(crate) async fn dead_letter(&self, job_type: &str) -> String {
        let admin = self.admin();
        admin.post("/v1/jobs", &json!({"jobType": job_type, "data": {"n": 1}})).await.expect(202);
        let job = admin.take(job_type).await;
        let failure = json!({"jobs": [{
            "id": job["id"], "leaseToken": job["leaseToken"], "error": "disk 7 is full", "retryable": false
        }]});
        admin.post("/v1/jobs/fail", &failure).await.expect(200);
        let letters = admin.get(&format!("/v1/dead-letters?jobType={job_type}")).await.expect(200);
        letters.body["items"][0]["id"].as_str().expect("a dead letter").to_owned()
    }
}

async fn make_key(engine: &EngineHarness, role: Role, tenant: Option<&str>) -> String {
    let tenant = tenant.map(TenantName::trusted);
    let made = engine.engine.create_key(&Caller::system(), "test", role, tenant).await;
    made.expect("a key can be made").1.reveal().to_owned()
}

/// A request without a body and without a key.
pub(crate) fn bare(method: &str, uri: &str) -> Request<Body> {
    Request::builder().method(method).uri(uri).body(Body::empty()).expect("a request")
}

/// The same request as if it came from this address.
pub(crate) fn from_address(mut request: Request<Body>, address: &str) -> Request<Body> {
    let address: SocketAddr = address.parse().expect("an address");
    request.extensions_mut().insert(ConnectInfo(address));
    request
}

/// Sends a request to a router.
pub(crate) async fn send(router: &Router, request: Request<Body>) -> Answer {
    let response = router.clone().oneshot(request).await.expect("routers do not fail");
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.expect("the answer is complete");
    // Those of backups are not.
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let body = serde_json::from_str(&text).unwrap_or(Value::Null);
    Answer { status: parts.status, headers: parts.headers, text, body }
}

impl Client {
    /// A request with the client's key.
    pub(crate) fn request(&self, method: &str, uri: &str, body: impl Into<Body>) -> Request<Body> {
        Request::builder()
            .method(method)
            .uri(uri)
            .header("authorization", format!("Bearer {}", self.key))
            .header("content-type", "application/json")
            .body(body.into())
            .expect("a request")
    }

    /// Who the key says that the client is.
    pub(crate) async fn caller(&self, harness: &Harness) -> Caller {
        let known = harness.engine.engine.authenticate(&self.key).await.expect("the store answers");
        known.expect("the key is valid")
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        send(&self.router, request).await
    }

    pub(crate) async fn get(&self, uri: &str) -> Answer {
        self.send(self.request("GET", uri, Body::empty())).await
    }

    pub(crate) async fn post(&self, uri: &str, body: &Value) -> Answer {
        self.send(self.request("POST", uri, body.to_string())).await
    }

    pub(crate) async fn put(&self, uri: &str, body: &Value) -> Answer {
        self.send(self.request("PUT", uri, body.to_string())).await
    }

    pub(crate) async fn delete(&self, uri: &str) -> Answer {
        self.send(self.request("DELETE", uri, Body::empty())).await
    }

    /// A POST without a body.
    pub(crate) async fn act(&self, uri: &str) -> Answer {
        let request = Request::builder()
            .method("POST")
            .uri(uri)
            .header("authorization", format!("Bearer {}", self.key));
        self.send(request.body(Body::empty()).expect("a request")).await
    }

    /// A POST under an idempotency key.
    pub(crate) async fn post_once(&self, uri: &str, key: &str, body: &Value) -> Answer {
        let mut request = self.request("POST", uri, body.to_string());
        request.headers_mut().insert("idempotency-key", key.parse().expect("a header"));
        self.send(request).await
    }

    /// Polls for one job, which has to be there.
    pub(crate) async fn take(&self, job_type: &str) -> Value {
        let poll = json!({"workerId": "tester", "jobTypes": [job_type], "maxJobs": 1});
        let answer = self.post("/v1/jobs/poll", &poll).await.expect(200);
        assert!(answer.body["jobs"][0].is_object(), "no {job_type} job: {}", answer.text);
        answer.body["jobs"][0].clone()
    }
}

impl Answer {
    /// The same answer, if it has this status.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        self
    }

    /// Checks that the answer is a problem document with a code.
    #[track_caller]
    pub(crate) fn problem(self, status: u16, code: &str) -> Self {
        let answer = self.expect(status);
        assert_eq!(answer.header("content-type"), Some("application/problem+json"));
        assert_eq!(answer.body["code"], code, "{}", answer.text);
        assert_eq!(answer.body["status"], status);
        for field in ["type", "title", "detail"] {
            assert!(answer.body[field].is_string(), "{field}: {}", answer.text);
        }
        answer
    }

    /// The pointers of a problem's faults.
    pub(crate) fn pointers(&self) -> Vec<&str> {
        let errors = self.body["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
        errors.iter().filter_map(|error| error["pointer"].as_str()).collect()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// A string field of the body.
    #[track_caller]
    pub(crate) fn str(&self, field: &str) -> &str {
        self.body[field].as_str().unwrap_or_else(|| panic!("no {field}: {}", self.text))
    }
}
