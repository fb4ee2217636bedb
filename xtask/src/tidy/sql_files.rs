//! SQL files: each is included by one `include_str!`, and none asks the database for the time.
//!
//! Time is an argument, so that all nodes and all tests share one timeline.

use crate::tidy::complaint::Complaint;
use crate::tidy::tree::{SourceFile, Tree};

const RULE: &str = "sql-files";
/// Scripts of functions that run in transactions of applications, where nobody of ours passes the time.
const OF_APPLICATIONS: [&str; 3] = [
    "shared/store-sql/sql/intake_install.sql",
    "shared/store-sql/sql/intake_grant.sql",
    "shared/store-sql/sql/outbox_install.sql",
];
const CLOCKS: [&str; 5] = ["now()", "current_timestamp", "clock_timestamp()", "strftime(", "unixepoch("];

pub(crate) fn check(tree: &Tree) -> Vec<Complaint> {
    let included: Vec<String> = tree.rust().flat_map(included_files).collect();
    let mut complaints = Vec::new();
    for file in tree.files.iter().filter(|file| file.is("sql") && !file.is_test()) {
        let times = included.iter().filter(|path| **path == file.path).count();
        if times != 1 {
            let message = format!("included {times} times; each statement has one place in the code");
            complaints.push(Complaint::new(&file.path, 1, RULE, message));
        }
        if OF_APPLICATIONS.contains(&file.path.as_str()) {
            continue;
        }
        for (number, line) in file.lines() {
            let code = line.split("--").next().unwrap_or(line).to_lowercase();
            for clock in CLOCKS.iter().filter(|clock| code.contains(**clock)) {
                let message = format!("`{clock}` may not stand here: bind the time");
                complaints.push(Complaint::new(&file.path, number, RULE, message));
            }
        }
    }
    complaints
}

/// The paths, from the root of the repository, of the SQL files that a Rust file includes.
fn included_files(file: &SourceFile) -> Vec<String> {
    let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    file.text
        .split("include_str!(")
        .skip(1)
        .filter_map(|rest| rest.trim_start().strip_prefix('"')?.split_once('"'))
        .filter(|(path, _)| SourceFile { path: (*path).to_owned(), text: String::new() }.is("sql"))
        .map(|(path, _)| join(folder, path))
        .collect()
}

/// A relative path seen from a folder, without `..`.
fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::tree::Tree;

    const CODE: &str = "const A: &str = include_str!(\"../sql/claim.sql\");\nconst B: &str = include_str!(\n\"../sql/b.sql\");";

    #[test]
    fn each_file_is_included_once() {
        let files = [("x/src/a.rs", CODE), ("x/sql/claim.sql", "SELECT 1"), ("x/sql/b.sql", "SELECT 1")];
        assert!(check(&Tree::of(&files)).is_empty());
        let twice = check(&Tree::of(&[files[0], ("x/src/b.rs", CODE), files[1]]));
        assert!(twice[0].message.starts_with("included 2 times"), "{twice:?}");
        let unused = check(&Tree::of(&[files[0], ("x/sql/c.sql", "SELECT 1")]));
        assert!(unused[0].message.starts_with("included 0 times"), "{unused:?}");
    }

    #[test]
    fn clocks_are_found() {
        let text = "SELECT 1 -- not now()\nWHERE due <= NOW()";
        let complaints = check(&Tree::of(&[("x/src/a.rs", CODE), ("x/sql/claim.sql", text)]));
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert_eq!(complaints[0].line, 2);
    }
}
