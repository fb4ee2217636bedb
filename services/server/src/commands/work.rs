//! `trunkline work TYPE -- PROGRAM`: serve a job type with any program.
//!
//! The program gets the payload on standard input and its result is what it writes on standard output. Exit code 0: done;
//! 75: try again later; any other: do not try again. SIGTERM: the job was cancelled, or its lease is lost.

mod program;

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::pin::Pin;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::Args;
use domain::time::{DurationMs, Timestamp};
use futures::FutureExt;
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::output::{note, shown};
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
    /// Pin the job type to these builds, including this worker's own: only workers of these builds get its jobs
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
/// How long the answer to a poll is waited for: a connection that went silent is left for another one.
const POLL_WITHIN: Duration = Duration::from_secs(30);
/// The wait after a poll that failed.
const POLL_PAUSE: Duration = Duration::from_secs(1);
/// The longest time between two heartbeats; a third of the lease where that is shorter. No heartbeat waits longer for its
/// answer.
const HEARTBEAT_MAX: Duration = Duration::from_secs(5);
/// The shortest.
const HEARTBEAT_MIN: Duration = Duration::from_millis(200);
/// A heartbeat that failed is sent again after so long at most.
const HEARTBEAT_PAUSE: Duration = Duration::from_secs(1);
/// No lease is taken to be over sooner whose length the server chose: it says when that is, and the clocks of the two machines
/// may differ.
const LEASE_USUAL: Duration = Duration::from_secs(30);

/// A job whose program runs.
struct Running {
    job: Value,
    /// Ends the program without a report.
    stop: CancellationToken,
    /// How long after a heartbeat its lease is over.
    lease: Duration,
    /// When it is over, unless it is renewed; `None` once it is lost.
    ends_at: Option<Instant>,
}

impl Running {
    /// Stops the program, whose job is not this worker's any more.
    fn lose(&mut self, why: &str) {
        let id = self.job["id"].as_str().unwrap_or_default();
        note!("{id}: {why}; its program is stopped");
        self.ends_at = None;
        self.stop.cancel();
    }
}

/// What came of a poll.
#[derive(Debug, Default, PartialEq)]
struct Polled {
    jobs: Vec<Value>,
    /// An operator drains this worker: it gets no more jobs, and ends.
    is_draining: bool,
}

/// A poll that is under way. While the worker goes on, it is not dropped half-way: the jobs of its answer would be given to nobody.
type Poll = Pin<Box<dyn Future<Output = Result<Polled>> + Send>>;

/// A worker.
struct Work<'a> {
    args: WorkArgs,
    client: &'a Client,
    worker_id: String,
    /// By lease token: the next attempt of a job may begin here while the program of the one before still ends.
    running: HashMap<String, Running>,
    heartbeat: Duration,
}

/// Works until SIGTERM or SIGINT, or until `--max-jobs` are done.
pub(crate) async fn run(args: WorkArgs, client: &Client) -> Result<ExitCode> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let stop = async {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    };
    run_until(args, client, stop).await
}

async fn run_until(args: WorkArgs, client: &Client, stop: impl Future<Output = ()>) -> Result<ExitCode> {
    tokio::pin!(stop);
    // Otherwise each job would use up its retries before anybody looks.
    if let Some(name) = args.program.first() {
        ensure!(program::is_found(name), "cannot find the program {}", name.to_string_lossy());
    }
    if std::io::stderr().is_terminal() {
        note!("waiting for jobs of the type {}; Ctrl-C ends after the running ones", args.job_type);
    }
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
            () = &mut stop => break,
            polled = next(&mut polling) => {
                polling = None;
                let Polled { jobs, is_draining } = polled?;
                for job in jobs {
                    left -= 1;
                    work.start(job, &mut programs);
                }
                if is_draining {
                    note!("an operator drains this worker: it ends");
                    break;
                }
                beat_at = beat_at.min(Instant::now() + work.heartbeat);
            }
            Some(ended) = programs.join_next() => { work.forget(ended); }
            () = tokio::time::sleep_until(beat_at), if !work.running.is_empty() => {
                beat_at = work.renew().await;
            }
        }
    }
    // An answer that is there is taken. Without one the poll is left, and the server gives its jobs to others: left open, it would
    // go on to take jobs that nobody here works on.
    let late = polling.take().and_then(FutureExt::now_or_never).and_then(Result::ok).unwrap_or_default();
    let give_back = async {
        for job in &late.jobs {
            program::release(client, job).await;
        }
    };
    tokio::join!(give_back, work.drain(programs));
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
        Box::pin(async move { poll_once(&client, &body, POLL_WITHIN).await })
    }

    fn start(&mut self, job: Value, programs: &mut JoinSet<String>) {
        let token = job["leaseToken"].as_str().unwrap_or_default().to_owned();
        let asked = self.args.lease.as_deref().and_then(|text| DurationMs::parse(text).ok());
        // By this machine's clock, which may be off: the bounds keep it useful.
        let millis = match asked {
            Some(asked) => asked.0,
            None => remaining_ms(job["leaseExpiresAt"].as_str().unwrap_or_default()),
        };
        let said = Duration::from_millis(u64::try_from(millis).unwrap_or(0));
        self.heartbeat = self.heartbeat.min((said / 3).clamp(HEARTBEAT_MIN, HEARTBEAT_MAX));
        let lease = if asked.is_some() { said } else { said.max(LEASE_USUAL) };
        let stop = CancellationToken::new();
        let (program, client) = (self.args.program.clone(), self.client.clone());
        let (given, stopped) = (job.clone(), stop.clone());
        let ends_at = Some(Instant::now() + lease);
        self.running.insert(token.clone(), Running { job, stop, lease, ends_at });
        programs.spawn(async move {
            if let Some(report) = program::run(&program, &given, &stopped).await {
                program::send(&client, &given, &report).await;
            }
            token
        });
    }

    fn forget(&mut self, ended: Result<String, tokio::task::JoinError>) {
        if let Ok(token) = ended {
            self.running.remove(&token);
        }
    }

    /// Renews all leases; programs whose job is no longer this worker's are stopped, also where nobody says so. Answers when
    /// they are to be renewed again.
    async fn renew(&mut self) -> Instant {
        let sent_at = Instant::now();
        let lease =
            |running: &Running| json!({ "id": running.job["id"], "leaseToken": running.job["leaseToken"] });
        let held = self.running.iter().filter(|(_, running)| !running.stop.is_cancelled());
        let (tokens, jobs): (Vec<String>, Vec<Value>) =
            held.map(|(token, running)| (token.clone(), lease(running))).unzip();
        if jobs.is_empty() {
            return sent_at + self.heartbeat;
        }
        let body = json!({ "jobs": jobs });
        // A connection that went silent is left for another one while there is time.
        let within = self.left_at(sent_at).min(self.heartbeat).max(HEARTBEAT_MIN);
        let answer = tokio::time::timeout(within, self.client.post("/v1/jobs/heartbeat", &body)).await;
        let failure = match answer {
            Ok(Ok(answer)) => {
                self.take_outcomes(&tokens, &answer, sent_at);
                return sent_at + self.heartbeat;
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("no answer within {} ms", within.as_millis()),
        };
        note!("cannot renew leases: {}; retrying", shown(&failure));
        let now = Instant::now();
        for running in self.running.values_mut() {
            if running.ends_at.is_some_and(|ends_at| ends_at <= now) {
                running.lose("its lease could not be renewed");
            }
        }
        now + self.left_at(now).min(HEARTBEAT_PAUSE).min(self.heartbeat)
    }

    /// How long it is until the first lease is over.
    fn left_at(&self, now: Instant) -> Duration {
        let ends = self.running.values().filter_map(|running| running.ends_at);
        ends.min().map_or(HEARTBEAT_MAX, |ends_at| ends_at.saturating_duration_since(now))
    }

    /// Takes the outcomes of these leases, which are in their order.
    fn take_outcomes(&mut self, tokens: &[String], answer: &Value, sent_at: Instant) {
        for (token, result) in tokens.iter().zip(answer["results"].as_array().into_iter().flatten()) {
            let Some(running) = self.running.get_mut(token) else { continue };
            match result["outcome"].as_str() {
                Some(outcome @ ("cancelled" | "lease_lost")) => running.lose(outcome),
                Some("ok") => running.ends_at = Some(sent_at + running.lease),
                _ => {}
            }
        }
    }

    /// Lets running programs end for as long as they may; the jobs of the others go back without an attempt.
    async fn drain(mut self, mut programs: JoinSet<String>) {
        let until = Instant::now() + Duration::from_secs(self.args.drain_secs);
        let mut beat_at = Instant::now();
        while !self.running.is_empty() {
            tokio::select! {
                Some(ended) = programs.join_next() => self.forget(ended),
                () = tokio::time::sleep_until(until) => break,
                () = tokio::time::sleep_until(beat_at) => beat_at = self.renew().await,
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

/// The jobs of one poll; none where it is to be made again. What a later answer would bring comes back when its leases end.
async fn poll_once(client: &Client, body: &Value, within: Duration) -> Result<Polled> {
    match tokio::time::timeout(within, client.post("/v1/jobs/poll", body)).await {
        Ok(Ok(mut answer)) => {
            let jobs = answer["jobs"].as_array_mut().map(std::mem::take).unwrap_or_default();
            Ok(Polled { jobs, is_draining: answer["drain"] == true })
        }
        Ok(Err(error)) if may_pass(&error) => {
            note!("{}; trying again", shown(&error.to_string()));
            tokio::time::sleep(POLL_PAUSE).await;
            Ok(Polled::default())
        }
        Ok(Err(error)) => Err(error.into()),
        Err(_) => {
            note!("no response to a poll within {} ms; retrying", within.as_millis());
            Ok(Polled::default())
        }
    }
}

/// The answer of a poll; never resolves without one.
async fn next(polling: &mut Option<Poll>) -> Result<Polled> {
    match polling {
        Some(poll) => poll.await,
        None => std::future::pending().await,
    }
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

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;
    use crate::client::Global;

    const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 21\r\n\r\n\
        {\"jobs\":[{\"id\":\"x\"}]}";
    const DEADLINE: Duration = Duration::from_secs(30);

    fn client(url: String) -> Client {
        let global = Global { url: Some(url), profile: None, json: false, utc: false };
        Client::new(&global).expect("a client can be made")
    }

    fn arguments(program: &[&str]) -> WorkArgs {
        WorkArgs {
            job_type: "greet".to_owned(),
            concurrency: 2,
            worker_id: None,
            tenant: None,
            build: None,
            builds: Vec::new(),
            lease: Some("30s".to_owned()),
            max_jobs: None,
            drain_secs: 25,
            program: program.iter().map(Into::into).collect(),
        }
    }

    /// Reads a request whose body is an object.
    async fn read_request(caller: &mut TcpStream) {
        let mut request = Vec::new();
        while !request.ends_with(b"}") {
            assert_ne!(caller.read_buf(&mut request).await.expect("it can be read"), 0, "the caller left");
        }
    }

    async fn answer(caller: &mut TcpStream, body: &str) {
        let head = format!("content-type: application/json\r\ncontent-length: {}", body.len());
        let answer = format!("HTTP/1.1 200 OK\r\nconnection: close\r\n{head}\r\n\r\n{body}");
        caller.write_all(answer.as_bytes()).await.expect("it can be answered");
    }

    /// Polls of a worker that is drained are answered at once: it would ask again and again.
    #[tokio::test]
    async fn a_worker_that_an_operator_drains_ends() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let client = client(format!("http://{}", listener.local_addr().expect("it listens")));
        let server = async {
            let (mut caller, _) = listener.accept().await.expect("a caller comes");
            read_request(&mut caller).await;
            answer(&mut caller, r#"{"jobs": [], "drain": true}"#).await;
        };
        let work = run_until(arguments(&["cat"]), &client, std::future::pending());
        let both = tokio::time::timeout(DEADLINE, async { tokio::join!(server, work) }).await;
        assert!(both.expect("it ends by itself").1.is_ok());
    }

    /// The server would give it jobs that nobody works on.
    #[tokio::test]
    async fn a_worker_that_drains_leaves_its_poll() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let client = client(format!("http://{}", listener.local_addr().expect("it listens")));
        let (drain, drains) = tokio::sync::oneshot::channel::<()>();
        let server = async {
            let (mut first, _) = listener.accept().await.expect("a caller comes");
            read_request(&mut first).await;
            let job = r#"{"jobs": [{"id": "job_1", "leaseToken": "t", "data": null, "attempt": 1}]}"#;
            answer(&mut first, job).await;
            let (mut second, _) = listener.accept().await.expect("it polls again");
            read_request(&mut second).await;
            drain.send(()).expect("it works");
            assert_eq!(second.read(&mut [0]).await.unwrap_or(0), 0, "the poll is left");
        };
        let args = arguments(&["tail", "-f", "/dev/null"]);
        let work = run_until(args, &client, async { drop(drains.await) });
        let left = async {
            tokio::select! {
                () = server => {}
                ended = work => panic!("its program still runs: {ended:?}"),
            }
        };
        tokio::time::timeout(DEADLINE, left).await.expect("the poll is left in time");
    }

    /// Its first attempt was lost, and its program takes its time to end: the second one keeps its lease and its slot.
    #[tokio::test]
    async fn an_attempt_that_still_ends_takes_nothing_from_the_next_one() {
        let client = client("http://127.0.0.1:1".to_owned());
        let args = arguments(&["no-such-program"]);
        let (running, heartbeat) = (HashMap::new(), HEARTBEAT_MAX);
        let mut work = Work { args, client: &client, worker_id: "w".to_owned(), running, heartbeat };
        let mut programs = JoinSet::new();
        work.start(json!({ "id": "job_1", "leaseToken": "first", "attempt": 1 }), &mut programs);
        work.start(json!({ "id": "job_1", "leaseToken": "second", "attempt": 2 }), &mut programs);
        programs.abort_all();
        assert_eq!(work.running.len(), 2);
        let answer = json!({ "results": [
            { "id": "job_1", "outcome": "ok" },
            { "id": "job_1", "outcome": "lease_lost" },
        ] });
        let tokens = ["second".to_owned(), "first".to_owned()];
        work.take_outcomes(&tokens, &answer, Instant::now());
        assert!(work.running["first"].stop.is_cancelled() && !work.running["second"].stop.is_cancelled());
        work.forget(Ok("first".to_owned()));
        assert_eq!(work.running.keys().collect::<Vec<_>>(), ["second"]);
    }

    #[tokio::test]
    async fn a_poll_that_hangs_is_left_for_another_one() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let client = client(format!("http://{}", listener.local_addr().expect("it listens")));
        let server = async {
            // Its connection stays open, and nothing comes.
            let (silent, _) = listener.accept().await.expect("a caller comes");
            let (mut other, _) = listener.accept().await.expect("another one comes");
            read_request(&mut other).await;
            other.write_all(ANSWER).await.expect("it can be answered");
            (silent, other)
        };
        let polls = async {
            let body = json!({ "workerId": "w" });
            let first = poll_once(&client, &body, Duration::from_millis(500)).await;
            let second = poll_once(&client, &body, DEADLINE).await;
            (first.expect("it is no failure"), second.expect("it is answered"))
        };
        let both = tokio::time::timeout(DEADLINE, async { tokio::join!(server, polls) }).await;
        let (_connections, (first, second)) = both.expect("the second poll is answered in time");
        let jobs = vec![json!({ "id": "x" })];
        assert_eq!((first, second), (Polled::default(), Polled { jobs, is_draining: false }));
    }
}
