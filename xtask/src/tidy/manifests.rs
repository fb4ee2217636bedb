//! Each member takes the lints of the workspace, and uses what it depends on.

use crate::tidy::complaint::Complaint;
use crate::tidy::tree::{SourceFile, Tree};
use crate::tidy::workspace::{Dependency, Member};

const RULE: &str = "manifests";

/// What is used by code that is made during the build.
const BY_GENERATED_CODE: &[&str] = &["prost", "tonic-prost"];

pub(crate) fn check(tree: &Tree, members: &[Member]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for member in members {
        let Some(manifest) = tree.get(&member.manifest) else { continue };
        let mut complain =
            |message: String| complaints.push(Complaint::new(&manifest.path, 1, RULE, message));
        if !takes_lints(&manifest.text) {
            complain("add `[lints]` with `workspace = true`".to_owned());
        }
        for unused in unused(tree, member) {
            complain(format!("nothing uses {}: remove the dependency", unused.name));
        }
    }
    complaints
}

fn takes_lints(manifest: &str) -> bool {
    let mut lines = manifest.lines().map(str::trim).skip_while(|line| *line != "[lints]").skip(1);
    lines
        .by_ref()
        .take_while(|line| !line.starts_with('['))
        .any(|line| line.replace(' ', "") == "workspace=true")
}

/// Dependencies that the code of a member never names.
fn unused<'a>(tree: &Tree, member: &'a Member) -> Vec<&'a Dependency> {
    let folder = member.manifest.trim_end_matches("Cargo.toml");
    let files: Vec<&SourceFile> = tree.rust().filter(|file| file.path.starts_with(folder)).collect();
    let is_used = |dependency: &Dependency| {
        let ident = dependency.rename.as_ref().unwrap_or(&dependency.name).replace('-', "_");
        files.iter().any(|file| names(file, &ident)) || BY_GENERATED_CODE.contains(&dependency.name.as_str())
    };
    member.dependencies.iter().filter(|dependency| !is_used(dependency)).collect()
}

/// Whether code of a file has a word, outside of comments.
fn names(file: &SourceFile, ident: &str) -> bool {
    file.lines().any(|(_, line)| {
        let code = line.split("//").next().unwrap_or(line);
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        code.match_indices(ident).any(|(at, _)| {
            let before = code[..at].chars().next_back();
            let after = code[at + ident.len()..].chars().next();
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::tree::Tree;
    use crate::tidy::workspace::member;

    #[test]
    fn members_without_lints_are_found() {
        let count = |text: &str| check(&Tree::of(&[("a/Cargo.toml", text)]), &[member("a", &[])]).len();
        assert_eq!(count("[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n"), 0);
        assert_eq!(count("[package]\nname = \"a\"\n"), 1);
        assert_eq!(count("[lints]\n[dependencies]\nworkspace = true\n"), 1);
    }

    #[test]
    fn dependencies_that_nothing_names_are_found() {
        let manifest = ("a/Cargo.toml", "[lints]\nworkspace = true\n");
        let names = |code: &str, dependency: &str| {
            let tree = Tree::of(&[manifest, ("a/src/lib.rs", code), ("b/src/lib.rs", "use one_two::X;")]);
            check(&tree, &[member("a", &[dependency])]).len()
        };
        assert_eq!(names("use one_two::X;", "one-two"), 0);
        assert_eq!(names("fn f() { let x = one_two::g(); }", "+one-two"), 0);
        assert_eq!(names("// one_two::g\nuse one_two_three::X;", "one-two"), 1);
        assert_eq!(names("", "prost"), 0);
    }
}
