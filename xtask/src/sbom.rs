//! The bill of materials of the server's binary: the crates that are built into it, as CycloneDX has them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use anyhow::{Context, Result};
use cargo_metadata::{CargoOpt, DependencyKind, MetadataCommand, Package, PackageId};
use serde_json::{Value, json};

/// The crate that is shipped.
const SHIPPED: &str = "server";

/// Prints the document. `features` are those that the binary is built with.
pub(crate) fn print(root: &Path, features: &[String]) -> Result<()> {
    let named = features.iter().map(|feature| format!("{SHIPPED}/{feature}")).collect();
    let metadata = MetadataCommand::new()
        .current_dir(root)
        .features(CargoOpt::SomeFeatures(named))
        .other_options(["--locked".to_owned(), "--filter-platform".to_owned(), host()?])
        .exec()
        .context("cargo metadata")?;
    let resolve = metadata.resolve.as_ref().context("cargo resolved nothing")?;
    let packages: HashMap<&PackageId, &Package> =
        metadata.packages.iter().map(|package| (&package.id, package)).collect();
    let edges: HashMap<&PackageId, Vec<&PackageId>> = resolve
        .nodes
        .iter()
        .map(|node| {
            let built_in = node.deps.iter().filter(|dependency| {
                dependency.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal)
            });
            (&node.id, built_in.map(|dependency| &dependency.pkg).collect())
        })
        .collect();
    let shipped = metadata.packages.iter().find(|package| package.name == SHIPPED);
    let shipped = shipped.context("there is no crate of the server")?;
    let reached = reach(&shipped.id, &edges);
    let document = document(shipped, &reached, &packages, &edges)?;
    println!("{}", serde_json::to_string_pretty(&document)?);
    Ok(())
}

/// All that a crate is built with, itself included.
fn reach<'a>(
    from: &'a PackageId,
    edges: &HashMap<&'a PackageId, Vec<&'a PackageId>>,
) -> BTreeSet<&'a PackageId> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(edges.get(next).into_iter().flatten());
        }
    }
    reached
}

fn document(
    shipped: &Package,
    reached: &BTreeSet<&PackageId>,
    packages: &HashMap<&PackageId, &Package>,
    edges: &HashMap<&PackageId, Vec<&PackageId>>,
) -> Result<Value> {
    let known = |id: &PackageId| packages.get(id).copied().with_context(|| format!("{id} is unknown"));
    // By name, so that two builds of the same tree have the same document.
    let (mut components, mut dependencies) = (BTreeMap::new(), BTreeMap::new());
    for id in reached {
        let package = known(id)?;
        let mut below = BTreeSet::new();
        for dependency in edges.get(id).into_iter().flatten() {
            below.insert(reference(known(dependency)?));
        }
        dependencies.insert(reference(package), below);
        if *id != &shipped.id {
            components.insert(reference(package), component(package, "library"));
        }
    }
    let dependencies: Vec<Value> =
        dependencies.iter().map(|(of, on)| json!({ "ref": of, "dependsOn": on })).collect();
    let mut application = component(shipped, "application");
    application["name"] = json!("trunkline");
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": application },
        "components": components.into_values().collect::<Vec<_>>(),
        "dependencies": dependencies,
    }))
}

fn component(package: &Package, kind: &str) -> Value {
    let mut component = json!({
        "type": kind,
        "bom-ref": reference(package),
        "name": package.name.to_string(),
        "version": package.version.to_string(),
    });
    if package.source.is_some() {
        component["purl"] = json!(reference(package));
    }
    if let Some(license) = &package.license {
        // Older crates have a slash where the standard has a word.
        component["licenses"] = json!([{ "expression": license.replace('/', " OR ") }]);
    }
    component
}

/// What a crate is called in the document: its package URL, where it comes from a registry.
fn reference(package: &Package) -> String {
    let kind = if package.source.is_some() { "pkg:cargo/" } else { "" };
    format!("{kind}{}@{}", package.name, package.version)
}

/// The platform of the compiler here, which the binary is for.
fn host() -> Result<String> {
    let output = std::process::Command::new("rustc").arg("-vV").output().context("there is no rustc")?;
    let text = String::from_utf8(output.stdout).context("rustc says no text")?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc does not name its host")
}
