//! Each member takes the lints of the workspace.

use crate::tidy::complaint::Complaint;
use crate::tidy::tree::Tree;
use crate::tidy::workspace::Member;

const RULE: &str = "manifests";

pub(crate) fn check(tree: &Tree, members: &[Member]) -> Vec<Complaint> {
    members
        .iter()
        .filter_map(|member| tree.get(&member.manifest))
        .filter(|file| !takes_lints(&file.text))
        .map(|file| Complaint::new(&file.path, 1, RULE, "add `[lints]` with `workspace = true`"))
        .collect()
}

fn takes_lints(manifest: &str) -> bool {
    let mut lines = manifest.lines().map(str::trim).skip_while(|line| *line != "[lints]").skip(1);
    lines
        .by_ref()
        .take_while(|line| !line.starts_with('['))
        .any(|line| line.replace(' ', "") == "workspace=true")
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
}
