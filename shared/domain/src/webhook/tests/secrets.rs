//! What is taken as a secret.

use super::fixture::{PREFIXED_SECRET, cases, generic};
use crate::webhook::{
    Provider, SchemeConfig, Secret, SecretFault, SecretWarning, check_secret, make_secret, test_key,
};

#[test]
fn good_secrets_are_taken_and_bad_ones_refused() {
    for case in cases() {
        let answer = check_secret(&case.config, &case.secret);
        assert!(answer.is_ok(), "{}: {answer:?}", case.name);
        assert_eq!(check_secret(&case.config, " \t"), Err(SecretFault::Blank), "{}", case.name);
        assert_eq!(check_secret(&case.config, &format!("{} ", case.secret)), Err(SecretFault::Surrounded));
        assert_eq!(check_secret(&case.config, &"a1b2c3d4e".repeat(120)), Err(SecretFault::TooLong));
    }
    let preset = SchemeConfig::preset;
    let hmac = generic(&serde_json::json!({ "header": "X" }));
    for (config, secret) in [
        (&hmac, "fifteen bytes .."),
        (&hmac, "short"),
        (&hmac, "aaaaaaaaaaaaaaaaaaaaaaaa"),
        (&preset(Provider::Standard), "whsec_not base64"),
        (&preset(Provider::Standard), "whsec_c2hvcnQ="),
        (&preset(Provider::Standard), "whpk_c2hvcnQ="),
        (&preset(Provider::Discord), "0123"),
        (&preset(Provider::Discord), &"00".repeat(32)),
        (&preset(Provider::Discord), &format!("02{}", "00".repeat(31))),
        (&preset(Provider::SendGrid), "MFkwEwYHKoZIzj0CAQ=="),
        (&preset(Provider::SendGrid), "text"),
        (&preset(Provider::None), "anything of good length"),
        (&preset(Provider::Hmac), "anything of good length"),
    ] {
        let answer = check_secret(config, secret);
        assert_eq!(
            answer.is_err(),
            secret != "fifteen bytes ..",
            "{} {secret}: {answer:?}",
            config.provider()
        );
    }
}

#[test]
fn odd_secrets_are_warned_of() {
    let github = SchemeConfig::preset(Provider::GitHub);
    assert_eq!(check_secret(&github, "hunter2"), Ok(Some(SecretWarning::Short)));
    assert_eq!(check_secret(&github, "It's a Secret to Everybody"), Ok(Some(SecretWarning::InnerSpace)));
    assert_eq!(check_secret(&github, "Its-a-Secret-to-Everybody"), Ok(None));
}

#[test]
fn made_secrets_are_good_ones() {
    for provider in Provider::ALL {
        let config = match provider {
            Provider::Hmac => generic(&serde_json::json!({ "header": "X" })),
            other => SchemeConfig::preset(other),
        };
        let random: [u8; 32] = std::array::from_fn(|at| at as u8 * 7);
        if let Some(secret) = make_secret(provider, &random) {
            assert_eq!(check_secret(&config, &secret), Ok(None), "{provider}");
        }
        if let Some(key) = test_key(provider, &random) {
            assert_eq!(check_secret(&config, key.public_text()), Ok(None), "{provider}");
        }
    }
    assert!(make_secret(Provider::Stripe, &[1; 32]).is_none(), "Stripe makes its own");
}

#[test]
fn a_secret_is_not_printed() {
    let secret = Secret { id: "first", text: PREFIXED_SECRET };
    let printed = format!("{secret:?}");
    assert!(printed.contains("first") && !printed.contains("MDEy"), "{printed}");
    let config = SchemeConfig::preset(Provider::GitLab);
    let token = super::fixture::Request::post(b"").header("X-Gitlab-Token", "a-token-of-gitlab");
    let verified = token.verify_at(&config, &["a-token-of-gitlab"], super::fixture::NOW).unwrap();
    assert!(verified.signature.is_empty() && verified.signed.is_none());
}
