//! Faults name their origin and what would be right; secrets are shown nowhere.

use std::error::Error;
use std::fmt::Write as _;

use settings::{Flags, Settings, SettingsError, load};
use tempfile::TempDir;

const CANARY: &str = "c4n4ryc4n4ry";

fn environment(variables: &[(&str, &str)]) -> Vec<(String, String)> {
    variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn load_file(text: &str) -> Result<Settings, SettingsError> {
    let directory = TempDir::new().expect("a temporary directory");
    let path = directory.path().join("trunkline.toml");
    std::fs::write(&path, text).expect("the file is written");
    load(&Flags { config: Some(path), ..Flags::default() }, [])
}

/// The whole chain of messages.
fn chain(error: &SettingsError) -> String {
    let mut text = format!("{error} {error:?}");
    let mut cause = error.source();
    while let Some(error) = cause {
        write!(text, " {error} {error:?}").expect("a string takes all text");
        cause = error.source();
    }
    text
}

#[track_caller]
fn check_message(result: Result<Settings, SettingsError>, parts: &[&str]) {
    let message = result.expect_err("a fault").to_string();
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in {message:?}");
    }
}

#[test]
fn bad_values_in_the_environment_name_the_variable() {
    for (name, value, expected) in [
        ("TRUNKLINE_HTTP", "localhost", "an address with a port"),
        ("TRUNKLINE_HTTP__MAX_BODY", "lots", "a number of bytes"),
        ("TRUNKLINE_HTTP__RATE_LIMIT", "fast", "requests per second"),
        ("TRUNKLINE_UPKEEP__REAP_EVERY", "200", "a duration"),
        ("TRUNKLINE_UPKEEP__REAP_EVERY", "1ms", "a duration from 10ms"),
        ("TRUNKLINE_UPKEEP__BATCH", "0", "from 1 to 10000"),
        ("TRUNKLINE_UPKEEP__BATCH", "-1", "from 1 to 10000"),
        ("TRUNKLINE_UPKEEP__BATCH", "true", "from 1 to 10000"),
        ("TRUNKLINE_UPKEEP__BATCH", "1.5", "from 1 to 10000"),
        ("TRUNKLINE_DATABASE__MIGRATE", "maybe", "true or false"),
        ("TRUNKLINE_DATABASE__SYNCHRONOUS", "off", "\"full\" or \"normal\""),
        ("TRUNKLINE_ROLES", "api,cook", "api, webhooks, scheduler"),
        ("TRUNKLINE_ROLES", ",", "api, webhooks, scheduler"),
        ("TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE", "forever", "a duration from 1s"),
        ("TRUNKLINE_QUEUES__WORKFLOW_NODE__LIMITS__GLOBAL", "0", "from 1 to 1000000"),
        ("TRUNKLINE_QUEUES__WORKFLOW_NODE__BACKOFF__FACTOR", "NaN", "a number from 1"),
        ("TRUNKLINE_EGRESS__ALLOW", "http://x", "a list of networks"),
        ("TRUNKLINE_BOOTSTRAP_KEY", "two words", "printable ASCII"),
        ("TRUNKLINE_LOG__FORMAT", "xml", "\"text\" or \"json\""),
        ("DATABASE_URL", "mysql://x", "postgres://"),
        ("REDIS_URL", "http://x", "redis://"),
        ("PORT", "70000", "a port"),
    ] {
        check_message(
            load(&Flags::default(), environment(&[(name, value)])),
            &[&format!("environment variable {name}:"), expected],
        );
    }
}

#[test]
fn unknown_settings_name_what_is_known() {
    check_message(
        load(&Flags::default(), environment(&[("TRUNKLINE_UPKEEP__REAP_EVRY", "1s")])),
        &["TRUNKLINE_UPKEEP__REAP_EVRY", "upkeep.reap_evry", "upkeep.reap_every"],
    );
    check_message(
        load(&Flags::default(), environment(&[("TRUNKLINE_QUEUES__NODE__LEASE", "1s")])),
        &["queues.workflow-node"],
    );
    check_message(
        load(&Flags::default(), environment(&[("TRUNKLINE_DATABASE", "x")])),
        &["TRUNKLINE_DATABASE", "database"],
    );
    check_message(load_file("[http]\nadr = '127.0.0.1:1'"), &["trunkline.toml", "http.adr", "http.addr"]);
    check_message(load_file("http = '127.0.0.1:1'"), &["trunkline.toml", "no setting http"]);
}

#[test]
fn bad_values_in_a_file_name_the_file() {
    check_message(
        load_file("[upkeep]\nbatch = '5'"),
        &["settings file", "trunkline.toml", "upkeep.batch", "a whole number"],
    );
    check_message(load_file("[upkeep]\nbatch = 1.5"), &["upkeep.batch"]);
    check_message(
        load_file("[queues.workflow-node]\nlease = 30"),
        &["queues.workflow-node.lease", "such as 30s"],
    );
    check_message(load_file("[upkeep]\nbatch = 5\nbatch"), &["trunkline.toml, line 3"]);
    check_message(
        load_file("[queues.workflow-node]\nworkers = 5\n[queues.workflow_node]\nworkers = 6"),
        &["trunkline.toml, line"],
    );
    let missing = Flags { config: Some("/does/not/exist.toml".into()), ..Flags::default() };
    check_message(load(&missing, []), &["flag --config", "/does/not/exist.toml"]);
    let missing = environment(&[("TRUNKLINE_CONFIG", "/does/not/exist.toml")]);
    check_message(load(&Flags::default(), missing), &["environment variable TRUNKLINE_CONFIG"]);
}

#[test]
fn bad_values_of_flags_name_the_flag() {
    let flags = Flags { roles: Some("cook".to_owned()), ..Flags::default() };
    check_message(load(&flags, []), &["flag --roles", "webhooks"]);
}

#[test]
fn values_that_do_not_fit_together_name_who_set_one_of_them() {
    let initial = [("TRUNKLINE_QUEUES__WORKFLOW_NODE__BACKOFF__INITIAL", "10m")];
    check_message(
        load(&Flags::default(), environment(&initial)),
        &[initial[0].0, "not below backoff.initial"],
    );
}

#[test]
fn i11_secrets_are_shown_nowhere() {
    let settings = load(
        &Flags::default(),
        environment(&[
            ("TRUNKLINE_BOOTSTRAP_KEY", &format!("tl_{CANARY}_of_thirty_two_characters")),
            ("DATABASE_URL", &format!("postgres://ann:{CANARY}@db.example/x?password={CANARY}")),
            ("REDIS_URL", &format!("redis://:{CANARY}@cache")),
            ("TRUNKLINE_SECRETS__KEYS", &format!("2026a:{CANARY}, b:{CANARY}")),
        ]),
    )
    .expect("valid");
    for text in [
        settings.redacted(),
        format!("{settings:?}"),
        format!("{settings:#?}"),
        settings.database.url_masked(),
    ] {
        assert!(!text.contains(CANARY), "{text}");
    }
    let shown = settings.redacted();
    assert!(
        shown.contains("url = \"postgres://ann:[redacted]@db.example/x?password=[redacted]\""),
        "{shown}"
    );
    assert!(shown.contains("bootstrap_key = \"[redacted]\""), "{shown}");
    assert!(shown.contains("2026a:[redacted]"), "{shown}");
}

#[test]
fn i11_errors_never_repeat_a_value() {
    for name in [
        "DATABASE_URL",
        "REDIS_URL",
        "TRUNKLINE_SECRETS__KEYS",
        "PORT",
        "TRUNKLINE_HTTP",
        "TRUNKLINE_ROLES",
        "TRUNKLINE_NOBODY__KNOWS",
    ] {
        let error = load(&Flags::default(), environment(&[(name, CANARY)])).expect_err("a fault");
        assert!(!chain(&error).contains(CANARY), "{name}: {}", chain(&error));
    }
    for text in [
        format!("bootstrap_key = ['{CANARY}']"),
        format!("bootstrap_key = '{CANARY}"),
        format!("bootstrap_key = 'x {CANARY}'"),
        format!("bootstrap_kee = '{CANARY}'"),
        format!("database = 'postgres://ann:{CANARY}@x'"),
        format!("[database]\nurl = 'http://{CANARY}'"),
        format!("[database]\nurl = {CANARY}"),
        "bootstrap_key = 27182818284590".to_owned(),
    ] {
        let error = chain(&load_file(&text).expect_err("a fault"));
        assert!(!error.contains(CANARY) && !error.contains("27182818284590"), "{text}: {error}");
    }
}
