//! What the manifests say about the members and their dependencies, as cargo understands them.

use std::path::Path;

use anyhow::Context;
use cargo_metadata::{DependencyKind, MetadataCommand};

/// One member of the workspace.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    /// The name of the crate.
    pub(crate) name: String,
    /// Its manifest, from the root of the repository.
    pub(crate) manifest: String,
    /// All it names.
    pub(crate) dependencies: Vec<Dependency>,
}

/// One line of a manifest.
#[derive(Debug, Clone)]
pub(crate) struct Dependency {
    /// The crate that is depended on.
    pub(crate) name: String,
    /// What code calls it, if not by its name.
    pub(crate) rename: Option<String>,
    /// Whether only tests, benches and examples see it.
    pub(crate) is_dev: bool,
}

/// Asks cargo for the members. Needs no network and resolves nothing.
pub(crate) fn read(root: &Path) -> anyhow::Result<Vec<Member>> {
    let metadata = MetadataCommand::new()
        .current_dir(root)
        .no_deps()
        .other_options(["--offline".to_owned()])
        .exec()
        .context("cargo metadata failed")?;
    let members = metadata.packages.iter().map(|package| Member {
        name: package.name.to_string(),
        manifest: package
            .manifest_path
            .strip_prefix(&metadata.workspace_root)
            .map_or_else(|_| package.manifest_path.to_string(), ToString::to_string),
        dependencies: package
            .dependencies
            .iter()
            .map(|found| Dependency {
                name: found.name.clone(),
                rename: found.rename.clone(),
                is_dev: found.kind == DependencyKind::Development,
            })
            .collect(),
    });
    Ok(members.collect())
}

/// A member for the tests of a check; names with a leading `+` are dev-dependencies.
#[cfg(test)]
pub(crate) fn member(name: &str, dependencies: &[&str]) -> Member {
    let dependency = |found: &&str| Dependency {
        name: found.trim_start_matches('+').to_owned(),
        rename: None,
        is_dev: found.starts_with('+'),
    };
    Member {
        name: name.to_owned(),
        manifest: format!("{name}/Cargo.toml"),
        dependencies: dependencies.iter().map(dependency).collect(),
    }
}
