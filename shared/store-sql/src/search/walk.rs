//! One call of a search: windows of each part until the page is full, merged in the order of the list.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::access::TenantScope;
use domain::id::made_at;
use domain::names::TenantName;
use domain::search::{Order, Search, Term};
use domain::time::Timestamp;
use sea_orm::{ConnectionTrait, QueryResult};
use store::StoreResult;
use store::page::Place;
use store::search::{Found, SearchPage};
use uuid::Uuid;

use super::attributes::Attributes;
use super::checks::CHECKS_MAX;
use super::columns::column;
use super::condition::apply;
use super::parts::{Part, Table, parts};
use super::source::{Source, Span, id_of_number, is_order_of_keys, number_of};
use crate::dialect::Dialect;
use crate::rows::Row;
use crate::select::Select;

/// Through how many windows one call looks, until its page is full.
const WINDOWS_MAX: usize = 10;

/// The most lanes whose jobs are found lane by lane.
const LANES_MAX: usize = 256;

/// How many rows one statement counts where all of them match. Of as many as a count may come to, PostgreSQL would read and sort
/// all rows of a tenant, say, where it believes that these are fewer, as it does while it knows nothing of a table.
const STEP: i64 = 1_000;

/// The same where jobs are found lane by lane, and of how many lanes at most: so many rows of each are looked at to find where a step
/// ends. Beyond, lanes are read one after another until there are enough.
const LANES_STEP: (i64, usize) = (5_000, 25);

/// A page, or as much of it as lies within the windows of one call.
pub(super) async fn search<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    search: &Search,
    page: SearchPage,
    window: i64,
) -> StoreResult<Found> {
    let parts = parts(search);
    let lanes = lanes_of(on, scope, search, &parts).await?;
    let attributes = Attributes::of(on, scope, search).await?;
    let (sources, since) =
        sources_of(on, (scope, search), parts, lanes.as_deref(), &attributes, window).await?;
    let (mut places, mut after) = (Vec::new(), page.after);
    let wanted = page.limit as usize;
    for _ in 0..WINDOWS_MAX {
        let (found, floor) = window_of(on, &sources, after, page.limit + 1, window).await?;
        places.extend(found);
        if places.len() > wanted {
            places.truncate(wanted);
            let next = places.last().copied();
            return Ok(Found { places, next, scanned_to: None });
        }
        let Some(floor) = floor else {
            return Ok(Found { places, next: None, scanned_to: since.map(made_at) });
        };
        // The floor itself was looked at.
        after = Some(floor);
    }
    let scanned_to = after.map(|place| instant_of(search, place));
    Ok(Found { places, next: after, scanned_to })
}

/// The parts as they are read, and from which id on, where only the newest rows are.
async fn sources_of<'a, C: ConnectionTrait>(
    on: &C,
    asked: (&'a TenantScope, &'a Search),
    parts: Vec<Part>,
    lanes: Option<&'a [i64]>,
    attributes: &'a Attributes,
    window: i64,
) -> StoreResult<(Vec<Source<'a>>, Option<Uuid>)> {
    let mut sources = Vec::with_capacity(parts.len());
    let mut latest = None;
    for part in parts {
        let mut source = source_of(on, asked, part, lanes, attributes);
        if source.needs_sorting() {
            let rows = window.saturating_mul(WINDOWS_MAX as i64);
            let first = source.newest(rows).first(on).await?;
            source.since = first.map(|row| Row::new("search", &row).uuid("id")).transpose()?;
            latest = latest.max(source.since);
        }
        sources.push(source);
    }
    Ok((sources, latest))
}

/// What matches within one window of all parts, and where the window ends, if there is more beyond it.
async fn window_of<C: ConnectionTrait>(
    on: &C,
    sources: &[Source<'_>],
    after: Option<Place>,
    limit: u32,
    window: i64,
) -> StoreResult<(Vec<Place>, Option<Place>)> {
    let Some(order) = sources.first().map(|source| source.search.order) else {
        return Ok((Vec::new(), None));
    };
    let mut floor: Option<Place> = None;
    for source in sources.iter().filter(|source| source.needs_windows()) {
        if let Some(row) = source.floor(after, window).first(on).await? {
            let place = place_of(source.search, &row)?;
            floor = Some(floor.map_or(place, |known| {
                if order == Order::Desc { known.max(place) } else { known.min(place) }
            }));
        }
    }
    let mut found = Vec::new();
    for source in sources {
        let span = Span { after, floor, limit: i64::from(limit) };
        for row in &source.page(span).all(on).await? {
            found.push(place_of(source.search, row)?);
        }
    }
    found.sort_unstable();
    // A job that ends between two reads is in both tables.
    found.dedup();
    if order == Order::Desc {
        found.reverse();
    }
    // A full part may have more before the end of the window: what the others found beyond its last is kept back by the
    // limit, as each of them has at least as many as the page.
    Ok((found, floor))
}

/// How far a count goes, and what it has come to: to be read also where it is given up.
#[derive(Debug)]
pub(super) struct Counting {
    /// How many are counted at most.
    limit: u64,
    /// How many rows one statement looks at.
    window: i64,
    /// How many windows are looked at, over all parts.
    windows_max: usize,
    counted: AtomicU64,
}

impl Counting {
    /// Counts as many rows as a page would look through.
    pub(super) const fn near(limit: u64, window: i64) -> Self {
        Self { limit, window, windows_max: WINDOWS_MAX, counted: AtomicU64::new(0) }
    }

    /// Counts until it is given up.
    pub(super) const fn far(limit: u64, window: i64) -> Self {
        Self { limit, window, windows_max: usize::MAX, counted: AtomicU64::new(0) }
    }

    /// How many there are so far.
    pub(super) fn so_far(&self) -> u64 {
        self.counted.load(Ordering::Relaxed).min(self.limit)
    }

    const fn is_far(&self) -> bool {
        self.windows_max == usize::MAX
    }

    /// How many rows of a source one statement looks at; `None` where that is all that it has.
    fn window_of(&self, source: &Source<'_>) -> Option<i64> {
        let is_wide = source.index().is_some() && !source.is_narrow();
        if source.needs_windows() || self.is_far() && is_wide {
            return Some(self.window);
        }
        // A window knows nothing of a range of the order, or of a status that no index has.
        let has_all = source.part.status.is_none() || source.has_status();
        if !is_wide || !has_all || source.search.has(&source.search.sort) {
            return None;
        }
        let (step, lanes_max) = if source.is_by_lane() { LANES_STEP } else { (STEP, 0) };
        let lanes = source.lanes.filter(|_| source.is_by_lane()).map_or(0, <[i64]>::len);
        (lanes <= lanes_max).then(|| step.min(self.window))
    }
}

/// Counts what matches. Answers whether these are all, or as many as were asked for.
pub(super) async fn count<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    search: &Search,
    counting: &Counting,
) -> StoreResult<bool> {
    let parts = parts(search);
    let lanes = lanes_of(on, scope, search, &parts).await?;
    let attributes = Attributes::of(on, scope, search).await?;
    let (mut sources, since) =
        sources_of(on, (scope, search), parts, lanes.as_deref(), &attributes, counting.window).await?;
    // What another table leads to are mostly jobs that have ended: among those that have not, all windows would pass in vain.
    if sources.iter().any(|source| source.driver().is_some()) {
        sources.reverse();
    }
    let mut windows = 0;
    for source in sources {
        let (source, mut checks) = with_checks(on, source).await?;
        // Not what is left: it is in the text of the statement.
        let limit = i64::try_from(counting.limit).unwrap_or(i64::MAX);
        let limit = if source.has_checks { limit.saturating_add(CHECKS_MAX) } else { limit };
        let is_bounded = source.needs_windows() || counting.is_far();
        let window = counting.window_of(&source);
        let mut after = None;
        loop {
            if counting.so_far() == counting.limit {
                return Ok(true);
            }
            let floor = match window {
                Some(window) => source.floor(after, window).first(on).await?,
                None => None,
            };
            let floor = floor.map(|row| place_of(search, &row)).transpose()?;
            let number = number_in(on, source.count(Span { after, floor, limit })).await?;
            // As if all checks came first: what was counted is a lower bound at any time.
            let passed = number.min(checks);
            checks -= passed;
            counting.counted.fetch_add(number - passed, Ordering::Relaxed);
            if floor.is_none() {
                break;
            }
            after = floor;
            windows += usize::from(is_bounded);
            if windows >= counting.windows_max {
                return Ok(counting.so_far() == counting.limit);
            }
        }
    }
    Ok(since.is_none() || counting.so_far() == counting.limit)
}

/// A source as it is counted, and how many checks of schedules are among its rows.
async fn with_checks<'a, C: ConnectionTrait>(on: &C, source: Source<'a>) -> StoreResult<(Source<'a>, u64)> {
    if !source.is_of_a_status_alone() {
        return Ok((source, 0));
    }
    let checks = number_in(on, source.checks()).await?;
    // Of many, those are left out that a window has.
    let has_checks = checks <= CHECKS_MAX.unsigned_abs();
    Ok(if has_checks { (Source { has_checks, ..source }, checks) } else { (source, 0) })
}

/// The number that a select answers.
async fn number_in<C: ConnectionTrait>(on: &C, select: Select) -> StoreResult<u64> {
    let Some(row) = select.first(on).await? else { return Ok(0) };
    Ok(u64::try_from(Row::new("search", &row).long("number")?).unwrap_or(0))
}

pub(super) fn source_of<'a, C: ConnectionTrait>(
    on: &C,
    (scope, search): (&'a TenantScope, &'a Search),
    part: Part,
    lanes: Option<&'a [i64]>,
    attributes: &'a Attributes,
) -> Source<'a> {
    let dialect = Dialect::of(on.get_database_backend());
    Source { scope, search, part, lanes, attributes, dialect, since: None, has_checks: false }
}

/// The lanes in which jobs can match; `None` where nothing is asked for that lanes have, or they are many.
pub(super) async fn lanes_of<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    search: &Search,
    parts: &[Part],
) -> StoreResult<Option<Vec<i64>>> {
    let is_of_jobs = parts.iter().any(|part| matches!(part.table, Table::Job | Table::JobDone));
    // The jobs of an execution have an index of their own.
    if !is_of_jobs || search.has("id") || search.term("executionId").is_some() {
        return Ok(None);
    }
    let terms: Vec<&Term> =
        ["tenant", "jobType", "workflow"].iter().filter_map(|key| search.term(key)).collect();
    if terms.is_empty() && scope.tenant().is_none() {
        return Ok(None);
    }
    let mut select = Select::new("lanes_of_search", "SELECT l.id FROM lane l WHERE true");
    select.with_some("AND l.tenant = $?", scope.tenant().map(TenantName::as_str));
    for term in terms {
        if let Some(column) = column(Table::JobDone, &term.key) {
            apply(&mut select, column, term);
        }
    }
    select.with("ORDER BY l.id LIMIT $?", (LANES_MAX + 1) as i64);
    let rows = select.all(on).await?;
    let lanes: Vec<i64> =
        rows.iter().map(|row| Row::new("lane", row).long("id")).collect::<StoreResult<_>>()?;
    // No lane at all is as good as one that no job has.
    let lanes = if lanes.is_empty() { vec![-1] } else { lanes };
    Ok((lanes.len() <= LANES_MAX).then_some(lanes))
}

pub(super) fn place_of(search: &Search, row: &QueryResult) -> StoreResult<Place> {
    let row = Row::new("search", row);
    let id = if search.list.is_numbered() { id_of_number(row.long("id")?) } else { row.uuid("id")? };
    Ok(Place { at: row.long("at")?, id })
}

/// The instant of a place in the order of a list.
fn instant_of(search: &Search, place: Place) -> Timestamp {
    if !is_order_of_keys(&search.sort) {
        return Timestamp(place.at);
    }
    if search.list.is_numbered() {
        return Timestamp(number_of(place.id));
    }
    made_at(place.id)
}
