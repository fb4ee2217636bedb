//! Header values with secrets in them. A secret is never evaluated: its place is kept, and filled by whoever sends the request.

use crate::secret::{HeaderPart, SecretName};
use crate::workflow::expression::compile::Expression;
use crate::workflow::expression::evaluate::EvaluationError;
use crate::workflow::expression::scope::Scope;
use crate::workflow::expression::template::push_text;

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
