//! The sender's side: the headers that make a request verify. For samples and tests.

use super::algorithm::Algorithm;
use super::config::SchemeConfig;
use super::key::{KeyForm, SECRET_PREFIX};
use super::provider::Provider;
use super::request::RequestParts;
use super::scheme::{Scheme, TimestampSource, TimestampUnit};
use super::test_key::TestKey;
use super::verify::{Signing, mac, messages};
use crate::time::Timestamp;

/// What signs.
#[derive(Clone, Copy)]
pub enum Signer<'a> {
    /// A secret that both sides know.
    Secret(&'a str),
    /// A key pair whose public half the endpoint knows.
    Key(&'a TestKey),
}

/// Why nothing can be signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SignFault {
    /// The scheme signs the endpoint's URL, and the request has none.
    #[error("the scheme signs the URL, and the endpoint has no publicUrl")]
    PublicUrlMissing,
    /// No scheme of the provider takes such a secret.
    #[error("the provider does not accept this kind of secret")]
    SignerUnfit,
}

/// The headers that a sender adds to this request when it signs it at `now`, by the first of its schemes that the
/// signer fits. `id` is the delivery's, where the scheme signs one.
pub fn sign(
    config: &SchemeConfig,
    signer: Signer<'_>,
    id: &str,
    parts: &RequestParts<'_>,
    now: Timestamp,
) -> Result<Vec<(String, String)>, SignFault> {
    if config.provider() == Provider::None {
        return Ok(Vec::new());
    }
    let scheme = config.schemes().iter().find(|scheme| signer.fits(scheme)).ok_or(SignFault::SignerUnfit)?;
    let time = match scheme.timestamp_unit {
        TimestampUnit::Seconds => now.0.div_euclid(1000),
        TimestampUnit::Milliseconds => now.0,
    };
    sign_by(scheme, signer, id, &time.to_string(), parts)
}

/// Signs by this scheme, with the time as it is given.
pub(super) fn sign_by(
    scheme: &Scheme,
    signer: Signer<'_>,
    id: &str,
    time: &str,
    parts: &RequestParts<'_>,
) -> Result<Vec<(String, String)>, SignFault> {
    let signing = Signing { timestamp: time.as_bytes(), id };
    let messages = messages(scheme, parts, &signing).map_err(|_| SignFault::PublicUrlMissing)?;
    let message = messages.first().ok_or(SignFault::SignerUnfit)?;
    let signature = match signer {
        Signer::Key(key) => key.sign(message),
        Signer::Secret(text) if scheme.algorithm == Algorithm::Token => Some(text.as_bytes().to_vec()),
        Signer::Secret(text) => scheme.key.key(text).and_then(|key| mac(scheme.algorithm, &key, message)),
    };
    let signature = scheme.encoding.encode(&signature.ok_or(SignFault::SignerUnfit)?);
    let mut value = format!("{}{signature}", scheme.prefix);
    let mut headers = Vec::new();
    if let Some(name) = &scheme.id_header {
        headers.push((name.to_string(), id.to_owned()));
    }
    match &scheme.timestamp {
        TimestampSource::Header(name) => headers.push((name.to_string(), time.to_owned())),
        TimestampSource::Item(prefix) => {
            value = format!("{prefix}{time}{}{value}", scheme.list_separator.unwrap_or(','));
        }
        TimestampSource::Nowhere | TimestampSource::Body(_) => {}
    }
    headers.push((scheme.header.to_string(), value));
    Ok(headers)
}

impl Signer<'_> {
    /// Whether this signs by that scheme.
    pub(super) fn fits(&self, scheme: &Scheme) -> bool {
        match self {
            Self::Key(key) => key.algorithm() == scheme.algorithm,
            Self::Secret(_) if matches!(scheme.algorithm, Algorithm::Ed25519 | Algorithm::EcdsaP256) => false,
            // GitLab signs with a signing token, and sends any other as it is.
            Self::Secret(text) if scheme.key == KeyForm::PrefixedOrText => text.starts_with(SECRET_PREFIX),
            Self::Secret(text) => scheme.key.key(text).is_some(),
        }
    }
}
