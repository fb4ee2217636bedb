//! No circles between the files of a crate: what a file uses does not use it, neither directly nor over others. Files that
//! use each other are read together and changed together, so that they are one file, or something in them belongs below both.
//!
//! A file uses another one where it names an item that is defined there: in a path, in an import, or by its bare name. An
//! item that is exported again is defined where it was written. Declaring a module and exporting its items is no use, and what is
//! compiled for tests only does not count. Methods are found by their types, and not looked at.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::tidy::complaint::Complaint;
use crate::tidy::crate_files::{CrateFiles, Found};
use crate::tidy::tree::Tree;

const RULE: &str = "file-circles";

/// Where the product's crates are.
const FOLDERS: [&str; 2] = ["shared/", "services/"];

/// Whom a file uses, with one of the names that it uses of it.
type Uses = BTreeMap<usize, String>;

pub(crate) fn check(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for root in tree.rust().filter(|file| is_root(&file.path) && !file.is_test()) {
        let files = CrateFiles::read(tree, root);
        let uses = uses_of(&files);
        for circle in circles(&uses) {
            let path = &files.paths[circle[0]];
            complaints.push(Complaint::new(path, 1, RULE, described(&files, &uses, &circle)));
        }
    }
    complaints
}

fn is_root(path: &str) -> bool {
    FOLDERS.iter().any(|folder| path.starts_with(folder))
        && (path.ends_with("/src/lib.rs") || path.ends_with("/src/main.rs"))
}

fn uses_of(files: &CrateFiles) -> Vec<Uses> {
    let mut uses = vec![Uses::new(); files.paths.len()];
    for (module, path) in files.references() {
        if let Some(Found::Item { module: owner, name }) = files.resolve(module, &path) {
            let (from, to) = (files.file_of(module), files.file_of(owner));
            if from != to {
                uses[from].entry(to).or_insert(name);
            }
        }
    }
    uses
}

/// The groups of files that use each other, each in the order of its files.
fn circles(uses: &[Uses]) -> Vec<Vec<usize>> {
    let reached: Vec<BTreeSet<usize>> = (0..uses.len()).map(|file| reached_from(uses, file)).collect();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut grouped = BTreeSet::new();
    for file in 0..uses.len() {
        if grouped.contains(&file) || !reached[file].contains(&file) {
            continue;
        }
        let group: Vec<usize> =
            reached[file].iter().copied().filter(|other| reached[*other].contains(&file)).collect();
        grouped.extend(group.iter().copied());
        groups.push(group);
    }
    groups
}

/// What a file uses, directly or over others.
fn reached_from(uses: &[Uses], file: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<usize> = uses[file].keys().copied().collect();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(uses[next].keys().copied());
        }
    }
    reached
}

/// The shortest way from the first file of a group back to it.
fn described(files: &CrateFiles, uses: &[Uses], group: &[usize]) -> String {
    let start = group[0];
    let mut came_from: BTreeMap<usize, usize> = BTreeMap::new();
    let mut open = VecDeque::from([start]);
    'search: while let Some(file) = open.pop_front() {
        for &next in uses[file].keys().filter(|next| group.contains(next)) {
            if let Entry::Vacant(vacant) = came_from.entry(next) {
                vacant.insert(file);
                open.push_back(next);
            }
            if next == start {
                break 'search;
            }
        }
    }
    let mut way = vec![start];
    let mut at = start;
    while let Some(&before) = came_from.get(&at) {
        way.push(before);
        at = before;
        if at == start {
            break;
        }
    }
    way.reverse();
    let steps: Vec<String> = way
        .windows(2)
        .map(|step| {
            format!("{} uses {} of {}", files.paths[step[0]], uses[step[0]][&step[1]], files.paths[step[1]])
        })
        .collect();
    let others = match group.len() - way.len().saturating_sub(1) {
        0 => String::new(),
        more => format!(" ({more} more files are in the circle)"),
    };
    format!("a circle: {}{others}; move what both use to where it belongs", steps.join(", "))
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::tree::Tree;

    /// The complaints about a crate of these files.
    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<(String, &str)> =
            files.iter().map(|(path, text)| (format!("shared/a/src/{path}"), *text)).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        check(&Tree::of(&files)).iter().map(ToString::to_string).collect()
    }

    #[track_caller]
    fn check_circle(files: &[(&str, &str)], parts: &[&str]) {
        let found = found(files);
        assert_eq!(found.len(), 1, "{found:?}");
        for part in parts {
            assert!(found[0].contains(part), "{part} is not in {}", found[0]);
        }
    }

    #[test]
    fn two_files_that_use_each_other_are_a_circle() {
        let one = ("one.rs", "use crate::two::Two;\npub struct One(Two);");
        check_circle(
            &[
                ("lib.rs", "mod one;\nmod two;"),
                one,
                ("two.rs", "pub struct Two;\nfn a(x: super::one::One) {}"),
            ],
            &["shared/a/src/one.rs:1:", "one.rs uses Two of", "two.rs uses One of", "[file-circles]"],
        );
        let two = ("two.rs", "pub struct Two;");
        assert!(found(&[("lib.rs", "mod one;\nmod two;"), one, two]).is_empty());
    }

    #[test]
    fn a_circle_over_others_is_found() {
        check_circle(
            &[
                ("lib.rs", "mod a;\nmod b;\nmod c;\nmod d;"),
                ("a.rs", "pub fn a() { crate::b::b() }"),
                ("b.rs", "use super::c;\npub fn b() { c::c() }"),
                ("c.rs", "pub fn c() { crate::a::a(); crate::d::d() }"),
                ("d.rs", "pub fn d() {}"),
            ],
            &["a.rs uses b of", "b.rs uses c of", "c.rs uses a of"],
        );
    }

    #[test]
    fn a_parent_is_a_file_like_any_other() {
        let child = ("p/child.rs", "use super::Kept;\npub fn made() -> Kept { Kept }");
        check_circle(
            &[
                ("lib.rs", "mod p;"),
                ("p.rs", "mod child;\nuse child::made;\npub struct Kept;\nfn f() { made(); }"),
                child,
            ],
            &["p.rs uses made of", "child.rs uses Kept of"],
        );
        let exports = ("p.rs", "mod child;\npub use child::made;\npub struct Kept;");
        assert!(found(&[("lib.rs", "mod p;"), exports, child]).is_empty(), "an export is no use");
        check_circle(
            &[
                ("lib.rs", "mod p;"),
                ("p.rs", "mod child;\npub use child::made;\npub struct Kept;\nfn f() { made(); }"),
                child,
            ],
            &["p.rs uses made of"],
        );
    }

    #[test]
    fn an_item_is_defined_where_it_was_written() {
        let files = |user: &'static str| {
            [
                ("lib.rs", "mod p;\nmod q;"),
                ("p/mod.rs", "mod low;\nmod high;\npub use low::Low;\npub use high::high;"),
                ("p/low.rs", "pub struct Low;"),
                ("p/high.rs", "use super::Low;\npub fn high(low: Low) { crate::q::q(low) }"),
                ("q.rs", user),
            ]
        };
        assert!(found(&files("use crate::p::Low;\npub fn q(low: Low) {}")).is_empty());
        check_circle(
            &files("use crate::p;\npub fn q(low: p::Low) { p::high(low) }"),
            &["high.rs uses q of", "q.rs uses high of"],
        );
    }

    #[test]
    fn bare_names_of_a_glob_are_uses() {
        let files = |text: &'static str| {
            [
                ("lib.rs", "mod p;"),
                ("p.rs", "mod c;\npub const MAX: u32 = 1;\nfn f() { c::c() }"),
                ("p/c.rs", text),
            ]
        };
        check_circle(&files("use super::*;\npub fn c() { assert!(0 < MAX) }"), &["c.rs uses MAX of"]);
        assert!(found(&files("use super::*;\npub fn c() {}")).is_empty());
    }

    #[test]
    fn tests_and_other_crates_do_not_count() {
        let one = "use crate::two::Two;\npub struct One(Two);";
        for two in [
            "pub struct Two;\n#[cfg(test)]\nmod tests { use super::super::one::One; fn t(one: One) {} }",
            "pub struct Two;\n#[cfg(test)]\nfn t(one: crate::one::One) {}",
            "pub struct Two;\nfn f() { one::One }",
            "pub struct Two { one: u32 }\nfn f(two: Two) -> u32 { two.one }",
            "//! See [`One`](crate::one::One).\npub struct Two;",
        ] {
            let files = [("lib.rs", "mod one;\nmod two;"), ("one.rs", one), ("two.rs", two)];
            assert_eq!(found(&files), Vec::<String>::new(), "{two}");
        }
    }

    #[test]
    fn paths_in_macros_and_in_functions_are_uses() {
        for two in [
            "pub struct Two;\nfn f() { println!(\"{}\", crate::one::ONE) }",
            "pub struct Two;\nfn f() { use crate::one::ONE; g(ONE) }",
            "pub struct Two;\nmacro_rules! m { () => { $crate::one::ONE } }",
        ] {
            let one = "use crate::two::Two;\npub const ONE: u32 = 1;";
            check_circle(
                &[("lib.rs", "mod one;\nmod two;"), ("one.rs", one), ("two.rs", two)],
                &["uses ONE of"],
            );
        }
    }
}
