//! A PostgreSQL that is reached by TLS alone, and vouched for by an authority of the settings.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use tokio::net::TcpStream;

use crate::harness::{Database, Output, Server, bare_command, free_port, until};

const DEADLINE: Duration = Duration::from_mins(1);

/// The role that may do everything there.
const ROLE: &str = "trunkline";
const PASSWORD: &str = "tls-only-1";

/// Who vouches for servers, with a certificate for `localhost`.
struct Authority {
    directory: TempDir,
}

impl Authority {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("the temporary directory can be written");
        let made = Self { directory };
        let mut params = rcgen::CertificateParams::new(Vec::new()).expect("parameters");
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let key = rcgen::KeyPair::generate().expect("a key");
        let own = params.self_signed(&key).expect("a certificate");
        put(&made.file("ca.crt"), &own.pem());
        let issuer = rcgen::Issuer::new(params, key);
        let params = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).expect("parameters");
        let key = rcgen::KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &issuer).expect("a certificate");
        put(&made.file("server.crt"), &certificate.pem());
        put(&made.file("server.key"), &key.serialize_pem());
        made
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn ca(&self) -> String {
        self.file("ca.crt").display().to_string()
    }
}

/// A PostgreSQL of its own, which lets nobody in without TLS. Ends when it is dropped.
struct TlsPostgres {
    child: Child,
    port: u16,
    directory: TempDir,
}

impl TlsPostgres {
    async fn start(authority: &Authority) -> Self {
        let directory = tempfile::tempdir().expect("the temporary directory can be written");
        let (data, password) = (directory.path().join("data"), directory.path().join("password"));
        put(&password, PASSWORD);
        give_away(directory.path());
        let made = lent(directory.path(), "initdb")
            .args(["--username", ROLE, "--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C"])
            .args(["--no-sync", "--no-instructions"])
            .arg("--pwfile")
            .arg(&password)
            .arg("--pgdata")
            .arg(&data)
            .output()
            .expect("initdb can be started");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        put(&data.join("pg_hba.conf"), "hostssl all all 127.0.0.1/32 scram-sha-256\n");
        for name in ["server.crt", "server.key"] {
            fs::copy(authority.file(name), data.join(name)).expect("the temporary directory can be written");
        }
        // The server takes no key that others may read.
        run(Command::new("chmod").arg("600").arg(data.join("server.key")));
        give_away(directory.path());
        let port = free_port();
        let log = fs::File::create(directory.path().join("log")).expect("the log can be written");
        let child = lent(directory.path(), "postgres")
            .arg("-D")
            .arg(&data)
            .args(["-p", &port.to_string()])
            .args(["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"])
            .args(["-c", "ssl=on", "-c", "log_min_messages=warning", "-c", "shared_buffers=32MB"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("postgres can be started");
        let mut started = Self { child, port, directory };
        started.listens().await;
        started
    }

    async fn listens(&mut self) {
        let (port, ready) = (self.port.to_string(), binaries().join("pg_isready"));
        until("PostgreSQL listens", DEADLINE, || async {
            TcpStream::connect(("127.0.0.1", self.port)).await.ok()?;
            let asked =
                Command::new(&ready).args(["--quiet", "--host", "127.0.0.1", "--port", &port]).status();
            asked.expect("pg_isready can be started").success().then_some(())
        })
        .await;
        let ended = self.child.try_wait().expect("the process is ours");
        let log = fs::read_to_string(self.directory.path().join("log")).unwrap_or_default();
        assert!(ended.is_none(), "PostgreSQL did not start; its log:\n{log}");
    }

    /// Its address under a name, and what is said about TLS there.
    fn url(&self, host: &str, query: &str) -> String {
        format!("postgres://{ROLE}:{PASSWORD}@{host}:{}/postgres{query}", self.port)
    }
}

impl Drop for TlsPostgres {
    fn drop(&mut self) {
        // Sessions are ended, and nothing is waited for.
        let _ = Command::new("sh").args(["-c", &format!("kill -INT {}", self.child.id())]).status();
        let _ = self.child.wait();
    }
}

fn put(file: &Path, text: &str) {
    fs::write(file, text).expect("the temporary directory can be written");
}

fn run(command: &mut Command) {
    assert!(command.status().expect("it can be started").success(), "{command:?}");
}

/// Where the programs of the server are.
fn binaries() -> PathBuf {
    match std::env::var_os("TRUNKLINE_TEST_POSTGRES_BIN") {
        Some(directory) => PathBuf::from(directory),
        None => {
            panic!("TRUNKLINE_TEST_POSTGRES_BIN is not set: run the tests under scripts/with-postgres.sh")
        }
    }
}

/// The user that a server runs as where the tests run as root, which it refuses to.
fn user() -> Option<&'static str> {
    let is_root = fs::metadata("/proc/self").expect("the process is there").uid() == 0;
    let is_there = |name: &str| {
        let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
        users.lines().any(|line| line.split(':').next() == Some(name))
    };
    is_root.then(|| if is_there("postgres") { "postgres" } else { "nobody" })
}

fn give_away(directory: &Path) {
    if let Some(user) = user() {
        run(Command::new("chown").arg("-R").arg(user).arg(directory));
    }
}

/// A program of the server, as the user that it runs as. Ends with the test.
fn lent(directory: &Path, program: &str) -> Command {
    let program = binaries().join(program);
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "SIGINT"]);
    if let Some(user) = user() {
        command.args(["--reuid", user, "--clear-groups"]);
    }
    command.arg(program).current_dir(directory);
    command
}

/// `trunkline migrate` with this address and authority.
fn migrate(url: &str, ca: &str) -> Output {
    let mut command = bare_command();
    Output::of(command.arg("migrate").env("DATABASE_URL", url).env("TRUNKLINE_DATABASE__TLS_CA", ca))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_is_used_by_tls_that_its_authority_vouches_for() {
    let (known, stranger) = (Authority::new(), Authority::new());
    let postgres = TlsPostgres::start(&known).await;
    let url = postgres.url("localhost", "");
    let refused = |url: &str, ca: &str| {
        let output = migrate(url, ca);
        assert_ne!(output.code, 0, "{}", output.stdout);
        output.stderr
    };
    // Nobody vouches for it, somebody else does, and under another name than it is called by.
    for (url, ca) in [
        (postgres.url("localhost", "?sslmode=verify-full"), String::new()),
        (url.clone(), stranger.ca()),
        (postgres.url("127.0.0.1", ""), known.ca()),
    ] {
        let said = refused(&url, &ca);
        assert!(said.contains("certificate"), "{said}");
        assert!(!said.contains(PASSWORD), "{said}");
    }
    // And it takes nobody without TLS.
    let said = refused(&postgres.url("127.0.0.1", "?sslmode=disable"), "");
    assert!(said.contains("pg_hba.conf"), "{said}");

    migrate(&url, &known.ca()).exits(0);
    // All connections of a server are checked alike: those of calls, of lists and of notifications.
    let database = Database::at(Path::new("unused"));
    let ca = known.ca();
    let settings = [("DATABASE_URL", url.as_str()), ("TRUNKLINE_DATABASE__TLS_CA", ca.as_str())];
    let server = Server::start_with(&database, &settings).await;
    let client = server.client();
    let job = client.post("/v1/jobs", &json!({ "jobType": "side", "data": {} })).await;
    let id = job["id"].as_str().expect("an id");
    assert_eq!(client.get(&format!("/v1/jobs/{id}")).await["status"], "QUEUED");
    assert_eq!(client.all("/v1/jobs").await.len(), 1);
    let log = server.log();
    assert!(!log.contains("notifications from PostgreSQL do not arrive") && !log.contains("ERROR"), "{log}");
}
