//! The `request` and `expect` of an `HTTP` node, and what is done for each item of a list.

use serde_json::Value;

use crate::workflow::expression::{SealedHeader, Template, TextPart};
use crate::workflow::parse::expressions::{Compiler, has_secret, object};
use crate::workflow::parse::fields::{Fields, did_you_mean, escape, kind};

/// The methods a request may have.
pub(crate) const METHODS: [&str; 6] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];

/// Reads `request` into one template, an object with `method`, `url`, `headers` and, where given, `body`, and the headers
/// with secrets in them.
pub(super) fn read_request(
    node: &Fields<'_>,
    compiler: &mut Compiler<'_>,
) -> Option<(Template, Vec<SealedHeader>)> {
    let value = node.required("request", compiler.faults)?;
    let request = Fields::of(value, node.at("request"), compiler.faults)?;
    request.refuse_unknown(&["method", "url", "headers", "body"], compiler.faults);
    let method = read_method(&request, compiler);
    let url = read_url(&request, compiler);
    let headers = read_headers(&request, compiler);
    let (headers, sealed) = headers.unzip();
    let body = request.get("body").map(|body| compiler.template(body, &request.at("body")));
    let mut fields =
        vec![("method".to_owned(), method?), ("url".to_owned(), url?), ("headers".to_owned(), headers?)];
    if let Some(body) = body {
        fields.push(("body".to_owned(), body?));
    }
    Some((object(fields), sealed?))
}

fn read_method(request: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<Template> {
    if request.get("method").is_none() {
        return Some(Template::Literal(Value::from("GET")));
    }
    let method = request.text("method", compiler.faults)?;
    if METHODS.contains(&method) {
        return Some(Template::Literal(Value::from(method)));
    }
    let hint = did_you_mean(method, METHODS);
    compiler.faults.add(request.at("method"), format!("expected one of {}{hint}", METHODS.join(", ")));
    None
}

fn read_url(request: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<Template> {
    request.required("url", compiler.faults)?;
    let text = request.text("url", compiler.faults)?;
    let url = compiler.template(&Value::from(text), &request.at("url"))?;
    let start = match &url {
        Template::Literal(Value::String(text)) => Some(text.as_str()),
        Template::Text(parts) => match parts.first() {
            Some(TextPart::Plain(text)) if text.contains("://") => Some(text.as_str()),
            _ => None,
        },
        _ => None,
    };
    if start.is_some_and(|start| !is_http(start)) {
        compiler.faults.add(request.at("url"), "expected a URL that starts with http:// or https://");
        return None;
    }
    Some(url)
}

/// Whether the URL is one that an `HTTP` node may call.
pub(crate) fn is_http(url: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| url.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty()))
}

fn read_headers(request: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<(Template, Vec<SealedHeader>)> {
    if request.get("headers").is_none() {
        return Some((object(Vec::new()), Vec::new()));
    }
    let headers = request.object("headers", compiler.faults)?;
    let (mut compiled, mut sealed) = (Vec::new(), Vec::new());
    let mut is_good = true;
    for (name, value) in headers.iter() {
        let pointer = format!("{}/{}", headers.pointer(), escape(name));
        if name.is_empty() || !name.bytes().all(is_token) {
            compiler.faults.add(&*pointer, "not the name of an HTTP header");
            is_good = false;
        }
        if !value.is_string() {
            compiler.faults.add(&*pointer, format!("expected a string, found {}", kind(value)));
            is_good = false;
        } else if let Some(text) = value.as_str().filter(|text| has_secret(text)) {
            match compiler.sealed(text, &pointer) {
                Some(parts) => sealed.push(SealedHeader { name: name.to_owned(), parts }),
                None => is_good = false,
            }
        } else if let Some(template) = compiler.template(value, &pointer) {
            compiled.push((name.to_owned(), template));
        } else {
            is_good = false;
        }
    }
    is_good.then(|| (object(compiled), sealed))
}

/// The characters of a token (RFC 9110 §5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Reads `expect`; empty where it is absent, which means any 2xx.
pub(super) fn read_expect(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<Vec<u16>> {
    if node.get("expect").is_none() {
        return Some(Vec::new());
    }
    let codes = node.list("expect", compiler.faults)?;
    if codes.is_empty() {
        compiler.faults.add(node.at("expect"), "list at least one status code, or leave it out for any 2xx");
        return None;
    }
    let mut expect = Vec::with_capacity(codes.len());
    for (index, code) in codes.iter().enumerate() {
        match code
            .as_u64()
            .and_then(|code| u16::try_from(code).ok())
            .filter(|code| (100..=599).contains(code))
        {
            Some(code) => expect.push(code),
            None => compiler.faults.add(
                format!("{}/{index}", node.at("expect")),
                "expected a status code: a whole number from 100 to 599",
            ),
        }
    }
    (expect.len() == codes.len()).then_some(expect)
}
