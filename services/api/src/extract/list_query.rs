//! The parameters of lists: filters, instants, a query, order, count, and a cursor that belongs to all of them.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::attribute::Searchable;
use domain::error::Fault;
use domain::id::{Id, Kind};
use domain::search::{
    FieldKind, Order, ParameterFault, QUERY_CODE_POINTS_MAX, Search, SearchList, Term, TermValue,
    parse_query, term_of_parameter,
};
use domain::time::Timestamp;
use engine::{Caller, ListRequest, Listed};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use store::search::{Place, SearchPage};
use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};

use super::pages::page_limit;
use crate::problem::{ApiResult, Problem, QueryPlace};
use crate::shapes::ListOf;
use crate::shapes::list::CountResponse;
use crate::state::ApiState;

/// A list with filters.
pub(crate) trait Filtered {
    /// Which one.
    const LIST: SearchList;
}

macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident $list:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) enum $name {}
        impl Filtered for $name {
            const LIST: SearchList = SearchList::$list;
        }
    )*};
}

lists! {
    /// Jobs.
    OfJobs Jobs;
    /// Executions.
    OfExecutions Executions;
    /// Dead letters.
    OfDeadLetters DeadLetters;
    /// The archive.
    OfArchive Archive;
    /// Deliveries.
    OfDeliveries Deliveries;
    /// Schedules.
    OfSchedules Schedules;
}

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

/// What a cursor holds beside the id at which it stands.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CursorRest {
    /// The instant by which the list is ordered.
    a: i64,
    /// What `now` was.
    n: i64,
    /// What it belongs to.
    f: String,
}

impl<L: Filtered> FromRequestParts<ApiState> for ListQuery<L> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> ApiResult<Self> {
        let text = parts.uri.query().unwrap_or_default();
        let caller = parts.extensions.get::<Caller>().ok_or_else(Problem::internal)?;
        let searchable = searchable_of(state, caller, text.contains("q=")).await?;
        Self::read(text, state.engine.now(), &searchable)
    }
}

impl<L: Filtered> ListQuery<L> {
    fn read(text: &str, now: Timestamp, searchable: &Searchable) -> ApiResult<Self> {
        let mut parameters: BTreeMap<String, String> = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(text.as_bytes()) {
            let pointer = format!("/{name}");
            if parameters.insert(name.into_owned(), value.into_owned()).is_some() {
                return Err(Problem::fault(pointer, "query parameter: is there more than once"));
            }
        }
        let cursor = parameters.remove("cursor").map(|text| read_cursor::<L>(&text)).transpose()?;
        let now = cursor.as_ref().map_or(now, |(_, _, rest)| Timestamp(rest.n));
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
        let mut terms = match parameters.remove("q") {
            None => Vec::new(),
            Some(query) => read_query(L::LIST, &query, now, searchable)?,
        };
        for (name, value) in &parameters {
            let values: Vec<&str> = value.split(',').collect();
            terms.push(read_parameter(L::LIST, name, &values, now, "")?);
        }
        with_default_status(L::LIST, &mut terms);
        let search = Search { list: L::LIST, terms, sort: sort.to_owned(), order };
        let fingerprint = fingerprint(&search);
        let after = cursor.map(
            |(id, at, rest)| {
                if rest.f == fingerprint { Ok(Place { at, id }) } else { Err(bad_cursor()) }
            },
        );
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
    pub(crate) fn answer<K: Kind, R, T>(&self, listed: Listed<R>, each: impl FnMut(R) -> T) -> ListOf<T> {
        let next_cursor = listed.next.map(|place| {
            let rest = CursorRest { a: place.at, n: self.now.0, f: self.fingerprint.clone() };
            let rest = serde_json::to_vec(&rest).unwrap_or_default();
            format!("{}.{}", Id::<K>::from_uuid(place.id), URL_SAFE_NO_PAD.encode(rest))
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

/// Dead letters are the open ones where nobody says which.
pub(crate) fn with_default_status(list: SearchList, terms: &mut Vec<Term>) {
    if list == SearchList::DeadLetters && !terms.iter().any(|term| term.key == "status") {
        terms.push(Term::is("status", TermValue::Text("open".to_owned())));
    }
}

/// The term of a parameter; `prefix` is what its pointer begins with.
pub(crate) fn read_parameter(
    list: SearchList,
    name: &str,
    values: &[&str],
    now: Timestamp,
    prefix: &str,
) -> ApiResult<Term> {
    term_of_parameter(list, name, values, now).map_err(|fault| {
        let message = match fault {
            ParameterFault::Unknown => "unknown filter of this list".to_owned(),
            ParameterFault::Value(message) => message,
        };
        Problem::fault(format!("{prefix}/{name}"), message)
    })
}

/// The terms of a query.
pub(crate) fn read_query(
    list: SearchList,
    query: &str,
    now: Timestamp,
    searchable: &Searchable,
) -> ApiResult<Vec<Term>> {
    parse_query(list, query, now, searchable).map_err(|fault| {
        let place = QueryPlace { position: fault.position, length: fault.length, hint: fault.hint };
        Problem::query(Fault::new("/q", fault.message), place)
    })
}

/// What a query of a caller may name; nothing is looked up where there is no query.
pub(crate) async fn searchable_of(
    state: &ApiState,
    caller: &Caller,
    has_query: bool,
) -> ApiResult<Searchable> {
    Ok(if has_query { state.engine.searchable(caller).await? } else { Searchable::default() })
}

fn read_limit(text: Option<String>) -> ApiResult<u32> {
    let limit = text
        .map(|text| text.parse().map_err(|_| Problem::fault("/limit", "query parameter: expected a number")));
    page_limit(limit.transpose()?)
}

fn read_cursor<L: Filtered>(text: &str) -> ApiResult<(uuid::Uuid, i64, CursorRest)> {
    let read = || {
        let (id, rest) = text.split_once('.')?;
        let id = L::LIST.parse_id(id)?;
        let rest: CursorRest = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(rest).ok()?).ok()?;
        Some((id, rest.a, rest))
    };
    read().ok_or_else(bad_cursor)
}

fn bad_cursor() -> Problem {
    Problem::fault(
        "/cursor",
        "expected the nextCursor of an earlier page of this list, with the same filters and order",
    )
}

/// What a cursor belongs to: list, filters, order.
fn fingerprint(search: &Search) -> String {
    let text = serde_json::to_vec(search).unwrap_or_default();
    hex::encode(&Sha256::digest(&text)[..8])
}

impl<L: Filtered> IntoParams for ListQuery<L> {
    fn into_params(_parameter_in: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let mut parameters: Vec<Parameter> = L::LIST
            .fields()
            .iter()
            .map(|field| {
                let what = match field.kind {
                    FieldKind::Word(words) => format!("One of {}.", words.join(", ")),
                    FieldKind::Id(prefix, _) => format!("ID, {prefix}_ and 32 hex digits."),
                    FieldKind::Text(_) => "Exact text.".to_owned(),
                    FieldKind::Integer => "Whole number.".to_owned(),
                };
                let several = if field.is_many { " Several values are separated by commas." } else { "" };
                text_parameter(field.name, &format!("{what}{several}"))
            })
            .collect();
        for instant in L::LIST.instants() {
            let what = "an RFC 3339 instant, a date, now, or a time from now such as now-15m";
            parameters.push(text_parameter(&format!("{instant}After"), &format!("At or after {what}.")));
            parameters.push(text_parameter(&format!("{instant}Before"), &format!("Before {what}.")));
        }
        let first = L::LIST.instants()[0];
        parameters.push(text_parameter("from", &format!("The same as `{first}After`.")));
        parameters.push(text_parameter("to", &format!("The same as `{first}Before`.")));
        parameters.push(text_parameter(
            "q",
            &format!("Query, at most {QUERY_CODE_POINTS_MAX} characters. See the documentation of search."),
        ));
        let sorts = L::LIST.instants().join(", ");
        parameters
            .push(text_parameter("sort", &format!("Instant to order by: {sorts} (default `{first}`).")));
        parameters.push(text_parameter("order", "`asc` or `desc` (default `desc`)."));
        parameters.push(parameter("count", Type::Boolean, "Whether to count the matches, up to 10,000."));
        parameters.push(parameter("limit", Type::Integer, "Page size, 1 to 500 (default 50)."));
        parameters.push(text_parameter("cursor", "The `nextCursor` of the previous page."));
        parameters
    }
}

fn text_parameter(name: &str, description: &str) -> Parameter {
    parameter(name, Type::String, description)
}

fn parameter(name: &str, kind: Type, description: &str) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Query)
        .required(utoipa::openapi::Required::False)
        .description(Some(description))
        .schema(Some(ObjectBuilder::new().schema_type(kind)))
        .build()
}

#[cfg(test)]
mod tests {
    use domain::id::JobKind;

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
        let cursor = query.answer::<JobKind, _, _>(listed, |one| one).next_cursor.expect("there is more");
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
