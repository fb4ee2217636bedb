//! Each Rust file starts with `//!`, which says its place and what it does not do.

use crate::tidy::complaint::Complaint;
use crate::tidy::tree::Tree;

const RULE: &str = "module-docs";

pub(crate) fn check(tree: &Tree) -> Vec<Complaint> {
    tree.rust()
        .filter(|file| !file.text.starts_with("//! "))
        .map(|file| Complaint::new(&file.path, 1, RULE, "start the file with `//! ` and what it is for"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::tree::Tree;

    #[test]
    fn files_without_documentation_are_found() {
        let tree =
            Tree::of(&[("a.rs", "//! A.\nfn a() {}"), ("b.rs", "// B.\n"), ("c.rs", ""), ("d.py", "")]);
        let paths: Vec<String> = check(&tree).into_iter().map(|complaint| complaint.path).collect();
        assert_eq!(paths, ["b.rs", "c.rs"]);
    }
}
