//! `trunkline work TYPE -- PROGRAM`: serve a job type with any program.
//!
//! The program gets the payload on standard input and its result is what it writes on standard output. Exit code 0: done;
//! 75: try again later; any other: do not try again. SIGTERM: the job was cancelled, or its lease is lost.

mod program;

use std::collections::HashMap;
use std::ffi::OsString;
use std::pin::Pin;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use domain::time::{DurationMs, Timestamp};
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::output::note;
use program::may_pass;

// The arguments of `trunkline work`.

/// Arguments of `work`.
#[derive(Debug, Clone, Args)]
pub(crate) struct WorkArgs {
    /// Job type
    job_type: String,
    /// Maximum number of concurrent jobs
    #[arg(long, short, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    concurrency: u32,
    /// Worker name (default: random)
    #[arg(long, value_name = "NAME")]
    worker_id: Option<String>,
    /// Process only jobs of this tenant
    #[arg(long)]
    tenant: Option<String>,
    /// Build that this worker runs, such as a version or a commit
    #[arg(long, value_name = "BUILD")]
    build: Option<String>,
    /// Pin the job type to builds, this worker's own among them: only workers of one of them get its jobs then
    #[arg(long, value_name = "BUILD", value_delimiter = ',', requires = "build")]
    builds: Vec<String>,
    /// Lease duration without a heartbeat, such as 30s (default: the queue's setting)
    #[arg(long, value_name = "DURATION")]
    lease: Option<String>,
    /// Exit after this many jobs
    #[arg(long, value_name = "COUNT")]
    max_jobs: Option<u64>,
    /// Grace period after SIGTERM, in seconds; then programs are stopped and their jobs released
    #[arg(long, value_name = "SECONDS", default_value_t = 25)]
    drain_secs: u64,
    /// Program and its arguments, after --
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

// The loop: poll for as many jobs as there is room for, keep their leases, and drain at the end.

/// How long a poll waits for a job.
const POLL_WAIT: &str = "20s";
/// The wait after a poll that failed.
const POLL_PAUSE: Duration = Duration::from_secs(1);
/// The longest time between two heartbeats; a third of the lease where that is shorter.
const HEARTBEAT_MAX: Duration = Duration::from_secs(5);
/// The shortest.
const HEARTBEAT_MIN: Duration = Duration::from_millis(200);

/// A job whose program runs.
struct Running {
    job: Value,
    /// Ends the program without a report.
    stop: CancellationToken,
}

/// A poll that is under way. It is not dropped half-way: the jobs of its answer would wait for the end of their leases.
type Poll = Pin<Box<dyn Future<Output = Result<Vec<Value>>> + Send>>;

/// A worker.
struct Work<'a> {
    args: WorkArgs,
    client: &'a Client,
    worker_id: String,
    running: HashMap<String, Running>,
    heartbeat: Duration,
}

/// Works until SIGTERM or SIGINT, or until `--max-jobs` are done.
pub(crate) async fn run(args: WorkArgs, client: &Client) -> Result<ExitCode> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let worker_id = args.worker_id.clone().unwrap_or_else(|| format!("work-{:016x}", random()));
    let mut work = Work { args, client, worker_id, running: HashMap::new(), heartbeat: HEARTBEAT_MAX };
    let mut programs: JoinSet<String> = JoinSet::new();
    let mut left = work.args.max_jobs.unwrap_or(u64::MAX);
    let mut beat_at = Instant::now() + work.heartbeat;
    let mut polling: Option<Poll> = None;
    loop {
        let room = u64::from(work.args.concurrency).saturating_sub(work.running.len() as u64).min(left);
        if left == 0 && work.running.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        if polling.is_none() && room > 0 {
            polling = Some(work.poll(room));
        }
        tokio::select! {
            _ = terminate.recv() => break,
            _ = interrupt.recv() => break,
            polled = next(&mut polling) => {
                polling = None;
                for job in polled? {
                    left -= 1;
                    work.start(job, &mut programs);
                }
                beat_at = beat_at.min(Instant::now() + work.heartbeat);
            }
            Some(ended) = programs.join_next() => { work.forget(ended); }
            () = tokio::time::sleep_until(beat_at), if !work.running.is_empty() => {
                work.renew().await;
                beat_at = Instant::now() + work.heartbeat;
            }
        }
    }
    work.drain(programs).await;
    Ok(ExitCode::SUCCESS)
}

impl Work<'_> {
    /// Begins a poll for so many jobs.
    fn poll(&self, room: u64) -> Poll {
        let mut body = json!({
            "workerId": self.worker_id, "jobTypes": [self.args.job_type], "maxJobs": room, "wait": POLL_WAIT,
        });
        for (field, value) in
            [("tenant", &self.args.tenant), ("lease", &self.args.lease), ("build", &self.args.build)]
        {
            if let Some(value) = value {
                body[field] = json!(value);
            }
        }
        if !self.args.builds.is_empty() {
            body["builds"] = json!(self.args.builds);
        }
        let client = self.client.clone();
        Box::pin(async move {
            match client.post("/v1/jobs/poll", &body).await {
                Ok(mut answer) => Ok(answer["jobs"].as_array_mut().map(std::mem::take).unwrap_or_default()),
                Err(error) if may_pass(&error) => {
                    note!("{error}; trying again");
                    tokio::time::sleep(POLL_PAUSE).await;
                    Ok(Vec::new())
                }
                Err(error) => Err(error.into()),
            }
        })
    }

    fn start(&mut self, job: Value, programs: &mut JoinSet<String>) {
        let id = job["id"].as_str().unwrap_or_default().to_owned();
        self.heartbeat = self.heartbeat.min(heartbeat_of(self.args.lease.as_deref(), &job));
        let stop = CancellationToken::new();
        let (program, client) = (self.args.program.clone(), self.client.clone());
        let (given, stopped) = (job.clone(), stop.clone());
        self.running.insert(id.clone(), Running { job, stop });
        programs.spawn(async move {
            if let Some(report) = program::run(&program, &given, &stopped).await {
                program::send(&client, &given, &report).await;
            }
            id
        });
    }

    fn forget(&mut self, ended: Result<String, tokio::task::JoinError>) {
        if let Ok(id) = ended {
            self.running.remove(&id);
        }
    }

    /// Renews all leases; programs whose job is no longer this worker's are stopped.
    async fn renew(&self) {
        let lease =
            |running: &Running| json!({ "id": running.job["id"], "leaseToken": running.job["leaseToken"] });
        let jobs: Vec<Value> = self.running.values().map(lease).collect();
        match self.client.post("/v1/jobs/heartbeat", &json!({ "jobs": jobs })).await {
            Ok(answer) => {
                for result in answer["results"].as_array().into_iter().flatten() {
                    let (id, outcome) =
                        (result["id"].as_str(), result["outcome"].as_str().unwrap_or_default());
                    if let Some(running) = id.and_then(|id| self.running.get(id))
                        && matches!(outcome, "cancelled" | "lease_lost")
                    {
                        note!("{}: {outcome}; its program is stopped", id.unwrap_or_default());
                        running.stop.cancel();
                    }
                }
            }
            Err(error) => note!("cannot renew leases: {error}; retrying"),
        }
    }

    /// Lets running programs end for as long as they may; the jobs of the others go back without an attempt.
    async fn drain(mut self, mut programs: JoinSet<String>) {
        let until = Instant::now() + Duration::from_secs(self.args.drain_secs);
        while !self.running.is_empty() {
            let beat_at = Instant::now() + self.heartbeat;
            tokio::select! {
                Some(ended) = programs.join_next() => self.forget(ended),
                () = tokio::time::sleep_until(until) => break,
                () = tokio::time::sleep_until(beat_at) => self.renew().await,
            }
        }
        let back: Vec<Value> = self
            .running
            .into_values()
            .map(|running| {
                running.stop.cancel();
                running.job
            })
            .collect();
        while programs.join_next().await.is_some() {}
        for job in &back {
            // One that was reported meanwhile is answered `lease_lost`, and nothing happens.
            program::release(self.client, job).await;
        }
    }
}

/// The answer of a poll; never resolves without one.
async fn next(polling: &mut Option<Poll>) -> Result<Vec<Value>> {
    match polling {
        Some(poll) => poll.await,
        None => std::future::pending().await,
    }
}

/// A third of the lease, within bounds.
fn heartbeat_of(lease: Option<&str>, job: &Value) -> Duration {
    let millis = match lease.and_then(|text| DurationMs::parse(text).ok()) {
        Some(lease) => lease.0,
        // By this machine's clock, which may be off: the bounds keep it useful.
        None => remaining_ms(job["leaseExpiresAt"].as_str().unwrap_or_default()),
    };
    Duration::from_millis(u64::try_from(millis / 3).unwrap_or(0)).clamp(HEARTBEAT_MIN, HEARTBEAT_MAX)
}

#[expect(
    clippy::disallowed_methods,
    reason = "a client has no clock of the store; the lease's end is an instant"
)]
fn remaining_ms(instant: &str) -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let end = Timestamp::parse(instant).map_or(0, |end| end.0);
    end - i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
}

fn random() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}
