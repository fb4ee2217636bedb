//! Required fields. Request types read them as optional, so that all that are missing are reported at once, each with
//! its pointer.

use domain::error::Fault;

use crate::problem::Problem;

/// Collects the fields that are missing.
#[derive(Debug, Default)]
pub(crate) struct RequiredFields(Vec<Fault>);

impl RequiredFields {
    /// The value, or a fault at the field.
    pub(crate) fn field<T>(&mut self, name: &str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.0.push(Fault::new(format!("/{name}"), "is required"));
        }
        value
    }

    /// A fault of another kind.
    pub(crate) fn add(&mut self, pointer: &str, message: &str) {
        self.0.push(Fault::new(pointer, message));
    }

    /// What is wrong so far.
    pub(crate) fn problem(self) -> Problem {
        Problem::invalid(self.0)
    }

    /// Whether something is wrong.
    pub(crate) fn any(&self) -> bool {
        !self.0.is_empty()
    }
}
