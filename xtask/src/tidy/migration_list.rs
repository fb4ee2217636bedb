//! Each migration is in the one list, and the list is in the order of their numbers.

use crate::tidy::complaint::Complaint;
use crate::tidy::tree::{SourceFile, Tree};

const RULE: &str = "migration-list";
const FOLDER: &str = "migrations/src/";

pub(crate) fn check(tree: &Tree) -> Vec<Complaint> {
    let files: Vec<&SourceFile> = tree.rust().filter(|file| file.path.starts_with(FOLDER)).collect();
    let (migrations, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| stem(file).is_some());
    let mut complaints = Vec::new();
    let mut last: Option<(&SourceFile, usize, usize)> = None;
    for migration in migrations {
        let Some((list, position, line)) = listed(migration, &others) else {
            let message = "the migration is in no list: it would never be applied";
            complaints.push(Complaint::new(&migration.path, 1, RULE, message));
            continue;
        };
        if last.is_some_and(|(before, at, _)| before.path == list.path && at > position) {
            let message = "migrations are listed in the order of their numbers";
            complaints.push(Complaint::new(&list.path, line, RULE, message));
        }
        last = Some((list, position, line));
    }
    complaints
}

/// The name of a migration, such as `m0001_initial`; `None` for other files.
fn stem(file: &SourceFile) -> Option<&str> {
    let stem = file.name().strip_suffix(".rs")?;
    stem.strip_prefix('m')?.starts_with(|c: char| c.is_ascii_digit()).then_some(stem)
}

/// The file that makes the migration, with the offset and the line where it does.
fn listed<'a>(migration: &SourceFile, others: &[&'a SourceFile]) -> Option<(&'a SourceFile, usize, usize)> {
    let name = format!("{}::", stem(migration)?);
    others.iter().find_map(|file| {
        // An import alone applies nothing.
        let position = file.text.match_indices(&name).map(|(at, _)| at).find(|at| {
            let line_start = file.text[..*at].rfind('\n').map_or(0, |newline| newline + 1);
            !file.text[line_start..*at].trim_start().starts_with("use ")
        })?;
        Some((*file, position, file.text[..position].matches('\n').count() + 1))
    })
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::tree::Tree;

    #[track_caller]
    fn check_messages(list: &str, expected: &[&str]) {
        let tree = Tree::of(&[
            ("migrations/src/list.rs", list),
            ("migrations/src/m0001_a.rs", ""),
            ("migrations/src/m0002_b.rs", ""),
        ]);
        let complaints = check(&tree);
        assert_eq!(complaints.len(), expected.len(), "{complaints:?}");
        for (complaint, part) in complaints.iter().zip(expected) {
            assert!(complaint.message.contains(part), "{complaint}");
        }
    }

    #[test]
    fn all_are_listed_in_order() {
        check_messages("vec![Box::new(m0001_a::Migration), Box::new(m0002_b::Migration)]", &[]);
        check_messages("use crate::m0002_b::X;\nvec![Box::new(m0001_a::Migration)]", &["in no list"]);
        check_messages("vec![Box::new(m0002_b::Migration), Box::new(m0001_a::Migration)]", &["order"]);
    }
}
