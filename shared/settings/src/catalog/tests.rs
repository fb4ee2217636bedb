//! The catalog holds what the settings hold.

use std::collections::BTreeSet;

use super::{find, known_near, paths};
use crate::settings::Settings;

/// The leaves of a table as paths.
fn leaves(prefix: &str, table: &toml::Table, into: &mut BTreeSet<String>) {
    for (name, value) in table {
        match value {
            toml::Value::Table(inner) => leaves(&format!("{prefix}{name}."), inner, into),
            _ => {
                into.insert(format!("{prefix}{name}"));
            }
        }
    }
}

#[test]
fn every_field_is_listed_and_every_listed_setting_is_a_field() {
    // What has no default is not in the defaults.
    let mut fields = BTreeSet::from(
        [
            "bootstrap_key",
            "database.listen_url",
            "database.read_url",
            "egress.proxy",
            "oidc.client_secret",
            "otel.headers",
            "redis.url",
            "smtp.password",
            "vault.token",
        ]
        .map(str::to_owned),
    );
    leaves("", &toml::Table::try_from(Settings::default()).expect("a table"), &mut fields);
    let listed: BTreeSet<String> = paths().into_iter().map(|(path, _)| path).collect();
    assert_eq!(fields, listed);
}

#[test]
fn paths_are_found_with_their_queue() {
    assert_eq!(find("queues.workflow-node.lease").map(|key| key.path), Some("queues.*.lease"));
    assert!(find("queues.workflow-nod.lease").is_none());
    assert!(find("queues.*.lease").is_none());
    assert!(find("queues").is_none());
}

#[test]
fn the_neighbors_of_an_unknown_setting_are_named() {
    assert!(known_near("metrics.address").contains(&"metrics.addr".to_owned()));
    assert!(known_near("queues.nodes.lease").contains(&"queues.workflow-node".to_owned()));
    assert!(known_near("htp").contains(&"http".to_owned()));
}
