//! The OpenAPI document: the routes' own parts, and what all of them share.

mod errors;
mod examples;
mod parameters;
mod patterns;

use axum::http::Method;
use domain::access::Role;
use utoipa::openapi::path::{Operation, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{ComponentsBuilder, OpenApi};
use utoipa::{OpenApi as _, PartialSchema, ToSchema};

use crate::gate::UNKEYED_CALLS;
use crate::problem::ProblemResponse;
use crate::rights::{Right, right_of};
use crate::routes;

/// The name of the bearer scheme in the document.
const API_KEY: &str = "apiKey";

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Trunkline",
        description = "Job queues and durable workflows. Errors are problem documents (RFC 9457) with a stable `code`. A 2xx \
                       response is sent only after the change is stored durably. Mutating calls accept \
                       `Idempotency-Key`.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    servers((url = "/", description = "The server that serves this document.")),
    tags(
        (name = "jobs", description = "Enqueue, inspect and change jobs."),
        (name = "workers", description = "Worker protocol: poll, complete, fail, heartbeat and release."),
        (name = "queues", description = "Queue statistics and modes."),
        (name = "limits", description = "Concurrency limits and rates."),
        (name = "workflows", description = "Workflow definitions and their immutable versions."),
        (name = "executions", description = "Workflow executions and commands on them."),
        (name = "user tasks", description = "Tasks that people complete for executions."),
        (name = "callbacks", description = "One-time callback URLs of waiting nodes."),
        (name = "schedules", description = "Cron schedules that start workflows."),
        (name = "webhooks", description = "Inbound webhook endpoints."),
        (name = "events", description = "Events, and the triggers that start workflows for them."),
        (name = "deliveries", description = "Webhook deliveries and replays."),
        (name = "dead letters", description = "Jobs that failed permanently."),
        (name = "bulk operations", description = "Changes to many objects, and their progress."),
        (name = "operations", description = "Workers, audit log and change events."),
        (name = "alerts", description = "Alerts, their rules, routes, silences and notifications."),
        (name = "access", description = "Tenants, API keys, secrets and quotas."),
        (name = "health", description = "Health probes."),
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
    let (_, mut open) = routes::open().merge(routes::edge()).merge(routes::hooks()).split_for_parts();
    for (path, item) in &mut guarded.paths.paths {
        let takes_key = !UNKEYED_CALLS.contains(&path.as_str());
        let operations = [
            (Method::GET, &mut item.get),
            (Method::POST, &mut item.post),
            (Method::PUT, &mut item.put),
            (Method::DELETE, &mut item.delete),
        ];
        for (method, operation) in operations {
            if let Some(operation) = operation {
                complete(operation, path, takes_key && method != Method::GET);
                describe_right(operation, &method, path);
            }
        }
    }
    for (path, item) in &mut open.paths.paths {
        for operation in [&mut item.get, &mut item.post].into_iter().flatten() {
            parameters::describe(operation, path);
            // Said in so many words, so that nobody takes a missing line for a forgotten one.
            operation.security.get_or_insert_default();
            errors::add_to_open(operation);
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
    errors::add_components(components);
    errors::share(components);
    patterns::add(components);
    examples::add(&mut document);
    document
}

/// Adds to the description who may make the call.
fn describe_right(operation: &mut Operation, method: &Method, path: &str) {
    let Some(right) = right_of(method, path, None) else { return };
    let text = match right {
        Right::Known => "Any valid API key may make this call.".to_owned(),
        Right::To(action) => {
            let mut roles: Vec<&str> =
                Role::ALL.into_iter().filter(|role| role.may(action.verb())).map(Role::as_str).collect();
            let last = roles.pop().unwrap_or_default();
            let others =
                if roles.is_empty() { String::new() } else { format!("`{}` or ", roles.join("`, `")) };
            format!("Action `{}`: requires role {others}`{last}`.", action.as_str())
        }
    };
    operation.description = Some(match operation.description.take() {
        Some(description) => format!("{description}\n\n{text}"),
        None => text,
    });
}

/// Adds what every call with a key has: the key, its failures, and for mutating ones the idempotency key.
fn complete(operation: &mut Operation, path: &str, takes_idempotency_key: bool) {
    operation.security = Some(vec![SecurityRequirement::new::<_, [&str; 0], &str>(API_KEY, [])]);
    errors::add_to_keyed(operation, path);
    parameters::describe(operation, path);
    if takes_idempotency_key {
        let parameter = ParameterBuilder::new()
            .name("Idempotency-Key")
            .parameter_in(ParameterIn::Header)
            .description(Some("Retries with the same key and body get the first response."))
            .schema(Some(ObjectBuilder::new().schema_type(Type::String).max_length(Some(200))))
            .build();
        operation.parameters.get_or_insert_default().push(parameter.into());
    }
}
