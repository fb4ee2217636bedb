//! No file over 600 lines, and at most one Rust file in twenty over 400.

use crate::tidy::complaint::Complaint;
use crate::tidy::tree::Tree;

const RULE: &str = "file-length";
const LINES_MAX: usize = 600;
const LINES_GOOD: usize = 400;
/// One file in so many may be over the good length.
const ONE_IN: usize = 20;

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
    complaints
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::tree::Tree;

    fn count(lengths: &[usize]) -> usize {
        let files: Vec<(String, String)> = lengths
            .iter()
            .enumerate()
            .map(|(index, lines)| (format!("{index}.rs"), "\n".repeat(*lines)))
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
}
