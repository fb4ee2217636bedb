//! Decision records are numbered without gaps, each number once, and listed in the README beside them, in order.

use std::collections::BTreeMap;

use crate::tidy::complaint::Complaint;
use crate::tidy::tree::Tree;

const RULE: &str = "decisions";
const FOLDER: &str = "docs/adr/";

pub(crate) fn check(tree: &Tree) -> Vec<Complaint> {
    let index = tree.get("docs/adr/README.md").map_or("", |file| file.text.as_str());
    let records = tree.files.iter().filter_map(|file| Some((file, file.path.strip_prefix(FOLDER)?)));
    let mut complaints = Vec::new();
    let mut numbers: BTreeMap<usize, &str> = BTreeMap::new();
    for (file, name) in records.filter(|(file, name)| file.is("md") && *name != "README.md") {
        let mut complain = |message: String| complaints.push(Complaint::new(&file.path, 1, RULE, message));
        let Some(number) = number(name) else {
            complain("call the record NNNN-title.md".to_owned());
            continue;
        };
        if let Some(other) = numbers.insert(number, name) {
            complain(format!("{other} has the same number"));
        } else if number != numbers.len() {
            complain(format!("the next number is {:04}", numbers.len()));
        }
        if !index.contains(name) {
            complain(format!("list the record in {FOLDER}README.md"));
        }
    }
    let listed: Vec<(usize, &str)> =
        numbers.values().filter_map(|name| Some((index.find(*name)?, *name))).collect();
    for pair in listed.windows(2).filter(|pair| pair[0].0 > pair[1].0) {
        let message = format!("list {} before {}", pair[0].1, pair[1].1);
        complaints.push(Complaint::new("docs/adr/README.md", 1, RULE, message));
    }
    complaints
}

fn number(name: &str) -> Option<usize> {
    let (number, title) = name.split_once('-')?;
    (number.len() == 4 && title.len() > ".md".len()).then(|| number.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::tree::Tree;

    #[track_caller]
    fn check_messages(records: &[&str], expected: &[&str]) {
        let mut files = vec![("docs/adr/README.md", "0001-a.md 0002-b.md 0002-c.md 0004-d.md")];
        let paths: Vec<String> = records.iter().map(|name| format!("docs/adr/{name}")).collect();
        files.extend(paths.iter().map(|path| (path.as_str(), "")));
        let complaints = check(&Tree::of(&files));
        assert_eq!(complaints.len(), expected.len(), "{complaints:?}");
        for (complaint, part) in complaints.iter().zip(expected) {
            assert!(complaint.message.contains(part), "{complaint}");
        }
    }

    #[test]
    fn records_are_numbered_and_listed() {
        check_messages(&["0001-a.md", "0002-b.md"], &[]);
        check_messages(&["0001-a.md", "0002-b.md", "0002-c.md"], &["0002-b.md has the same number"]);
        check_messages(&["0001-a.md", "0004-d.md"], &["next number is 0002"]);
        check_messages(&["0001-z.md"], &["list the record"]);
        check_messages(&["plan.md", "1-a.md"], &["NNNN", "NNNN"]);
    }

    #[test]
    fn the_list_is_in_order() {
        let index = ("docs/adr/README.md", "0002-b.md 0001-a.md");
        let complaints = check(&Tree::of(&[index, ("docs/adr/0001-a.md", ""), ("docs/adr/0002-b.md", "")]));
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(complaints[0].message.contains("list 0001-a.md before 0002-b.md"), "{complaints:?}");
    }
}
