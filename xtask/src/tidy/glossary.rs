//! Words that docs/glossary.md no longer has stand neither in identifiers nor in prose.

use syn::Ident;
use syn::visit::{self, Visit};

use crate::tidy::complaint::Complaint;
use crate::tidy::syntax::{line_of, parse};
use crate::tidy::tree::{SourceFile, Tree};

const RULE: &str = "glossary";

/// A word of identifiers, in lower case, and what stands there instead.
const IN_IDENTIFIERS: &[(&str, &str)] = &[
    ("hand", "slot, or deliver"),
    ("hands", "slots"),
    ("told", "notified, recorded or listed"),
    ("untold", "unannounced"),
    ("news", "inputs, entries or hints"),
    ("bench", "harness"),
    ("deed", "audited action"),
    ("habit", "traits"),
    ("habits", "traits"),
    ("heritage", "template"),
    ("patiently", "retry_until_stopped"),
    ("lifted", "promoted"),
    ("liftable", "promotable"),
];
/// Identifiers with such a word that mean just that.
const MEANT: &[&str] = &["by_hand"];
/// The last word of no type's name: generated clients would show it.
const NOT_LAST_IN_TYPES: &[&str] = &["Shape", "Word"];
/// Words of prose: comments, and documents for people.
const IN_PROSE: &[&str] = &["told", "untold", "hands"];
/// Words of documents alone.
const IN_DOCUMENTS: &[&str] = &["anew"];
/// Documents that keep the words of their day, or name what is no longer said.
const DATED: &[&str] = &["docs/glossary.md", "CHANGELOG.md", "load-tests/results/", "xtask/"];

pub(crate) fn check(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for file in tree.rust() {
        if let Some(syntax) = parse(file) {
            Identifiers { path: &file.path, complaints: &mut complaints }.visit_file(&syntax);
        }
    }
    let has_prose = |file: &&SourceFile| file.is("rs") || file.is("md");
    let is_dated = |file: &&SourceFile| DATED.iter().any(|start| file.path.starts_with(start));
    for file in tree.files.iter().filter(has_prose).filter(|file| !is_dated(file)) {
        read_prose(file, &mut complaints);
    }
    complaints
}

struct Identifiers<'a> {
    path: &'a str,
    complaints: &'a mut Vec<Complaint>,
}

impl<'ast> Visit<'ast> for Identifiers<'_> {
    fn visit_ident(&mut self, ident: &'ast Ident) {
        if let Some(message) = complaint_of(&ident.to_string()) {
            self.complaints.push(Complaint::new(self.path, line_of(ident.span()), RULE, message));
        }
        visit::visit_ident(self, ident);
    }
}

fn complaint_of(ident: &str) -> Option<String> {
    if MEANT.iter().any(|meant| ident.contains(meant)) {
        return None;
    }
    let is_type = ident.starts_with(|first: char| first.is_ascii_uppercase()) && !is_constant(ident);
    if let Some(last) =
        NOT_LAST_IN_TYPES.iter().find(|last| is_type && ident.ends_with(*last) && ident != **last)
    {
        return Some(format!("`{ident}`: a type does not end in `{last}`; say Request, Response or Schema"));
    }
    let words = words_of(ident);
    if words.first().is_some_and(|first| first == "note") && words.len() > 1 {
        return Some(format!("`{ident}`: say record or mark instead of note"));
    }
    let (word, instead) = IN_IDENTIFIERS.iter().find(|(word, _)| words.iter().any(|known| known == word))?;
    Some(format!("`{ident}`: the glossary has no `{word}`; say {instead}"))
}

fn is_constant(ident: &str) -> bool {
    !ident.chars().any(|letter| letter.is_ascii_lowercase())
}

/// The words of an identifier in any case, in lower case.
fn words_of(ident: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_inside = false;
    let all_upper = is_constant(ident);
    for letter in ident.chars() {
        let begins = !is_inside || (letter.is_ascii_uppercase() && !all_upper);
        if letter == '_' {
            is_inside = false;
            continue;
        }
        if begins {
            words.push(String::new());
        }
        is_inside = true;
        if let Some(word) = words.last_mut() {
            word.push(letter.to_ascii_lowercase());
        }
    }
    words
}

/// Complains about words in comments of Rust files, and in whole documents.
fn read_prose(file: &SourceFile, complaints: &mut Vec<Complaint>) {
    for (number, line) in file.lines() {
        let is_document = file.is("md");
        let prose = if is_document { line } else { comment_of(line) };
        let is_banned =
            |word: &str| IN_PROSE.contains(&word) || (is_document && IN_DOCUMENTS.contains(&word));
        let words = prose.split(|letter: char| !letter.is_alphanumeric() && letter != '-');
        if let Some(word) = words.into_iter().find(|word| is_banned(&word.to_ascii_lowercase())) {
            let message = format!("the glossary has no `{word}`; its last table says what stands instead");
            complaints.push(Complaint::new(&file.path, number, RULE, message));
        }
    }
}

/// What follows `//` on a line; addresses have it in the middle of a word.
fn comment_of(line: &str) -> &str {
    let is_start = |(at, _): &(usize, &str)| line[..*at].chars().next_back().is_none_or(char::is_whitespace);
    line.match_indices("//").find(is_start).map_or("", |(at, _)| &line[at..])
}

#[cfg(test)]
mod tests {
    use super::{check, words_of};
    use crate::tidy::tree::Tree;

    fn count(path: &str, text: &str) -> usize {
        check(&Tree::of(&[(path, text)])).len()
    }

    #[test]
    fn identifiers_are_read_word_by_word() {
        assert_eq!(words_of("FreeHands"), ["free", "hands"]);
        assert_eq!(words_of("MANY_HANDS"), ["many", "hands"]);
        assert_eq!(words_of("free_hands"), ["free", "hands"]);
    }

    #[test]
    fn a_word_that_is_not_used_any_more_is_found() {
        for text in
            ["struct FreeHands;", "fn note_key_use() {}", "const MANY_HANDS: u8 = 1;", "struct JobShape;"]
        {
            assert_eq!(count("services/api/src/a.rs", text), 1, "{text}");
        }
        assert_eq!(count("services/api/src/a.rs", "// Nobody was told."), 1);
        assert_eq!(count("docs/a.md", "A pool has hands."), 1);
        assert_eq!(count("docs/adr/0001-a.md", "Idle hands."), 1);
        assert_eq!(count("docs/a.md", "All attempts begin anew."), 1);
    }

    #[test]
    fn words_that_only_look_alike_are_fine() {
        for text in ["fn handle(handler: u8) {}", "fn run_by_hand() {}", "fn notes() {}", "enum Shape { A }"]
        {
            assert_eq!(count("services/api/src/a.rs", text), 0, "{text}");
        }
        assert_eq!(count("services/api/src/a.rs", "const A: &str = \"http://told\"; // by hand"), 0);
        assert_eq!(count("CHANGELOG.md", "Idle hands."), 0);
        assert_eq!(count("services/api/src/a.rs", "// The term begins anew."), 0);
    }
}
