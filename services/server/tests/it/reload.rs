//! SIGHUP reads the settings again: what can change changes, the rest is named, and what cannot be used changes nothing.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::doors::asked;
use crate::harness::{Database, Output, Server, TEST_KEY, until};

const DEADLINE: Duration = Duration::from_secs(30);

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("the directory can be written");
}

/// Waits until the log has a line with all of these words.
async fn logged(server: &Server, words: &[&str]) {
    until(&format!("a line with {words:?}"), DEADLINE, || async {
        let log = server.log();
        log.lines().any(|line| words.iter().all(|word| line.contains(word))).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hangup_changes_what_can_change() {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let (file, key) = (directory.path().join("trunkline.toml"), directory.path().join("key"));
    write(&file, "[http]\nrate_limit = \"off\"\n[log]\nfilter = \"info\"\n");
    write(&key, TEST_KEY);
    let (config, key_file) = (file.display().to_string(), key.display().to_string());
    let variables = [
        ("TRUNKLINE_CONFIG", config.as_str()),
        // A secret in a file, as orchestrators mount them.
        ("TRUNKLINE_BOOTSTRAP_KEY", ""),
        ("TRUNKLINE_BOOTSTRAP_KEY_FILE", key_file.as_str()),
    ];
    let database = Database::sqlite();
    let mut server = Server::start_with(&database, &variables).await;
    let client = server.client();
    client.get("/v1/queues").await;

    write(
        &file,
        "[http]\nrate_limit = \"1/1h\"\n[log]\nfilter = \"debug\"\n[workers]\ndrain_timeout = \"7s\"\n",
    );
    server.signal("HUP");
    logged(&server, &["changed=", "http.rate_limit, log.filter", "workers.drain_timeout"]).await;
    logged(&server, &["WARN", "workers.drain_timeout", "after a restart"]).await;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(client.try_get("/v1/queues").await.status);
    }
    assert!(statuses.contains(&429), "the rate holds at once: {statuses:?}");

    write(&file, "[http]\nrate_limit = \"fast\"\n");
    server.signal("HUP");
    logged(&server, &["ERROR", "the previous ones stay in use", "http.rate_limit"]).await;
    assert_eq!(client.try_get("/v1/queues").await.status, 429);

    write(&file, "[log]\nfilter = \"info\"\n[http]\nrate_limit = \"off\"\n");
    server.signal("HUP");
    until("no rate any more", DEADLINE, || async {
        (client.try_post("/v1/jobs", &json!({ "jobType": "a" })).await.status == 202).then_some(())
    })
    .await;
    assert!(!server.log().contains(TEST_KEY));
    assert!(server.terminate(DEADLINE).await.success(), "a hangup does not end it");
}

/// Takes places until there are so many. Answers what the next caller gets.
async fn taken(server: &Server, held: &Mutex<Vec<TcpStream>>, count: usize) -> String {
    let request = "GET /v1/queues HTTP/1.1\r\nHost: x\r\n\r\n";
    until(&format!("{count} connections are served"), DEADLINE, || async {
        let (stream, status) = asked(server, request).await;
        let mut held = held.lock().expect("nobody panics");
        if status == "HTTP/1.1 401" {
            held.push(stream);
        }
        (held.len() == count).then_some(())
    })
    .await;
    asked(server, request).await.1
}

/// How many connections are served, in all and of each address, is another number for whoever comes after the hangup.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hangup_changes_how_many_connections_are_served() {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let file = directory.path().join("trunkline.toml");
    // Connections that are held are not closed because nothing comes on them.
    let settings = |all: usize, of_address: usize| {
        let bounds = format!("connections_max = {all}\nconnections_per_address_max = {of_address}\n");
        format!("[http]\nhead_timeout = \"30m\"\n{bounds}")
    };
    write(&file, &settings(3, 100));
    let config = file.display().to_string();
    let database = Database::sqlite();
    let server = Server::start_with(&database, &[("TRUNKLINE_CONFIG", config.as_str())]).await;
    let held = Mutex::new(Vec::new());
    assert_ne!(taken(&server, &held, 3).await, "HTTP/1.1 401", "the fourth");
    // Those that are there stay, and count.
    for (all, of_address, count) in [(6, 100, 6), (100, 8, 8)] {
        write(&file, &settings(all, of_address));
        server.signal("HUP");
        assert_ne!(taken(&server, &held, count).await, "HTTP/1.1 401", "beyond {count}");
    }
}

/// Writes a new certificate of `localhost` and its key.
fn write_certificate(directory: &Path, name: &str) -> CertificateDer<'static> {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    write(&directory.join(format!("{name}.crt")), &made.cert.pem());
    write(&directory.join(format!("{name}.key")), &made.signing_key.serialize_pem());
    made.cert.der().clone()
}

/// Whether a caller that trusts this certificate alone gets a connection.
async fn is_shown(server: &Server, certificate: &CertificateDer<'static>) -> bool {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).expect("a certificate");
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("TLS 1.2 and 1.3")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let url = server.url();
    let stream = TcpStream::connect(url.trim_start_matches("http://")).await.expect("it listens");
    let name = ServerName::try_from("localhost").expect("a name");
    TlsConnector::from(Arc::new(config)).connect(name, stream).await.is_ok()
}

/// Other files are named in the settings: whoever connects after the hangup is shown their certificate.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hangup_changes_the_certificate() {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let (file, folder) = (directory.path().join("trunkline.toml"), directory.path().display().to_string());
    let [before, after] = ["before", "after"].map(|name| write_certificate(directory.path(), name));
    let settings = |name: &str| {
        format!("[http]\ntls_certificate = \"{folder}/{name}.crt\"\ntls_key = \"{folder}/{name}.key\"\n")
    };
    write(&file, &settings("before"));
    let config = file.display().to_string();
    // Without the role api it is ready when its metrics say so, whose address has no TLS.
    let variables = [("TRUNKLINE_CONFIG", config.as_str()), ("TRUNKLINE_ROLES", "webhooks")];
    let database = Database::sqlite();
    let server = Server::start_with(&database, &variables).await;
    assert!(is_shown(&server, &before).await && !is_shown(&server, &after).await);

    write(&file, &settings("after"));
    server.signal("HUP");
    logged(&server, &["changed=", "http.tls_certificate, http.tls_key"]).await;
    until("the new certificate is shown", DEADLINE, || async {
        is_shown(&server, &after).await.then_some(())
    })
    .await;
    assert!(!is_shown(&server, &before).await);

    write(&directory.path().join("after.crt"), "no certificate");
    server.signal("HUP");
    logged(&server, &["ERROR", "the previous certificate stays in use"]).await;
    assert!(is_shown(&server, &after).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_are_checked_without_a_start() {
    let database = Database::sqlite();
    let server = Server::prepared(&database, &[]);
    let file = server.directory().join("trunkline.toml");
    let check = |text: &str| {
        write(&file, text);
        Output::of(&mut server.verb(&["config", "check", "--config", "trunkline.toml"]))
    };
    check("[http]\naddr = \"127.0.0.1:1\"\n").prints(&["the settings are valid"]);
    for (faulty, word) in [
        ("[http]\nport = 1\n", "http.port"),
        ("[http]\ntls_certificate = \"none.crt\"\ntls_key = \"none.key\"\n", "none.crt"),
        ("[secrets]\nkeys = [\"a:short\"]\n", "secrets.keys"),
        ("[log]\nfilter = \"engine=loudest\"\n", "log.filter"),
    ] {
        let output = check(faulty).exits(1);
        assert!(output.stderr.contains(word), "{faulty}: {}", output.stderr);
    }
    let mut away = server.verb(&["config", "check"]);
    away.env("DATABASE_URL", "postgres://db.example/t").env("TRUNKLINE_DATABASE__TLS_CA", "none.crt");
    let refused = Output::of(&mut away).exits(1);
    assert!(refused.stderr.contains("database.tls_ca (none.crt)"), "{}", refused.stderr);
    assert!(!server.directory().join("data").exists(), "nothing is made");
}
