//! `webhook test`: a sample by the server, or one that is signed here with a key pair.
//!
//! Providers that sign with a private key of their own can be tested only with a key pair that stands in for theirs:
//! its public half is registered at the endpoint beside theirs, and this process signs with the other.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use domain::id::WebhookKind;
use domain::time::Timestamp;
use domain::webhook::{
    Provider, RequestParts, SchemeConfig, SchemeSettings, Signer, TestKey, sample, sign, test_key,
};
use serde_json::{Value, json};

use super::body;
use crate::client::{Client, ClientError, api_path, id};
use crate::output;

/// Bytes of a key file, which holds them in hexadecimal.
const KEY_BYTES: usize = 32;

/// Arguments of `webhook test`.
#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// Webhook ID
    #[arg(value_parser = id::<WebhookKind>)]
    id: String,
    /// Sign locally with the private key in this file (32 bytes in hexadecimal)
    #[arg(long, value_name = "FILE")]
    provider_key: Option<PathBuf>,
    /// Wait until the triggers are evaluated, and show the delivery
    #[arg(long)]
    pub(super) wait: bool,
}

/// Sends a test delivery and returns its ID.
pub(super) async fn test(args: &TestArgs, client: &Client) -> Result<String> {
    let answer = match &args.provider_key {
        None => by_server(client, &args.id).await?,
        Some(path) => signed_here(client, &args.id, path).await?,
    };
    if !args.wait {
        output::print_object(client.json, &answer, &[("delivery", "/deliveryId"), ("event", "/eventType")]);
    }
    Ok(answer["deliveryId"].as_str().unwrap_or_default().to_owned())
}

async fn by_server(client: &Client, id: &str) -> Result<Value> {
    let answer = client.post(&api_path!("webhooks", id, "test"), &json!({})).await;
    answer.map_err(|error| match &error {
        ClientError::Problem { problem, .. } if problem["code"] == "cannot_sign" => anyhow!(error).context(
            "the provider signs with a private key that the server does not have; generate a test key \
             (openssl rand -hex 32 > test.key) and pass it with --provider-key test.key",
        ),
        ClientError::Problem { problem, .. } if problem["code"] == "webhook_secret_missing" => anyhow!(error)
            .context(format!(
                "the webhook has no secret; set one with `trunkline webhook rotate-secret {id} --secret-file FILE`"
            )),
        _ => anyhow!(error),
    })
}

async fn signed_here(client: &Client, id: &str, path: &Path) -> Result<Value> {
    let webhook = client.get(&api_path!("webhooks", id)).await?;
    let word = webhook["provider"].as_str().unwrap_or_default();
    let provider =
        Provider::parse(word).with_context(|| format!("unknown provider {word}; upgrade trunkline"))?;
    let Some(key) = test_key(provider, &key_bytes(path)?) else {
        bail!("{provider} signs with a secret stored on the server; omit --provider-key");
    };
    let settings: SchemeSettings = serde_json::from_value(webhook["scheme"].clone()).unwrap_or_default();
    let scheme = SchemeConfig::new(provider, &settings)
        .map_err(|faults| anyhow!("invalid signature scheme of the webhook: {faults:?}"))?;
    let (headers, body, event_type) = signed(&scheme, &key, webhook["publicUrl"].as_str(), since_epoch()?)?;
    let address = webhook["url"].as_str().unwrap_or_default();
    let (status, mut answer) = client.post_as_sender(address, &headers, body).await?;
    match status {
        200..300 => {
            if let Some(event_type) = event_type {
                answer["eventType"] = json!(event_type);
            }
            Ok(answer)
        }
        401 => bail!(
            "the webhook refused the signature. Register the public half of the key first, and remove it after the test:\n  \
             echo '{}' | trunkline webhook rotate-secret {id} --secret-stdin",
            key.public_text()
        ),
        status => bail!("the webhook returned status {status}: {answer}"),
    }
}

type SignedSample = (Vec<(String, String)>, Vec<u8>, Option<String>);

#[expect(clippy::disallowed_methods, reason = "a sender has a clock of its own, and no engine")]
fn since_epoch() -> Result<Duration> {
    SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is before 1970")
}

fn signed(
    scheme: &SchemeConfig,
    key: &TestKey,
    public_url: Option<&str>,
    since: Duration,
) -> Result<SignedSample> {
    let now = Timestamp(i64::try_from(since.as_millis()).context("the clock is too far ahead")?);
    let id = format!("test-{:x}", since.as_nanos());
    let sample = sample(scheme.provider(), &id, now);
    let borrowed: Vec<(&str, &[u8])> =
        sample.headers.iter().map(|(name, value)| (*name, value.as_bytes())).collect();
    let parts = RequestParts::new("POST", "/", &borrowed, &sample.body).with_public_url(public_url);
    let signature = sign(scheme, Signer::Key(key), &id, &parts, now)?;
    let mut headers: Vec<(String, String)> =
        sample.headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    headers.extend(signature);
    Ok((headers, sample.body, sample.event_type))
}

fn key_bytes(path: &Path) -> Result<[u8; KEY_BYTES]> {
    let text = body::from_file(path)?;
    from_hex(text.trim()).with_context(|| {
        format!(
            "{}: expected {KEY_BYTES} bytes in hexadecimal (openssl rand -hex 32 makes them)",
            path.display()
        )
    })
}

fn from_hex(text: &str) -> Option<[u8; KEY_BYTES]> {
    let digits: Vec<u8> =
        text.chars().map(|digit| digit.to_digit(16).map(|value| value as u8)).collect::<Option<_>>()?;
    let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| pair[0] * 16 + pair[1]).collect();
    if digits.len() == 2 * KEY_BYTES { bytes.try_into().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use domain::webhook::{Secret, verify};

    use super::*;

    const NOW: Duration = Duration::from_secs(1_795_176_001);

    #[test]
    fn keys_are_read_whole() {
        assert_eq!(from_hex(&"0a".repeat(32)), Some([10; 32]));
        for text in [String::new(), "0a".repeat(31), "0a".repeat(33), "0g".repeat(32), "0".repeat(65)] {
            assert_eq!(from_hex(&text), None, "{text}");
        }
    }

    #[test]
    fn samples_that_are_signed_here_verify() {
        for provider in [Provider::Discord, Provider::SendGrid, Provider::Standard] {
            let scheme = SchemeConfig::preset(provider);
            let key = test_key(provider, &[7; 32]).expect("it has public keys");
            let (headers, body, _) = signed(&scheme, &key, None, NOW).expect("it can be signed");
            let borrowed: Vec<(&str, &[u8])> =
                headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
            let parts = RequestParts::new("POST", "/", &borrowed, &body);
            let secrets = [Secret { id: "sec", text: key.public_text() }];
            verify(&scheme, &secrets, &parts, Timestamp(NOW.as_millis() as i64))
                .unwrap_or_else(|why| panic!("{provider}: {why}"));
        }
    }
}
