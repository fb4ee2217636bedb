//! CEL values back to JSON, and the size of JSON.

use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelOptional, CelString, CelUInt,
};
use cel::common::value::Val;
use serde_json::{Map, Number, Value};

use crate::workflow::expression::fault::EvaluationError;

/// A CEL value as JSON: int and uint stay whole numbers, an empty optional is null.
pub(super) fn from_cel(value: &dyn Val) -> Result<Value, EvaluationError> {
    if let Some(text) = value.downcast_ref::<CelString<'_>>() {
        Ok(Value::from(text.inner()))
    } else if let Some(int) = value.downcast_ref::<CelInt>() {
        Ok(Value::from(*int.inner()))
    } else if let Some(flag) = value.downcast_ref::<CelBool>() {
        Ok(Value::from(*flag.inner()))
    } else if let Some(double) = value.downcast_ref::<CelDouble>() {
        Number::from_f64(*double.inner())
            .map(Value::Number)
            .ok_or(EvaluationError::NotJson { kind: "a number without a value".into() })
    } else if let Some(uint) = value.downcast_ref::<CelUInt>() {
        Ok(Value::from(*uint.inner()))
    } else if value.downcast_ref::<CelNull>().is_some() {
        Ok(Value::Null)
    } else if let Some(list) = value.downcast_ref::<CelList<'_>>() {
        list.inner().iter().map(|item| from_cel(&**item)).collect()
    } else if let Some(map) = value.downcast_ref::<CelMap<'_>>() {
        let mut fields = Map::new();
        for (key, item) in map.inner() {
            fields.insert(key_text(key), from_cel(&**item)?);
        }
        Ok(Value::Object(fields))
    } else if let Some(optional) = value.downcast_ref::<CelOptional<'_>>() {
        optional.option().map_or(Ok(Value::Null), from_cel)
    } else {
        Err(EvaluationError::NotJson { kind: value.get_type().name().to_owned() })
    }
}

fn key_text(key: &CelMapKey<'_>) -> String {
    match key {
        CelMapKey::Bool(key) => key.inner().to_string(),
        CelMapKey::Int(key) => key.inner().to_string(),
        CelMapKey::String(key) => key.inner().to_owned(),
        CelMapKey::UInt(key) => key.inner().to_string(),
    }
}

/// The length of the JSON text of a value, in bytes; `None` where it is above `bytes_max`.
pub(super) fn text_bytes(value: &Value, bytes_max: usize) -> Option<usize> {
    let mut left = bytes_max;
    take_text(value, &mut left)?;
    Some(bytes_max - left)
}

fn take_text(value: &Value, left: &mut usize) -> Option<()> {
    let mut take = |bytes: usize| -> Option<()> {
        *left = left.checked_sub(bytes)?;
        Some(())
    };
    match value {
        Value::Null | Value::Bool(true) => take(4),
        Value::Bool(false) => take(5),
        Value::Number(number) => take(number_bytes(number)),
        Value::String(text) => take(string_bytes(text)),
        Value::Array(items) => {
            take(items.len().max(1) + 1)?;
            items.iter().try_for_each(|item| take_text(item, left))
        }
        Value::Object(fields) => {
            take(2 * fields.len().max(1) + 1 - usize::from(fields.is_empty()))?;
            fields.iter().try_for_each(|(field, item)| {
                *left = left.checked_sub(string_bytes(field))?;
                take_text(item, left)
            })
        }
    }
}

fn number_bytes(number: &Number) -> usize {
    match number.as_u64() {
        Some(whole) => whole.checked_ilog10().unwrap_or(0) as usize + 1,
        None => number.to_string().len(),
    }
}

fn string_bytes(text: &str) -> usize {
    let escapes: usize = text
        .bytes()
        .map(|byte| match byte {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 1,
            0..0x20 => 5,
            _ => 0,
        })
        .sum();
    text.len() + escapes + 2
}

/// Whether the value is nested at most `depth_max` levels deep; a scalar is no level.
pub(super) fn is_within_depth(value: &Value, depth_max: usize) -> bool {
    match value {
        Value::Array(items) => depth_max > 0 && items.iter().all(|item| is_within_depth(item, depth_max - 1)),
        Value::Object(fields) => {
            depth_max > 0 && fields.values().all(|item| is_within_depth(item, depth_max - 1))
        }
        _ => true,
    }
}

/// Whether a NUL is in any text of the value. The databases cannot store one.
pub(super) fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(fields) => fields.iter().any(|(field, item)| field.contains('\0') || has_nul(item)),
        _ => false,
    }
}
