//! Which of our crates may depend on which. Whatever is not listed is not allowed.

use crate::tidy::complaint::Complaint;
use crate::tidy::workspace::{Dependency, Member};

const RULE: &str = "crate-edges";

/// A crate, and those that its code may name.
const EDGES: &[(&str, &[&str])] = &[
    (
        "server",
        &[
            "api",
            "grpc",
            "web-console",
            "worker",
            "scheduler",
            "relay",
            "engine",
            "store",
            "store-sql",
            "migrations",
            "rate-limits",
            "providers",
            "settings",
            "telemetry",
            "domain",
        ],
    ),
    ("web-console", &[]),
    ("api", &["engine", "store", "domain", "rate-limits", "settings", "telemetry"]),
    ("grpc", &["engine", "store", "domain"]),
    ("worker", &["engine", "store", "domain", "settings", "telemetry"]),
    ("scheduler", &["engine", "store", "domain", "settings", "telemetry"]),
    ("relay", &["engine", "store", "domain", "telemetry"]),
    ("engine", &["store", "domain", "rate-limits", "telemetry"]),
    ("store-sql", &["store", "domain", "migrations"]),
    ("store", &["domain"]),
    ("settings", &["domain"]),
    ("testkit", &["engine", "store", "store-sql", "migrations", "domain"]),
    ("domain", &[]),
    ("migrations", &[]),
    ("rate-limits", &["domain"]),
    ("providers", &["engine"]),
    ("telemetry", &["domain"]),
    ("load-tests", &["api", "grpc", "worker", "engine", "store", "store-sql", "settings", "domain"]),
    // For users: it knows the interface, and nothing of the product.
    ("trunkline-client", &[]),
    ("video-worker", &["trunkline-client"]),
    ("xtask", &[]),
];
/// Whose tests may name what lies beside them: gRPC carries its calls out as those of REST, and messages of the relay are part of
/// the contract of gRPC.
const TESTS_MAY_BESIDE: [(&str, &str); 2] = [("grpc", "api"), ("relay", "grpc")];
/// What tests may name besides: everything below the services.
const TESTS_MAY: [&str; 8] =
    ["testkit", "store-sql", "migrations", "engine", "store", "settings", "telemetry", "domain"];

pub(crate) fn check(members: &[Member]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for member in members {
        let mut complain =
            |message: String| complaints.push(Complaint::new(&member.manifest, 1, RULE, message));
        let Some((_, allowed)) = EDGES.iter().find(|(name, _)| *name == member.name) else {
            complain(format!("{} has no place in the map: list it in this check", member.name));
            continue;
        };
        let ours = |found: &&Dependency| members.iter().any(|other| other.name == found.name);
        for dependency in member.dependencies.iter().filter(ours) {
            let name = dependency.name.as_str();
            let in_tests =
                TESTS_MAY.contains(&name) || TESTS_MAY_BESIDE.contains(&(member.name.as_str(), name));
            let is_allowed = allowed.contains(&name) || (dependency.is_dev && in_tests);
            if !is_allowed {
                let kind = if dependency.is_dev { "even its tests may not" } else { "it may not" };
                complain(format!("{} depends on {name}: {kind}", member.name));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::workspace::member;

    #[test]
    fn only_listed_edges_are_allowed() {
        let others =
            ["engine", "store", "domain", "testkit", "api", "store-sql"].map(|name| member(name, &[]));
        let complaints = |name: &str, dependencies: &[&str]| {
            let mut members = others.to_vec();
            members.retain(|other| other.name != name);
            members.push(member(name, dependencies));
            check(&members).len()
        };
        assert_eq!(complaints("api", &["engine", "store", "serde", "+testkit", "+store-sql"]), 0);
        assert_eq!(complaints("api", &["store-sql"]), 1);
        assert_eq!(complaints("domain", &["store"]), 1);
        assert_eq!(complaints("engine", &["testkit"]), 1);
        assert_eq!(complaints("worker", &["+api"]), 1);
        assert_eq!(complaints("surprise", &[]), 1);
    }
}
