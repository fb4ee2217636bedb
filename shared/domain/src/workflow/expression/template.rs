//! JSON values with `${…}` in their strings, compiled. A string that is one `${…}` keeps the value's type; text
//! around expressions makes the whole text, with null as `null` and lists and objects as JSON.

use serde_json::{Map, Value};

use crate::secret::{HeaderPart, SecretName};
use crate::workflow::expression::compile::Expression;
use crate::workflow::expression::evaluate::{OUTPUT_BYTES_MAX, check_bounds};
use crate::workflow::expression::fault::EvaluationError;
use crate::workflow::expression::json::text_bytes;
use crate::workflow::expression::scope::Scope;

/// A compiled value.
#[derive(Debug)]
pub enum Template {
    /// A value without expressions.
    Literal(Value),
    /// One expression, which keeps its type.
    Expression(Expression),
    /// Text with expressions in it.
    Text(Vec<TextPart>),
    /// A list in which expressions are.
    List(Vec<Template>),
    /// An object in which expressions are. Field names are plain.
    Object(Vec<(String, Template)>),
}

/// A part of a text.
#[derive(Debug)]
pub enum TextPart {
    /// As it is.
    Plain(String),
    /// To be evaluated.
    Expression(Expression),
}

impl Template {
    /// The value with every expression evaluated, checked for size and depth.
    pub fn render(&self, scope: &Scope<'_>) -> Result<Value, EvaluationError> {
        let value = self.fill(scope, &mut { OUTPUT_BYTES_MAX })?;
        check_bounds(&value)?;
        Ok(value)
    }

    /// `left` is what may still be made, in bytes, so that a template cannot repeat a large output without end.
    fn fill(&self, scope: &Scope<'_>, left: &mut usize) -> Result<Value, EvaluationError> {
        match self {
            Self::Literal(value) => Ok(value.clone()),
            Self::Expression(expression) => evaluate(expression, scope, left),
            Self::Text(parts) => {
                let mut text = String::new();
                for part in parts {
                    match part {
                        TextPart::Plain(plain) => text.push_str(plain),
                        TextPart::Expression(expression) => {
                            push_text(&mut text, &evaluate(expression, scope, left)?);
                        }
                    }
                }
                Ok(Value::String(text))
            }
            Self::List(items) => items.iter().map(|item| item.fill(scope, left)).collect(),
            Self::Object(fields) => {
                let mut object = Map::new();
                for (field, template) in fields {
                    object.insert(field.clone(), template.fill(scope, left)?);
                }
                Ok(Value::Object(object))
            }
        }
    }
}

fn evaluate(expression: &Expression, scope: &Scope<'_>, left: &mut usize) -> Result<Value, EvaluationError> {
    let value = expression.evaluate(scope)?;
    let too_large = EvaluationError::TooLarge { max: OUTPUT_BYTES_MAX };
    *left -= text_bytes(&value, *left).ok_or(too_large)?;
    Ok(value)
}

pub(super) fn push_text(text: &mut String, value: &Value) {
    match value {
        Value::String(inner) => text.push_str(inner),
        other => text.push_str(&other.to_string()),
    }
}

// Header values with secrets in them. A secret is never evaluated: its place is kept, and filled by whoever sends the request.

/// A header of an `HTTP` node's request with at least one secret in its value.
#[derive(Debug)]
pub struct SealedHeader {
    /// Its name.
    pub name: String,
    /// Its value.
    pub parts: Vec<SealedPart>,
}

/// A part of a value.
#[derive(Debug)]
pub enum SealedPart {
    /// As it is.
    Plain(String),
    /// To be evaluated. What comes of it is text, whatever it looks like.
    Expression(Expression),
    /// The value of a secret.
    Secret(SecretName),
}

impl SealedHeader {
    /// The value with every expression evaluated and every secret in its place.
    pub fn render(&self, scope: &Scope<'_>) -> Result<Vec<HeaderPart>, EvaluationError> {
        let part = |part: &SealedPart| {
            Ok(match part {
                SealedPart::Plain(text) => HeaderPart::Plain(text.clone()),
                SealedPart::Secret(secret) => HeaderPart::Secret { secret: secret.clone() },
                SealedPart::Expression(expression) => {
                    let mut text = String::new();
                    push_text(&mut text, &expression.evaluate(scope)?);
                    HeaderPart::Plain(text)
                }
            })
        };
        self.parts.iter().map(part).collect()
    }
}
