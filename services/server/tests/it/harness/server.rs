//! A real `trunkline serve`: its own process, ports, directory and log, so that it can be killed, stopped and started
//! again at will.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use testkit::ports::free_port;

use crate::harness::client::Client;
use crate::harness::database::Database;
use crate::harness::wait::pause;

/// The admin key that servers are given.
pub(crate) const TEST_KEY: &str = "tl_bootstrap_key_of_the_tests_5d1f0c77";

/// How long a start may take, on a busy machine with a debug build.
const START_DEADLINE: Duration = Duration::from_mins(1);

/// How much of a log a failed test shows.
const LOG_SHOWN_BYTES: usize = 12_000;

/// How often other ports are tried when somebody else was faster.
const PORT_TRIES: u32 = 5;

/// A server process and what it takes to start it again.
#[derive(Debug)]
pub(crate) struct Server {
    settings: BTreeMap<String, String>,
    http: u16,
    metrics: u16,
    grpc: u16,
    has_api: bool,
    directory: TempDir,
    child: Option<Child>,
    /// The bound on the address space of the process.
    address_space_kib: Option<u64>,
    /// The verb and its flags.
    command: &'static [&'static str],
}

impl Server {
    /// Starts a server with all roles.
    pub(crate) async fn start(database: &Database) -> Self {
        Self::start_with(database, &[]).await
    }

    /// Starts a server with these environment variables besides, and waits until it is ready.
    pub(crate) async fn start_with(database: &Database, variables: &[(&str, &str)]) -> Self {
        Self::prepared(database, variables).started().await
    }

    /// Starts a development server whose time skips, on a database of its own.
    pub(crate) async fn start_dev() -> Self {
        let unused = Database::sqlite();
        let mut server = Self::prepared(&unused, &[]);
        server.command = &["dev", "--time-skip"];
        server.started().await
    }

    /// Starts it on free ports, and waits until it is ready.
    async fn started(mut self) -> Self {
        for _ in 0..PORT_TRIES {
            self.spawn();
            match self.ready().await {
                Ok(()) => return self,
                Err(_) if self.log().contains("cannot listen") => self.take_other_ports(),
                Err(ending) => panic!("the server did not start ({ending:?}); its log:\n{}", self.log()),
            }
        }
        panic!("the server found no free port");
    }

    /// Starts a server whose process may have so much address space.
    pub(crate) async fn start_bounded(database: &Database, address_space_kib: u64) -> Self {
        let mut server = Self::prepared(database, &[]);
        server.address_space_kib = Some(address_space_kib);
        server.started().await
    }

    /// The most memory that the process had in use so far.
    pub(crate) fn resident_max_kib(&self) -> u64 {
        let id = self.child.as_ref().expect("the server is running").id();
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).expect("the process is there");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux says so");
        line.trim().trim_end_matches(" kB").trim().parse().expect("a number")
    }

    /// A server that is not started.
    pub(crate) fn prepared(database: &Database, variables: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().expect("the temporary directory can be written");
        let mut settings = BTreeMap::from([
            ("DATABASE_URL".to_owned(), database.url.clone()),
            ("TRUNKLINE_BOOTSTRAP_KEY".to_owned(), TEST_KEY.to_owned()),
            // Many servers share one small PostgreSQL.
            ("TRUNKLINE_DATABASE__CONNECTIONS_MAX".to_owned(), "8".to_owned()),
        ]);
        for (name, value) in variables {
            settings.insert((*name).to_owned(), (*value).to_owned());
        }
        let has_api = settings.get("TRUNKLINE_ROLES").is_none_or(|roles| roles.contains("api"));
        let mut server = Self {
            settings,
            http: 0,
            metrics: 0,
            grpc: 0,
            has_api,
            directory,
            child: None,
            address_space_kib: None,
            command: &["serve"],
        };
        server.take_other_ports();
        server
    }

    fn take_other_ports(&mut self) {
        (self.http, self.metrics, self.grpc) = (free_port(), free_port(), free_port());
    }

    /// A command of the binary with the settings of this server, in its directory.
    pub(crate) fn verb(&self, arguments: &[&str]) -> Command {
        let mut command = bare_command();
        command.args(arguments).envs(&self.settings).current_dir(self.directory.path()).stdin(Stdio::null());
        command
    }

    /// Starts the process, with its output going to the log.
    fn spawn(&mut self) {
        let log =
            File::options().create(true).append(true).open(self.log_path()).expect("the log can be written");
        let (http, metrics) = (format!("127.0.0.1:{}", self.http), format!("127.0.0.1:{}", self.metrics));
        let grpc = format!("127.0.0.1:{}", self.grpc);
        let addresses = ["--http", &http, "--metrics", &metrics, "--grpc", &grpc];
        let mut command = self.verb(&[self.command, &addresses].concat());
        if let Some(kib) = self.address_space_kib {
            command = bounded(&command, kib);
        }
        command.stdout(log.try_clone().expect("a file can be shared")).stderr(log);
        self.child = Some(command.spawn().expect("the binary can be started"));
    }

    /// Waits until `/readyz` answers 200; the error is the process's end.
    async fn ready(&mut self) -> Result<(), ExitStatus> {
        let base = if self.has_api { self.url() } else { self.metrics_url() };
        let probe = Client::new(&base, None);
        let started = Instant::now();
        loop {
            let child = self.child.as_mut().expect("the process was started");
            if let Some(status) = child.try_wait().expect("the process is ours") {
                self.child = None;
                return Err(status);
            }
            let answer = probe.call(reqwest::Method::GET, "/readyz").send().await;
            if answer.is_ok_and(|answer| answer.status == 200) {
                return Ok(());
            }
            assert!(started.elapsed() < START_DEADLINE, "the server is not ready; its log:\n{}", self.log());
            pause().await; // between two looks of this polling loop
        }
    }

    /// Starts it again after it ended: same database, ports and settings.
    pub(crate) async fn restart(&mut self) {
        self.restart_with(&[]).await;
    }

    /// Starts it again with some settings changed.
    pub(crate) async fn restart_with(&mut self, variables: &[(&str, &str)]) {
        assert!(self.child.is_none(), "the server is running");
        for (name, value) in variables {
            self.settings.insert((*name).to_owned(), (*value).to_owned());
        }
        self.spawn();
        if let Err(ending) = self.ready().await {
            panic!("the server did not start again ({ending:?}); its log:\n{}", self.log());
        }
    }

    /// SIGKILL, as a power cut would be for the process.
    pub(crate) fn kill_nine(&mut self) {
        let mut child = self.child.take().expect("the server is running");
        child.kill().expect("the process is ours");
        child.wait().expect("the process is ours");
    }

    /// Sends a signal by its name, such as `TERM`, `STOP` or `CONT`.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.as_ref().expect("the server is running").id();
        // The shell has `kill` built in; a minimal system has no such command.
        let status =
            Command::new("sh").args(["-c", &format!("kill -{name} {id}")]).status().expect("there is sh");
        assert!(status.success(), "kill -{name} {id}");
    }

    /// Whether the process has ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        let child = self.child.as_mut().expect("the process was started");
        let has_ended = child.try_wait().expect("the process is ours").is_some();
        if has_ended {
            self.child = None;
        }
        has_ended
    }

    /// Waits for the process's own end.
    pub(crate) async fn ended(&mut self, deadline: Duration) -> ExitStatus {
        let started = Instant::now();
        loop {
            let child = self.child.as_mut().expect("the process was started");
            if let Some(status) = child.try_wait().expect("the process is ours") {
                self.child = None;
                return status;
            }
            assert!(started.elapsed() < deadline, "the server did not end; its log:\n{}", self.log());
            pause().await; // between two looks of this polling loop
        }
    }

    /// SIGTERM, then waits for the end.
    pub(crate) async fn terminate(&mut self, deadline: Duration) -> ExitStatus {
        self.signal("TERM");
        self.ended(deadline).await
    }

    /// Starts it although it is expected to end by itself.
    pub(crate) fn spawn_doomed(&mut self) {
        self.spawn();
    }

    /// Starts it with some settings changed although it is expected to end by itself, perhaps before it is ready.
    pub(crate) fn spawn_doomed_with(&mut self, variables: &[(&str, &str)]) {
        for (name, value) in variables {
            self.settings.insert((*name).to_owned(), (*value).to_owned());
        }
        self.spawn();
    }

    /// A client with the admin key.
    pub(crate) fn client(&self) -> Client {
        Client::new(&self.url(), Some(TEST_KEY))
    }

    /// Where REST is.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address())
    }

    /// Host and port of REST.
    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.http)
    }

    /// Where gRPC is.
    pub(crate) fn grpc_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.grpc)
    }

    /// Where metrics are.
    pub(crate) fn metrics_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.metrics)
    }

    /// The sum of a metric over the labels that have all of these values; `None` where there is no such line.
    pub(crate) async fn metric(&self, name: &str, values: &[&str]) -> Option<f64> {
        let page = Client::new(&self.metrics_url(), None).try_get("/metrics").await.text;
        let name = format!("trunkline_{name}");
        let is_meant = |line: &&str| {
            let rest = line.strip_prefix(&name).filter(|rest| rest.starts_with(['{', ' ']));
            rest.is_some_and(|rest| values.iter().all(|value| rest.contains(&format!("\"{value}\""))))
        };
        let lines: Vec<&str> = page.lines().filter(is_meant).collect();
        let number = |line: &&str| line.rsplit(' ').next()?.parse::<f64>().ok();
        if lines.is_empty() { None } else { lines.iter().map(number).sum() }
    }

    /// The directory in which the server runs.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Everything that the server printed so far.
    pub(crate) fn log(&self) -> String {
        std::fs::read(self.log_path())
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }

    fn log_path(&self) -> PathBuf {
        self.directory.path().join("server.log")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
        if std::thread::panicking() {
            let log = self.log();
            let from = log.ceil_char_boundary(log.len().saturating_sub(LOG_SHOWN_BYTES));
            eprintln!("--- the log of the server at {}\n{}\n---", self.url(), &log[from..]);
        }
    }
}

/// The same command by a shell that bounds the address space and becomes it.
fn bounded(plain: &Command, address_space_kib: u64) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {address_space_kib} && exec \"$0\" \"$@\"")]);
    command.arg(plain.get_program()).args(plain.get_args()).stdin(Stdio::null());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    if let Some(directory) = plain.get_current_dir() {
        command.current_dir(directory);
    }
    command
}

/// The binary, without any setting of the shell that runs the tests.
pub(crate) fn bare_command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    for (name, _) in std::env::vars_os() {
        let is_ours = name.to_str().is_some_and(|name| {
            name.starts_with("TRUNKLINE_")
                || ["DATABASE_URL", "REDIS_URL", "PORT", "RUST_LOG"].contains(&name)
        });
        if is_ours {
            command.env_remove(&name);
        }
    }
    command
}
