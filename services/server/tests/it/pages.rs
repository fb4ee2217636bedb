//! The commands of the pages for those who run it: install, production, security, upgrade, scaling. Each block runs against a real
//! deployment, and what it prints is what the page says.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::harness::{Database, Server, bash, blocks_of_sh, repository, trunkline, until};

const DEADLINE: Duration = Duration::from_mins(1);

/// The only block of `sh` between two markers of a page.
fn block(page: &str, name: &str) -> String {
    let path = repository().join("docs").join(page);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{page}: {error}"));
    let (begin, end) = (format!("<!-- {name}:begin -->"), format!("<!-- {name}:end -->"));
    let blocks = blocks_of_sh(&text, &begin, &end);
    assert_eq!(blocks.len(), 1, "{page} {name}: {blocks:?}");
    blocks.concat()
}

/// Runs a block and answers what it printed.
async fn run(server: &Server, database: &Database, page: &str, name: &str) -> String {
    let variables = [("DATABASE_URL", database.url.as_str())];
    bash(server, server.directory(), &block(page, name), &variables, DEADLINE).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_commands_of_install_and_production_work() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    assert!(run(&server, &database, "install.md", "install").await.contains("are valid"));
    let written = |path: &str| std::fs::read_to_string(server.directory().join(path)).expect("it is written");
    assert!(written("trunkline.bash").contains("complete -F"));
    assert!(written("man1/trunkline-serve.1").contains(".TH"));
    let examined = run(&server, &database, "production.md", "production").await;
    assert!(examined.contains("schema"), "{examined}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_commands_of_security_work() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    let printed = run(&server, &database, "security.md", "security").await;
    for word in ["orders-api", "mailer", "acme"] {
        assert!(printed.contains(word), "no {word}: {printed}");
    }
    let keys = server.client().all("/v1/api-keys").await;
    assert!(keys.iter().filter(|key| key["tenant"] == "acme").count() == 2, "{keys:?}");

    let (database, key) = (Database::sqlite(), format!("main:{}", STANDARD.encode([7_u8; 32])));
    let server = Server::start_with(&database, &[("TRUNKLINE_SECRETS__KEYS", &key)]).await;
    run(&server, &database, "security.md", "security-encryption").await;
    let encryption = server.client().get("/v1/tenants/acme/encryption").await;
    assert_eq!(encryption["enabled"], true, "{encryption}");
    assert_eq!(encryption["keys"].as_array().map(Vec::len), Some(2), "{encryption}");
}

/// Pages of which each block is run, and who runs those between markers.
const PAGES: [(&str, &[&str]); 8] = [
    ("install.md", &[include_str!("pages.rs")]),
    ("production.md", &[include_str!("pages.rs")]),
    ("upgrade.md", &[include_str!("pages.rs")]),
    ("security.md", &[include_str!("pages.rs")]),
    ("scaling.md", &[include_str!("pages.rs")]),
    ("backup.md", &[include_str!("backup.rs"), include_str!("../../../../scripts/test-restore.sh")]),
    ("move.md", &[include_str!("moves/page.rs")]),
    ("sql.md", &[include_str!("sql_intake.rs"), include_str!("sql_outbox.rs")]),
];

/// What a block that is not run begins its lines with: tools that need a container engine, a cluster, or to be root, and
/// builds that other tests make.
const ELSEWHERE: [&str; 7] =
    ["docker ", "kubectl ", "helm ", "sudo ", "export ", "scripts/", "--from-literal="];

#[test]
fn each_block_of_the_pages_is_run() {
    for (page, tests) in PAGES {
        let path = repository().join("docs").join(page);
        let mut rest = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{page}: {error}"));
        let mut regions = 0;
        while let Some((before, after)) = rest.split_once("<!-- ") {
            let (name, after) = after.split_once(":begin -->").expect("each marker begins a region");
            let (_, after) =
                after.split_once(&format!("<!-- {name}:end -->")).unwrap_or_else(|| panic!("{page}: {name}"));
            let used = name.strip_prefix("move-").unwrap_or(name);
            let calls = [
                format!("\"{used}\""),
                format!("<!-- {used}:begin"),
                format!("on_page {used}"),
                format!("block {used}"),
            ];
            let is_run = tests.iter().any(|test| calls.iter().any(|call| test.contains(call)));
            assert!(is_run, "{page}: no test runs {name}");
            regions += 1;
            rest = format!("{before}{after}");
        }
        assert!(regions > 0, "{page}: nothing of it is run");
        for block in blocks_of_sh(&format!("<begin>{rest}<end>"), "<begin>", "<end>") {
            for line in block.lines().map(str::trim_start) {
                let is_elsewhere = ELSEWHERE.iter().any(|tool| line.starts_with(tool));
                assert!(is_elsewhere, "{page}: no test runs this line: {line}");
            }
        }
    }
}

/// An upgrade: migrated while a process goes on, and what the list shows afterwards.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_commands_of_upgrade_and_scaling_work() {
    let database = Database::postgres().await;
    let server = Server::start(&database).await;
    let before = run(&server, &database, "upgrade.md", "upgrade-before").await;
    assert!(before.contains(env!("CARGO_PKG_VERSION")), "{before}");
    run(&server, &database, "upgrade.md", "upgrade-migrate").await;
    let second = Server::start(&database).await;
    // A process shows itself soon after it is ready.
    until("both processes show themselves", DEADLINE, || async {
        let servers = server.client().get("/v1/servers").await;
        (servers["items"].as_array().map(Vec::len) == Some(2)).then_some(())
    })
    .await;
    let after = run(&server, &database, "upgrade.md", "upgrade-after").await;
    assert!(after.matches(env!("CARGO_PKG_VERSION")).count() >= 2, "one line for each process: {after}");
    second.client().post("/v1/jobs", &json!({ "jobType": "greet" })).await;
    let shown = run(&server, &database, "scaling.md", "scaling").await;
    for word in ["workflow-node", "workflow-execution"] {
        assert!(shown.contains(word), "no {word}: {shown}");
    }
}

/// The key that the chart names for KEDA reads what its trigger asks for, where the trigger looks, and nothing else.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_key_for_the_autoscaler_of_the_chart_is_sufficient() {
    let chart = repository().join("docker/helm/trunkline");
    let read = |file: &str| std::fs::read_to_string(chart.join(file)).expect("it is part of the chart");
    let (values, trigger) = (read("values.yaml"), read("templates/monitoring.yaml"));
    let command = values.lines().find_map(|line| line.split_once("API key for KEDA: trunkline "));
    let (_, command) = command.expect("a comment with the command");
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    let arguments: Vec<&str> = ["--json"].into_iter().chain(command.split_whitespace()).collect();
    let made = trunkline(&server, &arguments).json();
    let keda = server.client().with_key(made["key"].as_str());
    let location = trigger.lines().find_map(|line| line.trim().strip_prefix("valueLocation: "));
    let scaling = keda.get("/v1/queues/workflow-node/scaling").await;
    assert!(scaling[location.expect("where the figure is")].is_u64(), "{scaling}");
    for path in ["/v1/jobs", "/v1/api-keys"] {
        assert_eq!(keda.try_get(path).await.status, 403, "{path}");
    }
}

/// The first release is a commit of this history, whose last migration is the one that is written beside it and among the golden
/// databases.
#[test]
fn the_first_release_is_written_down() {
    let releases =
        std::fs::read_to_string(repository().join("chaos/releases")).expect("there is such a file");
    let lines: Vec<&str> = releases.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(!lines.is_empty());
    for line in lines {
        let (commit, migration) = line.split_once(' ').expect("a commit and a migration");
        assert!(commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()), "{commit}");
        let number = migration.split('_').next().expect("a number");
        for database in ["sqlite", "postgres"] {
            let golden = format!("shared/store-sql/tests/golden/{number}.{database}.sql.gz");
            assert!(repository().join(&golden).exists(), "no {golden}");
        }
    }
}
