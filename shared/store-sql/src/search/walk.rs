//! One call of a search: windows of each part until the page is full, merged in the order of the list.

use domain::access::TenantScope;
use domain::names::TenantName;
use domain::search::{Order, Search, Term};
use domain::time::Timestamp;
use sea_orm::{ConnectionTrait, QueryResult};
use store::StoreResult;
use store::search::{Found, Place, SearchPage};

use super::attributes::Attributes;
use super::columns::column;
use super::condition::apply;
use super::source::{Part, Source, Table, id_of_number, is_order_of_keys, number_of, parts};
use crate::dialect::Dialect;
use crate::rows::Row;
use crate::select::Select;

/// Through how many windows one call looks, until its page is full.
const WINDOWS_MAX: usize = 10;

/// The most lanes whose jobs are found lane by lane.
const LANES_MAX: usize = 256;

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
    let source = |&part: &Part| source_of(on, (scope, search), part, lanes.as_deref(), &attributes);
    let sources: Vec<Source<'_>> = parts.iter().map(source).collect();
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
            return Ok(Found { places, next: None, scanned_to: None });
        };
        // The floor itself was looked at.
        after = Some(floor);
    }
    let scanned_to = after.map(|place| instant_of(search, place));
    Ok(Found { places, next: after, scanned_to })
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
        for row in &source.page(after, floor, limit).all(on).await? {
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

/// How many match, up to a number.
pub(super) async fn count<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    search: &Search,
    limit: u64,
) -> StoreResult<u64> {
    let parts = parts(search);
    let lanes = lanes_of(on, scope, search, &parts).await?;
    let attributes = Attributes::of(on, scope, search).await?;
    let mut count = 0;
    for part in parts {
        let source = source_of(on, (scope, search), part, lanes.as_deref(), &attributes);
        let left = i64::try_from(limit.saturating_sub(count)).unwrap_or(i64::MAX);
        if let Some(row) = source.count(left).first(on).await? {
            count += u64::try_from(Row::new("search", &row).long("number")?).unwrap_or(0);
        }
    }
    Ok(count.min(limit))
}

pub(super) fn source_of<'a, C: ConnectionTrait>(
    on: &C,
    (scope, search): (&'a TenantScope, &'a Search),
    part: Part,
    lanes: Option<&'a [i64]>,
    attributes: &'a Attributes,
) -> Source<'a> {
    let dialect = Dialect::of(on.get_database_backend());
    Source { scope, search, part, lanes, attributes, dialect }
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

fn place_of(search: &Search, row: &QueryResult) -> StoreResult<Place> {
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
    let ms = place.id.as_u128() >> 80;
    Timestamp(i64::try_from(ms).unwrap_or(i64::MAX))
}
