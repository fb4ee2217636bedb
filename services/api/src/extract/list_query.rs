//! The parameters of lists: filters, instants, a query, order, count, and a cursor that belongs to all of them.

use std::marker::PhantomData;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::attribute::Searchable;
use domain::search::{
    Cursor, ListType, OfArchive, OfAudit, OfBatches, OfDeadLetters, OfDeliveries, OfExecutions, OfJobs,
    OfRuns, OfSchedules, OfUserTasks, OfWorkers, Order, Search, Term,
};
use domain::time::Timestamp;
use engine::{Caller, ListRequest, Listed};
use store::page::Place;
use store::search::SearchPage;
use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterIn};
use utoipa::openapi::schema::Type;

use super::filter_query::{
    FilterQuery, parameter, read_parameters, read_terms, searchable_of, text_parameter, with_default_status,
};
use super::query::page_limit;
use crate::problem::{ApiResult, Problem};
use crate::shapes::ListOf;
use crate::shapes::list::CountResponse;
use crate::state::ApiState;

/// The parameters of a list.
#[derive(Debug)]
pub(crate) struct ListQuery<L> {
    request: ListRequest,
    now: Timestamp,
    /// What cursors belong to.
    fingerprint: String,
    list: PhantomData<fn() -> L>,
}

/// The parameters of `/v1/jobs`.
pub(crate) type JobsQuery = ListQuery<OfJobs>;
/// The parameters of `/v1/executions`.
pub(crate) type ExecutionsQuery = ListQuery<OfExecutions>;
/// The parameters of `/v1/dead-letters`.
pub(crate) type LettersQuery = ListQuery<OfDeadLetters>;
/// The parameters of `/v1/archive`.
pub(crate) type ArchiveQuery = ListQuery<OfArchive>;
/// The parameters of `/v1/deliveries`.
pub(crate) type DeliveriesQuery = ListQuery<OfDeliveries>;
/// The parameters of `/v1/schedules`.
pub(crate) type SchedulesQuery = ListQuery<OfSchedules>;
/// The parameters of `/v1/schedules/{id}/runs`.
pub(crate) type RunsQuery = ListQuery<OfRuns>;
/// The parameters of `/v1/user-tasks`.
pub(crate) type UserTasksQuery = ListQuery<OfUserTasks>;
/// The parameters of `/v1/workers`.
pub(crate) type WorkersQuery = ListQuery<OfWorkers>;
/// The parameters of `/v1/audit`.
pub(crate) type AuditQuery = ListQuery<OfAudit>;
/// The parameters of `/v1/batches`.
pub(crate) type BatchesQuery = ListQuery<OfBatches>;

impl<L: ListType> FromRequestParts<ApiState> for ListQuery<L> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> ApiResult<Self> {
        let text = parts.uri.query().unwrap_or_default();
        let caller = parts.extensions.get::<Caller>().ok_or_else(Problem::internal)?;
        let searchable = searchable_of(state, caller, text.contains("q=")).await?;
        Self::read(text, state.engine.now(), &searchable)
    }
}

impl<L: ListType> ListQuery<L> {
    fn read(text: &str, now: Timestamp, searchable: &Searchable) -> ApiResult<Self> {
        let mut parameters = read_parameters(text)?;
        let cursor = parameters.remove("cursor");
        let cursor = cursor.map(|text| Cursor::parse(L::LIST, &text).ok_or_else(bad_cursor)).transpose()?;
        let now = cursor.as_ref().map_or(now, |cursor| cursor.now);
        let limit = read_limit(parameters.remove("limit"))?;
        let counts = match parameters.remove("count").as_deref() {
            None | Some("false") => false,
            Some("true") => true,
            Some(_) => return Err(Problem::fault("/count", "query parameter: expected true or false")),
        };
        let order = match parameters.remove("order") {
            None => Order::Desc,
            Some(text) => Order::parse(&text)
                .ok_or_else(|| Problem::fault("/order", "query parameter: expected asc or desc"))?,
        };
        let sort = match parameters.remove("sort") {
            None => L::LIST.instants()[0],
            Some(text) => L::LIST.instant(&text).ok_or_else(|| {
                let expected = format!("query parameter: expected one of {}", L::LIST.instants().join(", "));
                Problem::fault("/sort", expected)
            })?,
        };
        let mut terms = read_terms(L::LIST, parameters, now, searchable)?;
        with_default_status(L::LIST, &mut terms);
        let search = Search { list: L::LIST, terms, sort: sort.to_owned(), order };
        let fingerprint = search.fingerprint();
        let after = cursor.map(|cursor| {
            let belongs = cursor.question == fingerprint;
            if belongs { Ok(Place { at: cursor.at, id: cursor.place }) } else { Err(bad_cursor()) }
        });
        let page = SearchPage { limit, after: after.transpose()? };
        Ok(Self { request: ListRequest { search, page, counts }, now, fingerprint, list: PhantomData })
    }

    /// The same with one more condition, which the path has.
    pub(crate) fn within(mut self, term: Term) -> Self {
        self.request.search.terms.push(term);
        self
    }

    /// What is asked of the list.
    pub(crate) fn request(&self) -> &ListRequest {
        &self.request
    }

    /// The answer. Cursors are of this request.
    pub(crate) fn answer<R, T>(&self, listed: Listed<R>, each: impl FnMut(R) -> T) -> ListOf<T> {
        let next_cursor = listed.next.map(|place| {
            let question = self.fingerprint.clone();
            Cursor { place: place.id, at: place.at, now: self.now, question }.text(L::LIST)
        });
        let count = listed.count.map(|count| CountResponse { value: count.value, exact: count.is_exact });
        ListOf {
            items: listed.items.into_iter().map(each).collect(),
            next_cursor,
            count,
            scanned_to: listed.scanned_to,
        }
    }
}

fn read_limit(text: Option<String>) -> ApiResult<u32> {
    let limit = text
        .map(|text| text.parse().map_err(|_| Problem::fault("/limit", "query parameter: expected a number")));
    page_limit(limit.transpose()?)
}

fn bad_cursor() -> Problem {
    Problem::fault(
        "/cursor",
        "expected the nextCursor of an earlier page of this list, with the same filters and order",
    )
}

impl<L: ListType> IntoParams for ListQuery<L> {
    fn into_params(parameter_in: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let mut parameters = FilterQuery::<L>::into_params(parameter_in);
        let first = L::LIST.instants()[0];
        let sorts = L::LIST.instants().join(", ");
        parameters.push(text_parameter("sort", &format!("Instant to sort by: {sorts} (default `{first}`).")));
        parameters.push(text_parameter("order", "`asc` or `desc` (default `desc`)."));
        parameters.push(parameter("count", Type::Boolean, "Whether to count the matches, up to 10,000."));
        parameters.push(parameter("limit", Type::Integer, "Page size, 1 to 500 (default 50)."));
        parameters.push(text_parameter("cursor", "The `nextCursor` of the previous page."));
        parameters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_800_000_000_000);

    fn pointer(query: &str) -> String {
        let problem = ListQuery::<OfJobs>::read(query, NOW, &Searchable::default()).expect_err(query);
        let problem = serde_json::to_value(problem.shape()).expect("encodes");
        problem["errors"][0]["pointer"].as_str().expect("a pointer").to_owned()
    }

    #[test]
    fn parameters_are_typed_known_and_there_once() {
        for (query, expected) in [
            ("colour=red", "/colour"),
            ("status=done", "/status"),
            ("status=FAILED&status=QUEUED", "/status"),
            ("createdAfter=soon", "/createdAfter"),
            ("diedAfter=now", "/diedAfter"),
            ("sort=died", "/sort"),
            ("order=up", "/order"),
            ("count=yes", "/count"),
            ("limit=0", "/limit"),
            ("limit=x", "/limit"),
            ("cursor=x", "/cursor"),
            ("executionId=job_1", "/executionId"),
            ("q=colour:red", "/q"),
        ] {
            assert_eq!(pointer(query), expected, "{query}");
        }
    }

    #[test]
    fn a_cursor_keeps_now_and_belongs_to_its_filters() {
        let filters = "status=FAILED,CANCELLED&createdAfter=now-1h&limit=2";
        let query = ListQuery::<OfJobs>::read(filters, NOW, &Searchable::default()).expect("valid");
        let next = Some(Place { at: 7, id: uuid::Uuid::from_u128(9) });
        let listed = Listed::<u8> { items: vec![], next, scanned_to: None, count: None };
        let cursor = query.answer(listed, |one| one).next_cursor.expect("there is more");
        assert!(cursor.starts_with("job_"));
        let later = Timestamp(NOW.0 + 60_000);
        let second =
            ListQuery::<OfJobs>::read(&format!("{filters}&cursor={cursor}"), later, &Searchable::default())
                .expect("valid");
        assert_eq!(second.request.search, query.request.search, "now is what it was");
        assert_eq!(second.request.page.after, next);
        for other in
            ["status=FAILED&createdAfter=now-1h", "status=FAILED,CANCELLED&createdAfter=now-1h&order=asc"]
        {
            assert_eq!(pointer(&format!("{other}&cursor={cursor}")), "/cursor", "{other}");
        }
    }
}
