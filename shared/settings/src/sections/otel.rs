//! What this process says of itself: traces and its log.

use domain::time::DurationMs;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::values::secret;

/// Where spans are sent, over OTLP.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OtelSettings {
    /// The collector; empty for none.
    pub endpoint: String,
    /// How it is spoken to.
    pub protocol: OtelProtocol,
    /// Headers of each message: `name=value`, separated by commas, values percent-encoded.
    #[serde(with = "secret::optional_key", skip_serializing_if = "Option::is_none")]
    pub headers: Option<SecretString>,
    /// The file that holds the headers, where they are not given; empty for none.
    pub headers_file: String,
    /// What this deployment is called.
    pub service_name: String,
    /// What else spans are of: `name=value` each.
    pub resource_attributes: Vec<String>,
    /// The share of traces that begin here which is kept.
    pub sample: f64,
    /// How long a span may wait for others.
    pub flush_every: DurationMs,
    /// How many spans may wait.
    pub queue: u32,
}

/// The protocols of collectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum OtelProtocol {
    /// Protobuf over HTTP.
    #[serde(rename = "http/protobuf")]
    HttpProtobuf,
    /// gRPC.
    #[serde(rename = "grpc")]
    Grpc,
}

impl Default for OtelSettings {
    fn default() -> Self {
        Self {
            endpoint: String::new(),
            protocol: OtelProtocol::HttpProtobuf,
            headers: None,
            headers_file: String::new(),
            service_name: "trunkline".to_owned(),
            resource_attributes: Vec::new(),
            sample: 1.0,
            flush_every: DurationMs::from_secs(5),
            queue: 2_048,
        }
    }
}

impl OtelSettings {
    /// Whether spans are sent.
    pub const fn is_on(&self) -> bool {
        !self.endpoint.is_empty()
    }

    /// What spans are of, beside the name of the service. `None` where one of them is no pair.
    pub fn resource(&self) -> Option<Vec<(String, String)>> {
        self.resource_attributes.iter().map(|pair| pair_of(pair)).collect()
    }
}

/// Headers in the form of `otel.headers`: names and values. `None` where one of them is no pair.
pub fn otel_pairs(text: &str) -> Option<Vec<(String, String)>> {
    text.split([',', '\n']).map(str::trim).filter(|pair| !pair.is_empty()).map(pair_of).collect()
}

fn pair_of(pair: &str) -> Option<(String, String)> {
    let (name, value) = pair.split_once('=')?;
    let name = name.trim();
    (!name.is_empty()).then(|| Some((name.to_owned(), decoded(value.trim())?)))?
}

/// Text without percent-encoding; `None` where it is none.
fn decoded(text: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.bytes());
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let mut digit = || char::from(rest.next()?).to_digit(16);
            let (high, low) = (digit()?, digit()?);
            bytes.push((high * 16 + low) as u8);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

// Log lines.

/// What is logged and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogSettings {
    /// The shape of a line.
    pub format: LogFormat,
    /// Which lines are written, as directives such as `info` or `info,engine=debug`.
    pub filter: String,
}

domain::words! {
    serde
    /// The shape of a log line.
    LogFormat {
        /// For people.
        Text "text",
        /// One JSON object a line, for machines.
        Json "json",
    }
}

impl Default for LogSettings {
    fn default() -> Self {
        Self { format: LogFormat::Text, filter: "info".to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_decoded() {
        let pairs = otel_pairs("authorization=Basic%20YTpi, x-scope = a=b\nother=1");
        let known = [("authorization", "Basic YTpi"), ("x-scope", "a=b"), ("other", "1")];
        assert_eq!(pairs, Some(known.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()));
        for text in ["x", "=y", "x=%4", "x=%zz"] {
            assert_eq!(otel_pairs(text), None, "{text}");
        }
    }
}
