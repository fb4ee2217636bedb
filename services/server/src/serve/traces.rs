//! From settings to what sends spans.

use anyhow::{Context, Result};
use secrecy::{ExposeSecret, SecretString};
use settings::{OtelProtocol, Settings, otel_pairs};
use telemetry::{TraceExport, TraceOptions, TraceProtocol, start_traces};

/// Has spans sent where a collector is named. Connects nothing yet.
pub(super) fn start(settings: &Settings) -> Result<Option<TraceExport>> {
    if !settings.otel.is_on() {
        return Ok(None);
    }
    let export = start_traces(options(settings)?).context("cannot use the settings otel.*")?;
    Ok(Some(export))
}

/// Fails where the settings cannot be used.
pub(super) fn check(settings: &Settings) -> Result<()> {
    if settings.otel.is_on() { options(settings).map(drop) } else { Ok(()) }
}

fn options(settings: &Settings) -> Result<TraceOptions> {
    let otel = &settings.otel;
    let of_file = if otel.headers_file.is_empty() {
        None
    } else {
        let text = std::fs::read_to_string(&otel.headers_file)
            .with_context(|| format!("cannot read otel.headers_file ({})", otel.headers_file))?;
        Some(SecretString::from(text))
    };
    let headers = otel.headers.as_ref().or(of_file.as_ref()).map_or("", |text| text.expose_secret());
    let headers = otel_pairs(headers).context("otel.headers: expected pairs such as name=value")?;
    let mut resource = vec![
        ("service.name".to_owned(), otel.service_name.clone()),
        ("service.version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
    ];
    // The settings were checked: attributes that are no pairs do not come here.
    let more = otel.resource().unwrap_or_default().into_iter();
    resource.extend(more.filter(|(name, _)| name != "service.name"));
    Ok(TraceOptions {
        endpoint: otel.endpoint.clone(),
        protocol: match otel.protocol {
            OtelProtocol::HttpProtobuf => TraceProtocol::HttpProtobuf,
            OtelProtocol::Grpc => TraceProtocol::Grpc,
        },
        headers: headers.into_iter().map(|(name, value)| (name, SecretString::from(value))).collect(),
        resource,
        share: otel.sample,
        flush_every: otel.flush_every.to_std(),
        queue: otel.queue as usize,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_from_the_file() {
        let directory = tempfile::TempDir::new().expect("a directory");
        let path = directory.path().join("headers");
        std::fs::write(&path, "authorization=Bearer%20abc\n").expect("written");
        let mut settings = Settings::default();
        settings.otel.endpoint = "http://127.0.0.1:4318".to_owned();
        settings.otel.headers_file = path.display().to_string();
        settings.otel.resource_attributes = vec!["service.name=other".to_owned(), "host.name=a".to_owned()];
        let options = options(&settings).expect("usable");
        let (name, value) = &options.headers[0];
        assert_eq!((name.as_str(), value.expose_secret()), ("authorization", "Bearer abc"));
        assert!(!format!("{options:?}").contains("abc"), "it is a secret");
        assert_eq!(options.resource[0].1, "trunkline");
        assert_eq!(options.resource[2], ("host.name".to_owned(), "a".to_owned()));
        std::fs::remove_file(&path).expect("removed");
        assert!(super::options(&settings).is_err());
    }
}
