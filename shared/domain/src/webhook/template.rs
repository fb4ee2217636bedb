//! Templates of signed content, such as `{id}.{timestamp}.{body}`.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The longest template, in bytes.
const TEMPLATE_BYTES_MAX: usize = 256;

/// A part of the request that a template can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Placeholder {
    /// `{id}`: the id header's value.
    Id,
    /// `{timestamp}`: the time of signing, letter by letter as received.
    Timestamp,
    /// `{url}`: the registered public URL.
    Url,
    /// `{method}`: the HTTP method in capitals.
    Method,
    /// `{body}`: the bytes of the body as received.
    Body,
}

impl Placeholder {
    const ALL: [(&'static str, Self); 5] = [
        ("id", Self::Id),
        ("timestamp", Self::Timestamp),
        ("url", Self::Url),
        ("method", Self::Method),
        ("body", Self::Body),
    ];
}

/// One piece of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TemplatePart<'a> {
    /// Text that stands for itself.
    Literal(&'a str),
    /// A part of the request.
    Value(Placeholder),
}

/// The text was no template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TemplateFault {
    /// A brace without one of the known names.
    #[error("expected only {{id}}, {{timestamp}}, {{url}}, {{method}} and {{body}} in braces")]
    UnknownPlaceholder,
    /// Without the body, anyone who has seen one request could send any other.
    #[error("the signed content must contain {{body}}")]
    NoBody,
    /// A name stands twice, which no known sender does.
    #[error("each name must be unique")]
    Repeated,
    /// Longer than any sender's.
    #[error("expected at most 256 bytes")]
    TooLong,
}

/// What is signed: literal text and placeholders, at least `{body}`.
#[derive(Clone, PartialEq, Eq)]
pub struct Template(Cow<'static, str>);

impl Template {
    /// Checks the text and wraps it.
    pub fn parse(text: impl Into<String>) -> Result<Self, TemplateFault> {
        let text = text.into();
        if text.len() > TEMPLATE_BYTES_MAX {
            return Err(TemplateFault::TooLong);
        }
        let mut seen = Vec::new();
        for part in parts(&text) {
            if let TemplatePart::Value(value) = part? {
                if seen.contains(&value) {
                    return Err(TemplateFault::Repeated);
                }
                seen.push(value);
            }
        }
        if seen.contains(&Placeholder::Body) { Ok(Self(text.into())) } else { Err(TemplateFault::NoBody) }
    }

    /// A preset's template. A test parses all of them.
    pub(super) const fn preset(text: &'static str) -> Self {
        Self(Cow::Borrowed(text))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it holds this placeholder.
    pub fn names(&self, wanted: Placeholder) -> bool {
        self.parts().any(|part| part == TemplatePart::Value(wanted))
    }

    /// The literal text right after this placeholder; empty if there is none.
    pub(super) fn literal_after(&self, wanted: Placeholder) -> &str {
        let mut rest = self.parts().skip_while(|part| *part != TemplatePart::Value(wanted)).skip(1);
        match rest.next() {
            Some(TemplatePart::Literal(text)) => text,
            _ => "",
        }
    }

    /// The pieces in order.
    pub(super) fn parts(&self) -> impl Iterator<Item = TemplatePart<'_>> {
        parts(&self.0).filter_map(Result::ok)
    }
}

fn parts(text: &str) -> impl Iterator<Item = Result<TemplatePart<'_>, TemplateFault>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        if first == '}' {
            rest = "";
            return Some(Err(TemplateFault::UnknownPlaceholder));
        }
        if first != '{' {
            let end = rest.find(['{', '}']).unwrap_or(rest.len());
            let (literal, after) = rest.split_at(end);
            rest = after;
            return Some(Ok(TemplatePart::Literal(literal)));
        }
        let known = Placeholder::ALL.iter().find_map(|(name, value)| {
            let after = rest[1..].strip_prefix(name)?.strip_prefix('}')?;
            Some((*value, after))
        });
        let Some((value, after)) = known else {
            rest = "";
            return Some(Err(TemplateFault::UnknownPlaceholder));
        };
        rest = after;
        Some(Ok(TemplatePart::Value(value)))
    })
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}
impl Serialize for Template {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}
impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
