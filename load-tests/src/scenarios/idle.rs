//! A server that has nothing to do: how soon it is ready, and what it uses.

use std::fs::read_to_string;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::arguments::Arguments;
use crate::http::Connection;
use crate::machine;
use crate::measure::ms;
use crate::report::{Report, Target};

const EXPLANATION: &str = "The server's binary on a new SQLite file with all its defaults: from its start to the first \
    200 of `/readyz`, then what it uses while nobody calls. There is nothing to compare with; the reference column \
    holds the targets.";

const START_MS: f64 = 300.0;
const RESIDENT_MIB: f64 = 64.0;
const CORE_PERCENT: f64 = 1.0;

const LATE: Duration = Duration::from_secs(30);
/// How long it settles before it is watched.
const SETTLE: Duration = Duration::from_secs(2);
/// The unit of processor time in `/proc`; Linux has shown it so on every machine for decades.
const TICKS_PER_SECOND: f64 = 100.0;

/// Runs it.
pub(crate) async fn idle(arguments: &Arguments) -> Result<Report> {
    let binary = arguments.server.as_deref().context("say where the server's binary is, with --server")?;
    let binary = binary.canonicalize().with_context(|| format!("{} is not there", binary.display()))?;
    let mut report = Report::new("Idle server", EXPLANATION);
    let (mut ready, mut resident, mut percent) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..arguments.sizes.rounds {
        let mut server = Server::start(&binary).await?;
        ready.push(server.ready_ms);
        tokio::time::sleep(SETTLE).await;
        let (before, watched_at) = (server.processor_seconds()?, Instant::now());
        tokio::time::sleep(Duration::from_secs(arguments.sizes.seconds.max(5))).await;
        let used = server.processor_seconds()? - before;
        percent.push(used / watched_at.elapsed().as_secs_f64() * 100.0);
        resident.push(server.resident_mib()?);
        server.child.kill().await?;
    }
    report.add("start to ready", "ms", &[START_MS], &ready).aim(Target::ValueMax(START_MS));
    report.add("resident memory", "MiB", &[RESIDENT_MIB], &resident).aim(Target::ValueMax(RESIDENT_MIB));
    report.add("processor", "% of a core", &[CORE_PERCENT], &percent).aim(Target::ValueMax(CORE_PERCENT));
    Ok(report)
}

struct Server {
    child: Child,
    ready_ms: f64,
    /// Its data; removed with it.
    _folder: TempDir,
}

impl Server {
    async fn start(binary: &Path) -> Result<Self> {
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
        Ok(Self { child, ready_ms: ms(started_at.elapsed()), _folder: folder })
    }

    fn process_file(&self, name: &str) -> Result<String> {
        let id = self.child.id().context("the server has ended")?;
        Ok(read_to_string(format!("/proc/{id}/{name}"))?)
    }

    fn processor_seconds(&self) -> Result<f64> {
        let text = self.process_file("stat")?;
        // The name in parentheses may hold spaces: fields are counted from behind it.
        let (_, rest) = text.rsplit_once(')').context("an unknown form of stat")?;
        let field =
            |place: usize| rest.split_whitespace().nth(place).and_then(|text| text.parse::<f64>().ok());
        let (user, system) = field(11).zip(field(12)).context("an unknown form of stat")?;
        Ok((user + system) / TICKS_PER_SECOND)
    }

    fn resident_mib(&self) -> Result<f64> {
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
