//! The contract as data: its methods, and the calls of REST that they mirror.

use std::collections::HashMap;

use axum::http::Method;
use prost_reflect::{
    DescriptorPool, ExtensionDescriptor, FieldDescriptor, MessageDescriptor, MethodDescriptor, Value,
};

use crate::door::RestCall;
use crate::proto::Rest;

/// All descriptors of the contract, for reflection and for tools.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/trunkline.bin"));

/// Methods that mirror a call of REST, by their paths.
pub(crate) struct Contract {
    /// The services' full names.
    pub(crate) services: Vec<String>,
    calls: HashMap<String, Call>,
    from_worker: MessageDescriptor,
}

/// A method, and how it becomes a call of REST.
pub(crate) struct Call {
    pub(crate) input: MessageDescriptor,
    pub(crate) output: MessageDescriptor,
    pub(crate) method: Method,
    /// The path of REST, with parameters in braces.
    pub(crate) route: String,
    pub(crate) path: Vec<Piece>,
    pub(crate) query: Vec<FieldDescriptor>,
    pub(crate) fixed_query: String,
    /// The field that is the body as a whole.
    pub(crate) body: Option<FieldDescriptor>,
    /// The fields that the body is made of otherwise.
    pub(crate) body_fields: Vec<FieldDescriptor>,
    /// The field that holds all of REST's answer.
    pub(crate) answer: Option<FieldDescriptor>,
    /// Whether the answer is a stream of messages: server-sent events in REST.
    pub(crate) is_stream: bool,
}

/// A piece of a path.
pub(crate) enum Piece {
    Text(String),
    Field(FieldDescriptor),
}

/// A method of the contract and the call of REST that it mirrors, for those who compare the two.
#[derive(Debug, Clone)]
pub struct MirroredCall {
    /// Service and method, such as `JobService.Get`.
    pub name: String,
    /// Method and path of REST.
    pub call: String,
    /// Names of path and query parameters, and those of the body's fields, in camelCase.
    pub path: Vec<String>,
    /// Query parameters, fixed ones included.
    pub query: Vec<String>,
    /// The fields of the body.
    pub body: Vec<FieldDescriptor>,
    /// Whether the body is one field as a whole.
    pub is_body_whole: bool,
    /// The answer.
    pub output: MessageDescriptor,
    /// The field that holds all of the answer.
    pub answer: Option<FieldDescriptor>,
}

impl Contract {
    pub(crate) fn read() -> Self {
        let pool = pool();
        let rest = extension(&pool);
        let services = pool.services().map(|service| service.full_name().to_owned()).collect();
        let methods = pool.services().flat_map(|service| service.methods().collect::<Vec<_>>());
        let calls = methods.filter_map(|method| {
            let path = format!("/{}/{}", method.parent_service().full_name(), method.name());
            Some((path, Call::of(&method, &mirrored(&method, &rest)?)))
        });
        let from_worker =
            pool.get_message_by_name("trunkline.v1.FromWorker").expect("worker.proto defines it");
        Self { services, calls: calls.collect(), from_worker }
    }

    /// What workers send on their streams.
    pub(crate) const fn message_of_worker(&self) -> &MessageDescriptor {
        &self.from_worker
    }

    /// The method at a path.
    pub(crate) fn call(&self, path: &str) -> Option<&Call> {
        self.calls.get(path)
    }
}

/// All methods that mirror a call of REST.
pub fn mirrored_calls() -> Vec<MirroredCall> {
    let pool = pool();
    let rest = extension(&pool);
    let methods = pool.services().flat_map(|service| service.methods().collect::<Vec<_>>());
    methods
        .filter_map(|method| {
            let rest = mirrored(&method, &rest)?;
            let call = Call::of(&method, &rest);
            let name = |field: &FieldDescriptor| field.json_name().to_owned();
            let fixed =
                form_urlencoded::parse(rest.fixed_query.as_bytes()).map(|(name, _)| name.into_owned());
            let in_path = call.path.iter().filter_map(|piece| match piece {
                Piece::Field(field) => Some(name(field)),
                Piece::Text(_) => None,
            });
            Some(MirroredCall {
                name: format!("{}.{}", method.parent_service().name(), method.name()),
                path: in_path.collect(),
                query: call.query.iter().map(name).chain(fixed).collect(),
                is_body_whole: call.body.is_some(),
                body: call.body.clone().map_or(call.body_fields.clone(), |field| vec![field]),
                output: call.output,
                answer: call.answer,
                call: rest.call,
            })
        })
        .collect()
}

fn pool() -> DescriptorPool {
    DescriptorPool::decode(DESCRIPTORS).expect("the build made the descriptors")
}

fn extension(pool: &DescriptorPool) -> ExtensionDescriptor {
    pool.get_extension_by_name("trunkline.v1.rest").expect("rest.proto defines it")
}

fn mirrored(method: &MethodDescriptor, extension: &ExtensionDescriptor) -> Option<Rest> {
    let options = method.options();
    if !options.has_extension(extension) {
        return None;
    }
    match options.get_extension(extension).as_ref() {
        Value::Message(message) => message.transcode_to().ok(),
        _ => None,
    }
}

impl Call {
    /// The call of REST that it mirrors.
    pub(crate) fn rest(&self) -> RestCall<'_> {
        RestCall { method: &self.method, path: &self.route, query: &self.fixed_query }
    }

    /// Panics where the contract names a field that is not there: tests read all of it.
    fn of(method: &MethodDescriptor, rest: &Rest) -> Self {
        let (input, output) = (method.input(), method.output());
        let field = |name: &str| {
            let found = input.get_field_by_json_name(name);
            found.unwrap_or_else(|| panic!("{} has no field {name}", input.name()))
        };
        let (verb, route) = rest.call.split_once(' ').expect("a method and a path");
        let path = pieces(route, field);
        let query: Vec<FieldDescriptor> = rest.query.iter().map(|name| field(name)).collect();
        let body = (!rest.body.is_empty()).then(|| field(&rest.body));
        let is_elsewhere = |field: &FieldDescriptor| {
            query.contains(field) || path.iter().any(|piece| matches!(piece, Piece::Field(at) if at == field))
        };
        let body_fields = match body {
            Some(_) => Vec::new(),
            None => input.fields().filter(|field| !is_elsewhere(field)).collect(),
        };
        let answer = output.get_field_by_json_name(&rest.answer);
        Self {
            method: verb.parse().expect("a method of HTTP"),
            route: route.to_owned(),
            fixed_query: rest.fixed_query.clone(),
            input: input.clone(),
            output,
            path,
            query,
            body,
            body_fields,
            answer,
            is_stream: method.is_server_streaming(),
        }
    }
}

fn pieces(path: &str, field: impl Fn(&str) -> FieldDescriptor) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = path;
    while let Some((text, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').expect("a closed parameter");
        pieces.push(Piece::Text(text.to_owned()));
        pieces.push(Piece::Field(field(name)));
        rest = after;
    }
    pieces.push(Piece::Text(rest.to_owned()));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_of_the_contract_can_be_read() {
        let contract = Contract::read();
        assert!(contract.calls.len() > 100, "{}", contract.calls.len());
        let call = contract.call("/trunkline.v1.ExecutionService/Signal").expect("a method");
        assert_eq!(call.method, Method::POST);
        assert_eq!(call.path.len(), 5);
        assert_eq!(call.body_fields.iter().map(FieldDescriptor::name).collect::<Vec<_>>(), ["payload"]);
        assert!(contract.call("/trunkline.v1.WorkerService/Connect").is_none(), "it mirrors nothing");
        let streams = contract.calls.values().filter(|call| call.is_stream);
        assert_eq!(streams.map(|call| call.route.as_str()).collect::<Vec<_>>(), ["/v1/events"]);
    }
}
