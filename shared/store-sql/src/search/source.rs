//! Where a list is read: its tables, each in parts that an index has in the order of the list.

use domain::access::TenantScope;
use domain::names::TenantName;
use domain::queue::QueueName;
use domain::search::{Order, Search, SearchList, TermValue, attribute_names};
use sea_orm::Value;
use store::search::Place;
use uuid::Uuid;

use super::attributes::{Attributes, Driver, object_of};
use super::columns::{column, is_narrow};
use super::condition::{Column, apply};
use crate::dialect::Dialect;
use crate::select::Select;

/// A table that is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    /// Unfinished jobs.
    Job,
    /// Finished jobs.
    JobDone,
    /// Executions.
    Execution,
    /// Dead letters.
    DeadLetter,
    /// Deliveries.
    Delivery,
    /// Schedules.
    Schedule,
    /// Slots of a schedule.
    Run,
    /// User tasks.
    UserTask,
    /// Workers.
    Worker,
    /// Lines of the audit log.
    Audit,
    /// Bulk operations.
    Batch,
}

/// A part of a list: a table, or the rows of it that have a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) table: Table,
    pub(super) status: Option<&'static str>,
}

/// A search of one part.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) scope: &'a TenantScope,
    pub(super) search: &'a Search,
    pub(super) part: Part,
    /// The lanes of the jobs that can match, where they are few.
    pub(super) lanes: Option<&'a [i64]>,
    /// What is known of the terms of attributes.
    pub(super) attributes: &'a Attributes,
    pub(super) dialect: Dialect,
}

/// A window of the values of an attribute is so much smaller than one of a list: each of its objects is looked up.
const DRIVEN: i64 = 4;

const ENDED: [&str; 4] = ["COMPLETED", "FAILED", "DEAD_LETTER", "CANCELLED"];
const LETTERS: [&str; 3] = ["open", "requeued", "archived"];
const TASKS: [&str; 4] = ["open", "completed", "timed_out", "cancelled"];

/// The parts of a list in which something can match.
pub(super) fn parts(search: &Search) -> Vec<Part> {
    let wanted = |all: &[&'static str]| -> Option<Vec<&'static str>> {
        let values = search.term("status")?.values()?;
        let is_wanted = |status: &&&str| values.contains(&&TermValue::Text((**status).to_owned()));
        Some(all.iter().filter(is_wanted).copied().collect())
    };
    let of = |table, statuses: Vec<&'static str>| {
        statuses.into_iter().map(move |status| Part { table, status: Some(status) })
    };
    let whole = |table| vec![Part { table, status: None }];
    match search.list {
        SearchList::Deliveries => whole(Table::Delivery),
        SearchList::Schedules => whole(Table::Schedule),
        SearchList::Executions => whole(Table::Execution),
        SearchList::Runs => whole(Table::Run),
        SearchList::Workers => whole(Table::Worker),
        SearchList::Audit => whole(Table::Audit),
        SearchList::Batches => whole(Table::Batch),
        SearchList::UserTasks => {
            of(Table::UserTask, wanted(&TASKS).unwrap_or_else(|| TASKS.to_vec())).collect()
        }
        SearchList::Archive => of(Table::DeadLetter, vec!["archived"]).collect(),
        SearchList::DeadLetters => {
            of(Table::DeadLetter, wanted(&LETTERS).unwrap_or_else(|| LETTERS.to_vec())).collect()
        }
        SearchList::Jobs if search.sort == "completed" => {
            of(Table::JobDone, wanted(&ENDED).unwrap_or_else(|| ENDED.to_vec())).collect()
        }
        SearchList::Jobs => match search.term("status").and_then(domain::search::Term::values) {
            None => [Table::Job, Table::JobDone].map(|table| Part { table, status: None }).to_vec(),
            Some(values) => {
                let ended = wanted(&ENDED).unwrap_or_default();
                let mut parts: Vec<Part> = Vec::new();
                if values.len() > ended.len() {
                    parts.push(Part { table: Table::Job, status: None });
                }
                parts.extend(of(Table::JobDone, ended));
                parts
            }
        },
    }
}

impl Table {
    const fn from(self) -> &'static str {
        match self {
            Self::Job => "job j JOIN lane l ON l.id = j.lane",
            Self::JobDone => "job_done j JOIN lane l ON l.id = j.lane",
            table => table.alone(),
        }
    }

    /// The table without what is joined to it.
    const fn alone(self) -> &'static str {
        match self {
            Self::Job => "job j",
            Self::JobDone => "job_done j",
            Self::Execution => "execution e",
            Self::DeadLetter => "dead_letter d",
            Self::Delivery => "webhook_delivery v",
            Self::Schedule => "schedule s",
            Self::Run => "schedule_run r",
            Self::UserTask => "user_task t",
            Self::Worker => "worker w",
            Self::Audit => "audit a",
            Self::Batch => "batch b",
        }
    }

    const fn alias(self) -> &'static str {
        match self {
            Self::Job | Self::JobDone => "j",
            Self::Execution => "e",
            Self::DeadLetter => "d",
            Self::Delivery => "v",
            Self::Schedule => "s",
            Self::Run => "r",
            Self::UserTask => "t",
            Self::Worker => "w",
            Self::Audit => "a",
            Self::Batch => "b",
        }
    }

    /// What rows with the same instant are ordered and distinguished by.
    const fn key(self) -> &'static str {
        match self {
            Self::Run => "nominal_at",
            Self::UserTask => "position",
            Self::Worker => "key",
            _ => "id",
        }
    }

    /// Whether its rows say whose they are. Those of jobs are their lanes', those of slots their schedule's.
    const fn has_tenant(self) -> bool {
        !matches!(self, Self::Job | Self::JobDone | Self::Run)
    }

    const fn is_of_jobs(self) -> bool {
        matches!(self, Self::Job | Self::JobDone)
    }
}

impl<'a> Source<'a> {
    /// The instant of the order; `None` where ids are in that order.
    pub(super) fn at(self) -> Option<&'static str> {
        if is_order_of_keys(&self.search.sort) {
            return None;
        }
        match column(self.part.table, &self.search.sort) {
            Some(Column::Long(name)) => Some(name),
            _ => None,
        }
    }

    fn id(self) -> String {
        if self.driver().is_some() {
            "a.object".to_owned()
        } else {
            format!("{}.{}", self.part.table.alias(), self.part.table.key())
        }
    }

    /// The attribute by whose index the part is read: where objects are listed in the order in which they were made.
    pub(super) fn driver(self) -> Option<Driver<'a>> {
        let is_of_objects = self.part.table.is_of_jobs() || self.part.table == Table::Execution;
        self.attributes.driver().filter(|_| is_of_objects && self.at().is_none())
    }

    /// What the part is read from.
    fn from(self) -> String {
        let table = self.part.table;
        if self.driver().is_none() {
            return table.from().to_owned();
        }
        // CROSS JOIN keeps SQLite from going through the objects first.
        let (object, alone) = (object_of(table), table.alone());
        let joined = table.from().strip_prefix(alone).unwrap_or_default();
        format!("attribute_value a {{sqlite:CROSS}} JOIN {alone} ON {object} = a.object{joined}")
    }

    /// Whether rows that no index knows of have to be passed over.
    pub(super) fn needs_windows(self) -> bool {
        let table = self.part.table;
        let terms = &self.search.terms;
        if self.attributes.is_narrow() {
            return false;
        }
        if terms.iter().any(|term| !term.is_negated && term.values().is_some() && is_narrow(table, &term.key))
        {
            return false;
        }
        let is_answered = |key: &str| match key {
            "status" => self.part.status.is_some(),
            "tenant" => table.has_tenant() || self.lanes.is_some() && table == Table::JobDone,
            "jobType" | "workflow" => self.lanes.is_some() && table == Table::JobDone,
            key => key == self.search.sort && self.at().is_some(),
        };
        let has_scope = self.scope.tenant().is_some() && table.is_of_jobs() && !is_answered("tenant");
        has_scope || terms.iter().any(|term| term.is_negated || !is_answered(&term.key))
    }

    /// A page of the part, in order.
    pub(super) fn page(self, after: Option<Place>, floor: Option<Place>, limit: u32) -> Select {
        let at = self.at();
        let shown = at.unwrap_or("CAST(0 AS bigint)");
        let table = self.part.table;
        if table == Table::JobDone && at.is_none() && self.lanes.is_some() && self.attributes.is_empty() {
            return self.page_of_lanes(after, floor, limit);
        }
        let text = format!("SELECT {} AS id, {shown} AS at FROM {} WHERE true", self.id(), self.from());
        let mut select = Select::new("search", &text);
        if let Some(lanes) = self.lanes {
            select.push(&format!("AND j.lane IN ({})", numbers(lanes)));
        }
        self.conditions(&mut select, true);
        self.bounds(&mut select, after, floor);
        self.ordered(&mut select, limit);
        select
    }

    /// Finished jobs of these lanes: the first of each, and of these the first.
    fn page_of_lanes(self, after: Option<Place>, floor: Option<Place>, limit: u32) -> Select {
        // CROSS JOIN keeps SQLite from going through the jobs first.
        let mut select = Select::new(
            "search_lanes",
            "SELECT i.id AS id, CAST(0 AS bigint) AS at FROM lane l CROSS JOIN {postgres:LATERAL (SELECT j.id}\
             {sqlite:job_done i ON i.id IN (SELECT j.id} FROM job_done j WHERE j.lane = l.id",
        );
        self.conditions(&mut select, false);
        self.bounds(&mut select, after, floor);
        self.ordered(&mut select, limit);
        select.push(&format!("){{postgres: i}} WHERE l.id IN ({})", numbers(self.lanes.unwrap_or_default())));
        self.lane_conditions(&mut select);
        let order = self.direction();
        select.with(&format!("ORDER BY i.id {order} LIMIT $?"), i64::from(limit));
        select
    }

    /// The last place of a window that begins after a place, under the conditions that the index of the order has.
    pub(super) fn floor(self, after: Option<Place>, window: i64) -> Select {
        let shown = self.at().unwrap_or("CAST(0 AS bigint)");
        let table = self.part.table;
        if let Some(driver) = self.driver() {
            let text = format!("SELECT a.object AS id, {shown} AS at FROM attribute_value a WHERE true");
            let mut select = Select::new("search_attribute_window", &text);
            driver.apply(&mut select);
            self.bounds(&mut select, after, None);
            select.with(&format!("{} LIMIT 1 OFFSET $?", self.order_text()), window / DRIVEN);
            return select;
        }
        let text = format!("SELECT {} AS id, {shown} AS at FROM {} WHERE true", self.id(), table.alone());
        let mut select = Select::new("search_window", &text);
        self.status(&mut select);
        self.tenant(&mut select);
        self.bounds(&mut select, after, None);
        let order = self.order_text();
        select.with(&format!("{order} LIMIT 1 OFFSET $?"), window);
        select
    }

    /// How many match, up to a number.
    pub(super) fn count(self, limit: i64) -> Select {
        let text = format!("SELECT count(*) AS number FROM (SELECT 1 FROM {} WHERE true", self.from());
        let mut select = Select::new("search_count", &text);
        if let Some(lanes) = self.lanes {
            select.push(&format!("AND j.lane IN ({})", numbers(lanes)));
        }
        self.conditions(&mut select, true);
        self.bounds(&mut select, None, None);
        select.with("LIMIT $?) found", limit);
        select
    }

    fn status(self, select: &mut Select) {
        if let Some(status) = self.part.status {
            select.push(&format!("AND {}.status = '{status}'", self.part.table.alias()));
            if self.part.table == Table::JobDone && status != "COMPLETED" {
                // What the partial index is about, in its words.
                select.push("AND j.status <> 'COMPLETED'");
            }
        }
    }

    fn tenant(self, select: &mut Select) {
        if self.part.table.has_tenant() {
            let tenant = format!("AND {}.tenant = $?", self.part.table.alias());
            select.with_some(&tenant, self.scope.tenant().map(TenantName::as_str));
        }
    }

    /// Scope and terms. Without lanes joined, those on lanes are left out.
    fn conditions(self, select: &mut Select, has_lanes: bool) {
        let table = self.part.table;
        let driver = self.driver();
        if let Some(driver) = driver {
            driver.apply(select);
        }
        self.status(select);
        self.tenant(select);
        if table.is_of_jobs() && has_lanes {
            self.lane_conditions(select);
        }
        let is_hidden = table.is_of_jobs()
            && !["queue", "jobType", "id", "executionId"].iter().any(|key| self.search.has(key));
        if is_hidden {
            // In the text, not as a parameter: where all jobs are of one queue, a plan for any value expects to find none, and
            // reads and sorts whole lanes instead of stopping at the end of the page.
            select.push(&format!("AND j.queue <> {}", QueueName::Scheduled.code()));
        }
        for (place, term) in self.search.terms.iter().enumerate() {
            if attribute_names(&term.key).is_some() || self.attributes.has(place) {
                let object = object_of(table);
                self.attributes.apply(select, self.dialect, (place, term), object, driver);
                continue;
            }
            // Parts answer only the term that they were chosen by.
            let is_of_parts = self.search.term("status").is_some_and(|first| std::ptr::eq(first, term));
            if self.part.status.is_some() && is_of_parts {
                continue;
            }
            if table.is_of_jobs() && is_of_lane(&term.key) {
                continue;
            }
            match column(table, &term.key) {
                Some(column) => apply(select, column, term),
                None => select.push("AND false"),
            }
            self.implied(select, &term.key, &term.tests);
        }
    }

    fn lane_conditions(self, select: &mut Select) {
        select.with_some("AND l.tenant = $?", self.scope.tenant().map(TenantName::as_str));
        for term in self.search.terms.iter().filter(|term| is_of_lane(&term.key)) {
            if let Some(column) = column(self.part.table, &term.key) {
                apply(select, column, term);
            }
        }
    }

    /// What follows from a bound on when an object was made: ids are not of a later time, and a job does not end before.
    fn implied(self, select: &mut Select, key: &str, tests: &[domain::search::Test]) {
        let [domain::search::Test::Between(lower, upper)] = tests else { return };
        if key != "created" && key != "received" {
            return;
        }
        if let Some(TermValue::Instant(instant)) = upper.as_ref().map(|bound| &bound.value) {
            let first = u128::try_from(instant.0.saturating_add(1)).unwrap_or(0).min((1 << 48) - 1) << 80;
            select.with(&format!("AND {} < $?", self.id()), Uuid::from_u128(first));
        }
        if let Some(TermValue::Instant(instant)) = lower.as_ref().map(|bound| &bound.value)
            && self.part.table == Table::JobDone
        {
            select.with("AND j.finished_at >= $?", instant.0);
        }
    }

    fn bounds(self, select: &mut Select, after: Option<Place>, floor: Option<Place>) {
        let id = self.id();
        let (next, last) = if self.search.order == Order::Desc { ("<", ">=") } else { (">", "<=") };
        for (place, sign) in [(after, next), (floor, last)] {
            let Some(place) = place else { continue };
            let key = key_value(self.search, place);
            match self.at() {
                None => select.with(&format!("AND {id} {sign} $?"), key),
                Some(at) => {
                    select.with(&format!("AND ({at}, {id}) {sign} ($?,"), Value::from(place.at));
                    select.with("$?)", key);
                }
            }
        }
        if self.part.table == Table::Worker {
            // Those that were seen by an earlier version only have none.
            select.push("AND w.key IS NOT NULL");
        }
        if let Some(at) = self.at() {
            select.push(&format!("AND {at} IS NOT NULL"));
        }
    }

    const fn direction(self) -> &'static str {
        match self.search.order {
            Order::Asc => "ASC",
            Order::Desc => "DESC",
        }
    }

    fn order_text(self) -> String {
        let (id, direction) = (self.id(), self.direction());
        match self.at() {
            None => format!("ORDER BY {id} {direction}"),
            Some(at) => format!("ORDER BY {at} {direction}, {id} {direction}"),
        }
    }

    fn ordered(self, select: &mut Select, limit: u32) {
        let order = self.order_text();
        select.with(&format!("{order} LIMIT $?"), i64::from(limit));
    }
}

/// Whether this instant is in the order of the keys of rows: ids begin with when they were made, and those of slots are
/// their instants.
pub(super) fn is_order_of_keys(sort: &str) -> bool {
    matches!(sort, "created" | "received" | "scheduled")
}

/// The key of the row at a place.
fn key_value(search: &Search, place: Place) -> Value {
    if search.list.is_numbered() { number_of(place.id).into() } else { place.id.into() }
}

/// The number that an id stands for, of an object that has a number instead.
pub(super) fn number_of(id: Uuid) -> i64 {
    i64::try_from(id.as_u128()).unwrap_or(i64::MAX)
}

/// The id that stands for a number.
pub(super) fn id_of_number(number: i64) -> Uuid {
    Uuid::from_u128(u128::try_from(number).unwrap_or(0))
}

fn is_of_lane(key: &str) -> bool {
    matches!(key, "tenant" | "jobType" | "workflow")
}

fn numbers(numbers: &[i64]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}
