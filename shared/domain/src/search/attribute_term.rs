//! Keys of declared attributes: `attr.<name>`, and paths such as `data.customer.id`.

use super::TermValue;
use super::list::SearchList;
use crate::attribute::{AttributePath, AttributeType, NamedAttribute, PathRoot, Searchable, read_parts};
use crate::names::AttributeName;
use crate::time::Timestamp;

/// What keys of attributes begin with, in queries and in terms.
pub const ATTRIBUTE_PREFIX: &str = "attr.";

/// What a key names.
pub(super) enum Meant {
    Name(String),
    Path(AttributePath),
}

/// What is declared of it.
pub(super) enum Resolved {
    /// The key of the term, and the type of its values.
    Attribute(String, AttributeType),
    /// Nothing; the command would declare it.
    Undeclared(String),
    /// Different types.
    Ambiguous(String),
}

/// The name or path that begins at a place, and the place behind it; `end` is where a plain key ends. `None` where the
/// key is of another kind.
pub(super) fn key_of_path(
    list: SearchList,
    text: &[char],
    begin: usize,
    end: usize,
) -> Result<Option<(Meant, usize)>, (usize, String)> {
    let key: String = text[begin..end].iter().collect();
    if !list.has_attributes() {
        return Ok(None);
    }
    if let Some(name) = key.strip_prefix(ATTRIBUTE_PREFIX) {
        return Ok(Some((Meant::Name(name.to_owned()), end)));
    }
    let word = key.split('.').next().unwrap_or_default();
    let Some(root) = list.roots().iter().copied().find(|root| root.as_str() == word) else {
        return Ok(None);
    };
    let (parts, behind) = read_parts(text, begin + word.len())?;
    Ok(Some((Meant::Path(AttributePath { root, parts }), behind)))
}

impl Meant {
    pub(super) fn resolve(&self, searchable: &Searchable) -> Resolved {
        let (named, example) = match self {
            Self::Name(name) => (searchable.name(name), format!("{name}=text")),
            Self::Path(path) => {
                let name =
                    path.parts.last().map(String::as_str).filter(|name| AttributeName::parse(*name).is_ok());
                let quoted = path.to_string().replace('\'', "'\\''");
                (searchable.path(path), format!("{}=text:{quoted}", name.unwrap_or("name")))
            }
        };
        let scope = match self {
            Self::Path(path) if path.root.is_of_jobs() => "job-type <job type>",
            Self::Path(_) => "workflow <workflow>",
            Self::Name(_) => "tenant <tenant>",
        };
        match named {
            None => Resolved::Undeclared(format!("trunkline attribute set {scope} '{example}'")),
            Some(NamedAttribute { kind: None, .. }) => Resolved::Ambiguous(
                "it is declared with different types; ask with a key of one tenant, or by attr. and a name"
                    .to_owned(),
            ),
            Some(NamedAttribute { names, kind: Some(kind) }) => {
                let names: Vec<&str> = names.iter().map(AttributeName::as_str).collect();
                Resolved::Attribute(format!("{ATTRIBUTE_PREFIX}{}", names.join(",")), kind)
            }
        }
    }
}

/// The names of a term of attributes; `None` where it is another term.
pub fn attribute_names(key: &str) -> Option<impl Iterator<Item = &str>> {
    key.strip_prefix(ATTRIBUTE_PREFIX).map(|names| names.split(','))
}

/// A value of an attribute as it stands in a query. Instants are read elsewhere.
pub(super) fn attribute_value(kind: AttributeType, text: &str) -> Result<TermValue, String> {
    match kind {
        AttributeType::Text => Ok(TermValue::Text(text.to_owned())),
        AttributeType::Integer => {
            text.parse().map(TermValue::Integer).map_err(|_| "expected a whole number".to_owned())
        }
        AttributeType::Number => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(TermValue::Number(number)),
            _ => Err("expected a number".to_owned()),
        },
        AttributeType::Boolean => {
            text.parse().map(TermValue::Boolean).map_err(|_| "expected true or false".to_owned())
        }
        AttributeType::Instant => {
            Timestamp::parse(text).map(TermValue::Instant).ok_or_else(|| "expected an instant".to_owned())
        }
    }
}

impl SearchList {
    /// Whether its objects carry attributes.
    pub const fn has_attributes(self) -> bool {
        matches!(self, Self::Jobs | Self::Executions | Self::DeadLetters | Self::Archive)
    }

    /// Into which payloads its paths go.
    pub const fn roots(self) -> &'static [PathRoot] {
        match self {
            Self::Jobs | Self::DeadLetters | Self::Archive => &[PathRoot::Data, PathRoot::Result],
            Self::Executions => &[PathRoot::Input, PathRoot::Output],
            _ => &[],
        }
    }
}
