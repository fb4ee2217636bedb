//! A store that has been at work for a month, made by the database itself: finished jobs, executions, dead letters and
//! attributes, in one statement for each half million rows. Rows do not pass through this process, so that it is faster
//! than a copy of them.

use std::fmt::Write as _;

use anyhow::{Result, ensure};
use domain::attribute::{AttributeScope, AttributeType};
use domain::names::{AttributeName, TenantName};
use domain::queue::QueueName;
use domain::time::Timestamp;
use sqlx::{AssertSqlSafe, Executor as _};
use store::attributes::{AttributeChange, AttributeStore as _};
use store_sql::SqlStore;
use uuid::Uuid;

use crate::database::{Database, Kind};

const SEED: &str = include_str!("../sql/find_seed.sql");

/// The parts of the seed in their order, each with how many rows it makes.
const PARTS: [(&str, Rows); 6] = [
    ("-- lanes", Rows::Once),
    ("-- jobs", Rows::Jobs),
    ("-- dead", Rows::Dead),
    ("-- executions", Rows::Executions),
    ("-- job attributes", Rows::Jobs),
    ("-- execution attributes", Rows::Executions),
];

/// So many rows are made by one statement.
const AT_ONCE: u64 = 500_000;

/// Over which time the rows are spread.
const SPAN_MS: u64 = 30 * 86_400_000;

#[derive(Debug, Clone, Copy)]
enum Rows {
    Once,
    Jobs,
    Dead,
    Executions,
}

/// How much there is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    pub(crate) jobs: u64,
    pub(crate) executions: u64,
    pub(crate) dead: u64,
    /// When the first row was made.
    base: u64,
}

/// What the ids of rows are of.
#[derive(Debug, Clone, Copy)]
enum Object {
    Job = 1,
    Execution = 2,
    OwnJob = 3,
    DeadLetter = 4,
    Schedule = 5,
}

impl Scale {
    pub(crate) fn of(jobs: usize, executions: usize, dead: usize, now: Timestamp) -> Result<Self> {
        let (jobs, executions, dead) = (jobs as u64, executions as u64, dead as u64);
        ensure!(executions >= 1_000 && jobs >= executions, "expected 1,000 executions, and no fewer jobs");
        ensure!(dead <= jobs / 10, "one job in ten dies: expected no more dead letters than that");
        Ok(Self { jobs, executions, dead, base: (now.0.unsigned_abs()).saturating_sub(SPAN_MS) })
    }

    const fn step(self, object: Object) -> u64 {
        match object {
            Object::Job | Object::DeadLetter => SPAN_MS / self.jobs,
            Object::Execution | Object::OwnJob => SPAN_MS / self.executions,
            Object::Schedule => 0,
        }
    }

    fn id(self, object: Object, number: u64) -> Result<Uuid> {
        let at = self.base + number * self.step(object);
        Ok(Uuid::parse_str(&format!("{at:012x}7{:03x}8{number:015x}", object as u8))?)
    }

    /// What stands for a word of the named pairs.
    pub(crate) fn value_of(self, word: &str) -> String {
        let instant = |share: u64| {
            let at = self.base + SPAN_MS / 100 * share;
            Timestamp(i64::try_from(at).unwrap_or(i64::MAX)).to_string()
        };
        let id = |object, number| self.id(object, number).unwrap_or_default().simple().to_string();
        let middle = self.executions / 2;
        match word {
            "tenant" => "tenant3".to_owned(),
            "jobType" => "type2".to_owned(),
            "workflow" => "flow6".to_owned(),
            "execution" => format!("exe_{}", id(Object::Execution, middle / 10)),
            "correlation" => format!("c{middle}"),
            "schedule" => format!("sch_{}", id(Object::Schedule, 7)),
            // That of one dead letter in two.
            "fingerprint" => "f0000000000000000".to_owned(),
            "customer" => "100".to_owned(),
            "order" => format!("A{middle}"),
            "from" => instant(40),
            _ => instant(60),
        }
    }

    const fn rows(self, rows: Rows) -> u64 {
        match rows {
            Rows::Once => 1,
            Rows::Jobs => self.jobs,
            Rows::Dead => self.dead,
            Rows::Executions => self.executions,
        }
    }

    /// The statement of a part that makes rows from one number up to another.
    fn statement(self, kind: Kind, part: &str, (from, to): (u64, u64)) -> Result<String> {
        let values = [
            ("{from}", from),
            ("{to}", to),
            ("{jobs}", self.jobs),
            ("{executions}", self.executions),
            ("{base}", self.base),
            ("{job_ms}", self.step(Object::Job)),
            ("{execution_ms}", self.step(Object::Execution)),
            ("{node}", QueueName::Node.code().unsigned_abs().into()),
        ];
        let text = part.lines().filter(|line| !line.starts_with("--")).collect::<Vec<_>>().join("\n");
        let text = values.iter().fold(text, |text, (name, value)| text.replace(name, &value.to_string()));
        self.rendered(kind, &text)
    }

    /// `@job(n)` and the like to what they are on a database.
    fn rendered(self, kind: Kind, text: &str) -> Result<String> {
        let (mut made, mut rest) = (String::new(), text);
        while let Some((before, after)) = rest.split_once('@') {
            let (Some((word, after)), true) = (after.split_once('('), after.contains(')')) else { break };
            let (number, after) = after.split_once(')').unwrap_or((after, ""));
            made.push_str(before);
            let object = match word {
                "job" => Some(Object::Job),
                "exe" => Some(Object::Execution),
                "own" => Some(Object::OwnJob),
                "dlq" => Some(Object::DeadLetter),
                "sch" => Some(Object::Schedule),
                _ => None,
            };
            match object {
                Some(object) => {
                    let (code, step, base) = (object as u8, self.step(object), self.base);
                    match kind {
                        Kind::Postgres => write!(
                            made,
                            "CAST(lpad(to_hex(CAST({base} + ({number}) * {step} AS bigint)), 12, '0') || '7' || \
                             lpad(to_hex({code}), 3, '0') || '8' || lpad(to_hex(CAST({number} AS bigint)), 15, '0') AS uuid)"
                        )?,
                        Kind::Sqlite => write!(
                            made,
                            "unhex(printf('%012x7%03x8%015x', {base} + ({number}) * {step}, {code}, {number}))"
                        )?,
                    }
                }
                None if kind == Kind::Postgres => {
                    write!(made, "lpad(to_hex(CAST({number} AS bigint)), 15, '0')")?;
                }
                None => write!(made, "printf('%015x', {number})")?,
            }
            rest = after;
        }
        made.push_str(rest);
        Ok(made)
    }
}

/// Fills a database with its schema and without rows.
pub(crate) async fn seed(database: &Database, kind: Kind, store: &SqlStore, scale: Scale) -> Result<()> {
    declare(store).await?;
    if kind == Kind::Postgres {
        // What the planner knows is to be what it was before, until the scenario says otherwise.
        let quiet = "ALTER TABLE job_done SET (autovacuum_enabled = off);
            ALTER TABLE execution SET (autovacuum_enabled = off); ALTER TABLE dead_letter SET (autovacuum_enabled = off);
            ALTER TABLE attribute_value SET (autovacuum_enabled = off)";
        run(database, kind, quiet).await?;
    }
    for (name, rows) in PARTS {
        let part = SEED.split("\n\n").find(|part| part.lines().next() == Some(name));
        let part = part.unwrap_or_default().trim().trim_end_matches(';');
        let rows = scale.rows(rows);
        let mut from = 0;
        while from < rows {
            let to = rows.min(from + AT_ONCE);
            run(database, kind, &scale.statement(kind, part, (from, to))?).await?;
            eprintln!("   {name}: {to} of {rows}");
            from = to;
        }
    }
    Ok(())
}

/// Runs a statement on a database.
pub(crate) async fn run(database: &Database, kind: Kind, statement: &str) -> Result<()> {
    let statement = AssertSqlSafe(statement.to_owned());
    match kind {
        Kind::Postgres => {
            let pool = database.postgres(1).await?;
            pool.execute(statement).await?;
            pool.close().await;
        }
        Kind::Sqlite => {
            let pool = database.sqlite().await?;
            pool.execute(statement).await?;
            pool.close().await;
        }
    }
    Ok(())
}

async fn declare(store: &SqlStore) -> Result<()> {
    let change = |name: &str, kind| AttributeChange {
        name: AttributeName::trusted(name),
        declared: Some((kind, None)),
    };
    let changes = [
        change("customerId", AttributeType::Integer),
        change("region", AttributeType::Text),
        change("orderNo", AttributeType::Text),
    ];
    for number in 0..10 {
        let tenant = TenantName::trusted(format!("tenant{number}"));
        store.declare_attributes(&tenant, &AttributeScope::Tenant, &changes, Timestamp(0), &[]).await?;
    }
    Ok(())
}
