//! From settings to those whose word counts beside ours.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use domain::access::{Action, IdentityRules, RoleRule};
use domain::error::Fault;
use domain::time::DurationMs;
use engine::{Caller, Engine, IdentityPolicy, Outside, SecretManager, SecretText};
use grpc::{Gate, GrpcOptions, GrpcParts, MessageRoom, RestCall, StreamOptions};
use providers::oidc::{OidcOptions, OidcProvider};
use providers::vault::{Vault, VaultOptions};
use secrecy::{ExposeSecret, SecretString};
use settings::{OidcSettings, OtelProtocol, Settings, VaultSettings, otel_pairs};
use telemetry::{TraceExport, TraceOptions, TraceProtocol, start_traces};

/// Whoever the settings name. Connects nothing.
pub(super) fn outside(settings: &Settings) -> Result<Outside> {
    let identity = if settings.oidc.is_on() { Some(identity(&settings.oidc)?) } else { None };
    let secrets = if settings.vault.is_on() { Some(secret_manager(&settings.vault)?) } else { None };
    Ok(Outside { identity, secrets })
}

/// The file of authorities that a setting names, where it names one.
pub(super) fn authorities(path: &str, setting: &str) -> Result<Option<Vec<u8>>> {
    if path.is_empty() {
        return Ok(None);
    }
    std::fs::read(path).map(Some).with_context(|| format!("cannot read {setting} ({path})"))
}

fn secret_manager(vault: &VaultSettings) -> Result<Arc<dyn SecretManager>> {
    let manager = Vault::new(VaultOptions {
        address: vault.address.clone(),
        token: vault.token.as_ref().map(|token| SecretText::new(token.expose_secret())),
        token_file: (!vault.token_file.is_empty()).then(|| PathBuf::from(&vault.token_file)),
        mount: vault.mount.clone(),
        namespace: vault.namespace.clone(),
        authorities: authorities(&vault.tls_ca, "vault.tls_ca")?,
        kept_for: vault.cache.to_std(),
    });
    Ok(Arc::new(manager.context("cannot use the settings vault.*")?))
}

fn identity(oidc: &OidcSettings) -> Result<IdentityPolicy> {
    let authorities = authorities(&oidc.tls_ca, "oidc.tls_ca")?;
    let client_id = oidc.signs_in().then(|| oidc.client_id.clone());
    let provider = OidcProvider::new(OidcOptions {
        issuer: oidc.issuer.clone(),
        hosts: oidc.hosts.clone(),
        authorities,
        client_id: client_id.clone(),
        client_secret: oidc.client_secret.as_ref().map(|secret| SecretText::new(secret.expose_secret())),
        scopes: oidc.scopes.clone(),
        read_interval: None,
    });
    Ok(IdentityPolicy {
        provider: Arc::new(provider.context("cannot use the settings oidc.*")?),
        issuer: oidc.issuer.clone(),
        audiences: oidc.audiences(),
        client_id,
        rules: IdentityRules {
            groups_claim: oidc.groups_claim.clone(),
            tenant_claim: oidc.tenant_claim.clone(),
            person_claim: oidc.person_claim.clone(),
            // The settings were checked: a rule that cannot be read does not come here.
            roles: oidc.roles.iter().filter_map(|rule| RoleRule::parse(rule)).collect(),
        },
        session_ttl: oidc.session_ttl,
    })
}

// The gRPC interface of a process: REST's own gates and calls behind another port.

/// Everything behind the gRPC port. `rest` is the router that REST itself is served by, and `rest_options` are its options.
pub(super) async fn router(
    engine: &Engine,
    settings: &Settings,
    rest: Router,
    rest_options: api::ApiOptions,
) -> Router {
    let admission = api::Admission::new(engine.clone(), rest_options);
    let parts = GrpcParts {
        engine: engine.clone(),
        rest: api::Admission::carried(rest),
        gate: Arc::new(RestGate(admission)),
        options: options(settings),
    };
    grpc::router(parts).await
}

fn options(settings: &Settings) -> GrpcOptions {
    let grpc = &settings.grpc;
    GrpcOptions {
        message_bytes_max: grpc.message_size.as_usize(),
        request_timeout: settings.http.request_timeout,
        streams: StreamOptions {
            alive_interval: grpc.alive_interval,
            silence_max: grpc.silence_max,
            receipt_within: grpc.receipt_timeout,
            age: grpc.age,
            drain_within: grpc.drain_timeout,
            ..StreamOptions::default()
        },
    }
}

/// Lets callers in as REST does.
struct RestGate(api::Admission);

#[async_trait]
impl Gate for RestGate {
    async fn identify(&self, head: Request<Body>) -> Result<Caller, Response<Body>> {
        self.0.identify(head).await
    }

    async fn admit(&self, head: Request<Body>, action: Action) -> Result<Caller, Response<Body>> {
        self.0.admit(head, action).await
    }

    async fn admit_call(
        &self,
        head: Request<Body>,
        call: RestCall<'_>,
    ) -> Result<(Caller, usize), Response<Body>> {
        self.0.admit_call(head, (call.method, call.path, call.query)).await
    }

    fn room(&self, caller: &Caller) -> MessageRoom {
        Box::new(self.0.room(caller))
    }

    async fn count(&self, caller: &Caller) -> Option<DurationMs> {
        self.0.count(caller).await
    }

    fn check_json(&self, text: &str) -> Result<(), Fault> {
        self.0.check_json(text)
    }
}

// From settings to what sends spans.

/// Has spans sent where a collector is named. Connects nothing yet.
pub(super) fn start(settings: &Settings) -> Result<Option<TraceExport>> {
    if !settings.otel.is_on() {
        return Ok(None);
    }
    let export = start_traces(trace_options(settings)?).context("cannot use the settings otel.*")?;
    Ok(Some(export))
}

/// Fails where the settings cannot be used.
pub(super) fn check(settings: &Settings) -> Result<()> {
    if settings.otel.is_on() { trace_options(settings).map(drop) } else { Ok(()) }
}

fn trace_options(settings: &Settings) -> Result<TraceOptions> {
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
        let options = trace_options(&settings).expect("usable");
        let (name, value) = &options.headers[0];
        assert_eq!((name.as_str(), value.expose_secret()), ("authorization", "Bearer abc"));
        assert!(!format!("{options:?}").contains("abc"), "it is a secret");
        assert_eq!(options.resource[0].1, "trunkline");
        assert_eq!(options.resource[2], ("host.name".to_owned(), "a".to_owned()));
        std::fs::remove_file(&path).expect("removed");
        assert!(trace_options(&settings).is_err());
    }
}
