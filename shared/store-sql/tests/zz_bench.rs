//! bench
#![allow(clippy::all, clippy::pedantic, clippy::disallowed_methods, missing_docs)]
use domain::id::*; use domain::time::*;
use store::conformance::fixture::*;
use store::schedules::*;
use store::workflows::WorkflowStore as _;
use sqlx::{Connection as _, PgConnection, Executor as _};
use std::time::Instant;
use std::sync::Arc;

fn fire_of(due: &DueSchedule, now: Timestamp) -> ScheduleFire {
    let s = &due.record;
    let nominal = s.next_run_at.unwrap();
    let mut new = execution("w");
    let t = nominal.to_string();
    new.id = ExecutionId::derive(s.id.uuid(), &[&t]);
    new.job.id = JobId::derive(s.id.uuid(), &[&t]);
    new.job.execution_id = Some(new.id);
    new.job.tenant = s.tenant.clone();
    new.workflow = s.workflow.clone();
    new.job.workflow = Some(s.workflow.clone());
    new.job.run_at = nominal;
    let _ = now;
    let action = if due.open.is_empty() { SlotAction::Start(Box::new(new)) } else if due.waiting.is_none() { SlotAction::Wait } else { SlotAction::Skip{reason:"overlap"} };
    ScheduleFire { id: s.id, version: s.version, slots: vec![SlotDecision{nominal, reason:"tick", action}], advance: Some((nominal, Some(nominal.plus(DurationMs(60_000))))), settle_waiting: None }
}

async fn seed(url: &str, n: i64) {
    let mut c = PgConnection::connect(url).await.unwrap();
    c.execute(sqlx::AssertSqlSafe(format!("INSERT INTO schedule (id, tenant, name, workflow_owner, workflow, cron, timezone, input, tier, misfire, catch_up_window_ms, catch_up_max, overlap, jitter_ms, is_paused, version, cursor_at, next_run_at, tzdb_version, created_at, updated_at)
      SELECT gen_random_uuid(), 't' || (g % 100), 's' || g, '', 'w' || (g % 7), '* * * * *', 'UTC', '{{\"x\":1}}', 1, 'latest', 86400000, 100, 'queueOne', 0, 0, 1, {0}, {0} + 60000, 'x', {0}, {0} FROM generate_series(1, {n}) g", T0.0))).await.unwrap();
}

async fn round(store: &Arc<store_sql::SqlStore>, now: Timestamp, batch: u32) -> (usize, f64, f64, f64) {
    let (mut total, mut due_t, mut fire_t) = (0, 0.0, 0.0);
    let mut worst: f64 = 0.0;
    loop {
        let t = Instant::now();
        let due = store.due_schedules(now, batch).await.unwrap();
        due_t += t.elapsed().as_secs_f64();
        if due.is_empty() { break; }
        let fires: Vec<_> = due.iter().map(|d| fire_of(d, now)).collect();
        let t = Instant::now();
        let done = store.fire_schedules(&fires, now).await.unwrap();
        let e = t.elapsed().as_secs_f64(); fire_t += e; worst = worst.max(e);
        total += done.iter().map(|d| match d { Fired::Done(x) => x.len(), Fired::Stale => 0 }).sum::<usize>();
    }
    (total, due_t, fire_t, worst)
}


async fn explain(url: &str, sql: &str) {
    use sqlx::Row as _;
    let mut c = PgConnection::connect(url).await.unwrap();
    c.execute("SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off; SET plan_cache_mode = force_generic_plan").await.unwrap();
    for st in sql.split(";;") {
        let rows = sqlx::raw_sql(sqlx::AssertSqlSafe(st.to_owned())).fetch_all(&mut c).await.unwrap();
        for r in rows { println!("{}", r.get::<String,_>(0)); }
        println!("----");
    }
}
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plans() {
    let test = testkit::database::postgres().await;
    for i in 0..7 { test.store.register_workflow(&version(&format!("w{i}"))).await.unwrap(); }
    seed(&test.url, 20_000).await;
    round(&test.store, after_secs(60), 500).await;
    for _ in 0..20 {
        let due = test.store.due_schedules(after_secs(120), 500).await.unwrap();
        let fires: Vec<_> = due.iter().map(|d| fire_of(d, after_secs(120))).collect();
        test.store.fire_schedules(&fires, after_secs(120)).await.unwrap();
    }
    let sql = std::fs::read_to_string("/tmp/explain.sql").unwrap();
    explain(&test.url, &sql).await;
}
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bench() {
    for batch in [100_u32, 500] {
        let test = testkit::database::postgres().await;
        for i in 0..7 { test.store.register_workflow(&version(&format!("w{i}"))).await.unwrap(); }
        seed(&test.url, 100_000).await;
        for minute in 1..=3 {
            let t = Instant::now();
            let (n, d, f, w) = round(&test.store, after_secs(60 * minute), batch).await;
            println!("batch {batch} minute {minute}: started {n} in {:.2}s (due {d:.2} fire {f:.2} worst {w:.3})", t.elapsed().as_secs_f64());
        }
        // two nodes at once
        let other = test.another().await;
        let t = Instant::now();
        let (a, b) = (test.store.clone(), other);
        let now = after_secs(240);
        let x = tokio::spawn(async move { round(&a, now, batch).await });
        let y = tokio::spawn(async move { round(&b, now, batch).await });
        println!("two nodes: {:?} {:?} {:.2}s", x.await.unwrap(), y.await.unwrap(), t.elapsed().as_secs_f64());
    }
}
