//! What may stand at a place of a query: keys, words, instants; and of which key the store should look for values.

use super::attribute_term::ATTRIBUTE_PREFIX;
use super::fields::{Field, FieldKind};
use super::list::SearchList;
use super::parse::QUERY_CODE_POINTS_MAX;
use crate::attribute::{AttributePath, AttributeType, NamedAttribute, Searchable};

/// Instants that people ask for.
const INSTANTS: [&str; 5] = [">=now-15m", ">=now-1h", ">=now-1d", ">=now-7d", "*"];

/// Completions for a part of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The text that it is replaced with.
    pub text: String,
    /// Whether it is a key with its colon; a value otherwise.
    pub is_key: bool,
    /// What it is, for people.
    pub detail: Option<&'static str>,
    /// How often it was seen lately, where that is known.
    pub count: Option<u64>,
}

/// What stands at a place of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestAt {
    /// The first code point that is replaced.
    pub from: usize,
    /// The first one behind.
    pub to: usize,
    /// What can be suggested without looking at what is stored.
    pub known: Vec<Suggestion>,
    /// Values of this key that begin so may be suggested, too.
    pub values_of: Option<(&'static str, String)>,
    /// Values of these attributes that begin so may be suggested, too.
    pub values_of_attribute: Option<(NamedAttribute, String)>,
}

/// Looks at a query at a place, in code points. Places behind its end are its end. A query that is too long has no
/// suggestions. `searchable` is what is declared where the caller looks.
pub fn suggest_at(list: SearchList, query: &str, at: usize, searchable: &Searchable) -> SuggestAt {
    let text: Vec<char> = query.chars().take(QUERY_CODE_POINTS_MAX + 1).collect();
    let at = at.min(text.len());
    let nothing =
        SuggestAt { from: at, to: at, known: Vec::new(), values_of: None, values_of_attribute: None };
    if text.len() > QUERY_CODE_POINTS_MAX {
        return nothing;
    }
    match cursor(&text, at) {
        Cursor::Key { from } => {
            let written: String = text[from..at].iter().collect();
            let mut to = at;
            while text.get(to).is_some_and(|one| is_of_key(*one)) {
                to += 1;
            }
            to += usize::from(text.get(to) == Some(&':'));
            let mut known = keys(list, &written);
            known.extend(attribute_keys(list, &written, searchable));
            SuggestAt { from, to, known, ..nothing }
        }
        Cursor::Value { key, from } => {
            let key: String = text[key].iter().collect();
            let is_quoted = text.get(from) == Some(&'"');
            let written: String = text[(from + usize::from(is_quoted)).min(at)..at].iter().collect();
            let mut to = at;
            while text.get(to).is_some_and(|one| !one.is_whitespace() && *one != ',' && *one != '"') {
                to += 1;
            }
            to += usize::from(is_quoted && text.get(to) == Some(&'"'));
            let found = SuggestAt { from, to, ..nothing };
            if let Some(named) = attribute_of(list, &key, searchable) {
                return of_attribute(named, &written, found);
            }
            if list.instant(&key).is_some() {
                return SuggestAt { known: words(&INSTANTS, &written), ..found };
            }
            match list.field(&key) {
                Some(Field { kind: FieldKind::Word(of), .. }) => {
                    SuggestAt { known: words(of, &written), ..found }
                }
                Some(Field { name, kind: FieldKind::Text(_), .. }) => {
                    SuggestAt { values_of: Some((name, written.replace('\\', ""))), ..found }
                }
                _ => found,
            }
        }
        Cursor::Elsewhere => nothing,
    }
}

/// A value as it stands in a query: in quotes where a word could not hold it.
pub fn quoted(value: &str) -> String {
    let needs = |one: char| one.is_whitespace() || matches!(one, ',' | '"' | '(' | ')' | '\\' | '*');
    let is_word = !value.is_empty()
        && !value.chars().any(needs)
        && !value.contains("..")
        && !value.starts_with(['<', '>']);
    if is_word {
        return value.to_owned();
    }
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

enum Cursor {
    Key {
        from: usize,
    },
    Value {
        key: std::ops::Range<usize>,
        from: usize,
    },
    /// Behind something that cannot go on.
    Elsewhere,
}

/// Walks from the beginning to the place, as the parser does.
fn cursor(text: &[char], at: usize) -> Cursor {
    let mut here = 0;
    loop {
        while here < at && text[here].is_whitespace() {
            here += 1;
        }
        if here < at && text[here] == '-' {
            here += 1;
        }
        let from = here;
        while here < at && is_of_key(text[here]) {
            here += 1;
        }
        if here == at {
            return Cursor::Key { from };
        }
        if text[here] != ':' {
            // No key: what follows is skipped up to the next blank.
            while here < at && !text[here].is_whitespace() {
                here += 1;
            }
            if here == at {
                return Cursor::Elsewhere;
            }
            continue;
        }
        let key = from..here;
        here += 1;
        match value(text, here, at) {
            Ok(behind) => here = behind,
            Err(from) => return Cursor::Value { key, from },
        }
    }
}

/// Walks over the tests of a term: behind them, or where the test begins that the place is in.
fn value(text: &[char], mut here: usize, at: usize) -> Result<usize, usize> {
    let mut from = here;
    while here < at {
        match text[here] {
            '"' => {
                here += 1;
                while here < at && text[here] != '"' {
                    here += 1 + usize::from(text[here] == '\\');
                }
                if here >= at {
                    return Err(from);
                }
                here += 1;
            }
            ',' => {
                here += 1;
                from = here;
            }
            one if one.is_whitespace() => return Ok(here),
            _ => here += 1,
        }
    }
    Err(from)
}

fn is_of_key(one: char) -> bool {
    one.is_ascii_alphanumeric() || matches!(one, '_' | '.')
}

fn keys(list: SearchList, written: &str) -> Vec<Suggestion> {
    let of = |name: &str, detail| Suggestion { text: format!("{name}:"), is_key: true, detail, count: None };
    let fields = list.fields().iter().map(|field| {
        let detail = match field.kind {
            FieldKind::Word(_) => "one of a few words",
            FieldKind::Id(..) => "ID",
            FieldKind::Text(_) => "text",
            FieldKind::Integer => "whole number",
        };
        (field.name, detail)
    });
    let instants = list.instants().iter().map(|name| (*name, "instant"));
    let begins = |name: &str| begins(name, written);
    fields.chain(instants).filter(|(name, _)| begins(name)).map(|(name, what)| of(name, Some(what))).collect()
}

/// What a key of attributes means, where it is one.
fn attribute_of(list: SearchList, key: &str, searchable: &Searchable) -> Option<NamedAttribute> {
    if !list.has_attributes() {
        return None;
    }
    if let Some(name) = key.strip_prefix(ATTRIBUTE_PREFIX) {
        return searchable.name(name);
    }
    let path = AttributePath::parse(key).ok().filter(|path| list.roots().contains(&path.root))?;
    searchable.path(&path)
}

fn of_attribute(named: NamedAttribute, written: &str, found: SuggestAt) -> SuggestAt {
    match named.kind {
        Some(AttributeType::Instant) => SuggestAt { known: words(&INSTANTS, written), ..found },
        Some(AttributeType::Boolean) => SuggestAt { known: words(&["true", "false"], written), ..found },
        Some(AttributeType::Text) => {
            SuggestAt { values_of_attribute: Some((named, written.replace('\\', ""))), ..found }
        }
        Some(AttributeType::Integer | AttributeType::Number) | None => found,
    }
}

/// Keys of what is declared: names, and paths that need no quotes.
fn attribute_keys(list: SearchList, written: &str, searchable: &Searchable) -> Vec<Suggestion> {
    if !list.has_attributes() {
        return Vec::new();
    }
    let names = searchable.names().map(|(name, kind)| (format!("{ATTRIBUTE_PREFIX}{name}"), kind));
    let paths = searchable.paths(list.roots()).map(|(path, named)| (path.to_string(), named.kind));
    names
        .chain(paths)
        .filter(|(key, _)| begins(key, written))
        .map(|(key, kind)| Suggestion {
            text: format!("{key}:"),
            is_key: true,
            detail: kind.map(AttributeType::as_str),
            count: None,
        })
        .collect()
}

fn words(words: &[&str], written: &str) -> Vec<Suggestion> {
    let of = |text: &&str| Suggestion { text: (*text).to_owned(), is_key: false, detail: None, count: None };
    words.iter().filter(|word| begins(word, written)).map(of).collect()
}

fn begins(word: &str, written: &str) -> bool {
    word.get(..written.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(written))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(query: &str) -> (usize, usize, Vec<String>, Option<(&'static str, String)>) {
        // `|` is the place.
        let place = query.chars().position(|one| one == '|').expect("a place");
        let found = suggest_at(SearchList::Jobs, &query.replace('|', ""), place, &Searchable::default());
        (found.from, found.to, found.known.into_iter().map(|one| one.text).collect(), found.values_of)
    }

    #[test]
    fn keys_words_and_instants_are_known() {
        assert_eq!(at("sta|"), (0, 3, vec!["status:".to_owned()], None));
        assert_eq!(at("-STA|tus:FAILED").0, 1);
        assert_eq!(at("-STA|tus:FAILED").1, 8, "the rest of the key goes, too");
        assert_eq!(at("status:FA|").2, ["FAILED"]);
        assert_eq!(at("status:FAILED,dead|").2, ["DEAD_LETTER"]);
        assert_eq!(at("status:FAILED,dead|").0, 14);
        assert_eq!(at("created:|").2.len(), 5);
        assert_eq!(at("created:>=now-1|").2, [">=now-15m", ">=now-1h", ">=now-1d"]);
        assert_eq!(at("tag:vip q|").2, ["queue:"]);
        assert_eq!(at("tag:\"a b\" q|").2, ["queue:"]);
        assert!(at("|").2.len() > 10);
    }

    #[test]
    fn values_of_text_are_for_the_store() {
        assert_eq!(at("jobType:cha|rge next"), (8, 14, vec![], Some(("jobType", "cha".into()))));
        assert_eq!(at("tag:\"a b|").3, Some(("tag", "a b".into())));
        assert_eq!(at("tag:\"a b|\"").1, 9, "with its quote");
        assert_eq!(at("workflow:x,|").3, Some(("workflow", String::new())));
        for query in ["colour:|", "executionId:exe_|", "?? |", "job_1? |"] {
            assert_eq!(at(query).3, None, "{query}");
        }
        assert!(at("colour:|").2.is_empty());
        let none = Searchable::default();
        assert!(suggest_at(SearchList::Jobs, &"x".repeat(3_000), 5, &none).known.is_empty());
        assert_eq!(suggest_at(SearchList::Jobs, "sta", 99, &none).to, 3);
    }

    #[test]
    fn declared_attributes_are_suggested() {
        use crate::attribute::{AttributeScope, Declared, TenantAttributes};
        use crate::names::{AttributeName, TenantName};
        let declared = vec![Declared {
            scope: AttributeScope::Tenant,
            name: AttributeName::trusted("region"),
            kind: AttributeType::Text,
            path: AttributePath::parse("data.address.region").ok(),
            since: crate::time::Timestamp(0),
        }];
        let searchable = Searchable::of([&TenantAttributes { tenant: TenantName::trusted("a"), declared }]);
        let texts = |query: &str| {
            let found = suggest_at(SearchList::Jobs, query, usize::MAX, &searchable);
            found.known.into_iter().map(|one| one.text).collect::<Vec<_>>()
        };
        assert_eq!(texts("attr.r"), ["attr.region:"]);
        assert_eq!(texts("data."), ["data.address.region:"]);
        for key in ["attr.region", "data.address.region"] {
            let found = suggest_at(SearchList::Jobs, &format!("{key}:e"), usize::MAX, &searchable);
            let (named, begin) = found.values_of_attribute.expect("values of it may be looked for");
            assert_eq!((named.names[0].as_str(), begin.as_str()), ("region", "e"));
        }
        assert!(suggest_at(SearchList::Schedules, "attr", usize::MAX, &searchable).known.is_empty());
    }

    #[test]
    fn values_are_quoted_where_they_must() {
        for (value, expected) in [
            ("vip", "vip"),
            ("a b", "\"a b\""),
            ("a\"\\", "\"a\\\"\\\\\""),
            ("..", "\"..\""),
            (">x", "\">x\""),
        ] {
            assert_eq!(quoted(value), expected);
            let query = format!("tag:{expected}");
            assert!(
                super::super::parse_query(
                    SearchList::Jobs,
                    &query,
                    crate::time::Timestamp(0),
                    &Searchable::default()
                )
                .is_ok(),
                "{query}"
            );
        }
    }
}
