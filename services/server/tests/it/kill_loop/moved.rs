//! The same load while the server moves its store to another database: once without a fault, and once with a kill at every
//! step.

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, Executor as _};

use super::load::{self, Load};
use super::nemesis::{PROGRESS_DEADLINE, SETTINGS, SETTLE_DEADLINE, prepare};
use super::verdict;
use crate::harness::{Client, Database, Output, Record, Server, Worker, WorkerSetup, trunkline, until};

/// Finished jobs that are there before a move.
const FINISHED: u64 = 20_000;

/// How long a move may take, on a busy machine with a debug build.
const MOVE_DEADLINE: Duration = Duration::from_mins(2);

/// Callers and workers, and their records.
struct Callers {
    load: Load,
    workers: Vec<Worker>,
    record: Record,
}

impl Callers {
    async fn start(client: &Client) -> Self {
        prepare(client).await;
        let record = Record::new();
        let setup = WorkerSetup::echo("worker", &[load::SINGLE, load::BATCHED, load::STEP]);
        let workers = vec![Worker::start(client.clone(), setup, record.clone())];
        Self { load: Load::start(client, 7), workers, record }
    }

    /// Waits until calls and reports are answered again.
    async fn get_on(&self) {
        let (calls, reports) = (self.load.acknowledged() + 10, self.record.ok_count() + 10);
        until("work goes on", PROGRESS_DEADLINE, || async {
            (self.load.acknowledged() >= calls && self.record.ok_count() >= reports).then_some(())
        })
        .await;
    }

    /// Ends the load and checks what became of it.
    async fn verify(self, client: &Client) {
        let accounts = self.load.finish(SETTLE_DEADLINE).await;
        let ends = verdict::wait_for_ends(client, &accounts, SETTLE_DEADLINE).await;
        for worker in self.workers {
            worker.stop().await;
        }
        verdict::everything_acknowledged_is_there(client, &accounts, &ends).await;
        verdict::nothing_was_done_twice(&self.record.runs());
        verdict::no_node_ran_after_it_was_done(client, &accounts, &self.record.runs()).await;
    }
}

/// Puts finished jobs into a file that no server uses.
async fn add_history(database: &Database) {
    let options = SqliteConnectOptions::new().filename(database.file());
    let mut connection = options.connect().await.expect("the file is there");
    let text = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {FINISHED})
         INSERT INTO job_done (id, position, queue, lane, status, attempt, attempt_base, retries_max, run_at, queued_at,
           created_at, finished_at, tier, data)
         SELECT randomblob(16), -i, 1, 0, 'COMPLETED', 1, 0, 0, unixepoch() * 1000, unixepoch() * 1000,
           unixepoch() * 1000, unixepoch() * 1000, 1, '{{}}' FROM n"
    );
    connection.execute(sqlx::AssertSqlSafe(text)).await.expect("it is a store");
    connection.close().await.expect("it closes");
}

/// Nobody loses anything, nothing runs again once its completion was acknowledged, and work stands still for the last changes
/// only: the long history is copied before.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn i01_i02_a_store_that_is_moved_under_load_loses_nothing() {
    let (old, new) = (Database::sqlite(), Database::postgres().await);
    let mut server = Server::start_with(&old, &SETTINGS).await;
    assert!(server.terminate(MOVE_DEADLINE).await.success());
    add_history(&old).await;
    server.restart().await;
    let client = server.client();
    let callers = Callers::start(&client).await;
    callers.get_on().await;
    let moved = trunkline(&server, &["--json", "move", "--to", &new.url]).json();
    println!("{moved}");
    callers.get_on().await;
    assert_eq!(moved["phase"], "done");
    assert!(moved["rowsCopied"].as_u64() >= Some(FINISHED), "{moved}");
    // What changed while the last round before was copied.
    assert!(moved["rowsLeft"].as_u64() < Some(FINISHED / 4), "{moved}");
    callers.verify(&client).await;
    let password = new.url.split('@').next().and_then(|user| user.rsplit(':').next()).expect("a password");
    assert!(!moved.to_string().contains(password) && !server.log().contains(password), "i11");
    let (copied, there) = (moved["rowsTotal"].as_u64(), Some(FINISHED));
    assert!(copied >= there, "{moved}");
}

/// A server that is killed at any step of the move works on with the old store after its next start, until the fence; from there
/// on the move is ended without it, and no server starts on the old store.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn i01_i02_a_server_that_is_killed_while_it_moves_its_store_loses_nothing() {
    let (old, new) = (Database::sqlite(), Database::postgres().await);
    let mut server = Server::start_with(&old, &SETTINGS).await;
    let client = server.client();
    let callers = Callers::start(&client).await;
    for point in ["move-begun", "move-copied", "move-complete", "move-fenced"] {
        assert!(server.terminate(MOVE_DEADLINE).await.success());
        server.restart_with(&[("FAILPOINTS", &format!("{point}=return"))]).await;
        callers.get_on().await;
        let asked = ask(&client, &new).await;
        assert_eq!(asked["phase"], "copying", "{asked}");
        assert!(!server.ended(MOVE_DEADLINE).await.success(), "{point} is not armed");
        if point != "move-fenced" {
            server.restart_with(&[("FAILPOINTS", "")]).await;
            callers.get_on().await;
        }
    }
    server.spawn_doomed_with(&[("FAILPOINTS", "")]);
    assert!(!server.ended(MOVE_DEADLINE).await.success());
    assert!(server.log().contains("this database was moved to"), "{}", server.log());
    let mut command = server.verb(&["--json", "move", "--database-url", &old.url, "--to", &new.url]);
    tokio::task::block_in_place(|| Output::of(&mut command)).prints(&["\"to\""]);
    server.restart_with(&[("DATABASE_URL", &new.url)]).await;
    callers.get_on().await;
    callers.verify(&client).await;
}

/// Asks for a move.
async fn ask(client: &Client, to: &Database) -> Value {
    client.post("/v1/moves", &json!({ "to": to.url })).await
}
