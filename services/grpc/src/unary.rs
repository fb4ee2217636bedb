//! Unary calls: each is carried out as the call of REST that it mirrors.

use std::fmt::Write as _;
use std::sync::LazyLock;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Method, Response, Uri};
use bytes::Buf as _;
use domain::error::Fault;
use prost::Message as _;
use prost_reflect::{DynamicMessage, Kind, MessageDescriptor, Value};
use tonic::Status;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::metadata::MetadataMap;
use tower::ServiceExt as _;

use crate::contract::{Call, Contract, Piece};
use crate::door::Head;
use crate::{json, status, wire};

/// Headers of answers that callers get to see.
const ANSWERED: [&str; 2] = ["x-request-id", "idempotency-replayed"];

/// Carries a call out.
pub(crate) async fn carry_out(
    call: &Call,
    rest: Router,
    head: &Head,
    message: &DynamicMessage,
) -> Result<tonic::Response<DynamicMessage>, Status> {
    let response = ask(call, rest, head, message).await?;
    answer(call, response).await
}

/// What REST answers to the call that a message stands for. A refusal is a status.
pub(crate) async fn ask(
    call: &Call,
    rest: Router,
    head: &Head,
    message: &DynamicMessage,
) -> Result<Response<Body>, Status> {
    let uri = uri_of(call, message).map_err(status::of_fault)?;
    let body = body_of(call, message).map_err(status::of_fault)?;
    let mut request = head.request(call.method.clone(), uri, Body::empty());
    if let Some((media_type, text)) = body {
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        *request.body_mut() = Body::from(text);
    }
    let Ok(response) = rest.oneshot(request).await;
    if !response.status().is_success() {
        return Err(status::of_answer(response).await);
    }
    Ok(response)
}

/// The call of REST as which a message is carried out: its address, and its body where it has one.
///
/// `path` is that of the method, such as `/trunkline.v1.JobService/Get`; `None` where it mirrors no call or the bytes are no
/// message of it. For fuzzing, which reads any bytes with it; the server reads its messages once, as they come.
pub fn mirrored_request(path: &str, message: &[u8]) -> Option<Result<(Uri, Option<String>), Fault>> {
    static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::read);
    let call = CONTRACT.call(path)?;
    let message = DynamicMessage::decode(call.input.clone(), message).ok()?;
    Some(uri_of(call, &message).and_then(|uri| Ok((uri, body_of(call, &message)?.map(|(_, text)| text)))))
}

fn uri_of(call: &Call, message: &DynamicMessage) -> Result<Uri, Fault> {
    let mut target = String::new();
    for piece in &call.path {
        match piece {
            Piece::Text(text) => target.push_str(text),
            Piece::Field(field) => {
                let text = json::text_of(&message.get_field(field));
                // A path that lacks a part is another call.
                if text.is_empty() || text == "." || text == ".." {
                    return Err(Fault::new(format!("/{}", field.json_name()), "is required"));
                }
                push_segment(&text, &mut target);
            }
        }
    }
    let mut query = form_urlencoded::Serializer::new(call.fixed_query.clone());
    for field in call.query.iter().filter(|field| message.has_field(field)) {
        query.append_pair(field.json_name(), &json::text_of(&message.get_field(field)));
    }
    let query = query.finish();
    if !query.is_empty() {
        target.push('?');
        target.push_str(&query);
    }
    target.parse().map_err(|_| Fault::new("", "the parameters are too long"))
}

/// Writes what may stand in a segment of a path as it is, and all else in hex.
fn push_segment(text: &str, out: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            // Text takes whatever is written to it.
            let _ = write!(out, "%{byte:02X}");
        }
    }
}

/// The body with its media type; `None` for a call that takes none.
fn body_of(call: &Call, message: &DynamicMessage) -> Result<Option<(&'static str, String)>, Fault> {
    const JSON: &str = "application/json";
    if let Some(field) = &call.body {
        let value = message.get_field(field);
        // A definition may be JSON or YAML: REST reads both as they are.
        if let (Value::Bytes(bytes), Kind::Bytes) = (value.as_ref(), field.kind()) {
            let text = std::str::from_utf8(bytes)
                .map_err(|_| Fault::new(format!("/{}", field.json_name()), "expected UTF-8"))?;
            let is_json = text.trim_start().starts_with('{');
            return Ok(Some((if is_json { JSON } else { "application/yaml" }, text.to_owned())));
        }
        let mut text = String::new();
        json::write_value(&value, &mut text)?;
        return Ok(Some((JSON, text)));
    }
    if call.body_fields.is_empty() || call.method == Method::GET || call.method == Method::DELETE {
        return Ok(None);
    }
    let mut text = String::new();
    json::write_fields(message, call.body_fields.iter(), &mut text)?;
    Ok(Some((JSON, text)))
}

async fn answer(call: &Call, response: Response<Body>) -> Result<tonic::Response<DynamicMessage>, Status> {
    let (parts, body) = response.into_parts();
    let bytes =
        to_bytes(body, usize::MAX).await.map_err(|_| Status::internal("The response is incomplete."))?;
    let message = match &call.answer {
        Some(field) => json::read_field(&call.output, field, &bytes),
        None if bytes.is_empty() => Ok(DynamicMessage::new(call.output.clone())),
        None => json::read(&call.output, &bytes),
    };
    let message = message.map_err(|error| {
        tracing::error!(
            error = &error as &dyn std::error::Error,
            message = call.output.name(),
            "a REST response does not match the gRPC contract"
        );
        status::of_problem(engine::Problem::internal())
    })?;
    let mut kept = axum::http::HeaderMap::new();
    for name in ANSWERED {
        if let Some(value) = parts.headers.get(name) {
            kept.insert(name, value.clone());
        }
    }
    let mut answer = tonic::Response::new(message);
    *answer.metadata_mut() = MetadataMap::from_headers(kept);
    // Among them is the room that REST counts a large answer in.
    *answer.extensions_mut() = parts.extensions;
    Ok(answer)
}

// Messages whose types are known at run time only.

/// Reads messages of one type.
pub(crate) struct DynamicCodec {
    input: MessageDescriptor,
}

impl DynamicCodec {
    pub(crate) fn reading(input: MessageDescriptor) -> Self {
        Self { input }
    }
}

/// Reads.
pub(crate) struct DynamicDecoder(MessageDescriptor);

/// Writes.
pub(crate) struct DynamicEncoder;

impl Codec for DynamicCodec {
    type Encode = DynamicMessage;
    type Decode = DynamicMessage;
    type Encoder = DynamicEncoder;
    type Decoder = DynamicDecoder;

    fn encoder(&mut self) -> DynamicEncoder {
        DynamicEncoder
    }

    fn decoder(&mut self) -> DynamicDecoder {
        DynamicDecoder(self.input.clone())
    }
}

impl Decoder for DynamicDecoder {
    type Item = DynamicMessage;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<DynamicMessage>, Status> {
        // A message is in one piece.
        wire::check(&self.0, buffer.chunk())?;
        DynamicMessage::decode(self.0.clone(), buffer)
            .map(Some)
            .map_err(|error| Status::invalid_argument(format!("The message cannot be read: {error}.")))
    }
}

impl Encoder for DynamicEncoder {
    type Item = DynamicMessage;
    type Error = Status;

    fn encode(&mut self, message: DynamicMessage, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        message.encode(buffer).map_err(|error| Status::internal(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(call: &Call, json: &str) -> DynamicMessage {
        json::read(&call.input, json.as_bytes()).expect("a message")
    }

    #[test]
    fn a_message_becomes_path_query_and_body() {
        let contract = Contract::read();
        let call = |name: &str| contract.call(&format!("/trunkline.v1.{name}")).expect("a method");
        let signal = call("ExecutionService/Signal");
        let sent = message(signal, r#"{"id":"exe_1","name":"a b/c","payload":{"n":12345678901234567890}}"#);
        assert_eq!(
            uri_of(signal, &sent).expect("an address").to_string(),
            "/v1/executions/exe_1/signals/a%20b%2Fc"
        );
        let (media_type, body) = body_of(signal, &sent).expect("valid").expect("a body");
        assert_eq!(
            (media_type, body.as_str()),
            ("application/json", r#"{"payload":{"n":12345678901234567890}}"#)
        );

        let list = call("JobService/List");
        let sent = message(list, r#"{"jobType":"a&b","limit":0}"#);
        assert_eq!(uri_of(list, &sent).expect("an address").to_string(), "/v1/jobs?jobType=a%26b&limit=0");

        let wait = call("JobService/Wait");
        let sent = message(wait, r#"{"id":"job_1","timeout":"5s"}"#);
        assert_eq!(
            uri_of(wait, &sent).expect("an address").to_string(),
            "/v1/jobs/job_1?wait=true&timeout=5s"
        );
        let fault = uri_of(wait, &message(wait, "{}")).expect_err("no id");
        assert_eq!(fault.pointer, "/id");
    }

    #[test]
    fn payloads_cannot_add_fields() {
        let contract = Contract::read();
        let call = contract.call("/trunkline.v1.JobService/Enqueue").expect("a method");
        let mut sent = message(call, r#"{"jobType":"a","maxRetries":0}"#);
        let (_, body) = body_of(call, &sent).expect("valid").expect("a body");
        assert_eq!(body, r#"{"jobType":"a","maxRetries":0}"#);
        sent.set_field_by_name("data", Value::Bytes(br#"1,"tenant":"acme""#.as_slice().into()));
        assert_eq!(body_of(call, &sent).expect_err("no JSON value").pointer, "/data");
    }
}
