//! Schedules on a machine whose wall clock is set by the test: across the hour that summer time leaves out, across
//! the hour that comes twice, and over jumps forward and back. The real binary runs under libfaketime; only its wall
//! clock is faked, because a real jump leaves monotonic time alone too. On SQLite, whose clock is the process's.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use domain::time::Timestamp;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{Client, Database, Server, until};

/// A live jump is noticed at the next calibration, and a slot begins some seconds later.
const DEADLINE: Duration = Duration::from_secs(75);
const STOP_DEADLINE: Duration = Duration::from_secs(40);

/// The gap of New York: 02:30 does not exist on that day and is run when the gap ends, at 07:00 UTC.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slot_in_a_dst_gap_fires_once_when_the_gap_ends() {
    let mut machine = Machine::start("2026-03-08T06:58:00Z").await;
    let client = machine.server.client();
    let daily = create(&client, "daily", "30 2 * * *", "America/New_York").await;
    let witness = create(&client, "witness", "* * * * *", "UTC").await;
    assert_eq!(next_slot(&client, &daily).await, "2026-03-08T07:00:00");

    machine.restart_at("2026-03-08T06:59:50Z").await;
    fired(&client, &daily, "2026-03-08T07:00:00").await;

    // 03:30 is where an implementation that adds the hour to the local time would fire, once more or late.
    machine.restart_at("2026-03-08T07:29:55Z").await;
    fired_from(&client, &witness, "2026-03-08T07:30:00").await;
    assert_eq!(next_slot(&client, &daily).await, "2026-03-09T06:30:00");
    assert_eq!(fired_slots(&client, &daily).await, ["2026-03-08T07:00:00"]);
    machine.stop().await;
}

/// The fold of Berlin: 02:30 comes at 00:30 and at 01:30 UTC. The clock jumps to the second while the server runs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slot_in_a_dst_fold_fires_the_first_time_only() {
    let mut machine = Machine::start("2026-10-25T00:28:00Z").await;
    let client = machine.server.client();
    let daily = create(&client, "daily", "30 2 * * *", "Europe/Berlin").await;
    let witness = create(&client, "witness", "* * * * *", "UTC").await;
    assert_eq!(next_slot(&client, &daily).await, "2026-10-25T00:30:00");

    machine.restart_at("2026-10-25T00:29:50Z").await;
    fired(&client, &daily, "2026-10-25T00:30:00").await;

    machine.jump_to("2026-10-25T01:29:50Z");
    fired_from(&client, &witness, "2026-10-25T01:30:00").await;
    assert_eq!(next_slot(&client, &daily).await, "2026-10-26T01:30:00");
    assert_eq!(fired_slots(&client, &daily).await, ["2026-10-25T00:30:00"]);
    machine.stop().await;
}

/// Two hours forward and back again, each with a new process that finds the state of the other time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_slot_fires_twice_when_the_clock_jumps_forward_and_back() {
    let mut machine = Machine::start("2026-06-10T09:58:00Z").await;
    let client = machine.server.client();
    let minutely = create(&client, "minutely", "* * * * *", "UTC").await;
    machine.restart_at("2026-06-10T09:59:55Z").await;
    fired(&client, &minutely, "2026-06-10T10:00:00").await;

    machine.restart_at("2026-06-10T12:00:05Z").await;
    fired_from(&client, &minutely, "2026-06-10T12:00:00").await;
    let ahead = fired_slots(&client, &minutely).await;
    let between =
        ahead.iter().filter(|slot| ("2026-06-10T10:05".."2026-06-10T11:59").contains(&slot.as_str()));
    assert_eq!(between.count(), 0, "at most the latest missed slot is caught up: {ahead:?}");

    machine.restart_at("2026-06-10T10:00:55Z").await;
    let witness = create(&client, "witness", "* * * * *", "UTC").await;
    let slot = next_slot(&client, &witness).await;
    assert!(slot.as_str() < "2026-06-10T11", "the server is in the past: {slot}");
    fired(&client, &witness, &slot).await;
    let mut back = fired_slots(&client, &minutely).await;
    // The next minute may have begun before the server was stopped.
    back.retain(|slot| *slot <= ahead[0]);
    assert_eq!(back, ahead, "the past is not fired again");

    // Over the same slots a second time.
    machine.restart_at("2026-06-10T12:00:55Z").await;
    until("a slot after the jumps", DEADLINE, || async {
        fired_slots(&client, &minutely).await.into_iter().find(|slot| *slot > ahead[0])
    })
    .await;
    for schedule in [&minutely, &witness] {
        starts_each_slot_once(&client, schedule).await;
    }
    machine.stop().await;
}

/// A server on a machine with its own wall clock.
#[derive(Debug)]
struct Machine {
    server: Server,
    clock: WallClock,
    // Removed after the server has gone.
    _database: Database,
}

impl Machine {
    async fn start(time: &str) -> Self {
        let clock = WallClock::new();
        clock.set(time);
        let library = library();
        let offset = clock.offset_path();
        let variables = [
            ("LD_PRELOAD", text(&library)),
            ("FAKETIME_TIMESTAMP_FILE", text(&offset)),
            ("FAKETIME_NO_CACHE", "1"),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
        ];
        let database = Database::sqlite();
        let server = Server::start_with(&database, &variables).await;
        let client = server.client();
        let workflow = json!({"name": "note", "version": 1, "nodes": [
            {"id": "write", "type": "TRANSFORM", "output": 1},
        ]});
        client.post("/v1/workflows", &workflow).await;
        Self { server, clock, _database: database }
    }

    /// Sets the clock under the running server.
    fn jump_to(&self, time: &str) {
        self.clock.set(time);
    }

    /// Stops the server by its own way: libfaketime takes its shared memory along only then.
    async fn stop(&mut self) {
        let status = self.server.terminate(STOP_DEADLINE).await;
        assert!(status.success(), "{status}");
    }

    /// Stops the server, sets the clock, and starts the server again.
    async fn restart_at(&mut self, time: &str) {
        self.stop().await;
        self.clock.set(time);
        self.server.restart().await;
    }
}

/// The wall clock of a machine: a file that says how far it is from the real one.
#[derive(Debug)]
struct WallClock(TempDir);

impl WallClock {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("the temporary directory can be written"))
    }

    fn offset_path(&self) -> PathBuf {
        self.0.path().join("offset")
    }

    /// From now on the clock goes on from `time`.
    #[expect(clippy::disallowed_methods, reason = "the offset is from the machine's wall clock")]
    fn set(&self, time: &str) {
        let wanted = Timestamp::parse(time).expect("the test writes instants");
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970");
        let real_s = i64::try_from(since_epoch.as_secs()).expect("seconds fit");
        // Renamed into place: the server never reads half of it.
        let new = self.0.path().join("offset.new");
        std::fs::write(&new, format!("{:+}\n", wanted.0 / 1_000 - real_s))
            .expect("the offset can be written");
        std::fs::rename(new, self.offset_path()).expect("the offset can be replaced");
    }
}

/// libfaketime for programs with threads; Debian keeps it in the directory of the architecture.
fn library() -> PathBuf {
    let directories = std::fs::read_dir("/usr/lib").expect("there is /usr/lib");
    let mut libraries =
        directories.flatten().map(|directory| directory.path().join("faketime/libfaketimeMT.so.1"));
    libraries.find(|path| path.exists()).expect("libfaketime is installed; scripts/test.sh does it")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the path is UTF-8")
}

/// A schedule whose runs never stand in each other's way.
async fn create(client: &Client, name: &str, cron: &str, timezone: &str) -> String {
    let schedule = json!({
        "name": name, "workflow": "note", "cron": cron, "timezone": timezone, "misfire": "latest", "overlap": "allow",
    });
    let created = client.post("/v1/schedules", &schedule).await;
    created["id"].as_str().expect("an id").to_owned()
}

/// The next slot to the second, without its fraction and zone, which is UTC.
async fn next_slot(client: &Client, id: &str) -> String {
    let schedule = client.get(&format!("/v1/schedules/{id}")).await;
    to_second(&schedule["nextRunAt"])
}

/// The slots that were fired, the latest first, each as often as it was fired.
async fn fired_slots(client: &Client, id: &str) -> Vec<String> {
    let runs = client.all(&format!("/v1/schedules/{id}/runs")).await;
    runs.iter().filter(|run| run["status"] == "fired").map(|run| to_second(&run["scheduledFor"])).collect()
}

fn to_second(instant: &Value) -> String {
    let text = instant.as_str().expect("an instant");
    assert!(text.ends_with('Z'), "{text}");
    text.get(..19).expect("an instant has seconds").to_owned()
}

/// Waits until this slot was fired.
async fn fired(client: &Client, id: &str, slot: &str) {
    until(&format!("{slot} is fired"), DEADLINE, || async {
        fired_slots(client, id).await.iter().any(|fired| fired == slot).then_some(())
    })
    .await;
}

/// Waits until this slot or a later one was fired.
async fn fired_from(client: &Client, id: &str, slot: &str) {
    until(&format!("{slot} or a later slot is fired"), DEADLINE, || async {
        fired_slots(client, id).await.iter().any(|fired| fired.as_str() >= slot).then_some(())
    })
    .await;
}

/// The history has each slot once, and as many executions were started.
async fn starts_each_slot_once(client: &Client, id: &str) {
    // Both as of one moment: a slot that comes between the two looks is looked at again.
    let (slots, executions) = until("a look between two slots", DEADLINE, || async {
        let slots = fired_slots(client, id).await;
        let executions = client.all("/v1/executions").await;
        (fired_slots(client, id).await == slots).then_some((slots, executions))
    })
    .await;
    let distinct: BTreeSet<&String> = slots.iter().collect();
    assert_eq!(distinct.len(), slots.len(), "{slots:?}");
    let started = executions.iter().filter(|execution| execution["trigger"]["scheduleId"] == id).count();
    assert_eq!(started, slots.len(), "{slots:?}");
}
