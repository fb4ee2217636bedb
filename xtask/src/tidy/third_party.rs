//! Which crates of others may be named where: the walls that keep a library behind one adapter.

use crate::tidy::complaint::Complaint;
use crate::tidy::tree::Tree;
use crate::tidy::workspace::Member;

const RULE: &str = "third-party";

/// A library, and the crates of ours that may depend on it. A trailing `*` stands for any end of the name.
const WALLS: &[(&str, &[&str])] = &[
    ("sea-orm", &["store-sql", "testkit"]),
    ("sea-orm-migration", &["migrations", "store-sql", "testkit"]),
    ("sqlx*", &["store-sql", "testkit", "load-tests"]),
    ("axum*", &["api", "grpc", "web-console", "server", "load-tests"]),
    ("tonic*", &["grpc", "load-tests", "trunkline-client", "telemetry"]),
    ("prost*", &["grpc", "load-tests", "trunkline-client", "telemetry", "relay"]),
    ("utoipa*", &["api", "server"]),
    ("tower-http", &["api", "server"]),
    ("reqwest", &["worker", "server", "providers", "trunkline-client", "telemetry"]),
    ("apalis*", &["worker"]),
    ("lettre", &["worker"]),
    ("clap*", &["server", "load-tests"]),
    ("redis", &["rate-limits"]),
    ("ring", &["providers"]),
    ("governor", &["rate-limits", "api"]),
    ("config", &["settings"]),
    ("metrics-exporter-prometheus", &["telemetry"]),
    ("tracing-subscriber", &["telemetry"]),
    ("opentelemetry*", &["telemetry"]),
];
/// What would make the core impure. Its tests may not use them either.
const NOT_IN_DOMAIN: [&str; 8] =
    ["tokio*", "async-trait", "futures*", "tracing*", "metrics*", "rand*", "reqwest", "config"];

/// Checks the manifests. Dev-dependencies are free but in the core.
pub(crate) fn check_manifests(members: &[Member]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for member in members {
        for dependency in &member.dependencies {
            let name = dependency.name.as_str();
            let walled = WALLS.iter().find(|(wall, owners)| {
                !dependency.is_dev && matches(wall, name) && !owners.contains(&member.name.as_str())
            });
            if let Some((_, owners)) = walled {
                let message =
                    format!("{} depends on {name}, which only {} may", member.name, owners.join(", "));
                complaints.push(Complaint::new(&member.manifest, 1, RULE, message));
            }
            if member.name == "domain" && NOT_IN_DOMAIN.iter().any(|banned| matches(banned, name)) {
                let message = format!("the core depends on {name}: it does no I/O and draws no lots");
                complaints.push(Complaint::new(&member.manifest, 1, RULE, message));
            }
        }
    }
    complaints
}

/// Checks that apalis is named only in the files whose name says so.
pub(crate) fn check_files(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let files =
        tree.rust().filter(|file| !file.path.starts_with("xtask/") && !file.name().starts_with("apalis"));
    for file in files {
        for (number, line) in file.lines() {
            let code = line.split("//").next().unwrap_or(line);
            if code.contains("apalis::") || code.contains("apalis_core::") {
                let message = "name apalis only in files called apalis_*.rs: it stays behind one adapter";
                complaints.push(Complaint::new(&file.path, number, RULE, message));
            }
        }
    }
    complaints
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name == start || name.strip_prefix(start).is_some_and(|rest| rest.starts_with('-')),
        None => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::{check_files, check_manifests};
    use crate::tidy::tree::Tree;
    use crate::tidy::workspace::member;

    #[test]
    fn libraries_stay_behind_their_walls() {
        let count = |name: &str, dependencies: &[&str]| check_manifests(&[member(name, dependencies)]).len();
        assert_eq!(count("store-sql", &["sea-orm", "sqlx", "serde"]), 0);
        assert_eq!(count("engine", &["sqlx"]), 1);
        assert_eq!(count("engine", &["+sqlx"]), 0);
        assert_eq!(count("worker", &["apalis", "apalis-core"]), 0);
        assert_eq!(count("scheduler", &["apalis-core"]), 1);
        assert_eq!(count("domain", &["+tokio"]), 1);
        assert_eq!(count("domain", &["serde", "randomize"]), 0);
    }

    #[test]
    fn the_adapter_is_recognized_by_its_name() {
        let code = "// apalis:: in prose\nuse apalis::prelude::*;";
        assert!(check_files(&Tree::of(&[("services/worker/src/apalis_backend.rs", code)])).is_empty());
        let complaints = check_files(&Tree::of(&[("services/worker/src/pool.rs", code)]));
        assert_eq!(complaints.len(), 1);
        assert_eq!(complaints[0].line, 2);
    }
}
