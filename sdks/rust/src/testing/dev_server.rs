//! The real server, for the time of a test.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::client::{Client, ClientBuilder};
use crate::environment::variable;
use crate::error::ClientError;
use crate::models::TimeMoveRequest;
use crate::repeat::random_key;
use crate::timestamp::Timestamp;

const START_MAX: Duration = Duration::from_mins(1);
/// A call that moves the time on waits for what is under way.
const MOVE_MAX: Duration = Duration::from_mins(1);
const LOG: &str = "server.log";

/// A server for a test. It is stopped when this value is dropped.
pub struct DevServer {
    url: String,
    grpc_url: String,
    api_key: String,
    // Killed when it is dropped: its database is thrown away in any case.
    _process: Child,
    directory: PathBuf,
}

/// Starts the real server, `TRUNKLINE_BINARY` or `trunkline` on the PATH, on free ports of the loopback interface with a SQLite
/// database in a temporary directory.
pub async fn dev_server() -> Result<DevServer, ClientError> {
    DevServer::start(&[]).await
}

/// Starts a [`DevServer`] whose time jumps to the next timer or retry while no job is leased and no request is in
/// progress. Schedules fire only by [`DevServer::advance`].
pub async fn time_skipping_server() -> Result<DevServer, ClientError> {
    DevServer::start_time_skipping(&[]).await
}

impl DevServer {
    /// Like [`dev_server`], with settings such as `("TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE", "2s")`.
    pub async fn start(settings: &[(&str, &str)]) -> Result<Self, ClientError> {
        Self::spawn(&["serve"], settings).await
    }

    /// Like [`time_skipping_server`], with settings.
    pub async fn start_time_skipping(settings: &[(&str, &str)]) -> Result<Self, ClientError> {
        Self::spawn(&["dev", "--time-skip"], settings).await
    }

    async fn spawn(verb: &[&str], settings: &[(&str, &str)]) -> Result<Self, ClientError> {
        let wrong = ClientError::Configuration;
        let binary = variable("TRUNKLINE_BINARY").unwrap_or_else(|| "trunkline".to_owned());
        let directory = std::env::temp_dir().join(format!("trunkline-{}", random_key()));
        let log = std::fs::create_dir(&directory).and_then(|()| File::create(directory.join(LOG)));
        let log = log.map_err(|error| wrong(format!("{}: {error}", directory.display())))?;
        let api_key = format!("tl_test_{}", random_key());
        let mut command = Command::new(&binary);
        for (name, _) in std::env::vars().filter(|(name, _)| is_setting(name)) {
            command.env_remove(name);
        }
        let database = format!("sqlite://{}", directory.join("trunkline.db").display());
        command
            .args(verb)
            .current_dir(&directory)
            .env("TRUNKLINE_HTTP", "127.0.0.1:0")
            .env("TRUNKLINE_GRPC", "127.0.0.1:0")
            .env("TRUNKLINE_METRICS", "127.0.0.1:0")
            .env("TRUNKLINE_DATABASE_URL", database)
            .env("TRUNKLINE_BOOTSTRAP_KEY", &api_key)
            .env("TMPDIR", &directory)
            .envs(settings.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .kill_on_drop(true);
        let mut process = command.spawn().map_err(|error| {
            wrong(format!("{binary} did not start: {error}; is it on the PATH, or TRUNKLINE_BINARY set?"))
        })?;
        let found = timeout(START_MAX, addresses(&mut process)).await;
        let found = found.map_err(|_| wrong(format!("{binary} gave no address within {START_MAX:?}")))?;
        let Some((url, grpc_url)) = found else {
            return Err(wrong(format!("{binary} did not start: {}", last_lines(&directory))));
        };
        Ok(Self { url, grpc_url, api_key, _process: process, directory })
    }

    /// Where REST listens.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where gRPC listens.
    pub fn grpc_url(&self) -> &str {
        &self.grpc_url
    }

    /// An admin key.
    pub fn api_key(&self) -> &str {
        &self.api_key
    }

    /// Advances the time of a [`time_skipping_server`], through all timers, retries and schedules in between, and
    /// returns its time. It waits while a job is leased or a request is in progress.
    pub async fn advance(&self, by: Duration) -> Result<Timestamp, ClientError> {
        let advance = Some(crate::timestamp::text(by));
        self.move_time(TimeMoveRequest { advance, ..TimeMoveRequest::default() }).await
    }

    /// Sets whether the time of a [`time_skipping_server`] jumps automatically, and returns its time.
    pub async fn skip(&self, on: bool) -> Result<Timestamp, ClientError> {
        self.move_time(TimeMoveRequest { skip: Some(on), ..TimeMoveRequest::default() }).await
    }

    async fn move_time(&self, asked: TimeMoveRequest) -> Result<Timestamp, ClientError> {
        // Only REST has it.
        let client = self.client_builder().transport("rest").call_timeout(MOVE_MAX).build()?;
        Ok(client.api().move_time(&asked).await?.now)
    }

    /// A client of it.
    pub fn client(&self) -> Result<Client, ClientError> {
        self.client_builder().build()
    }

    /// A client of it, before it is built.
    pub fn client_builder(&self) -> ClientBuilder {
        Client::builder().url(&self.url).grpc_url(&self.grpc_url).api_key(&self.api_key)
    }
}

impl Drop for DevServer {
    fn drop(&mut self) {
        // What cannot be removed is in the system's directory for temporary files.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn is_setting(name: &str) -> bool {
    name.starts_with("TRUNKLINE_") || matches!(name, "DATABASE_URL" | "REDIS_URL" | "PORT")
}

/// Reads where it listens from what it prints; `None` when it ended before.
async fn addresses(process: &mut Child) -> Option<(String, String)> {
    let mut lines = BufReader::new(process.stdout.take()?).lines();
    let (mut rest, mut grpc) = (None, None);
    while let Ok(Some(line)) = lines.next_line().await {
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some("REST"), Some(url)) => rest = Some(url.to_owned()),
            (Some("gRPC"), Some(url)) => grpc = Some(url.to_owned()),
            _ => {}
        }
        if let (Some(rest), Some(grpc)) = (&rest, &grpc) {
            let found = (rest.clone(), grpc.clone());
            // A pipe that nobody reads would stop the server once it is full.
            tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
            return Some(found);
        }
    }
    None
}

/// The end of what it logged.
fn last_lines(directory: &Path) -> String {
    let text = std::fs::read_to_string(directory.join(LOG)).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}
