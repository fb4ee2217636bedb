//! A document that is named must be in the repository.

use std::collections::BTreeSet;

use crate::tidy::complaint::Complaint;
use crate::tidy::tree::{SourceFile, Tree};

const RULE: &str = "named-documents";

pub(crate) fn check(tree: &Tree) -> Vec<Complaint> {
    let documents: BTreeSet<&str> =
        tree.files.iter().filter(|file| file.is("md")).map(SourceFile::name).collect();
    let mut complaints = Vec::new();
    for file in tree.files.iter().filter(|file| is_prose(file)) {
        for (number, line) in file.lines() {
            for name in named(line).filter(|name| !documents.contains(name)) {
                let message = format!("{name} is not in the repository: say what it says instead");
                complaints.push(Complaint::new(&file.path, number, RULE, message));
            }
        }
    }
    complaints
}

fn is_prose(file: &SourceFile) -> bool {
    ["rs", "md", "toml", "sh", "sql", "py"].iter().any(|extension| file.is(extension))
        && !file.path.starts_with("xtask/")
}

/// The last parts of what looks like the path of a document. Addresses on the web are somebody else's documents.
fn named(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_ascii_alphanumeric() || "._-/:".contains(c)))
        .filter(|word| !word.contains("://"))
        .map(|word| word.trim_end_matches(['.', ':', '/']))
        .filter_map(|word| word.rsplit('/').next())
        .filter(|name| {
            name.len() > 3 && name.rsplit_once('.').is_some_and(|(_, extension)| extension == "md")
        })
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::tree::Tree;

    #[test]
    fn absent_documents_are_found() {
        let names = |text: &str| {
            let tree = Tree::of(&[("README.md", ""), ("docs/adr/0001-a.md", ""), ("a.rs", text)]);
            check(&tree).len()
        };
        assert_eq!(names("//! As README.md says. See [it](docs/adr/0001-a.md)."), 0);
        assert_eq!(names("//! From PLAN.md, and (notes/plan.md)."), 2);
        assert_eq!(names("//! https://example.org/PLAN.md, `*.md` and .md"), 0);
    }
}
