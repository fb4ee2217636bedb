//! The contract as data: its methods, by the calls of REST that they mirror.

use std::collections::HashMap;
use std::sync::OnceLock;

use bytes::Bytes;
use prost_reflect::{
    DescriptorPool, DynamicMessage, ExtensionDescriptor, FieldDescriptor, Kind, MessageDescriptor,
    MethodDescriptor, Value,
};

use super::proto::Rest;
use super::read;
use crate::error::ClientError;
use crate::transport::Request;

const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/trunkline.bin"));

/// Methods by the verb of their call and the number of segments of its path.
pub(super) struct Contract {
    pool: DescriptorPool,
    methods: HashMap<(String, usize), Vec<Method>>,
}

/// A method, and the call that it mirrors.
pub(super) struct Method {
    /// Its path in gRPC.
    pub(super) path: String,
    input: MessageDescriptor,
    pub(super) output: MessageDescriptor,
    segments: Vec<String>,
    fixed_query: Vec<(String, String)>,
    rest: Rest,
}

/// The contract.
pub(super) fn contract() -> &'static Contract {
    static CONTRACT: OnceLock<Contract> = OnceLock::new();
    CONTRACT.get_or_init(Contract::read)
}

impl Contract {
    fn read() -> Self {
        let pool = DescriptorPool::decode(DESCRIPTORS).expect("the build made the descriptors");
        let rest = pool.get_extension_by_name("trunkline.v1.rest").expect("rest.proto defines it");
        let mut methods: HashMap<_, Vec<Method>> = HashMap::new();
        for method in pool.services().flat_map(|service| service.methods().collect::<Vec<_>>()) {
            if let Some((verb, method)) = Method::of(&method, &rest) {
                methods.entry((verb, method.segments.len())).or_default().push(method);
            }
        }
        Self { pool, methods }
    }

    /// The method that mirrors a call: of several, the one whose fixed query says most.
    pub(super) fn find(&self, request: &Request) -> Result<&Method, ClientError> {
        let segments: Vec<&str> = request.path.split('/').collect();
        let candidates = self.methods.get(&(request.method.to_owned(), segments.len()));
        let fitting =
            candidates.into_iter().flatten().filter(|method| method.fits(&segments, &request.query));
        // A segment that is a word goes before a parameter: /v1/jobs/poll is no job.
        let best = fitting.max_by_key(|method| (method.fixed_query.len(), method.words()));
        best.ok_or_else(|| only_rest(request.name))
    }

    /// A message of the contract.
    pub(super) fn message(&self, name: &str) -> MessageDescriptor {
        let found = self.pool.get_message_by_name(&format!("trunkline.v1.{name}"));
        found.expect("the contract has the messages of streams")
    }
}

/// What calls fail with that gRPC does not have.
pub(super) fn only_rest(call: &str) -> ClientError {
    ClientError::Configuration(format!(
        "{call}: this is over REST only; use a client with TRUNKLINE_TRANSPORT=rest for it"
    ))
}

impl Method {
    fn of(method: &MethodDescriptor, extension: &ExtensionDescriptor) -> Option<(String, Self)> {
        let options = method.options();
        if !options.has_extension(extension) {
            return None;
        }
        let rest: Rest = match options.get_extension(extension).as_ref() {
            Value::Message(message) => message.transcode_to().ok()?,
            _ => return None,
        };
        let (verb, path) = rest.call.split_once(' ')?;
        let pair = |text: &str| text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        let own = Self {
            path: format!("/{}/{}", method.parent_service().full_name(), method.name()),
            input: method.input(),
            output: method.output(),
            segments: path.split('/').map(str::to_owned).collect(),
            fixed_query: rest.fixed_query.split('&').filter_map(pair).collect(),
            rest: rest.clone(),
        };
        Some((verb.to_owned(), own))
    }

    fn words(&self) -> usize {
        self.segments.iter().filter(|segment| parameter(segment).is_none()).count()
    }

    fn fits(&self, segments: &[&str], query: &[(String, String)]) -> bool {
        let mut pairs = self.segments.iter().zip(segments);
        pairs.all(|(own, given)| parameter(own).is_some() || own == given)
            && self.fixed_query.iter().all(|pair| query.contains(pair))
    }

    /// The message of a call.
    pub(super) fn input(&self, request: &Request) -> Result<DynamicMessage, ClientError> {
        let wrong = |error| ClientError::json(request.name, error);
        let mut message = match request.body.as_deref() {
            Some(body) if self.rest.body.is_empty() => read::read(&self.input, body).map_err(wrong)?,
            _ => DynamicMessage::new(self.input.clone()),
        };
        let field =
            |name: &str| self.input.get_field_by_json_name(name).ok_or_else(|| only_rest(request.name));
        if let (Some(body), false) = (request.body.as_deref(), self.rest.body.is_empty()) {
            read::set_field(&mut message, &field(&self.rest.body)?, body).map_err(wrong)?;
        }
        for (own, given) in self.segments.iter().zip(request.path.split('/')) {
            if let Some(name) = parameter(own) {
                set_text(&mut message, &field(name)?, &unescape(given)).map_err(wrong)?;
            }
        }
        for (name, value) in &request.query {
            if self.fixed_query.iter().any(|(fixed, _)| fixed == name) {
                continue;
            }
            if !self.rest.query.contains(name) {
                return Err(only_rest(&format!("{} with {name}", request.name)));
            }
            set_text(&mut message, &field(name)?, value).map_err(wrong)?;
        }
        Ok(message)
    }

    /// The answer of a call as that of REST.
    pub(super) fn answer(&self, message: &DynamicMessage) -> Bytes {
        let mut out = String::new();
        match self.output.get_field_by_json_name(&self.rest.answer) {
            Some(field) => read::write_field(message, &field, &mut out),
            None => read::write(message, &mut out),
        }
        out.into()
    }
}

fn parameter(segment: &str) -> Option<&str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

fn set_text(
    message: &mut DynamicMessage,
    field: &FieldDescriptor,
    text: &str,
) -> Result<(), serde_json::Error> {
    if matches!(field.kind(), Kind::String) {
        message.set_field(field, Value::String(text.to_owned()));
        return Ok(());
    }
    read::set_field(message, field, text.as_bytes())
}

/// Undoes what [`crate::transport::segment`] does.
fn unescape(segment: &str) -> String {
    let bytes = segment.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = segment.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{contract, unescape};
    use crate::transport::{Request, segment};

    fn found(method: &'static str, path: &str, query: &[(&str, &str)]) -> Option<String> {
        let mut request = Request::new("x", method, path);
        request.query = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        contract().find(&request).ok().map(|method| method.path.replace("/trunkline.v1.", ""))
    }

    #[test]
    fn calls_of_rest_find_their_methods() {
        let wait = [("wait", "true"), ("timeout", "5s")];
        assert_eq!(found("POST", "/v1/jobs", &[]).as_deref(), Some("JobService/Enqueue"));
        assert_eq!(found("GET", "/v1/jobs/job_1", &[]).as_deref(), Some("JobService/Get"));
        assert_eq!(found("GET", "/v1/jobs/job_1", &wait).as_deref(), Some("JobService/Wait"));
        assert_eq!(found("POST", "/v1/jobs/poll", &[]).as_deref(), Some("WorkerService/Poll"));
        assert_eq!(found("GET", "/v1/events", &[]).as_deref(), Some("EventService/Watch"));
        assert_eq!(found("GET", "/v1/session", &[]), None);
    }

    #[test]
    fn a_request_becomes_a_message_and_an_answer_json() {
        let mut request = Request::new("signalExecution", "POST", "/v1/executions/exe_1/signals/a%2Fb");
        request.body = Some(r#"{"payload":{"n":12345678901234567890},"ofTomorrow":1}"#.into());
        let method = contract().find(&request).expect("a method");
        let message = method.input(&request).expect("a message");
        let mut text = String::new();
        super::super::read::write(&message, &mut text);
        assert_eq!(text, r#"{"id":"exe_1","name":"a/b","payload":{"n":12345678901234567890}}"#);
        assert_eq!(unescape(&segment("a b/č%")), "a b/č%");
    }
}
