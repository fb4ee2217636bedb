//! The statements that read a part of a list: a page of it, where a window of it ends, and how many of a window match.

use domain::access::TenantScope;
use domain::id::first_at;
use domain::names::TenantName;
use domain::queue::QueueName;
use domain::search::{Bound, Order, Search, Term, TermValue, Test, attribute_names};
use domain::time::Timestamp;
use sea_orm::Value;
use store::page::Place;
use uuid::Uuid;

use super::attributes::{Attributes, Driver, object_of};
use super::columns::column;
use super::condition::{Column, apply, apply_lead};
use super::parts::{Part, Table};
use crate::dialect::Dialect;
use crate::select::Select;

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
    /// Rows with lesser ids are not looked at.
    pub(super) since: Option<Uuid>,
    /// Whether checks of schedules are read with the others, because somebody has counted them apart: see [`checks`](Self::checks).
    pub(super) has_checks: bool,
}

/// Which rows of a part are read: from behind a place to another one with it, so many at most.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) after: Option<Place>,
    pub(super) floor: Option<Place>,
    pub(super) limit: i64,
}

/// A window of another table is so much smaller than one of a list: each of its objects is looked up.
const DRIVEN: i64 = 4;

/// A window of many lanes has at least so many rows of each.
pub(super) const LANE_WINDOW_MIN: i64 = 200;

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
        self.driver().map_or_else(|| self.own_id(), |driver| driver.object().to_owned())
    }

    fn own_id(self) -> String {
        format!("{}.{}", self.part.table.alias(), self.part.table.key())
    }

    /// By which index of another table the part is read: where objects are listed in the order in which they were made.
    pub(super) fn driver(self) -> Option<Driver<'a>> {
        let is_of_objects = self.part.table.is_of_jobs() || self.part.table == Table::Execution;
        self.attributes.driver().filter(|_| is_of_objects && self.at().is_none())
    }

    /// The table of the part. Once SQLite has counted its rows, it would go through the tenants of an index of theirs for each kind
    /// of error and for the newest of all, and through all jobs that have failed for those that ended last, and sort.
    fn alone(self) -> String {
        let alone = self.part.table.alone();
        let index = match self.part.table {
            Table::DeadLetter if self.terms_of_index().eq(["fingerprint"]) => "dead_letter_fingerprint",
            Table::DeadLetter if self.is_by_status_alone() => "dead_letter_died",
            Table::JobDone if self.at().is_some() && self.has_status() && !self.is_narrow() => {
                "job_done_ended"
            }
            _ => return alone.to_owned(),
        };
        format!("{alone} {{sqlite:INDEXED BY {index}}}")
    }

    /// What the part is read from.
    fn from(self) -> String {
        let alone = self.alone();
        let is_of_lane = |key: &str| is_of_lane(key) || key == "rateKey";
        let needs_lane = self.part.table.is_of_jobs()
            && (self.scope.tenant().is_some() || self.search.terms.iter().any(|term| is_of_lane(&term.key)));
        let lane = if needs_lane { " JOIN lane l ON l.id = j.lane" } else { "" };
        let Some(driver) = self.driver() else { return format!("{alone}{lane}") };
        // CROSS JOIN keeps SQLite from going through the objects first; a subselect for each keeps PostgreSQL from merging all of
        // them with those that the driver has.
        let (table, object, own) = (driver.table(), driver.object(), object_of(self.part.table));
        let (name, alias) = alone.split_once(' ').unwrap_or((alone.as_str(), alone.as_str()));
        format!(
            "{table} CROSS JOIN {{postgres:LATERAL (SELECT * FROM {name} y WHERE y.id = {object} OFFSET 0) {alias}}}\
             {{sqlite:{alone} ON {own} = {object}}}{lane}"
        )
    }

    /// A page of the part, in order.
    pub(super) fn page(self, span: Span) -> Select {
        if self.is_by_lane() {
            return self.rows_of_lanes(span, false);
        }
        self.rows(span, "search", "")
    }

    /// How many of a span match, up to its limit. Read in order as a page is: so it ends as early, and where a page of the same
    /// span would.
    pub(super) fn count(self, span: Span) -> Select {
        let mut select = if self.is_by_lane() {
            self.rows_of_lanes(span, true)
        } else {
            self.rows(span, "search_count", COUNT)
        };
        select.push(") found");
        select
    }

    fn rows(self, span: Span, name: &'static str, before: &str) -> Select {
        let shown = self.at().unwrap_or("CAST(0 AS bigint)");
        let (id, from) = (self.id(), self.from());
        let distinct = self.driver().map_or("", Driver::distinct);
        let text = format!("{before}SELECT {distinct}{id} AS id, {shown} AS at FROM {from} WHERE true");
        let mut select = Select::new(name, &text);
        if let Some(lanes) = self.lanes {
            // In another order the index of lanes would have all of them read and sorted.
            let lane = if self.at().is_none() { "j.lane" } else { "j.lane + 0" };
            select.push(&format!("AND {lane} IN ({})", numbers(lanes)));
        }
        self.conditions(&mut select, true);
        self.bounds(&mut select, span.after, span.floor);
        self.ordered(&mut select, span.limit, !before.is_empty());
        select
    }

    /// Finished jobs of these lanes: the first of each, and of these the first. For a count they are read lane by lane until
    /// there are enough.
    fn rows_of_lanes(self, span: Span, counts: bool) -> Select {
        let (name, before) = if counts { ("search_lanes_count", COUNT) } else { ("search_lanes", "") };
        let mut select = lanes_begun(name, before);
        self.conditions(&mut select, false);
        self.bounds(&mut select, span.after, span.floor);
        self.ordered(&mut select, span.limit, counts);
        self.lanes_ended(&mut select);
        if counts {
            select.push(&format!("LIMIT {}", span.limit));
        } else {
            select.with(&format!("ORDER BY i.id {} LIMIT $?", self.direction()), span.limit);
        }
        select
    }

    fn lanes_ended(self, select: &mut Select) {
        let lanes = numbers(self.lanes.unwrap_or_default());
        select.push(&format!("){{postgres: i}} WHERE l.id IN ({lanes})"));
        if self.hides_checks() {
            // The jobs of a lane are all of its queue.
            select.push(&format!("AND l.queue <> {}", QueueName::Scheduled.code()));
        }
        self.lane_conditions(select);
    }

    /// The last place of a window that begins after a place, under the conditions that the index of the order has.
    pub(super) fn floor(self, after: Option<Place>, window: i64) -> Select {
        if self.is_by_lane() {
            return self.floor_of_lanes(after, window);
        }
        let shown = self.at().unwrap_or("CAST(0 AS bigint)");
        let order = self.order_text();
        if let Some(driver) = self.driver() {
            let (table, object) = (driver.table(), driver.object());
            let text = format!("SELECT {object} AS id, {shown} AS at FROM {table} WHERE true");
            let mut select = Select::new("search_driven_window", &text);
            driver.apply(&mut select);
            self.made(&mut select);
            self.bounds(&mut select, after, None);
            select.with(&format!("{order} LIMIT 1 OFFSET $?"), window / DRIVEN);
            return select;
        }
        let (id, alone) = (self.id(), self.alone());
        let mut select = Select::new(
            "search_window",
            &format!("SELECT {id} AS id, {shown} AS at FROM {alone} WHERE true"),
        );
        self.index_conditions(&mut select);
        self.made(&mut select);
        self.bounds(&mut select, after, None);
        select.with(&format!("{order} LIMIT 1 OFFSET $?"), window);
        select
    }

    /// The same of finished jobs that are read by lane: where the window of that lane ends which goes the least far back.
    fn floor_of_lanes(self, after: Option<Place>, window: i64) -> Select {
        let mut select = lanes_begun("search_lanes_window", "");
        self.part_conditions(&mut select);
        self.made(&mut select);
        self.bounds(&mut select, after, None);
        let lanes = i64::try_from(self.lanes.unwrap_or_default().len()).unwrap_or(i64::MAX);
        let of_each = (window / lanes.max(1)).max(LANE_WINDOW_MIN.min(window));
        select.with(&format!("{} LIMIT 1 OFFSET $?", self.order_text()), of_each);
        self.lanes_ended(&mut select);
        select.push(&format!("ORDER BY i.id {} LIMIT 1", self.direction()));
        select
    }

    /// The id with which the newest rows begin, of which an order is made that no index has.
    pub(super) fn newest(self, rows: i64) -> Select {
        let (id, alone) = (self.own_id(), self.part.table.alone());
        let mut select = Select::new("search_newest", &format!("SELECT {id} AS id FROM {alone} WHERE true"));
        self.made(&mut select);
        select.with(&format!("ORDER BY {id} DESC LIMIT 1 OFFSET $?"), rows);
        select
    }

    /// What the part is of.
    fn part_conditions(self, select: &mut Select) {
        let alias = self.part.table.alias();
        if let Some(queue) = self.part.queue {
            // With statistics SQLite would skip through the queues of the index where nearly all jobs are of one, and sort.
            let code = queue.code();
            select.push(&format!("AND {{sqlite:unlikely(}}{alias}.queue = {code}{{sqlite:)}}"));
        }
        if self.is_by_error() {
            select.push("AND e.error IS NOT NULL");
        }
        let Some(status) = self.part.status.filter(|_| self.has_status()) else { return };
        if self.is_led_by_status() {
            select.push(&format!("AND {alias}.status = ANY (ARRAY['{status}'])"));
        } else {
            select.push(&format!("AND {alias}.status = '{status}'"));
        }
        if self.part.is_of_unsuccessful() {
            // What the partial indexes are about, in their words.
            select.push("AND j.status <> 'COMPLETED'");
        }
    }

    /// The first key of the index of the order, where PostgreSQL has to be held to that index: it has one plan for any values, and
    /// takes what is newest of all, or of a status, for what is newest of a tenant, say, where it believes that those are few. So it
    /// goes through the whole table for one that has few rows. The key is an array of one value then, and comes first in the order.
    pub(super) fn lead(self) -> Option<&'static str> {
        self.terms_of_index().next().filter(|_| self.is_held())
    }

    fn apply(self, select: &mut Select, column: Column, term: &Term) {
        if self.lead() == Some(term.key.as_str()) {
            apply_lead(select, column, term);
        } else {
            apply(select, column, term);
        }
    }

    /// What the index of the order has before it.
    fn index_conditions(self, select: &mut Select) {
        self.part_conditions(select);
        for key in self.terms_of_index() {
            if key == "tenant" {
                self.tenant(select);
            }
            if let (Some(term), Some(column)) = (self.search.term(key), column(self.part.table, key)) {
                self.apply(select, column, term);
            }
        }
    }

    fn status(self, select: &mut Select) {
        if let Some(status) = self.part.status.filter(|_| !self.has_status()) {
            select.push(&format!("AND {}.status = '{status}'", self.part.table.alias()));
        }
        self.part_conditions(select);
    }

    fn tenant(self, select: &mut Select) {
        if self.part.table.has_tenant() {
            let value = if self.lead() == Some("tenant") { "ANY (ARRAY[$?])" } else { "$?" };
            let tenant = format!("AND {}.tenant = {value}", self.part.table.alias());
            select.with_some(&tenant, self.scope.tenant().map(TenantName::as_str));
        }
    }

    /// Scope and terms. Without lanes joined, those on lanes and the queue are left out.
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
        // Of lanes see `lanes_ended`: their index has no queue, so that each job would be read for it.
        if table.is_of_jobs() && has_lanes && self.hides_checks() {
            // In the text, not as a parameter: where all jobs are of one queue, a plan for any value expects to find none, and
            // reads and sorts whole lanes instead of stopping at the end of the page.
            select.push(&format!("AND j.queue <> {}", QueueName::Scheduled.code()));
        }
        self.made(select);
        for (place, term) in self.search.terms.iter().enumerate() {
            if driver.is_some_and(|driver| driver.place() == place) {
                continue;
            }
            if attribute_names(&term.key).is_some() || self.attributes.has(place) {
                self.attributes.apply(select, self.dialect, (place, term), object_of(table));
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
            let is_subject = self.search.term("subject").is_some_and(|first| std::ptr::eq(first, term));
            if self.part.subject.is_some() && is_subject {
                self.subject(select);
                continue;
            }
            match column(table, &term.key) {
                Some(column) => self.apply(select, column, term),
                None => select.push("AND false"),
            }
            if !term.is_negated {
                self.ended_after(select, &term.key, &term.tests);
            }
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

    /// What follows from a bound on when an object was made: ids are not of a later time.
    fn made(self, select: &mut Select) {
        for before in self.search.terms.iter().filter_map(made_before) {
            let first = first_at(Timestamp(before.saturating_add(1)));
            select.with(&format!("AND {} < $?", self.id()), first);
        }
        self.said_since(select);
        if let Some(since) = self.since {
            select.with(&format!("AND {} >= $?", self.own_id()), since);
        }
    }

    /// A job does not end before it was made.
    fn ended_after(self, select: &mut Select, key: &str, tests: &[Test]) {
        if let [Test::Between(Some(Bound { value: TermValue::Instant(instant), .. }), _)] = tests
            && self.part.table == Table::JobDone
            && is_made(key)
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
        let lead = match self.lead().and_then(|key| column(self.part.table, key)) {
            Some(Column::Text(name) | Column::Uuid(name) | Column::Webhook(name)) => {
                format!("{name} {direction}, ")
            }
            _ if self.is_led_by_status() => format!("{}.status {direction}, ", self.part.table.alias()),
            _ => String::new(),
        };
        match self.at() {
            // Not in the order of ids alone: see `lanes_begun`.
            None if self.is_by_lane() => {
                format!("ORDER BY {{postgres:j.lane {direction},}} {id} {direction}")
            }
            None => format!("ORDER BY {lead}{id} {direction}"),
            // Any row of an instant is a place where a window can end.
            Some(at) if self.has_ties() && self.dialect == Dialect::Postgres => {
                format!("ORDER BY {at} {direction}")
            }
            // Not in the order of the index of instants, by which all lines would be gone through for those of a subject.
            Some(at) if self.part.subject.is_some() => {
                format!("ORDER BY {at} + 0 {direction}, {id} {direction}")
            }
            Some(at) => format!("ORDER BY {lead}{at} {direction}, {id} {direction}"),
        }
    }

    fn ordered(self, select: &mut Select, limit: i64, counts: bool) {
        if let Some(at) = self.at().filter(|_| self.has_ties() && self.dialect == Dialect::Postgres) {
            // Rows of the last instant are all read, and sorted where parts are merged: for the order by id as well PostgreSQL
            // might read and sort all that has the status.
            let (direction, rows) = (self.direction(), "ROWS WITH TIES");
            if counts {
                select.push(&format!("ORDER BY {at} {direction} FETCH FIRST {limit} {rows}"));
            } else {
                select.with(&format!("ORDER BY {at} {direction} FETCH FIRST $? {rows}"), limit);
            }
            return;
        }
        let order = self.order_text();
        if counts {
            // In the text: with any number that it does not know PostgreSQL may read and sort all of a part.
            select.push(&format!("{order} LIMIT {limit}"));
        } else {
            select.with(&format!("{order} LIMIT $?"), limit);
        }
    }
}

/// What counts the rows of a select that follows.
const COUNT: &str = "SELECT count(*) AS number FROM (";

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

/// Begins a select of what a subselect finds in each lane.
///
/// PostgreSQL takes the newest rows of all for each lane where it believes that lanes are few, and so goes through the whole table
/// for a lane that has few. An array of one lane, and an order that begins with it, leave it the index by lane.
fn lanes_begun(name: &'static str, before: &str) -> Select {
    // CROSS JOIN keeps SQLite from going through the jobs first.
    Select::new(
        name,
        &format!(
            "{before}SELECT i.id AS id, CAST(0 AS bigint) AS at FROM lane l CROSS JOIN \
             {{postgres:LATERAL (SELECT j.id}}{{sqlite:job_done i ON i.id IN (SELECT j.id}} \
             FROM job_done j WHERE j.lane = {{postgres:ANY (ARRAY[l.id])}}{{sqlite:l.id}}"
        ),
    )
}

/// The instant of a bound on when objects were made, where ids of later ones are beyond it.
fn made_before(term: &Term) -> Option<i64> {
    let [Test::Between(_, Some(upper))] = term.tests.as_slice() else { return None };
    match upper.value {
        TermValue::Instant(instant) if !term.is_negated && is_made(&term.key) => Some(instant.0),
        _ => None,
    }
}

/// Whether an instant is that at which an object was made, which its id begins with.
fn is_made(key: &str) -> bool {
    matches!(key, "created" | "received")
}
