//! What we promise in prose: handlers run at least once, fenced by lease. Nobody can promise more for side effects.

use crate::tidy::complaint::Complaint;
use crate::tidy::tree::{SourceFile, Tree};

const RULE: &str = "promises";
/// Lines with one of these say that it is no promise, or that it is about our own state.
const EXCUSES: [&str; 4] = ["never", "not ", "no ", "one effect"];

pub(crate) fn check(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for file in tree.files.iter().filter(|file| is_ours(file)) {
        for (number, line) in file.lines() {
            let line = line.to_lowercase();
            let is_prose = !file.is("rs") || line.trim_start().starts_with("//");
            let promised = line.contains("exactly once") || line.contains("exactly-once");
            if is_prose && promised && !EXCUSES.iter().any(|excuse| line.contains(excuse)) {
                let message = "side effects happen at least once, fenced by lease: say that, or say `never`";
                complaints.push(Complaint::new(&file.path, number, RULE, message));
            }
        }
    }
    complaints
}

fn is_ours(file: &SourceFile) -> bool {
    (file.is("md") || file.is("rs") || file.is("html")) && !file.path.starts_with("xtask/")
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::tree::Tree;

    #[test]
    fn promises_in_prose_are_found() {
        let count = |path: &str, text: &str| check(&Tree::of(&[(path, text)])).len();
        assert_eq!(count("README.md", "Jobs run exactly once."), 1);
        assert_eq!(count("README.md", "Exactly-once delivery!"), 1);
        assert_eq!(count("README.md", "Never exactly once for side effects."), 0);
        assert_eq!(count("README.md", "At least once."), 0);
        assert_eq!(count("a.rs", "/// Called exactly once."), 1);
        assert_eq!(count("a.rs", "assert!(ran, \"exactly once\");"), 0);
    }
}
