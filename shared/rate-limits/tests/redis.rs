//! Limits over all nodes, against a real Redis: one count for two nodes, and what happens while Redis is gone.
//!
//! `TRUNKLINE_TEST_REDIS` is the path of the server's binary; it is looked for in the usual places otherwise.

use std::io::{BufRead as _, BufReader, Lines};
use std::net::TcpListener;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use domain::time::DurationMs;
use rate_limits::{Quota, RateLimits, RedisLimits, Verdict};
use tempfile::TempDir;

/// How long a check waits for Redis here: what is counted where must not depend on how busy the machine is.
const PATIENCE: Duration = Duration::from_secs(10);

/// A Redis of the test's own. Ends with it.
struct Server {
    child: Child,
    port: u16,
    _log: Lines<BufReader<ChildStdout>>,
    _folder: TempDir,
}

impl Server {
    async fn start(port: u16) -> Self {
        Self::start_with(port, &["--port".to_owned(), port.to_string()]).await
    }

    async fn start_with(port: u16, more: &[String]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let binary = std::env::var("TRUNKLINE_TEST_REDIS").unwrap_or_else(|_| "redis-server".to_owned());
        let mut child = Command::new(&binary)
            .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .args(more)
            .arg("--dir")
            .arg(folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{binary} does not start ({error}); `make test` installs it"));
        // It says when it listens. What it says later is not read, which it does not mind.
        let log = child.stdout.take().expect("its log");
        let ready = tokio::task::spawn_blocking(move || {
            let mut lines = BufReader::new(log).lines();
            let is_ready =
                lines.any(|line| line.is_ok_and(|line| line.contains("Ready to accept connections")));
            is_ready.then_some(lines)
        });
        let log = ready.await.expect("no panic").expect("Redis listens");
        Self { child, port, _log: log, _folder: folder }
    }

    fn limits(&self) -> RedisLimits {
        let url = format!("redis://127.0.0.1:{}", self.port);
        RedisLimits::with_timeout(&url, PATIENCE).expect("an address")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

async fn check(limits: &RedisLimits, key: &str, quota: Quota) -> Verdict {
    limits.check("test", key, quota).await
}

#[tokio::test]
async fn two_nodes_share_one_count() {
    let server = Server::start(free_port()).await;
    let nodes = [server.limits(), server.limits()];
    let quota = Quota::new(1, DurationMs::from_secs(3_600), 5);
    let mut allowed = 0;
    for turn in 0..20 {
        allowed += u32::from(check(&nodes[turn % 2], "ada", quota).await == Verdict::Allowed);
    }
    assert_eq!(allowed, 5, "a burst of five for both nodes together");
    let Verdict::Refused { retry_after } = check(&nodes[0], "ada", quota).await else {
        panic!("over the rate");
    };
    assert!(retry_after > DurationMs::from_secs(3_500), "{retry_after}");
    assert_eq!(check(&nodes[1], "grace", quota).await, Verdict::Allowed);
}

/// Files of an authority and of a server that it vouches for.
fn authority(folder: &TempDir) -> String {
    let mut params = rcgen::CertificateParams::new(Vec::new()).expect("parameters");
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let key = rcgen::KeyPair::generate().expect("a key");
    let root = params.self_signed(&key).expect("a certificate").pem();
    let issuer = rcgen::Issuer::new(params, key);
    let server = rcgen::CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("parameters");
    let key = rcgen::KeyPair::generate().expect("a key");
    let certificate = server.signed_by(&key, &issuer).expect("a certificate");
    for (name, text) in
        [("ca.crt", root.clone()), ("tls.crt", certificate.pem()), ("tls.key", key.serialize_pem())]
    {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    root
}

#[tokio::test]
async fn redis_is_reached_over_tls_and_only_if_somebody_vouches_for_it() {
    let (folder, other) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let (root, stranger) = (authority(&folder), authority(&other));
    let port = free_port();
    let mut options = vec!["--port".to_owned(), "0".to_owned(), "--tls-port".to_owned(), port.to_string()];
    for (name, file) in
        [("--tls-cert-file", "tls.crt"), ("--tls-key-file", "tls.key"), ("--tls-ca-cert-file", "ca.crt")]
    {
        options.push(name.to_owned());
        options.push(folder.path().join(file).display().to_string());
    }
    options.extend(["--tls-auth-clients".to_owned(), "no".to_owned()]);
    let _server = Server::start_with(port, &options).await;
    let url = format!("rediss://127.0.0.1:{port}");
    let node = |root: &str| {
        RedisLimits::trusting(&url, root.as_bytes().to_vec()).expect("an address").waiting_for(PATIENCE)
    };
    let quota = Quota::new(1, DurationMs::from_secs(3_600), 2);
    let nodes = [node(&root), node(&root)];
    assert_eq!(check(&nodes[0], "ada", quota).await, Verdict::Allowed);
    assert_eq!(check(&nodes[1], "ada", quota).await, Verdict::Allowed);
    assert!(matches!(check(&nodes[0], "ada", quota).await, Verdict::Refused { .. }), "one count for both");
    // Whoever is vouched for by somebody else is not asked: that node counts for itself.
    assert_eq!(check(&node(&stranger), "ada", quota).await, Verdict::Allowed);
}

#[tokio::test]
async fn without_redis_each_node_counts_for_itself() {
    let limits = RedisLimits::new(&format!("redis://127.0.0.1:{}", free_port())).expect("an address");
    let quota = Quota::new(1, DurationMs::from_secs(3_600), 2);
    assert_eq!(check(&limits, "ada", quota).await, Verdict::Allowed);
    assert_eq!(check(&limits, "ada", quota).await, Verdict::Allowed);
    assert!(matches!(check(&limits, "ada", quota).await, Verdict::Refused { .. }));
}

#[tokio::test]
async fn redis_that_comes_back_is_used_again() {
    let port = free_port();
    let quota = Quota::new(1, DurationMs::from_secs(3_600), 1);
    let server = Server::start(port).await;
    let limits = server.limits();
    assert_eq!(check(&limits, "ada", quota).await, Verdict::Allowed);
    drop(server);
    // Its own count starts empty: one more is allowed, and the next refused.
    assert_eq!(check(&limits, "ada", quota).await, Verdict::Allowed);
    assert!(matches!(check(&limits, "ada", quota).await, Verdict::Refused { .. }));
    let server = Server::start(port).await;
    // The new Redis knows nothing of ada, so that a check that reaches it is allowed: poll until one does.
    let is_used_again = async {
        while check(&limits, "ada", quota).await != Verdict::Allowed {
            tokio::task::yield_now().await;
        }
    };
    // Each check may take as long as that.
    tokio::time::timeout(PATIENCE * 6, is_used_again).await.expect("Redis is used again");
    drop(server);
}

#[test]
fn an_address_that_is_none_is_refused() {
    assert!(RedisLimits::new("not an address").is_err());
}
