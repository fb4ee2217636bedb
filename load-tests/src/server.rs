//! The server's binary as a process of its own.

use std::fs::read_to_string;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::arguments::Arguments;
use crate::http::Connection;
use crate::machine;
use crate::measure::ms;

const LATE: Duration = Duration::from_secs(30);
/// The unit of processor time in `/proc`; Linux has shown it so on every machine for decades.
const TICKS_PER_SECOND: f64 = 100.0;

/// Where the binary is.
pub(crate) fn binary_of(arguments: &Arguments) -> Result<PathBuf> {
    let binary = arguments.server.as_deref().context("say where the server's binary is, with --server")?;
    binary.canonicalize().with_context(|| format!("{} is not there", binary.display()))
}

/// A server in a folder of its own, with all its defaults where nothing else is said.
pub(crate) struct Server {
    child: Child,
    /// Where its interface is.
    pub(crate) http: SocketAddr,
    /// From its start to the first 200 of `/readyz`.
    pub(crate) ready_ms: f64,
    /// Its data; removed with it.
    _folder: TempDir,
}

impl Server {
    /// Starts it with these variables and waits until it is ready.
    pub(crate) async fn start(binary: &Path, variables: &[(&str, &str)]) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let [http, metrics] = [free_address()?, free_address()?];
        let started_at = Instant::now();
        let mut child = Command::new(binary)
            .args([
                "serve",
                "--http",
                &http.to_string(),
                "--metrics",
                &metrics.to_string(),
                "--grpc",
                "127.0.0.1:0",
            ])
            .current_dir(folder.path())
            // What the shell of the measurement sets for itself is no setting of the server's.
            .env_clear()
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        while !is_ready(http).await {
            if let Some(status) = child.try_wait()? {
                bail!("the server ended with {status}");
            }
            ensure!(started_at.elapsed() < LATE, "the server is not ready");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        Ok(Self { child, http, ready_ms: ms(started_at.elapsed()), _folder: folder })
    }

    /// Ends it at once, as a power cut would.
    pub(crate) async fn kill(&mut self) -> Result<()> {
        Ok(self.child.kill().await?)
    }

    fn process_file(&self, name: &str) -> Result<String> {
        let id = self.child.id().context("the server has ended")?;
        Ok(read_to_string(format!("/proc/{id}/{name}"))?)
    }

    /// The processor time that it has used.
    pub(crate) fn processor_seconds(&self) -> Result<f64> {
        let text = self.process_file("stat")?;
        // The name in parentheses may hold spaces: fields are counted from behind it.
        let (_, rest) = text.rsplit_once(')').context("an unknown form of stat")?;
        let field =
            |place: usize| rest.split_whitespace().nth(place).and_then(|text| text.parse::<f64>().ok());
        let (user, system) = field(11).zip(field(12)).context("an unknown form of stat")?;
        Ok((user + system) / TICKS_PER_SECOND)
    }

    /// What it has resident.
    pub(crate) fn resident_mib(&self) -> Result<f64> {
        let id = self.child.id().context("the server has ended")?;
        machine::resident_mib(&id.to_string())
    }
}

async fn is_ready(address: SocketAddr) -> bool {
    let Ok(mut connection) = Connection::open(address, "none").await else {
        return false;
    };
    connection.send("GET", "/readyz", "").await.is_ok()
}

fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}
