//! Answers of failed calls: shared components, and the statuses that an operation may answer.

use std::collections::BTreeMap;

use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{ArrayItems, ObjectBuilder, Schema, Type};
use utoipa::openapi::{Components, ContentBuilder, Ref, RefOr, Response, ResponseBuilder};

use crate::problem::PROBLEM_JSON;

/// A status that calls fail with.
struct Failure {
    status: &'static str,
    /// The name of its component.
    name: &'static str,
    description: &'static str,
}

/// Any status that has no line of its own.
const OTHER: Failure = Failure { status: "default", name: "Error", description: "Error." };
const BAD_REQUEST: Failure = Failure {
    status: "400",
    name: "BadRequest",
    description: "The request is not valid HTTP or JSON, or does not name its host exactly once.",
};
const NOT_FOUND: Failure = Failure {
    status: "404",
    name: "NotFound",
    description: "The object does not exist, or the key may not see it.",
};
/// Those of calls with a key.
const OF_KEYED_CALLS: &[Failure] = &[
    Failure {
        status: "401",
        name: "Unauthorized",
        description: "The API key is missing, unknown, expired or revoked.",
    },
    Failure {
        status: "403",
        name: "Forbidden",
        description: "The key's role or scopes do not allow the call.",
    },
    Failure {
        status: "422",
        name: "Invalid",
        description: "The request is invalid; `errors` has a pointer and a message for each error.",
    },
    Failure {
        status: "429",
        name: "TooManyRequests",
        description: "A rate limit, the limit of waiting calls, or a quota is exceeded.",
    },
    Failure {
        status: "503",
        name: "Unavailable",
        description: "The server cannot process the request now; retry it later.",
    },
];

/// The answers as components.
pub(super) fn add_components(components: &mut Components) {
    for failure in [&OTHER, &BAD_REQUEST, &NOT_FOUND].into_iter().chain(OF_KEYED_CALLS) {
        components.responses.insert(failure.name.to_owned(), problem(failure).into());
    }
}

/// Names what a call with a key can fail with. `path` is the operation's.
pub(super) fn add_to_keyed(operation: &mut Operation, path: &str) {
    let names_an_object = path.contains('{');
    for failure in OF_KEYED_CALLS.iter().chain(names_an_object.then_some(&NOT_FOUND)).chain([&OTHER]) {
        add(operation, failure);
    }
}

/// Names what a call without a key can fail with.
pub(super) fn add_to_open(operation: &mut Operation) {
    add(operation, &BAD_REQUEST);
}

/// An answer that the operation describes by itself stays.
fn add(operation: &mut Operation, failure: &Failure) {
    let answer = || Ref::from_response_name(failure.name).into();
    operation.responses.responses.entry(failure.status.to_owned()).or_insert_with(answer);
}

fn problem(failure: &Failure) -> Response {
    let retry_after = HeaderBuilder::new()
        .schema(Some(ObjectBuilder::new().schema_type(Type::Integer)))
        .description(Some("Seconds to wait before a retry; with 429, 503 and some 409 responses."))
        .build();
    ResponseBuilder::new()
        .description(failure.description)
        .content(PROBLEM_JSON, ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build())
        .header("Retry-After", retry_after)
        .build()
}

// Schemas that stand within others are replaced with a reference to the component that is the same.
//
// Lists of a generic type have their items written out, so that generated clients would have two types for one thing.

/// Replaces the properties of all components, and the items of those that are lists.
pub(super) fn share(components: &mut Components) {
    let known: BTreeMap<String, RefOr<Schema>> = components.schemas.clone().into_iter().collect();
    for schema in components.schemas.values_mut() {
        if let RefOr::T(Schema::Object(object)) = schema {
            object.properties.values_mut().for_each(|property| replace(property, &known));
        }
    }
}

fn replace(schema: &mut RefOr<Schema>, known: &BTreeMap<String, RefOr<Schema>>) {
    match schema {
        RefOr::T(Schema::Array(array)) => {
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                replace(items, known);
            }
        }
        RefOr::T(Schema::Object(object)) if !object.properties.is_empty() => {
            if let Some((name, _)) = known.iter().find(|(_, component)| *component == schema) {
                *schema = Ref::from_schema_name(name).into();
            }
        }
        _ => {}
    }
}
