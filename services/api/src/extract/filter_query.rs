//! The filters of a list as parameters: read as terms, and described.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::attribute::Searchable;
use domain::error::Fault;
use domain::search::{
    FieldKind, ListType, OfAudit, ParameterFault, QUERY_CODE_POINTS_MAX, SearchList, Term, TermValue,
    parse_query, term_of_parameter,
};
use domain::time::Timestamp;
use engine::Caller;
use utoipa::IntoParams;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};

use crate::problem::{ApiResult, Problem, QueryPlace};
use crate::state::ApiState;

/// The filters of a list without order and pages, for what shows all of it.
#[derive(Debug)]
pub(crate) struct FilterQuery<L> {
    /// What must match.
    pub(crate) terms: Vec<Term>,
    list: PhantomData<fn() -> L>,
}

/// The parameters of `/v1/audit/export`.
pub(crate) type AuditFilterQuery = FilterQuery<OfAudit>;

impl<L: ListType> FromRequestParts<ApiState> for FilterQuery<L> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> ApiResult<Self> {
        let text = parts.uri.query().unwrap_or_default();
        let caller = parts.extensions.get::<Caller>().ok_or_else(Problem::internal)?;
        let searchable = searchable_of(state, caller, text.contains("q=")).await?;
        let terms = read_terms(L::LIST, read_parameters(text)?, state.engine.now(), &searchable)?;
        Ok(Self { terms, list: PhantomData })
    }
}

/// Parameters by their names, each there once.
pub(super) fn read_parameters(text: &str) -> ApiResult<BTreeMap<String, String>> {
    let mut parameters: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in form_urlencoded::parse(text.as_bytes()) {
        let pointer = format!("/{name}");
        if parameters.insert(name.into_owned(), value.into_owned()).is_some() {
            return Err(Problem::fault(pointer, "query parameter: is given more than once"));
        }
    }
    Ok(parameters)
}

/// What the filters of a list ask for.
pub(super) fn read_terms(
    list: SearchList,
    mut parameters: BTreeMap<String, String>,
    now: Timestamp,
    searchable: &Searchable,
) -> ApiResult<Vec<Term>> {
    let mut terms = match parameters.remove("q") {
        None => Vec::new(),
        Some(query) => read_query(list, &query, now, searchable)?,
    };
    for (name, value) in &parameters {
        let values: Vec<&str> = value.split(',').collect();
        terms.push(read_parameter(list, name, &values, now, "")?);
    }
    Ok(terms)
}

/// Dead letters and user tasks are the open ones where nobody says which.
pub(crate) fn with_default_status(list: SearchList, terms: &mut Vec<Term>) {
    if matches!(list, SearchList::DeadLetters | SearchList::UserTasks)
        && !terms.iter().any(|term| term.key == "status")
    {
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

impl<L: ListType> IntoParams for FilterQuery<L> {
    fn into_params(_parameter_in: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let mut parameters: Vec<Parameter> = L::LIST
            .fields()
            .iter()
            .map(|field| {
                let what = match field.kind {
                    FieldKind::Word(words) => format!("One of {}.", words.join(", ")),
                    FieldKind::Id(prefix, _) => format!("ID: `{prefix}_` and 32 hexadecimal digits."),
                    FieldKind::Text(_) => "Exact match.".to_owned(),
                    FieldKind::Integer => "Integer.".to_owned(),
                };
                let several = if field.is_many { " Several values are separated by commas." } else { "" };
                text_parameter(field.name, &format!("{what}{several}"))
            })
            .collect();
        for instant in L::LIST.instants() {
            let what = "this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`";
            parameters.push(text_parameter(&format!("{instant}After"), &format!("At or after {what}.")));
            parameters.push(text_parameter(&format!("{instant}Before"), &format!("Before {what}.")));
        }
        let first = L::LIST.instants()[0];
        parameters.push(text_parameter("from", &format!("Same as `{first}After`.")));
        parameters.push(text_parameter("to", &format!("Same as `{first}Before`.")));
        parameters.push(text_parameter(
            "q",
            &format!(
                "Search query, at most {QUERY_CODE_POINTS_MAX} characters. See the search documentation."
            ),
        ));
        parameters
    }
}

pub(super) fn text_parameter(name: &str, description: &str) -> Parameter {
    parameter(name, Type::String, description)
}

pub(super) fn parameter(name: &str, kind: Type, description: &str) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Query)
        .required(utoipa::openapi::Required::False)
        .description(Some(description))
        .schema(Some(ObjectBuilder::new().schema_type(kind)))
        .build()
}
