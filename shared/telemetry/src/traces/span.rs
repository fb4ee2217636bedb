//! A span, as it is recorded.

use std::borrow::Cow;

use domain::time::Timestamp;
use domain::trace::SpanPlace;

/// What a span is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// Work inside of the process.
    Internal,
    /// A request that was answered.
    Server,
    /// A request that was made.
    Client,
    /// A message that was sent.
    Producer,
    /// A message that was processed.
    Consumer,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribute {
    /// Text.
    Text(Cow<'static, str>),
    /// A whole number.
    Number(i64),
}

impl From<&'static str> for Attribute {
    fn from(text: &'static str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Attribute {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<i64> for Attribute {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

/// Something that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Where it stands.
    pub place: SpanPlace,
    /// What it is called: few different names.
    pub name: Cow<'static, str>,
    /// What it is of.
    pub kind: SpanKind,
    /// When it began, in nanoseconds since 1970.
    pub begun_ns: u64,
    /// When it ended, in nanoseconds since 1970.
    pub ended_ns: u64,
    /// What is known of it.
    pub attributes: Vec<(&'static str, Attribute)>,
    /// The code of what it failed with; `None` where it did not fail.
    pub error: Option<String>,
}

impl Span {
    /// A span between two instants of the deployment's clock.
    pub fn new(
        place: SpanPlace,
        name: impl Into<Cow<'static, str>>,
        kind: SpanKind,
        (begun, ended): (Timestamp, Timestamp),
    ) -> Self {
        let begun_ns = nanoseconds(begun);
        Self {
            place,
            name: name.into(),
            kind,
            begun_ns,
            ended_ns: nanoseconds(ended).max(begun_ns),
            attributes: Vec::new(),
            error: None,
        }
    }

    /// When it began.
    pub const fn begun(&self) -> Timestamp {
        Timestamp((self.begun_ns / 1_000_000) as i64)
    }

    /// The same, ended at an instant.
    #[must_use]
    pub fn until(self, ended: Timestamp) -> Self {
        Self { ended_ns: nanoseconds(ended).max(self.begun_ns), ..self }
    }

    /// The same with an attribute.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Attribute>) -> Self {
        self.attributes.push((name, value.into()));
        self
    }

    /// The same with an attribute where there is a value.
    #[must_use]
    pub fn with_some(self, name: &'static str, value: Option<impl Into<Attribute>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }
}

/// An instant before 1970 counts as 1970.
fn nanoseconds(instant: Timestamp) -> u64 {
    u64::try_from(instant.0).unwrap_or_default().saturating_mul(1_000_000)
}
