//! The server's binary as a process of its own.

use std::fs::read_to_string;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tokio::process::{Child, Command};

use crate::arguments::Arguments;
use crate::hosts::Host;
use crate::http::Connection;
use crate::machine;
use crate::measure::ms;

const LATE: Duration = Duration::from_secs(30);
/// The port of REST on a host.
const HOST_PORT: u16 = 8080;
/// The unit of processor time in `/proc`; Linux has shown it so on every machine for decades.
const TICKS_PER_SECOND: f64 = 100.0;

/// A running server. It is killed with this.
pub(crate) struct Server {
    child: Child,
    /// Where REST is.
    pub(crate) address: SocketAddr,
    /// From its start to the first 200 of `/readyz`.
    pub(crate) ready_ms: f64,
}

impl Server {
    /// The binary that was named.
    pub(crate) fn binary(arguments: &Arguments) -> Result<PathBuf> {
        let binary =
            arguments.server.as_deref().context("say where the server's binary is, with --server")?;
        binary.canonicalize().with_context(|| format!("{} is not there", binary.display()))
    }

    /// Starts it in a folder with these variables and no others, and waits until it is ready.
    pub(crate) async fn start(binary: &Path, folder: &Path, variables: &[(&str, &str)]) -> Result<Self> {
        let command = Command::new(binary);
        Self::run(command, free_address()?, folder, variables).await
    }

    /// The same on a host.
    pub(crate) async fn start_on(
        host: &Host,
        binary: &Path,
        folder: &Path,
        variables: &[(&str, &str)],
    ) -> Result<Self> {
        let [program, arguments @ ..] = host.prefix();
        let mut command = Command::new(program);
        command.args(arguments).arg(binary);
        Self::run(command, SocketAddr::from((host.address, HOST_PORT)), folder, variables).await
    }

    async fn run(
        mut command: Command,
        address: SocketAddr,
        folder: &Path,
        variables: &[(&str, &str)],
    ) -> Result<Self> {
        let metrics = free_address()?;
        let started_at = Instant::now();
        let (http, metrics) = (address.to_string(), metrics.to_string());
        let mut child = command
            .args(["serve", "--http", &http, "--metrics", &metrics, "--grpc", "127.0.0.1:0"])
            .current_dir(folder)
            // What the shell of the measurement sets for itself is no setting of the server's.
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        while !is_ready(address).await {
            if let Some(status) = child.try_wait()? {
                bail!("the server ended with {status}");
            }
            ensure!(started_at.elapsed() < LATE, "the server is not ready");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        Ok(Self { child, address, ready_ms: ms(started_at.elapsed()) })
    }

    /// Ends it at once.
    pub(crate) async fn kill(mut self) -> Result<()> {
        Ok(self.child.kill().await?)
    }

    /// The processor time that it has used.
    pub(crate) fn processor_seconds(&self) -> Result<f64> {
        let id = self.child.id().context("the server has ended")?;
        let text = read_to_string(format!("/proc/{id}/stat"))?;
        // The name in parentheses may hold spaces: fields are counted from behind it.
        let (_, rest) = text.rsplit_once(')').context("an unknown form of stat")?;
        let field =
            |place: usize| rest.split_whitespace().nth(place).and_then(|text| text.parse::<f64>().ok());
        let (user, system) = field(11).zip(field(12)).context("an unknown form of stat")?;
        Ok((user + system) / TICKS_PER_SECOND)
    }

    /// The memory that it has.
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
