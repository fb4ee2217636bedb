//! Any headers and body: nothing panics, nothing that no secret signed is let in, and what a secret signed is let in
//! whatever stands beside it in a list.

#![no_main]

use domain::time::Timestamp;
use domain::webhook::{
    Dedupe, Provider, RequestParts, SchemeConfig, Secret, Signer, event_type, guards, handshake, redact,
    sign, verify,
};
use libfuzzer_sys::fuzz_target;

const SECRET: &str = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const URL: &str = "https://trunkline.example/hooks/whk_1";

fuzz_target!(|input: (u8, i64, &[u8], &[u8], &[u8], &[u8])| {
    let (which, now_ms, signature, timestamp, id, body) = input;
    let provider = Provider::ALL[usize::from(which) % Provider::ALL.len()];
    let config = SchemeConfig::preset(provider);
    let now = Timestamp(now_ms);
    let secrets = [Secret { id: "one", text: SECRET }];
    let mut headers: Vec<(&str, &[u8])> = Vec::new();
    for scheme in config.schemes() {
        headers.push((&scheme.header, signature));
        if let domain::webhook::TimestampSource::Header(name) = &scheme.timestamp {
            headers.push((name, timestamp));
        }
        if let Some(name) = &scheme.id_header {
            headers.push((name, id));
        }
    }
    headers.sort_by_key(|(name, _)| *name);
    headers.dedup_by_key(|(name, _)| *name);
    let parts = RequestParts::new("POST", "/", &headers, body).with_public_url(Some(URL));
    let answer = verify(&config, &secrets, &parts, now);
    // A token is let in by itself, and whoever can guess a MAC has found more than a fault of ours.
    assert!(answer.is_err() || provider == Provider::None || provider == Provider::GitLab, "{provider}");
    let verified = answer.unwrap_or_default();
    let _ = guards(&config, &Dedupe::default(), &parts, &verified, Default::default());
    let _ = (
        event_type(&config, &parts),
        handshake(&config, &parts, &verified, &secrets),
        redact(&config, &headers),
    );
    beside(&config, &parts, signature);
});

/// Signs the request and puts the random bytes after the signature, as another item of its list.
fn beside(config: &SchemeConfig, parts: &RequestParts<'_>, signature: &[u8]) {
    let Some(separator) = config.schemes().first().and_then(|scheme| scheme.list_separator) else { return };
    let now = Timestamp(1_700_000_000_000);
    let Ok(signed) = sign(config, Signer::Secret(SECRET), "msg_1", parts, now) else { return };
    let stated_again = signature.windows(2).any(|pair| pair == b"t=" || pair == b"s=");
    if signature.len() > 4_096
        || stated_again
        || signature.iter().filter(|byte| **byte == separator as u8).count() > 14
    {
        return;
    }
    let values: Vec<(String, Vec<u8>)> = signed
        .into_iter()
        .map(|(name, value)| {
            let is_signature = config.schemes().iter().any(|scheme| scheme.header == name);
            let beside = [value.as_bytes(), &[separator as u8], signature].concat();
            (name, if is_signature { beside } else { value.into_bytes() })
        })
        .collect();
    let headers: Vec<(&str, &[u8])> =
        values.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect();
    let parts = RequestParts::new("POST", "/", &headers, parts.body).with_public_url(Some(URL));
    let answer = verify(config, &[Secret { id: "one", text: SECRET }], &parts, now);
    assert!(answer.is_ok(), "{}: {answer:?}", config.provider());
}
