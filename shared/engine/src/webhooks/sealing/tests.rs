//! Sealing and opening, and everything that must not open.

use domain::id::SecretId;
use uuid::Uuid;

use super::*;

const FIRST: &str = "2026a:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const SECOND: &str = "2026b:HxwdGhsYGRYXFBUSExARDg8MDQoLCAkGBwQFAgMAAQE=";

fn keys(texts: &[&str]) -> SealingKeys {
    SealingKeys::parse(texts.iter().copied()).expect("keys")
}

fn secret_id(number: u128) -> SecretId {
    SecretId::from_uuid(Uuid::from_u128(number))
}

#[test]
fn what_is_sealed_opens_with_its_key_and_id_only() {
    let old = keys(&[FIRST]);
    let sealed = old.seal(secret_id(1), "whsec_canary", &[7; 32]).expect("sealed");
    assert!(!sealed.windows(6).any(|window| window == b"canary"));
    assert_eq!(old.open(secret_id(1), "2026a", &sealed).expect("opens").as_str(), "whsec_canary");
    assert_eq!(old.open(secret_id(2), "2026a", &sealed), Err(OpenFault::Broken));
    let rotated = keys(&[SECOND, FIRST]);
    assert_eq!(rotated.current(), "2026b");
    assert!(rotated.open(secret_id(1), "2026a", &sealed).is_ok());
    assert_eq!(rotated.open(secret_id(1), "2026b", &sealed), Err(OpenFault::Broken));
    let forgotten = keys(&[SECOND]).open(secret_id(1), "2026a", &sealed);
    assert_eq!(forgotten, Err(OpenFault::UnknownKey("2026a".to_owned())));
}

#[test]
fn every_changed_bit_is_noticed() {
    let keys = keys(&[FIRST]);
    let sealed = keys.seal(secret_id(1), "secret", &[7; 32]).expect("sealed");
    for bit in 0..sealed.len() * 8 {
        let mut changed = sealed.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(keys.open(secret_id(1), "2026a", &changed), Err(OpenFault::Broken), "bit {bit}");
    }
    for length in 0..sealed.len() {
        assert_eq!(keys.open(secret_id(1), "2026a", &sealed[..length]), Err(OpenFault::Broken));
    }
}

#[test]
fn keys_that_are_none_are_refused() {
    let fault = |texts: &[&str]| SealingKeys::parse(texts.iter().copied()).expect_err("no keys");
    for texts in [&[][..], &["no colon"], &[":AAEC"], &["name:not base64!"], &["a b:AAEC"]] {
        assert_eq!(fault(texts), KeyFault::Form, "{texts:?}");
    }
    assert_eq!(fault(&["short:AAEC"]), KeyFault::Length { name: "short".to_owned(), bytes: 3 });
    assert_eq!(fault(&[FIRST, FIRST]), KeyFault::Twice("2026a".to_owned()));
    assert_eq!(fault(&[&FIRST.replace("2026a", "database")]), KeyFault::Reserved);
}

#[test]
fn debug_names_keys_and_shows_none() {
    assert_eq!(format!("{:?}", keys(&[FIRST, SECOND])), r#"["2026a", "2026b"]"#);
}
