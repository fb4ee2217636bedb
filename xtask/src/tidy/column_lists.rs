//! A statement that reads most columns of a table reads all of them, or says before itself which it leaves out and why:
//! ``Without `a` and `b`: …``. Where rows are read column by column, a column that a migration adds is forgotten otherwise.
//!
//! The columns are those that the migrations make, in their order. What a statement reads of a table is what it names with the
//! table's letter in its first list.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};

use crate::tidy::complaint::Complaint;
use crate::tidy::tree::{SourceFile, Tree};

const RULE: &str = "column-lists";
const MIGRATIONS: &str = "migrations/src/m0";
const STATEMENTS: &str = "shared/store-sql/src/";
/// A list of so many of five of a table's columns is meant to be one of all.
const MOST_OF_FIVE: usize = 4;
/// Tables of fewer columns are read as a whole, or by what is looked for.
const COLUMNS_MIN: usize = 5;

/// The columns of each table.
type Tables = BTreeMap<String, Vec<String>>;

pub(crate) fn check(tree: &Tree) -> Vec<Complaint> {
    let mut tables = Tables::new();
    for file in tree.rust().filter(|file| file.path.starts_with(MIGRATIONS)) {
        for (_, text) in &literals(file) {
            migrate(&mut tables, text);
        }
    }
    let mut complaints = Vec::new();
    for file in tree.rust().filter(|file| file.path.starts_with(STATEMENTS) && !file.is_test()) {
        for (line, text) in literals(file) {
            let message = List::of(&text).and_then(|list| list.fault(&tables, &comment_before(file, line)));
            complaints.extend(message.map(|message| Complaint::new(&file.path, line, RULE, message)));
        }
    }
    complaints
}

/// The strings of a file, with the lines on which they begin.
fn literals(file: &SourceFile) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    if let Ok(tokens) = file.text.parse() {
        add_literals(tokens, &mut found);
    }
    found
}

fn add_literals(tokens: TokenStream, found: &mut Vec<(usize, String)>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => add_literals(group.stream(), found),
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    found.push((literal.span().start().line, text.value()));
                }
            }
            _ => {}
        }
    }
}

/// What stands before the constant that a line is of.
fn comment_before(file: &SourceFile, line: usize) -> String {
    let lines: Vec<&str> = file.text.lines().take(line).map(str::trim).collect();
    let is_item = |line: &&str| ["const ", "static "].iter().any(|word| line.contains(word));
    let Some(item) = lines.iter().rposition(is_item) else { return String::new() };
    let is_comment = |line: &&&str| line.starts_with("//") || line.starts_with("#[");
    let mut comment: Vec<&str> = lines[..item].iter().rev().take_while(is_comment).copied().collect();
    comment.reverse();
    comment.iter().map(|line| line.trim_start_matches('/').trim()).collect::<Vec<_>>().join(" ")
}

/// The columns that a comment says are left out.
fn left_out(comment: &str) -> BTreeSet<String> {
    let Some((_, rest)) = comment.split_once("Without `") else { return BTreeSet::new() };
    let names = rest.split(':').next().unwrap_or_default();
    names.split('`').step_by(2).map(ToOwned::to_owned).filter(|name| !name.is_empty()).collect()
}

/// Applies a statement of a migration.
fn migrate(tables: &mut Tables, statement: &str) {
    let statement = without_dialects(statement);
    let statement = statement.split_whitespace().collect::<Vec<_>>().join(" ");
    let words: Vec<&str> = statement.split([' ', '(']).filter(|word| !word.is_empty()).collect();
    match words[..] {
        ["CREATE", "TABLE", name, ..] => {
            let columns = statement.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches(')'));
            let names =
                parts(columns).into_iter().filter_map(|part| part.split(' ').next().map(ToOwned::to_owned));
            tables.insert(name.to_owned(), names.filter(|name| is_name(name)).collect());
        }
        ["ALTER", "TABLE", name, "RENAME", "TO", new, ..] => {
            if let Some(columns) = tables.remove(name) {
                tables.insert(new.to_owned(), columns);
            }
        }
        ["ALTER", "TABLE", name, ..] => {
            let Some(columns) = tables.get_mut(name) else { return };
            let changes = statement.splitn(4, ' ').nth(3).unwrap_or_default();
            for change in parts(changes) {
                match change.split(' ').collect::<Vec<_>>()[..] {
                    ["ADD", "COLUMN", column, ..] | ["ADD", column, ..] if is_name(column) => {
                        columns.push(column.to_owned());
                    }
                    ["DROP", "COLUMN", column, ..] | ["DROP", column, ..] => {
                        columns.retain(|known| known != column);
                    }
                    _ => {}
                }
            }
        }
        ["DROP", "TABLE", name, ..] => drop(tables.remove(name)),
        _ => {}
    }
}

/// Without the parts for one database alone: no column is in one of them.
fn without_dialects(statement: &str) -> String {
    let mut kept = String::new();
    let mut rest = statement;
    while let Some(start) = ["{postgres:", "{sqlite:"].iter().filter_map(|mark| rest.find(*mark)).min() {
        kept.push_str(&rest[..start]);
        let mut depth = 0_usize;
        let end = rest[start..].find(|c: char| {
            depth = if c == '{' {
                depth + 1
            } else if c == '}' {
                depth - 1
            } else {
                depth
            };
            depth == 0
        });
        rest = end.map_or("", |end| &rest[start + end + 1..]);
    }
    kept + rest
}

/// What stands between the commas that are in no parentheses.
fn parts(list: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0_i32;
    for c in list.chars() {
        depth += i32::from("({".contains(c)) - i32::from(")}".contains(c));
        match parts.last_mut() {
            Some(part) if c != ',' || depth > 0 => part.push(c),
            _ => parts.push(String::new()),
        }
    }
    parts.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// What a statement reads of a table in its first list.
struct List {
    table: String,
    /// What it names as they are.
    columns: BTreeSet<String>,
    /// What it reads a part of, under the same name.
    made: BTreeSet<String>,
}

impl List {
    fn of(statement: &str) -> Option<Self> {
        let statement = statement.split_whitespace().collect::<Vec<_>>().join(" ");
        let rest = statement.strip_prefix("SELECT ")?;
        let mut depth = 0_i32;
        let end = rest.char_indices().find_map(|(at, c)| {
            depth += i32::from("({".contains(c)) - i32::from(")}".contains(c));
            (depth == 0 && rest[at..].starts_with(" FROM ")).then_some(at)
        })?;
        let (list, from) = (parts(&rest[..end]), &rest[end..]);
        let mut by_letter: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for (letter, column) in list.iter().filter_map(|part| part.split_once('.')) {
            if is_name(letter) && is_name(column) {
                by_letter.entry(letter).or_default().insert(column.to_owned());
            }
        }
        let (letter, columns) = by_letter.into_iter().max_by_key(|(_, columns)| columns.len())?;
        let words: Vec<&str> = from.split([' ', ')']).filter(|word| !word.is_empty()).collect();
        let table =
            words.windows(3).find(|words| matches!(words[0], "FROM" | "JOIN") && words[2] == letter)?[1];
        let named = list.iter().filter_map(|part| part.rsplit_once(" AS "));
        let made = named.filter(|(made, name)| made.contains(&format!("{letter}.{name}")));
        let made = made.map(|(_, name)| name.to_owned()).collect();
        Some(Self { table: table.to_owned(), columns, made })
    }

    fn fault(&self, tables: &Tables, comment: &str) -> Option<String> {
        let known = tables.get(&self.table).filter(|known| known.len() >= COLUMNS_MIN)?;
        let absent: Vec<&String> = known
            .iter()
            .filter(|column| !self.columns.contains(*column) && !self.made.contains(*column))
            .collect();
        if (known.len() - absent.len()) * 5 < known.len() * MOST_OF_FIVE {
            return None;
        }
        let left_out = left_out(comment);
        let forgotten: Vec<&str> = absent
            .iter()
            .filter(|column| !left_out.contains(**column))
            .map(|column| column.as_str())
            .collect();
        if !forgotten.is_empty() {
            return Some(format!(
                "{} has columns that this leaves out: {}; read them, or say before it: Without `{}`: why",
                self.table,
                forgotten.join(", "),
                forgotten.join("` and `")
            ));
        }
        let read: Vec<&str> =
            left_out.iter().filter(|column| !absent.contains(column)).map(String::as_str).collect();
        (!read.is_empty())
            .then(|| format!("{} is read here, or no column of {}", read.join(", "), self.table))
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::tree::Tree;

    const FIRST: &str = r#"const STATEMENTS: &[&str] = &[
        "CREATE TABLE thing (id {uuid} NOT NULL, tenant text, a bigint CHECK (a IN (1, 2)), b text, c text,
            d text, PRIMARY KEY (id, tenant))",
        "CREATE INDEX thing_a ON thing (a)",
    ];"#;

    #[track_caller]
    fn found(second: &str, statement: &str) -> Vec<String> {
        let tree = Tree::of(&[
            ("migrations/src/m0001_first.rs", FIRST),
            ("migrations/src/m0002_second.rs", second),
            ("shared/store-sql/src/thing.rs", statement),
        ]);
        check(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_list_of_most_columns_is_one_of_all() {
        let all =
            "const A: &str = \"SELECT t.id, t.tenant, t.a, t.b, t.c,\\n   t.d FROM thing t WHERE true\";";
        assert!(found("", all).is_empty());
        let added = "const S: &[&str] = &[\"ALTER TABLE thing ADD COLUMN late text\"];";
        let complaints = found(added, all);
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(
            complaints[0].starts_with("shared/store-sql/src/thing.rs:1: thing has columns"),
            "{complaints:?}"
        );
        assert!(complaints[0].contains("leaves out: late;"), "{complaints:?}");
        let few = "const A: &str = \"SELECT t.id, t.tenant, t.a FROM thing t\";";
        assert!(found(added, few).is_empty(), "what is looked for is no list of the table");
    }

    #[test]
    fn what_is_left_out_is_said() {
        let of = |comment: &str| {
            format!(
                "{comment}const A: &str =\n \"SELECT t.id, t.tenant, t.a, t.b, t.c FROM thing t WHERE true\";"
            )
        };
        assert_eq!(found("", &of("")).len(), 1);
        assert!(found("", &of("/// Things. Without `d`: nobody shows it.\n")).is_empty());
        assert_eq!(
            found("", &of("// Without `c` and `d`: nobody shows them.\n")).len(),
            1,
            "it reads one of them"
        );
        let dropped = "const S: &[&str] = &[\"ALTER TABLE thing DROP COLUMN d\"];";
        assert_eq!(
            found(dropped, &of("/// Without `d`: nobody shows it.\n")).len(),
            1,
            "it is no column any more"
        );
    }

    #[test]
    fn a_part_of_a_column_is_the_column() {
        let statement = "static A: Sql = Sql::new(\"a\", \"SELECT t.id, t.tenant, t.a, t.b, p.x,
            CASE WHEN octet_length(t.c) <= 4096 THEN t.c END AS c, (SELECT 1 FROM other o) AS d
            FROM (SELECT 1) seen JOIN thing t ON true LEFT JOIN other p ON true\");";
        let complaints = found("", statement);
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(complaints[0].contains("leaves out: d;"), "{complaints:?}");
    }

    #[test]
    fn migrations_are_followed() {
        let second = r#"const S: &[&str] = &[
            "CREATE TABLE next (id {uuid}, tenant text, a bigint, b text, c text, {postgres:d text}{sqlite:d text}, e text, f text)",
            "DROP TABLE thing",
            "ALTER TABLE next RENAME TO thing",
        ];"#;
        let complaints =
            found(second, "const A: &str = \"SELECT t.id, t.tenant, t.a, t.b, t.c, t.e FROM thing t\";");
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(complaints[0].contains("leaves out: f;"), "{complaints:?}");
    }
}
