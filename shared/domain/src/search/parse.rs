//! The query language of `?q=`: terms of a key and tests, all of which must match.

use super::attribute_term::{Meant, Resolved, attribute_value, key_of_path};
use super::fields::{Field, FieldKind, TEXT_BYTES_MAX};
use super::list::SearchList;
use super::read::{INSTANT_EXPECTED, InstantSpan, TESTS_MAX, value_of};
use super::{Bound, Term, TermValue, Test};
use crate::attribute::{AttributeType, Searchable};
use crate::time::Timestamp;

/// The longest query, in code points.
pub const QUERY_CODE_POINTS_MAX: usize = 2_000;

/// The most terms of a query.
const TERMS_MAX: usize = 20;

/// What is wrong with a query, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryFault {
    /// Where it begins, in code points from 0.
    pub position: usize,
    /// How many code points are wrong.
    pub length: usize,
    /// What is wrong and what is expected.
    pub message: String,
    /// The command that declares it, where it is a name or path that nobody declared.
    pub hint: Option<String>,
}

/// Reads a query of a list. `now` is what relative times count from; `searchable` is what is declared where the caller
/// looks.
pub fn parse_query(
    list: SearchList,
    text: &str,
    now: Timestamp,
    searchable: &Searchable,
) -> Result<Vec<Term>, QueryFault> {
    let code_points: Vec<char> = text.chars().take(QUERY_CODE_POINTS_MAX + 1).collect();
    if code_points.len() > QUERY_CODE_POINTS_MAX {
        let message = format!("expected at most {QUERY_CODE_POINTS_MAX} code points");
        return Err(QueryFault { position: QUERY_CODE_POINTS_MAX, length: 1, message, hint: None });
    }
    let mut parser = Parser { text: &code_points, at: 0, list, now, searchable };
    let mut terms = Vec::new();
    loop {
        parser.skip_blanks();
        if parser.is_at_end() {
            return Ok(terms);
        }
        if terms.len() == TERMS_MAX {
            return Err(parser.fault(parser.at, format!("expected at most {TERMS_MAX} terms")));
        }
        terms.push(parser.term()?);
        if !parser.is_at_end() && !parser.peek().is_some_and(char::is_whitespace) {
            return Err(parser.fault(parser.at, "expected a blank between two terms"));
        }
    }
}

struct Parser<'a> {
    text: &'a [char],
    at: usize,
    list: SearchList,
    now: Timestamp,
    searchable: &'a Searchable,
}

/// A value as it stands in the query.
struct Written {
    text: String,
    position: usize,
}

/// What a key means.
#[derive(Clone, Copy)]
enum Meaning {
    Field(&'static Field),
    Instant(&'static str),
    Attribute(AttributeType),
}

impl Meaning {
    fn name(self) -> &'static str {
        match self {
            Self::Field(field) => field.name,
            Self::Instant(name) => name,
            Self::Attribute(_) => "the attribute",
        }
    }

    /// Whether its values are instants.
    const fn is_instant(self) -> bool {
        matches!(self, Self::Instant(_) | Self::Attribute(AttributeType::Instant))
    }

    /// Whether its values are text that goes with `*`.
    const fn is_text(self) -> bool {
        match self {
            Self::Field(field) => matches!(field.kind, FieldKind::Text(_)),
            Self::Attribute(kind) => matches!(kind, AttributeType::Text),
            Self::Instant(_) => false,
        }
    }

    /// Whether its values are numbers.
    const fn is_number(self) -> bool {
        match self {
            Self::Field(field) => matches!(field.kind, FieldKind::Integer),
            Self::Attribute(kind) => matches!(kind, AttributeType::Integer | AttributeType::Number),
            Self::Instant(_) => false,
        }
    }
}

type Parsed<T> = Result<T, QueryFault>;

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    fn takes(&mut self, wanted: &str) -> bool {
        let is_there =
            wanted.chars().enumerate().all(|(index, one)| self.text.get(self.at + index) == Some(&one));
        if is_there {
            self.at += wanted.chars().count();
        }
        is_there
    }

    /// A fault from `position` up to where the parser stands, one code point at least.
    fn fault(&self, position: usize, message: impl Into<String>) -> QueryFault {
        QueryFault {
            position,
            length: self.at.saturating_sub(position).max(1),
            message: message.into(),
            hint: None,
        }
    }

    fn term(&mut self) -> Parsed<Term> {
        let is_negated = self.takes("-");
        let (position, key) = (self.at, self.key());
        if let Some((meant, at)) = key_of_path(self.list, self.text, position, self.at)
            .map_err(|(at, message)| QueryFault { length: 1, ..self.fault(at, message) })?
        {
            self.at = at;
            return self.attribute_term(is_negated, position, &meant);
        }
        if self.takes(":") {
            let Some(meaning) = self.meaning(&key) else {
                let fault = QueryFault {
                    position,
                    length: key.chars().count().max(1),
                    message: self.expected_keys(),
                    hint: None,
                };
                return Err(fault);
            };
            return Ok(Term { key: meaning.name().to_owned(), is_negated, tests: self.tests(meaning)? });
        }
        if let Some(id) = self.list.parse_id(&key) {
            Ok(Term { key: "id".to_owned(), is_negated, tests: vec![Test::Is(TermValue::Id(id))] })
        } else {
            let or_id = self.list.id_prefix().map(|prefix| format!(", or an id ({prefix}_…)"));
            let message = format!(
                "expected a key with a colon, such as {}:{}",
                self.list.fields()[0].name,
                or_id.unwrap_or_default()
            );
            Err(self.fault(position, message))
        }
    }

    /// A term of a declared attribute, whose key has been read.
    fn attribute_term(&mut self, is_negated: bool, position: usize, meant: &Meant) -> Parsed<Term> {
        match meant.resolve(self.searchable) {
            Resolved::Undeclared(command) => {
                let message = "it is not declared as searchable; see the hint";
                Err(QueryFault { hint: Some(command), ..self.fault(position, message) })
            }
            Resolved::Ambiguous(message) => Err(self.fault(position, message)),
            Resolved::Attribute(key, kind) => {
                if !self.takes(":") {
                    return Err(self.fault(position, "expected a colon and a value behind the key"));
                }
                Ok(Term { key, is_negated, tests: self.tests(Meaning::Attribute(kind))? })
            }
        }
    }

    fn key(&mut self) -> String {
        let begin = self.at;
        while self.peek().is_some_and(|one| one.is_ascii_alphanumeric() || matches!(one, '_' | '.')) {
            self.at += 1;
        }
        self.text[begin..self.at].iter().collect()
    }

    fn meaning(&self, key: &str) -> Option<Meaning> {
        let field = self.list.field(key).map(Meaning::Field);
        field.or_else(|| self.list.instant(key).map(Meaning::Instant))
    }

    fn expected_keys(&self) -> String {
        let names =
            self.list.fields().iter().map(|field| field.name).chain(self.list.instants().iter().copied());
        let attributes = if self.list.has_attributes() { ", attr. and a name, or a path" } else { "" };
        format!(
            "not a key of this list; expected one of {}{attributes}",
            names.collect::<Vec<_>>().join(", ")
        )
    }

    fn tests(&mut self, meaning: Meaning) -> Parsed<Vec<Test>> {
        let mut tests = vec![self.test(meaning)?];
        while self.takes(",") {
            if tests.len() == TESTS_MAX {
                return Err(self.fault(self.at, format!("expected at most {TESTS_MAX} tests in a term")));
            }
            tests.push(self.test(meaning)?);
        }
        Ok(tests)
    }

    fn test(&mut self, meaning: Meaning) -> Parsed<Test> {
        let position = self.at;
        for (sign, is_lower, is_included) in
            [(">=", true, true), ("<=", false, true), (">", true, false), ("<", false, false)]
        {
            if self.takes(sign) {
                let written = self.written()?;
                return self.compared(meaning, &written, (is_lower, is_included), position);
            }
        }
        if self.takes("*") {
            return Ok(Test::Present);
        }
        let written = self.written()?;
        if self.takes("*") {
            if !meaning.is_text() {
                return Err(self.fault(position, format!("{} is not text: * needs text", meaning.name())));
            }
            return Ok(Test::Begins(written.text));
        }
        if self.takes("..") {
            let upper = self.written()?;
            return self.range(meaning, &written, &upper, position);
        }
        if meaning.is_instant() {
            let span = self.span(&written)?;
            return Ok(Test::Between(bound(span.from, true), bound(span.until, false)));
        }
        self.value(meaning, &written).map(Test::Is)
    }

    fn compared(
        &self,
        meaning: Meaning,
        written: &Written,
        (is_lower, is_included): (bool, bool),
        position: usize,
    ) -> Parsed<Test> {
        let end = if meaning.is_instant() {
            let span = self.span(written)?;
            // After a day is after its end; up to a day is up to its end.
            match (is_lower, is_included) {
                (true, true) => bound(span.from, true),
                (true, false) => bound(span.until, true),
                (false, true) => bound(span.until, false),
                (false, false) => bound(span.from, false),
            }
        } else if meaning.is_number() {
            Some(Bound { value: self.value(meaning, written)?, is_included })
        } else {
            let message =
                format!("{} is neither a number nor an instant: it cannot be compared", meaning.name());
            return Err(self.fault(position, message));
        };
        Ok(if is_lower { Test::Between(end, None) } else { Test::Between(None, end) })
    }

    fn range(&self, meaning: Meaning, lower: &Written, upper: &Written, position: usize) -> Parsed<Test> {
        if meaning.is_instant() {
            let (from, until) = (self.span(lower)?.from, self.span(upper)?.until);
            return Ok(Test::Between(bound(from, true), bound(until, false)));
        }
        let read = |written: &Written| {
            if meaning.is_number() {
                self.value(meaning, written)
            } else if meaning.is_text() {
                Ok(TermValue::Text(written.text.clone()))
            } else {
                Err(self.fault(position, format!("{} has no order: .. does not go with it", meaning.name())))
            }
        };
        let end = |value| Some(Bound { value, is_included: true });
        Ok(Test::Between(end(read(lower)?), end(read(upper)?)))
    }

    fn span(&self, written: &Written) -> Parsed<InstantSpan> {
        InstantSpan::parse(&written.text, self.now)
            .ok_or_else(|| self.fault(written.position, INSTANT_EXPECTED))
    }

    fn value(&self, meaning: Meaning, written: &Written) -> Parsed<TermValue> {
        match meaning {
            Meaning::Instant(_) => self.span(written).map(|span| TermValue::Instant(span.from)),
            Meaning::Field(field) => {
                value_of(field, &written.text).map_err(|message| self.fault(written.position, message))
            }
            Meaning::Attribute(kind) => {
                attribute_value(kind, &written.text).map_err(|message| self.fault(written.position, message))
            }
        }
    }

    /// A word, or text in quotes.
    fn written(&mut self) -> Parsed<Written> {
        let position = self.at;
        let (text, is_quoted) =
            if self.takes("\"") { (self.quoted(position)?, true) } else { (self.word(), false) };
        if text.len() > TEXT_BYTES_MAX {
            return Err(self.fault(position, format!("expected at most {TEXT_BYTES_MAX} bytes")));
        }
        if text.chars().any(char::is_control) {
            return Err(self.fault(position, "expected no control characters"));
        }
        if text.is_empty() && !is_quoted {
            return Err(self.fault(position, "expected a value"));
        }
        Ok(Written { text, position })
    }

    fn quoted(&mut self, position: usize) -> Parsed<String> {
        let mut text = String::new();
        loop {
            match self.peek() {
                None => return Err(self.fault(position, "the quote is not closed")),
                Some('"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some('\\') => {
                    self.at += 1;
                    match self.peek() {
                        Some(one @ ('"' | '\\')) => text.push(one),
                        _ => return Err(self.fault(self.at - 1, "expected \\\" or \\\\")),
                    }
                }
                Some(one) => text.push(one),
            }
            self.at += 1;
        }
    }

    fn word(&mut self) -> String {
        let begin = self.at;
        while let Some(one) = self.peek() {
            let is_range = one == '.' && self.text.get(self.at + 1) == Some(&'.');
            let is_sign = self.at == begin && matches!(one, '<' | '>');
            if one.is_whitespace() || matches!(one, ',' | '"' | '(' | ')' | '\\' | '*') || is_range || is_sign
            {
                break;
            }
            self.at += 1;
        }
        self.text[begin..self.at].iter().collect()
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the end of a range may be missing")]
fn bound(instant: Timestamp, is_included: bool) -> Option<Bound> {
    Some(Bound { value: TermValue::Instant(instant), is_included })
}
