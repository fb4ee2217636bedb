//! Attributes as they are shown with their objects.

use std::collections::{BTreeMap, HashMap};

use domain::attribute::AttributeValue;
use serde_json::Value;
use uuid::Uuid;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// Attributes by object: a value each, or a list where there are several.
pub type ShownAttributes = HashMap<Uuid, BTreeMap<String, Value>>;

/// Fingerprints by execution: of the last of its jobs that died.
pub type ShownFingerprints = HashMap<Uuid, String>;

impl Engine {
    /// The fingerprints of executions that the caller has been shown; of those without a dead letter none.
    pub async fn shown_fingerprints(
        &self,
        executions: impl IntoIterator<Item = Uuid>,
    ) -> Result<ShownFingerprints, EngineError> {
        let executions: Vec<Uuid> = executions.into_iter().collect();
        if executions.is_empty() {
            return Ok(ShownFingerprints::new());
        }
        // The latest comes last.
        Ok(self.store().fingerprints_of_executions(&executions).await?.into_iter().collect())
    }

    /// The attributes of objects that the caller has been shown. None for one whose answers hold no payloads, and no look
    /// where nobody declares any.
    pub async fn shown_attributes(
        &self,
        caller: &Caller,
        objects: impl IntoIterator<Item = Uuid>,
    ) -> Result<ShownAttributes, EngineError> {
        let mut shown = ShownAttributes::new();
        if !caller.shows_payloads() {
            return Ok(shown);
        }
        let declared = self.attributes().await?;
        if declared.is_empty() {
            return Ok(shown);
        }
        let objects: Vec<Uuid> = objects.into_iter().collect();
        for (object, stored) in self.store().attributes_of(&objects).await? {
            // What is not declared any more is not shown, until it is declared again.
            let Some((name, kind)) = declared.by_id(stored.attribute) else { continue };
            let Some(value) = AttributeValue::of_stored(*kind, &stored.value) else { continue };
            let of_object = shown.entry(object).or_default();
            match of_object.get_mut(name.as_str()) {
                None => {
                    of_object.insert(name.to_string(), value.to_json());
                }
                Some(Value::Array(values)) => values.push(value.to_json()),
                Some(first) => *first = Value::Array(vec![first.take(), value.to_json()]),
            }
        }
        Ok(shown)
    }
}
