//! The OpenAPI document: the routes' own parts, and what all of them share.

use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::{Operation, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{ComponentsBuilder, ContentBuilder, OpenApi, Ref, ResponseBuilder};
use utoipa::{OpenApi as _, PartialSchema, ToSchema};

use crate::gate::UNKEYED_CALLS;
use crate::problem::{PROBLEM_JSON, ProblemResponse};
use crate::routes;

/// The name of the bearer scheme in the document.
const API_KEY: &str = "apiKey";

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Trunkline",
        description = "Jobs and workflows. Errors are problem documents (RFC 9457) with a stable `code`. A 2xx is sent \
                       only after what it promises is stored durably. Mutating calls take `Idempotency-Key`.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    tags(
        (name = "jobs", description = "Stand-alone jobs, and a look at the jobs of all queues."),
        (name = "workers", description = "What workers call."),
        (name = "queues", description = "The four queues."),
        (name = "limits", description = "How many jobs are processed at once."),
        (name = "workflows", description = "Versions of workflows, which never change."),
        (name = "executions", description = "Runs of workflows, and commands to them."),
        (name = "user tasks", description = "What people have to do for executions."),
        (name = "callbacks", description = "The one-time addresses that nodes wait at."),
        (name = "schedules", description = "Workflows that the clock starts."),
        (name = "webhooks", description = "Endpoints that others send signed requests to."),
        (name = "deliveries", description = "What came to webhooks, and replays of it."),
        (name = "dead letters", description = "Jobs that failed for good."),
        (name = "operations", description = "Workers, the audit log, changes."),
        (name = "access", description = "Tenants and API keys."),
        (name = "health", description = "For probes."),
    )
)]
struct Document;

/// The OpenAPI document as JSON.
pub fn openapi_json() -> String {
    // A document that is made of strings and maps always encodes.
    openapi().to_pretty_json().unwrap_or_default()
}

/// The OpenAPI document.
fn openapi() -> OpenApi {
    let (_, mut guarded) = routes::guarded().split_for_parts();
    let (_, open) = routes::open().merge(routes::edge()).merge(routes::hooks()).split_for_parts();
    for (path, item) in &mut guarded.paths.paths {
        for operation in [&mut item.get].into_iter().flatten() {
            complete(operation, false);
        }
        let takes_key = !UNKEYED_CALLS.contains(&path.as_str());
        for operation in [&mut item.post, &mut item.put, &mut item.delete].into_iter().flatten() {
            complete(operation, takes_key);
        }
    }
    let mut document = Document::openapi();
    document.merge(guarded);
    document.merge(open);
    let mut schemas = Vec::new();
    ProblemResponse::schemas(&mut schemas);
    let shared = ComponentsBuilder::new()
        .schema("Problem", ProblemResponse::schema())
        .schemas_from_iter(schemas)
        .security_scheme(
            API_KEY,
            SecurityScheme::Http(
                HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("tl_…").build(),
            ),
        )
        .build();
    let components = document.components.get_or_insert_default();
    components.schemas.extend(shared.schemas);
    components.security_schemes.extend(shared.security_schemes);
    document
}

/// Adds what every call has: the key, the problem, and for mutating ones the idempotency key.
fn complete(operation: &mut Operation, takes_idempotency_key: bool) {
    operation.security = Some(vec![SecurityRequirement::new::<_, [&str; 0], &str>(API_KEY, [])]);
    let retry_after = HeaderBuilder::new()
        .schema(Some(ObjectBuilder::new().schema_type(Type::Integer)))
        .description(Some("Seconds to wait, with 429, 503 and some 409."))
        .build();
    let problem = ResponseBuilder::new()
        .description("What went wrong.")
        .content(PROBLEM_JSON, ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build())
        .header("Retry-After", retry_after)
        .build();
    operation.responses.responses.insert("default".to_owned(), problem.into());
    if takes_idempotency_key {
        let parameter = ParameterBuilder::new()
            .name("Idempotency-Key")
            .parameter_in(ParameterIn::Header)
            .description(Some("Repeats with the same key and body get the first answer."))
            .schema(Some(ObjectBuilder::new().schema_type(Type::String).max_length(Some(200))))
            .build();
        operation.parameters.get_or_insert_default().push(parameter.into());
    }
}
