//! Verbs that need no server, or look at it from outside: `config`, `completion`, `man`, `migrate`, `doctor`.

use std::process::Command;

use crate::harness::{Database, Output, Server, TEST_KEY, on_both_databases, trunkline};

on_both_databases!(
    cli_settings_are_shown,
    cli_what_cannot_be_opened_is_said_plainly,
    cli_migrate_and_doctor_look_at_the_database,
    cli_doctor_asks_where_the_settings_say_and_makes_nothing,
    cli_server_and_key_are_those_of_variables_files_and_profiles,
);

fn alone(server: &Server, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.args(arguments).env_clear().current_dir(server.directory());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.envs(variables.iter().copied());
    tokio::task::block_in_place(|| Output::of(&mut command))
}

async fn cli_settings_are_shown(database: Database) {
    let server = Server::prepared(&database, &[]);
    let url = [("DATABASE_URL", database.url.as_str())];
    let shown =
        alone(&server, &url, &["config", "show"]).prints(&["[http]", "[queues.workflow-node]", "lease"]);
    assert!(shown.stdout.contains(if database.is_postgres() { "postgres://" } else { "sqlite://" }));
    let lease = [("TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE", "7s")];
    alone(&server, &lease, &["config", "show"]).prints(&["lease = \"7s\""]);
    std::fs::write(server.directory().join("t.toml"), "[http]\nmax_body = \"3MiB\"\n")
        .expect("can be written");
    alone(&server, &[], &["config", "show", "--config", "t.toml"]).prints(&["3MiB"]);
    let wrong =
        alone(&server, &[("TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE", "7")], &["config", "show"]).exits(1);
    assert!(wrong.stderr.contains("workflow-node.lease") || wrong.stderr.contains("WORKFLOW_NODE__LEASE"));
    let shown = alone(&server, &[], &["config", "show", "--config", "t.toml", "--json"]).json();
    assert_eq!(shown["http"]["max_body"], "3MiB", "{shown}");
    assert_eq!(shown["queues"]["workflow-node"]["lease"], "30s", "{shown}");
    let secret = [("TRUNKLINE_BOOTSTRAP_KEY", "a-key-that-nobody-may-see-0123456789")];
    let masked = alone(&server, &secret, &["--json", "config", "show"]);
    assert!(!masked.stdout.contains("nobody-may-see"), "{}", masked.stdout);
    assert_eq!(masked.json()["bootstrap_key"], "[redacted]");
    assert_eq!(alone(&server, &[], &["config", "check", "--json"]).json()["valid"], true);
    let absent = [("TRUNKLINE_CONFIG", "absent.toml")];
    let wrong = alone(&server, &absent, &["config", "show"]).exits(1);
    let expected = "environment variable TRUNKLINE_CONFIG: cannot read absent.toml";
    assert!(wrong.stderr.contains(expected) && !wrong.stderr.contains("--config"), "{}", wrong.stderr);
    for shell in ["bash", "zsh", "fish"] {
        alone(&server, &[], &["completion", shell]).prints(&["trunkline", "workflow", "requeue"]);
    }
    alone(&server, &[], &["--version"]).prints(&["trunkline"]);
    alone(&server, &[], &["--help"]).prints(&["serve", "workflow", "run", "dlq", "limits"]);
    alone(&server, &[], &["completion", "tcsh"]).exits(2);
    alone(&server, &[], &["man", "pages/man1"]).exits(0);
    for (page, text) in [("trunkline.1", "serve"), ("trunkline-dlq-requeue.1", "requeue")] {
        let page = server.directory().join("pages/man1").join(page);
        let page =
            std::fs::read_to_string(&page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
        assert!(page.starts_with(".ie") && page.contains(".TH") && page.contains(text), "{page}");
    }
    std::fs::write(server.directory().join("file"), "").expect("can be written");
    alone(&server, &[], &["man", "file"]).exits(1);
}

async fn cli_what_cannot_be_opened_is_said_plainly(database: Database) {
    let server = Server::prepared(&database, &[]);
    let away = ["outbox", "status", "--outbox-url", "postgres://shop:s3cret@127.0.0.1:9/orders"];
    let refused = alone(&server, &[], &away).exits(1);
    let expected = "cannot reach the application's database postgres://127.0.0.1:9/orders";
    assert!(refused.stderr.contains(expected) && refused.stderr.contains("refused"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("s3cret"), "{}", refused.stderr);
    std::fs::write(server.directory().join("text.db"), "a text").expect("can be written");
    for verb in [&["serve"][..], &["migrate"], &["backup", "copy.db"]] {
        let refused = alone(&server, &[], &[verb, &["--database-url", "sqlite://text.db"]].concat()).exits(1);
        assert!(refused.stderr.contains("text.db is not a SQLite database"), "{}", refused.stderr);
    }
    for verb in ["sql", "outbox"] {
        let refused = alone(&server, &[], &[verb, "install", "--role", "sh\"op"]).exits(2);
        assert!(refused.stderr.contains("expected a name of 1 to 63 bytes"), "{}", refused.stderr);
    }
}

async fn cli_migrate_and_doctor_look_at_the_database(database: Database) {
    let server = Server::prepared(&database, &[]);
    alone(&server, &[], &["migrate", "--database-url", &database.url]).prints(&["up to date"]);
    alone(&server, &[("DATABASE_URL", &database.url)], &["migrate"]).prints(&["up to date"]);
    let migrated = alone(&server, &[("DATABASE_URL", &database.url)], &["--json", "migrate"]).json();
    assert_eq!(migrated["upToDate"], true, "{migrated}");
    drop(server);

    let server = Server::start(&database).await;
    // The server has the database; a second one would be refused, and the doctor knows that this is well.
    let mut doctor = server.verb(&["doctor"]);
    doctor.env("TRUNKLINE_URL", server.url()).env("TRUNKLINE_API_KEY", TEST_KEY);
    let output =
        tokio::task::block_in_place(|| Output::of(&mut doctor)).prints(&["ok", "server", "database"]);
    assert!(!output.stdout.contains("FAIL"), "{}", output.stdout);
    let mut examined = server.verb(&["--json", "doctor"]);
    examined.env("TRUNKLINE_URL", server.url()).env("TRUNKLINE_API_KEY", TEST_KEY);
    let found = tokio::task::block_in_place(|| Output::of(&mut examined)).json();
    assert_eq!(found["ok"], true, "{found}");
    let status_of = |name: &str| {
        let checks = found["checks"].as_array().into_iter().flatten();
        checks.filter(|check| check["check"] == name).map(|check| check["status"].clone()).collect::<Vec<_>>()
    };
    for name in ["settings", "server", "key", "database", "schema", "clock", "leases", "parked"] {
        assert_eq!(status_of(name), ["ok"], "{name}: {found}");
    }
    let away = trunkline(&server, &["--url", "http://127.0.0.1:9", "doctor"]).exits(1);
    assert!(away.stdout.contains("FAIL server"), "{}", away.stdout);
}

async fn cli_doctor_asks_where_the_settings_say_and_makes_nothing(database: Database) {
    let server = Server::start(&database).await;
    let address = server.address();
    let port = address.rsplit(':').next().expect("a port");
    let variables =
        [("DATABASE_URL", database.url.as_str()), ("PORT", port), ("TRUNKLINE_API_KEY", TEST_KEY)];
    alone(&server, &variables, &["doctor"]).prints(&["ready", "accepted"]);

    let absent = server.directory().join("absent.db");
    let url = format!("sqlite://{}", absent.display());
    let failed = alone(&server, &[("DATABASE_URL", &url), ("PORT", "9")], &["doctor"]).exits(1);
    assert!(
        failed.stdout.contains("FAIL database") && failed.stdout.contains("no file"),
        "{}",
        failed.stdout
    );
    assert!(!absent.exists(), "looking makes nothing");
}

async fn cli_server_and_key_are_those_of_variables_files_and_profiles(database: Database) {
    let server = Server::start(&database).await;
    let (url, key) = (server.url(), server.directory().join("a.key"));
    std::fs::write(&key, format!("{TEST_KEY}\n")).expect("can be written");
    let key = key.display().to_string();
    let (by_url, by_file) = (("TRUNKLINE_URL", url.as_str()), ("TRUNKLINE_API_KEY_FILE", key.as_str()));
    let list = ["queue", "list"];
    alone(&server, &[by_url, by_file], &list).prints(&["workflow-node"]);
    alone(&server, &[by_url, by_file, ("TRUNKLINE_API_KEY", "tl_another")], &list).exits(6);
    let absent = alone(&server, &[by_url, ("TRUNKLINE_API_KEY_FILE", "absent.key")], &list).exits(1);
    assert!(absent.stderr.contains("TRUNKLINE_API_KEY_FILE"), "{}", absent.stderr);

    let profiles = format!("[here]\nurl = \"{url}\"\napi_key_file = \"{key}\"\n");
    std::fs::write(server.directory().join("profiles.toml"), profiles).expect("can be written");
    let by_profile = [("TRUNKLINE_PROFILES", "profiles.toml"), ("TRUNKLINE_PROFILE", "here")];
    alone(&server, &by_profile, &list).prints(&["workflow-node"]);
    alone(&server, &[by_url, by_file, ("TRUNKLINE_PROFILE", "")], &list).prints(&["workflow-node"]);
    let unknown = alone(&server, &by_profile, &["--profile", "there", "queue", "list"]).exits(1);
    assert!(unknown.stderr.contains("available: here"), "{}", unknown.stderr);
}
