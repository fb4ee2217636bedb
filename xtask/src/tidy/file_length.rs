//! A file is a topic: none over 600 lines, at most one Rust file in twenty over 400, and in the product a median of 120 to 220
//! lines and fewer than one file in twenty under 30.

use crate::tidy::complaint::Complaint;
use crate::tidy::tree::{SourceFile, Tree};

const RULE: &str = "file-length";
const LINES_MAX: usize = 600;
const LINES_GOOD: usize = 400;
/// One file in so many may be over the good length, and fewer of the product under the short one.
const ONE_IN: usize = 20;
const LINES_SHORT: usize = 30;
/// Between which the median of the product's files is.
const MEDIAN: std::ops::RangeInclusive<usize> = 120..=220;
/// What is not the product: tools, measurements, examples.
const BESIDE: [&str; 5] = ["load-tests/", "fuzz/", "chaos/", "examples/", "xtask/"];

pub(crate) fn check(tree: &Tree) -> Vec<Complaint> {
    let lengths: Vec<_> = tree.rust().map(|file| (file, file.text.lines().count())).collect();
    let long: Vec<_> = lengths.iter().filter(|(_, lines)| *lines > LINES_GOOD).collect();
    let too_many = long.len() * ONE_IN > lengths.len();
    let mut complaints = Vec::new();
    for (file, lines) in long {
        if *lines > LINES_MAX {
            let message = format!("{lines} lines; split the file: none may have more than {LINES_MAX}");
            complaints.push(Complaint::new(&file.path, LINES_MAX + 1, RULE, message));
        } else if too_many {
            let message =
                format!("{lines} lines; only one Rust file in {ONE_IN} may have more than {LINES_GOOD}");
            complaints.push(Complaint::new(&file.path, LINES_GOOD + 1, RULE, message));
        }
    }
    complaints.extend(check_topics(tree));
    complaints
}

/// The product's files together. What a program writes has the length that the program gives it, and a migration is a list of
/// statements that never changes after its release: neither counts.
fn check_topics(tree: &Tree) -> Vec<Complaint> {
    let mut lengths: Vec<(usize, &SourceFile)> =
        tree.rust().filter(|file| is_product(file)).map(|file| (file.text.lines().count(), file)).collect();
    lengths.sort_by_key(|(lines, _)| *lines);
    let Some((median, middle)) = lengths.get(lengths.len() / 2).copied() else { return Vec::new() };
    let mut complaints = Vec::new();
    if !MEDIAN.contains(&median) {
        let message = format!(
            "half of the product's files have up to {median} lines, not {} to {}: a file is a topic, not a function",
            MEDIAN.start(),
            MEDIAN.end()
        );
        complaints.push(Complaint::new(&middle.path, 1, RULE, message));
    }
    let short = lengths.partition_point(|(lines, _)| *lines < LINES_SHORT);
    if short * ONE_IN >= lengths.len() {
        let message = |lines| format!("{lines} lines; join the file with what is read together with it");
        complaints.extend(
            lengths[..short].iter().map(|(lines, file)| Complaint::new(&file.path, 1, RULE, message(*lines))),
        );
    }
    complaints
}

fn is_product(file: &SourceFile) -> bool {
    let is_beside = BESIDE.iter().any(|folder| file.path.starts_with(folder));
    let is_generated = file.lines().take(3).any(|(_, line)| line.contains("Generated from"));
    let is_migration = file.path.starts_with("migrations/src/m0");
    !(file.is_test() || is_beside || is_generated || is_migration)
}

#[cfg(test)]
mod tests {
    use super::{check, check_topics};
    use crate::tidy::tree::Tree;

    fn count(lengths: &[usize]) -> usize {
        let files: Vec<(String, String)> = lengths
            .iter()
            .enumerate()
            .map(|(index, lines)| (format!("xtask/{index}.rs"), "\n".repeat(*lines)))
            .collect();
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        check(&Tree::of(&files)).len()
    }

    #[test]
    fn one_long_file_in_twenty_is_fine() {
        let mut lengths = vec![100; 19];
        lengths.push(401);
        assert_eq!(count(&lengths), 0);
        lengths.push(500);
        assert_eq!(count(&lengths), 2);
    }

    #[test]
    fn no_file_is_longer_than_the_hard_stop() {
        let mut lengths = vec![100; 40];
        lengths.push(600);
        assert_eq!(count(&lengths), 0);
        lengths[40] = 601;
        assert_eq!(count(&lengths), 1);
    }

    fn topics(lengths: &[usize], folder: &str) -> usize {
        let files: Vec<(String, String)> = lengths
            .iter()
            .enumerate()
            .map(|(index, lines)| (format!("{folder}m0{index}.rs"), "\n".repeat(*lines)))
            .collect();
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        check_topics(&Tree::of(&files)).len()
    }

    #[test]
    fn files_of_the_product_are_topics() {
        let mut lengths = vec![160; 21];
        assert_eq!(topics(&lengths, "shared/a/src/"), 0);
        lengths[0] = 29;
        assert_eq!(topics(&lengths, "shared/a/src/"), 0);
        lengths[1] = 29;
        assert_eq!(topics(&lengths, "shared/a/src/"), 2, "both are short");
        assert_eq!(topics(&[90; 20], "shared/a/src/"), 1, "the median");
        assert_eq!(topics(&[230; 20], "shared/a/src/"), 1, "the median");
        for folder in ["migrations/src/", "load-tests/src/", "shared/testkit/src/"] {
            assert_eq!(topics(&[10; 20], folder), 0, "{folder}");
        }
    }
}
