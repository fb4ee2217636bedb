//! One correctly signed request for each provider and way to sign.

use crate::time::Timestamp;
use crate::webhook::sample::sign_by;
use crate::webhook::{
    Algorithm, Provider, Rejection, RequestParts, Scheme, SchemeConfig, SchemeSettings, Secret, Signer,
    TestKey, Verified, sample, sign, test_key, verify,
};

pub(super) const NOW: Timestamp = Timestamp(1_700_000_000_000);
pub(super) const URL: &str = "https://trunkline.example/hooks/whk_1";
pub(super) const TEXT_SECRET: &str = "a secret of sixteen bytes and more";
pub(super) const PREFIXED_SECRET: &str = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

/// A request that owns what it consists of.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) url: Option<String>,
    pub(super) query: Option<String>,
    pub(super) headers: Vec<(String, Vec<u8>)>,
    pub(super) body: Vec<u8>,
}

impl Request {
    pub(super) fn post(body: &[u8]) -> Self {
        Self {
            method: "POST".to_owned(),
            url: Some(URL.to_owned()),
            query: None,
            headers: Vec::new(),
            body: body.to_vec(),
        }
    }

    pub(super) fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((name.to_owned(), value.as_ref().to_vec()));
        self
    }

    pub(super) fn query(mut self, query: &str) -> Self {
        self.query = Some(query.to_owned());
        self
    }

    pub(super) fn with<R>(&self, read: impl FnOnce(&RequestParts<'_>) -> R) -> R {
        let headers: Vec<(&str, &[u8])> =
            self.headers.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect();
        let parts = RequestParts::new(&self.method, "/hooks/whk_1", &headers, &self.body)
            .with_query(self.query.as_deref())
            .with_public_url(self.url.as_deref());
        read(&parts)
    }

    /// The value of a header, to change it.
    pub(super) fn value(&mut self, name: &str) -> Option<&mut Vec<u8>> {
        self.headers.iter_mut().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.headers.retain(|(key, _)| !key.eq_ignore_ascii_case(name));
    }

    pub(super) fn verify(&self, config: &SchemeConfig, secrets: &[&str]) -> Result<Verified, Rejection> {
        self.verify_at(config, secrets, NOW)
    }

    pub(super) fn verify_at(
        &self,
        config: &SchemeConfig,
        secrets: &[&str],
        now: Timestamp,
    ) -> Result<Verified, Rejection> {
        let secrets: Vec<Secret<'_>> = secrets.iter().map(|text| Secret { id: text, text }).collect();
        self.with(|parts| verify(config, &secrets, parts, now))
    }
}

/// A provider with one way to sign.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) config: SchemeConfig,
    pub(super) secret: String,
    key: Option<TestKey>,
}

impl Case {
    fn text(name: &'static str, config: SchemeConfig, secret: &str) -> Self {
        Self { name, config, secret: secret.to_owned(), key: None }
    }

    fn key(name: &'static str, provider: Provider) -> Self {
        let key = test_key(provider, &[7; 32]).unwrap();
        let secret = key.public_text().to_owned();
        Self { name, config: SchemeConfig::preset(provider), secret, key: Some(key) }
    }

    pub(super) fn signer(&self) -> Signer<'_> {
        self.key.as_ref().map_or(Signer::Secret(&self.secret), Signer::Key)
    }

    /// The provider's sample, not signed.
    pub(super) fn unsigned(&self, id: &str, now: Timestamp) -> Request {
        let sample = sample(self.config.provider(), id, now);
        let mut request = Request::post(&sample.body);
        for (name, value) in sample.headers {
            request = request.header(name, value);
        }
        request
    }

    /// The request with the headers of its signature.
    pub(super) fn sign(&self, mut request: Request, id: &str, now: Timestamp) -> Request {
        let headers = request.with(|parts| sign(&self.config, self.signer(), id, parts, now)).unwrap();
        for (name, value) in headers {
            request = request.header(&name, value);
        }
        request
    }

    /// The same with a time of any spelling.
    pub(super) fn sign_spelled(&self, mut request: Request, time: &str) -> Request {
        let headers =
            request.with(|parts| sign_by(self.scheme(), self.signer(), "msg_1", time, parts)).unwrap();
        for (name, value) in headers {
            request = request.header(&name, value);
        }
        request
    }

    pub(super) fn signed(&self) -> Request {
        self.sign(self.unsigned("sample1", NOW), "sample1", NOW)
    }

    pub(super) fn check(&self, request: &Request) -> Result<Verified, Rejection> {
        request.verify(&self.config, &[&self.secret])
    }

    /// Whether the header holds the secret, and so nothing is signed.
    pub(super) fn is_token(&self) -> bool {
        self.name == "gitlab token"
    }

    /// The scheme by which the case signs.
    pub(super) fn scheme(&self) -> &Scheme {
        self.config.schemes().iter().find(|scheme| self.signer().fits(scheme)).unwrap()
    }

    /// The header with the signature.
    pub(super) fn signature_header(&self) -> String {
        self.scheme().header.to_string()
    }

    /// Whether a time in a header is signed.
    pub(super) fn is_dated(&self) -> bool {
        self.scheme().is_dated()
    }
}

pub(super) fn generic(settings: &serde_json::Value) -> SchemeConfig {
    let settings: SchemeSettings = serde_json::from_value(settings.clone()).unwrap();
    SchemeConfig::new(Provider::Hmac, &settings).unwrap()
}

/// All ways to sign; `none` is not among them.
pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Provider::ALL
        .iter()
        .filter(|provider| {
            let schemes = SchemeConfig::preset(**provider);
            schemes
                .schemes()
                .first()
                .is_some_and(|scheme| !matches!(scheme.algorithm, Algorithm::Ed25519 | Algorithm::EcdsaP256))
        })
        .map(|provider| {
            let prefixed = matches!(provider, Provider::Standard | Provider::Svix | Provider::GitLab);
            let secret = if prefixed { PREFIXED_SECRET } else { TEXT_SECRET };
            Case::text(provider.as_str(), SchemeConfig::preset(*provider), secret)
        })
        .collect();
    cases.push(Case::text("gitlab token", SchemeConfig::preset(Provider::GitLab), TEXT_SECRET));
    cases.push(Case::key("standard key", Provider::Standard));
    cases.push(Case::key("svix key", Provider::Svix));
    cases.push(Case::key("discord", Provider::Discord));
    cases.push(Case::key("sendgrid", Provider::SendGrid));
    let plain = serde_json::json!({ "header": "X-Signature" });
    cases.push(Case::text("hmac plain", generic(&plain), TEXT_SECRET));
    let full = serde_json::json!({
        "header": "X-Signature", "algorithm": "sha512", "encoding": "base64", "prefix": "v2=", "listSeparator": ",",
        "signedContent": "{method}:{url}:{id}:{timestamp}:{body}", "timestampHeader": "X-Time",
        "timestampUnit": "ms", "tolerance": "2m", "idHeader": "X-Id",
    });
    cases.push(Case::text("hmac full", generic(&full), TEXT_SECRET));
    let listed = serde_json::json!({
        "header": "X-Signature", "algorithm": "sha384", "prefix": "s=", "listSeparator": ";",
        "signedContent": "{timestamp}|{body}", "timestampItem": "t=",
    });
    cases.push(Case::text("hmac listed", generic(&listed), TEXT_SECRET));
    cases
}
