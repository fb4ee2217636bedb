//! Which layer wins, and how settings are named in each of them.

use std::net::SocketAddr;
use std::path::PathBuf;

use domain::queue::QueueName;
use domain::time::DurationMs;
use secrecy::ExposeSecret;
use settings::{ByteSize, Flags, RateLimit, Role, Settings, Synchronous, load};
use tempfile::TempDir;

fn environment(variables: &[(&str, &str)]) -> Vec<(String, String)> {
    variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn from_environment(variables: &[(&str, &str)]) -> Settings {
    load(&Flags::default(), environment(variables)).expect("valid settings")
}

/// A settings file, and the directory that keeps it alive.
fn file(text: &str) -> (TempDir, PathBuf) {
    let directory = TempDir::new().expect("a temporary directory");
    let path = directory.path().join("trunkline.toml");
    std::fs::write(&path, text).expect("the file is written");
    (directory, path)
}

fn addr(text: &str) -> SocketAddr {
    text.parse().expect("an address")
}

#[test]
fn a_flag_wins_over_the_environment_over_the_file_over_the_defaults() {
    let (_directory, config) =
        file("[http]\naddr = '127.0.0.1:1'\n[grpc]\naddr = '127.0.0.1:1'\n[log]\nformat = 'json'\n");
    let flags = Flags { config: Some(config), http: Some("127.0.0.1:3".to_owned()), ..Flags::default() };
    let settings =
        load(&flags, environment(&[("TRUNKLINE_HTTP", "127.0.0.1:2"), ("TRUNKLINE_GRPC", "127.0.0.1:2")]))
            .expect("valid");
    assert_eq!(settings.http.addr, addr("127.0.0.1:3"), "flag");
    assert_eq!(settings.grpc.addr, addr("127.0.0.1:2"), "environment");
    assert_eq!(settings.log.format, settings::LogFormat::Json, "file");
    assert_eq!(settings.metrics.addr, addr("127.0.0.1:9091"), "default");
}

#[test]
fn nothing_set_gives_the_documented_defaults() {
    let settings = from_environment(&[]);
    assert_eq!(settings.http.addr, addr("127.0.0.1:8080"));
    assert_eq!(settings.grpc.addr, addr("127.0.0.1:9090"));
    assert_eq!(settings.metrics.addr, addr("127.0.0.1:9091"));
    assert_eq!(settings.database.url.expose_secret(), "sqlite://data/trunkline.db");
    assert_eq!(settings.database.synchronous, Synchronous::Full);
    assert!(settings.database.migrate);
    assert_eq!(settings.roles, Role::ALL);
    for queue in QueueName::ALL {
        assert_eq!(settings.queues.get(queue).lease, DurationMs::from_secs(30));
        assert_eq!(settings.queues.get(queue).max_retries, 3);
    }
    let limits = settings.queues.execution.limits;
    assert_eq!((limits.global, limits.tenant, limits.workflow), (Some(100), Some(10), Some(5)));
    assert!(settings.queues.execution.workers >= 100, "an execution holds a worker while it runs");
    assert_eq!(settings.queues.node.limits.global, None);
}

#[test]
fn one_value_of_a_table_leaves_the_others() {
    let (_directory, config) =
        file("[queues.workflow_execution]\nworkers = 7\n[queues.workflow-node]\nlimits.tenant = 4\n");
    let flags = Flags { config: Some(config), ..Flags::default() };
    let settings = load(
        &flags,
        environment(&[
            ("TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE", "2s"),
            ("TRUNKLINE_QUEUES__WORKFLOW_EXECUTION__LIMITS__GLOBAL", "unlimited"),
        ]),
    )
    .expect("valid");
    let (execution, node) = (&settings.queues.execution, &settings.queues.node);
    assert_eq!((execution.workers, execution.limits.tenant, execution.limits.global), (7, Some(10), None));
    assert_eq!((node.workers, node.limits.tenant, node.lease), (1_000, Some(4), DurationMs::from_secs(2)));
}

#[test]
fn variables_are_nested_with_two_underscores() {
    let settings = from_environment(&[
        ("TRUNKLINE_UPKEEP__REAP_EVERY", "200ms"),
        ("TRUNKLINE_UPKEEP__BATCH", "50"),
        ("TRUNKLINE_HTTP__RATE_LIMIT", "100"),
        ("TRUNKLINE_HTTP__MAX_BODY", "2MiB"),
        ("TRUNKLINE_HTTP__JSON_SIZE", "65536"),
        ("TRUNKLINE_EGRESS__ALLOW", "127.0.0.0/8, localhost:8099"),
        ("TRUNKLINE_DATABASE__MIGRATE", "false"),
        ("TRUNKLINE_QUEUES__WORKFLOW_WEBHOOK__BACKOFF__FACTOR", "3"),
        ("TRUNKLINE_QUEUES__WORKFLOW_NODE__AGE_AFTER", "10m"),
    ]);
    assert_eq!((settings.upkeep.reap_every, settings.upkeep.batch), (DurationMs(200), 50));
    assert_eq!(settings.http.rate_limit, RateLimit::per_second(100));
    assert_eq!((settings.http.max_body, settings.http.json_size), (ByteSize::mebibytes(2), ByteSize(65_536)));
    assert_eq!(settings.egress.allow, ["127.0.0.0/8", "localhost:8099"]);
    assert!(!settings.database.migrate);
    assert!((settings.queues.webhook.backoff.factor - 3.0).abs() < f64::EPSILON);
    assert_eq!(settings.queues.node.age_after, Some(DurationMs::from_secs(600)));
}

#[test]
fn a_rate_limit_can_be_taken_away() {
    for off in ["0", "off"] {
        assert_eq!(from_environment(&[("TRUNKLINE_HTTP__RATE_LIMIT", off)]).http.rate_limit, None);
    }
    let per_minute =
        from_environment(&[("TRUNKLINE_HTTP__RATE_LIMIT", "100/1m")]).http.rate_limit.expect("a limit");
    assert_eq!((per_minute.requests.get(), per_minute.per), (100, DurationMs::from_secs(60)));
}

#[test]
fn short_names_stand_for_settings_within_tables() {
    let settings = from_environment(&[
        ("TRUNKLINE_HTTP", "0.0.0.0:1080"),
        ("TRUNKLINE_HTTP__REQUEST_TIMEOUT", "9s"),
        ("TRUNKLINE_GRPC", "[::1]:1090"),
        ("TRUNKLINE_METRICS", "127.0.0.1:0"),
        ("TRUNKLINE_ROLES", "scheduler, node,node"),
        ("DATABASE_URL", "postgres://weak/x"),
        ("TRUNKLINE_DATABASE_URL", "postgres://strong/x"),
        ("REDIS_URL", "redis://cache"),
        ("TRUNKLINE_URL", "not ours"),
        ("TRUNKLINE_API_KEY", "not ours"),
    ]);
    assert_eq!(settings.http.addr, addr("0.0.0.0:1080"));
    assert_eq!(settings.http.request_timeout, DurationMs::from_secs(9));
    assert_eq!(settings.grpc.addr, addr("[::1]:1090"));
    assert_eq!(settings.metrics.addr.port(), 0);
    assert_eq!(settings.roles, [Role::Scheduler, Role::Node]);
    assert_eq!(settings.database.url.expose_secret(), "postgres://strong/x");
    assert_eq!(settings.redis.url.expect("set").expose_secret(), "redis://cache");
}

#[test]
fn variables_of_opentelemetry_count_where_ours_are_not_set() {
    let (_directory, config) = file("[otel]\nservice_name = 'ours'\n");
    let flags = Flags { config: Some(config), ..Flags::default() };
    let variables = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4317"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20x"),
        ("OTEL_SERVICE_NAME", "theirs"),
        ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=prod,host.name=a"),
        ("OTEL_TRACES_SAMPLER", "always_on"),
        ("TRUNKLINE_OTEL__ENDPOINT", "http://here:4317"),
    ];
    let otel = load(&flags, environment(&variables)).expect("valid").otel;
    assert_eq!(otel.endpoint, "http://here:4317");
    assert_eq!(otel.protocol, settings::OtelProtocol::Grpc);
    assert_eq!(otel.service_name, "ours", "the file is stronger");
    assert_eq!(otel.headers.expect("set").expose_secret(), "authorization=Bearer%20x");
    assert_eq!(otel.resource_attributes, ["deployment.environment=prod", "host.name=a"]);
    assert!(!from_environment(&[]).otel.is_on());
}

#[test]
fn port_sets_the_port_and_leaves_the_host() {
    assert_eq!(from_environment(&[("PORT", "5000")]).http.addr, addr("127.0.0.1:5000"));
    let (_directory, config) = file("http.addr = '0.0.0.0:1'");
    let variables = environment(&[("PORT", "5000"), ("TRUNKLINE_CONFIG", &config.to_string_lossy())]);
    assert_eq!(load(&Flags::default(), variables).expect("valid").http.addr, addr("0.0.0.0:5000"));
    let both = from_environment(&[("PORT", "5000"), ("TRUNKLINE_HTTP", "0.0.0.0:6000")]);
    assert_eq!(both.http.addr, addr("0.0.0.0:6000"), "the name that is ours wins");
}

#[test]
fn an_empty_variable_counts_as_not_set() {
    let settings = from_environment(&[("DATABASE_URL", ""), ("PORT", ""), ("TRUNKLINE_HTTP", "")]);
    assert_eq!(settings.http.addr, addr("127.0.0.1:8080"));
}

#[test]
fn flags_have_their_own_forms() {
    let flags = Flags {
        database_url: Some("sqlite::memory:".to_owned()),
        roles: Some("api".to_owned()),
        metrics: Some("127.0.0.1:7".to_owned()),
        no_migrate: true,
        ..Flags::default()
    };
    let settings = load(&flags, environment(&[("DATABASE_URL", "postgres://x/y")])).expect("valid");
    assert_eq!(settings.database.url.expose_secret(), "sqlite::memory:");
    assert_eq!(settings.roles, [Role::Api]);
    assert_eq!(settings.metrics.addr.port(), 7);
    assert!(!settings.database.migrate);
}

const KEY_ONE: &str = "tl_the_first_of_two_keys_0123456789";
const KEY_TWO: &str = "tl_the_other_of_two_keys_0123456789";

#[test]
fn the_bootstrap_key_comes_from_a_variable_or_a_file() {
    let key = |variables: &[(&str, &str)]| {
        from_environment(variables).bootstrap_key.expect("set").expose_secret().to_owned()
    };
    assert_eq!(key(&[("TRUNKLINE_BOOTSTRAP_KEY", KEY_ONE)]), KEY_ONE);
    let (_directory, path) = file(&format!("{KEY_TWO}\n"));
    assert_eq!(key(&[("TRUNKLINE_BOOTSTRAP_KEY_FILE", &path.to_string_lossy())]), KEY_TWO);
    let both =
        environment(&[("TRUNKLINE_BOOTSTRAP_KEY", KEY_ONE), ("TRUNKLINE_BOOTSTRAP_KEY_FILE", "/dev/null")]);
    let message = load(&Flags::default(), both).expect_err("ambiguous").to_string();
    assert!(message.contains("TRUNKLINE_BOOTSTRAP_KEY and"), "{message}");
}

#[test]
fn every_secret_comes_from_a_variable_or_a_file() {
    let (_directory, path) = file("postgres://me:a,b%20c@h/d\n");
    let path = path.to_string_lossy();
    for name in ["DATABASE_URL_FILE", "TRUNKLINE_DATABASE_URL_FILE", "TRUNKLINE_DATABASE__URL_FILE"] {
        let settings = from_environment(&[(name, &path)]);
        assert_eq!(settings.database.url.expose_secret(), "postgres://me:a,b%20c@h/d", "{name}");
    }
    let settings = from_environment(&[("TRUNKLINE_DATABASE__LISTEN_URL_FILE", &path)]);
    assert!(settings.database.listen_url.is_some());
    let both = environment(&[("DATABASE_URL", "sqlite::memory:"), ("DATABASE_URL_FILE", "/dev/null")]);
    let message = load(&Flags::default(), both).expect_err("ambiguous").to_string();
    assert!(message.contains("DATABASE_URL and"), "{message}");
    let missing = environment(&[("REDIS_URL_FILE", "/nowhere/redis")]);
    let message = load(&Flags::default(), missing).expect_err("it is not there").to_string();
    assert!(message.contains("/nowhere/redis"), "{message}");
}

#[test]
fn keys_of_secrets_come_from_a_variable_or_a_file() {
    let keys = |variables: &[(&str, &str)]| {
        let keys = from_environment(variables).secrets.keys;
        keys.iter().map(|key| key.expose_secret().to_owned()).collect::<Vec<_>>()
    };
    assert!(keys(&[]).is_empty());
    assert_eq!(keys(&[("TRUNKLINE_SECRETS__KEYS", "b:BB==, a:AA==")]), ["b:BB==", "a:AA=="]);
    let (_directory, path) = file("b:BB==\na:AA==\n");
    assert_eq!(keys(&[("TRUNKLINE_SECRETS__KEYS_FILE", &path.to_string_lossy())]), ["b:BB==", "a:AA=="]);
    let both =
        environment(&[("TRUNKLINE_SECRETS__KEYS", "a:AA=="), ("TRUNKLINE_SECRETS__KEYS_FILE", "/dev/null")]);
    let message = load(&Flags::default(), both).expect_err("ambiguous").to_string();
    assert!(message.contains("TRUNKLINE_SECRETS__KEYS and"), "{message}");
}

#[test]
fn properties_of_kafka_in_a_file_may_have_commas() {
    let (_directory, path) = file("sasl.username=ann\r\n\nsasl.password=a,b=c\n");
    let properties = from_environment(&[("TRUNKLINE_KAFKA__PROPERTIES_FILE", &path.to_string_lossy())]);
    let pairs: Vec<_> = properties.kafka.property_pairs().collect();
    assert_eq!(pairs, [("sasl.username", "ann"), ("sasl.password", "a,b=c")]);
}
