//! Schemas that stand within others are replaced with a reference to the component that is the same.
//!
//! Lists of a generic type have their items written out, so that generated clients would have two types for one thing.

use std::collections::BTreeMap;

use utoipa::openapi::schema::{ArrayItems, Schema};
use utoipa::openapi::{Components, Ref, RefOr};

/// Replaces the properties of all components, and the items of those that are lists.
pub(super) fn share(components: &mut Components) {
    let known: BTreeMap<String, RefOr<Schema>> = components.schemas.clone().into_iter().collect();
    for schema in components.schemas.values_mut() {
        if let RefOr::T(Schema::Object(object)) = schema {
            object.properties.values_mut().for_each(|property| replace(property, &known));
        }
    }
}

fn replace(schema: &mut RefOr<Schema>, known: &BTreeMap<String, RefOr<Schema>>) {
    match schema {
        RefOr::T(Schema::Array(array)) => {
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                replace(items, known);
            }
        }
        RefOr::T(Schema::Object(object)) if !object.properties.is_empty() => {
            if let Some((name, _)) = known.iter().find(|(_, component)| *component == schema) {
                *schema = Ref::from_schema_name(name).into();
            }
        }
        _ => {}
    }
}
