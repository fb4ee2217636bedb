//! The handful of fragments in which statements differ between the databases.
//!
//! A statement is written once, with fragments in braces, and rendered once for each database that is used:
//!
//! - `{rows $3: id uuid, lane int, error text?}` is a row source: a subselect with these columns, bound by
//!   [`bind::rows`](crate::bind::rows) from parameter 3 on. It has to be the last of the parameters, because it
//!   takes one parameter for each column on PostgreSQL and one in all on SQLite. Types: `uuid`, `int`, `bigint`,
//!   `text`, `bytes`; with `?` the values may be null (on PostgreSQL empty text stands for null, as arrays with null elements
//!   cannot be bound).
//! - `{any $2 uuid}` after a column: it is one of the values bound by [`bind::list`](crate::bind::list).
//! - `{for_update}` and `{for_update_skip}` lock the rows that were read; nothing on SQLite, where the transaction is
//!   the lock.
//! - `{now $1}` is the present instant: what is bound to the parameter, or the database's own clock where that is null
//!   (see [`TimeSource`](crate::options::TimeSource)).
//! - `{startable q at $2}`: a job that waits, of the table or alias `q`, has not expired at `{now $2}` before its first
//!   start.
//! - `{queue workflow-node}` is the number by which rows name a queue.
//! - `{nonce}` is a random number.
//! - `{while_erased}` as a `LIMIT` is `$2`, and nothing once the batch `$3` does not erase the tenant `$1` any more.
//! - `{lane r.lane of $5}` is the lane of a row that is inserted, if none of the lanes in the list that is bound to the
//!   parameter on PostgreSQL is gone or about to go; null otherwise, which the column refuses (see
//!   [`lanes::with_current`](crate::lanes::with_current)).
//! - `{done_columns}` are the columns of `job_done` that a job brings along, which is all but `error`, `result` and `data`, and
//!   `{ended j: status 'COMPLETED'; finished_at $1}` is what it leaves there: the named ones as they say, the others as `j` has
//!   them.
//! - `{place}` is where a row of `job` lies: for finding it again within a statement without an index. On PostgreSQL the
//!   row has to be checked again, because another one may lie there by then.
//! - `{postgres:…}` and `{sqlite:…}` stand for their text on one of the databases only.
//!
//! One fragment may stand within another: the inner one is rendered first.
//!
//! A bound `LIMIT` is made an expression on SQLite, see [`Dialect::render`].

use std::collections::HashMap;
use std::fmt::Write;

use domain::queue::QueueName;
use sea_orm::DbBackend;

/// Which database a statement is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// PostgreSQL.
    Postgres,
    /// SQLite.
    Sqlite,
}

/// The bigint that stands for null in a nullable column of a row source on PostgreSQL.
pub(crate) const NULL_BIGINT: i64 = -i64::MAX;

/// The columns of `job_done` that a job brings along as it ends.
const DONE_COLUMNS: &str = "id, position, queue, lane, status, attempt, attempt_base, retries_max, run_at, queued_at, \
     created_at, started_at, finished_at, lease_token, worker_id, attempt_status, tier, timeout_ms, backoff, unique_key, \
     concurrency_key, tags, traceparent, execution_id, node_id";

impl Dialect {
    /// The dialect of a connection.
    pub(crate) fn of(backend: DbBackend) -> Self {
        if backend == DbBackend::Postgres { Self::Postgres } else { Self::Sqlite }
    }

    /// What a connection calls itself.
    pub(crate) fn backend(self) -> DbBackend {
        match self {
            Self::Postgres => DbBackend::Postgres,
            Self::Sqlite => DbBackend::Sqlite,
        }
    }

    /// Drops comment lines and replaces the fragments in braces.
    ///
    /// SQLite plans a statement anew whenever a parameter is bound that is its `LIMIT` and nothing else, because it plans
    /// for the number. That takes longer than most statements run, and they are to have one plan for all numbers.
    pub(crate) fn render(self, template: &str) -> String {
        let mut rendered = String::with_capacity(template.len());
        for line in template.lines().filter(|line| !line.trim_start().starts_with("--")) {
            rendered.push_str(line);
            rendered.push('\n');
        }
        while let Some(end) = rendered.find('}') {
            let start = rendered[..end].rfind('{').expect("fragments of a statement are opened");
            let fragment = rendered[start + 1..end].to_owned();
            rendered.replace_range(start..=end, &self.fragment(&fragment));
        }
        assert!(!rendered.contains('{'), "a fragment of a statement is not closed: {rendered}");
        let limit = self.pick("LIMIT $", "LIMIT 0 + $");
        rendered.trim().replace("LIMIT $", limit)
    }

    fn fragment(self, fragment: &str) -> String {
        let text = match fragment {
            "place" => self.pick("ctid", "position"),
            "nonce" => self.pick("(random() * 9007199254740991)::bigint", "abs(random() / 1024)"),
            "while_erased" => {
                "CASE WHEN EXISTS (SELECT 1 FROM tenant_erasure u WHERE u.tenant = $1 AND u.batch_id = $3
                   AND u.ended_at IS NULL) THEN CAST($2 AS bigint) ELSE 0 END"
            }
            "for_update" => self.pick("FOR UPDATE", ""),
            "for_update_skip" => self.pick("FOR UPDATE SKIP LOCKED", ""),
            "done_columns" => DONE_COLUMNS,
            _ => {
                if let Some(job) = fragment.strip_prefix("ended ") {
                    return ended(job);
                }
                if let Some(rows) = fragment.strip_prefix("rows $") {
                    return self.row_source(rows);
                }
                if let Some(queue) = fragment.strip_prefix("queue ") {
                    let queue = QueueName::parse(queue).expect("a statement names a queue that there is");
                    return queue.code().to_string();
                }
                if let Some(parameter) = fragment.strip_prefix("now $") {
                    return self.now(parameter);
                }
                if let Some(job) = fragment.strip_prefix("startable ") {
                    return self.startable(job);
                }
                if let Some(any) = fragment.strip_prefix("any $") {
                    return self.any(any);
                }
                if let Some(lane) = fragment.strip_prefix("lane ") {
                    return self.current_lane(lane);
                }
                if let Some(text) = fragment.strip_prefix("postgres:") {
                    return self.pick(text, "").to_owned();
                }
                if let Some(text) = fragment.strip_prefix("sqlite:") {
                    return self.pick("", text).to_owned();
                }
                panic!("unknown fragment in a statement: {fragment}")
            }
        };
        text.to_owned()
    }

    fn pick<'a>(self, postgres: &'a str, sqlite: &'a str) -> &'a str {
        match self {
            Self::Postgres => postgres,
            Self::Sqlite => sqlite,
        }
    }

    /// The parameter with this number, or the time of the database at this moment, in milliseconds.
    fn now(self, parameter: &str) -> String {
        match self {
            Self::Postgres => {
                format!(
                    "COALESCE(${parameter}::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)"
                )
            }
            Self::Sqlite => format!("COALESCE(${parameter}, CAST(unixepoch('subsec') * 1000 AS integer))"),
        }
    }

    /// `q at $2` to a condition.
    fn startable(self, text: &str) -> String {
        let (job, parameter) = text.split_once(" at $").expect("a job is startable at an instant");
        let now = self.now(parameter);
        format!("({job}.expires_at IS NULL OR {job}.started_at IS NOT NULL OR {job}.expires_at > {now})")
    }

    /// `r.lane of $5` to the lane, or null. One look for each lane, not for each row, where that is to be had.
    fn current_lane(self, text: &str) -> String {
        let (lane, list) = text.split_once(" of ").expect("a lane is of a list");
        let missing =
            |lane: &str| format!("(SELECT l.id FROM lane l WHERE l.id = {lane} AND l.mark IS NULL)");
        match self {
            Self::Postgres => format!(
                "CASE WHEN (SELECT count(*) FROM (SELECT DISTINCT u.lane FROM UNNEST({list}::int[]) AS u (lane)) d
                 WHERE {} IS NULL) = 0 THEN {lane} END",
                missing("d.lane")
            ),
            Self::Sqlite => missing(lane),
        }
    }

    /// `1: id uuid, lane int` to a subselect in parentheses.
    fn row_source(self, text: &str) -> String {
        let (first, columns) = Column::all(text);
        let mut source = String::from("(SELECT ");
        match self {
            Self::Postgres => {
                for (index, column) in columns.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    let value = column.postgres_value(&format!("bound.{}", column.name));
                    let _ = write!(source, "{comma}{value} AS {}", column.name);
                }
                source.push_str(" FROM UNNEST(");
                for (index, column) in columns.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    let _ = write!(source, "{comma}${}::{}[]", first + index, column.postgres_element());
                }
                source.push_str(") AS bound (");
                for (index, column) in columns.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    let _ = write!(source, "{comma}{}", column.name);
                }
                source.push_str("))");
            }
            Self::Sqlite => {
                for (index, column) in columns.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    let value = format!("bound.value ->> {index}");
                    let is_hex = matches!(column.kind, "uuid" | "bytes");
                    let value = if is_hex { format!("unhex({value})") } else { value };
                    let _ = write!(source, "{comma}{value} AS {}", column.name);
                }
                let _ = write!(source, " FROM json_each(${first}) AS bound)");
            }
        }
        source
    }

    /// `2 uuid` to a condition.
    fn any(self, text: &str) -> String {
        let (number, kind) = text.split_once(' ').expect("a list has a type");
        match self {
            Self::Postgres => format!("= ANY(${number}::{kind}[])"),
            Self::Sqlite if kind == "uuid" => format!("IN (SELECT unhex(value) FROM json_each(${number}))"),
            Self::Sqlite => format!("IN (SELECT value FROM json_each(${number}))"),
        }
    }
}

/// `j: status 'COMPLETED'; finished_at $1` to what the job leaves in each column of `job_done`.
fn ended(text: &str) -> String {
    let (job, set) = text.split_once(':').expect("a job that ends has columns that are set");
    let set = set.split(';').map(|one| one.trim().split_once(' ').expect("a column is set to something"));
    let mut set: HashMap<&str, &str> = set.collect();
    let value =
        |column: &str| set.remove(column).map_or_else(|| format!("{job}.{column}"), ToOwned::to_owned);
    let values: Vec<String> = DONE_COLUMNS.split(", ").map(value).collect();
    assert!(set.is_empty(), "an ended job has no column for {set:?}");
    values.join(", ")
}

/// One column of a row source.
struct Column<'a> {
    name: &'a str,
    kind: &'a str,
    is_nullable: bool,
}

impl<'a> Column<'a> {
    /// The number of the first parameter of a row source, and its columns.
    fn all(text: &'a str) -> (usize, Vec<Self>) {
        let (first, columns) = text.split_once(':').expect("a row source has columns");
        let first = first.trim().parse().expect("a row source has a first parameter");
        (first, columns.split(',').map(Column::parse).collect())
    }

    fn parse(text: &'a str) -> Self {
        let (name, kind) = text.trim().split_once(' ').expect("a column of a row source has a type");
        let is_nullable = kind.ends_with('?');
        Self { name, kind: kind.trim_end_matches('?'), is_nullable }
    }

    fn postgres_element(&self) -> &str {
        match self.kind {
            "uuid" if self.is_nullable => "text",
            "bytes" => "bytea",
            kind => kind,
        }
    }

    /// What is bound, with null for what stands for it.
    fn postgres_value(&self, bound: &str) -> String {
        match (self.is_nullable, self.kind) {
            (false, _) => bound.to_owned(),
            (true, "uuid") => format!("NULLIF({bound}, '')::uuid"),
            (true, "text") => format!("NULLIF({bound}, '')"),
            (true, _) => format!("NULLIF({bound}, {NULL_BIGINT})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_are_rendered_for_each_database() {
        let template =
            "-- why\nSELECT r.id FROM {rows $2: id uuid, at bigint?} r WHERE lane {any $1 int} {for_update}";
        assert_eq!(
            Dialect::Postgres.render(template),
            "SELECT r.id FROM (SELECT bound.id AS id, NULLIF(bound.at, -9223372036854775807) AS at \
             FROM UNNEST($2::uuid[], $3::bigint[]) AS bound (id, at)) r WHERE lane = ANY($1::int[]) FOR UPDATE"
        );
        assert_eq!(
            Dialect::Sqlite.render(template),
            "SELECT r.id FROM (SELECT unhex(bound.value ->> 0) AS id, bound.value ->> 1 AS at \
             FROM json_each($2) AS bound) r WHERE lane IN (SELECT value FROM json_each($1))"
        );
    }

    #[test]
    fn a_job_is_startable_until_it_expires_and_after_its_first_start() {
        let template = "SELECT q.id FROM job q WHERE {startable q at $1}";
        assert_eq!(
            Dialect::Sqlite.render(template),
            "SELECT q.id FROM job q WHERE (q.expires_at IS NULL OR q.started_at IS NOT NULL OR q.expires_at > \
             COALESCE($1, CAST(unixepoch('subsec') * 1000 AS integer)))"
        );
    }

    #[test]
    fn a_job_that_ends_leaves_what_it_has_and_what_is_said() {
        let template =
            "INSERT INTO job_done ({done_columns}) SELECT {ended j: status 'X';\n finished_at $1} FROM job j";
        let rendered = Dialect::Sqlite.render(template);
        let (columns, values) = rendered.split_once(") SELECT ").expect("both parts");
        let names: Vec<&str> = columns.split_once('(').expect("a list").1.split(", ").collect();
        let values: Vec<&str> = values.trim_end_matches(" FROM job j").split(", ").collect();
        assert_eq!(names.len(), values.len());
        for (name, value) in names.into_iter().zip(values) {
            match name {
                "status" => assert_eq!(value, "'X'"),
                "finished_at" => assert_eq!(value, "$1"),
                name => assert_eq!(value, format!("j.{name}")),
            }
        }
    }

    #[test]
    fn a_fragment_within_another_is_rendered_first() {
        let template =
            "SELECT {sqlite:{queue workflow-webhook}} FROM job WHERE queue = {queue workflow-node}";
        assert_eq!(Dialect::Sqlite.render(template), "SELECT 3 FROM job WHERE queue = 1");
    }

    #[test]
    fn a_bound_limit_is_no_reason_to_plan_again() {
        let template = "SELECT id FROM job LIMIT $1";
        assert_eq!(Dialect::Postgres.render(template), template);
        assert_eq!(Dialect::Sqlite.render(template), "SELECT id FROM job LIMIT 0 + $1");
    }
}
