//! JSON in one form (RFC 8785), so that whoever hashes the same value gets the same hash.
//!
//! Keys are in the order of their UTF-16 code units, there is no white space, and numbers are written as ECMAScript does.

use std::fmt::Write as _;

use serde_json::{Map, Number, Value};

/// The largest integer that ECMAScript holds exactly.
const EXACT_MAX: u64 = 1 << 53;

/// A value in its one form.
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write_value(value, &mut text);
    text
}

/// An object in its one form.
pub fn canonical_object(object: &Map<String, Value>) -> String {
    let mut text = String::new();
    write_object(object, &mut text);
    text
}

fn write_value(value: &Value, into: &mut String) {
    match value {
        Value::Null => into.push_str("null"),
        Value::Bool(true) => into.push_str("true"),
        Value::Bool(false) => into.push_str("false"),
        Value::Number(number) => into.push_str(&number_text(number)),
        Value::String(text) => write_text(text, into),
        Value::Array(items) => {
            into.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    into.push(',');
                }
                write_value(item, into);
            }
            into.push(']');
        }
        Value::Object(object) => write_object(object, into),
    }
}

fn write_object(object: &Map<String, Value>, into: &mut String) {
    let mut fields: Vec<(&String, &Value)> = object.iter().collect();
    fields.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
    into.push('{');
    for (index, (name, value)) in fields.into_iter().enumerate() {
        if index > 0 {
            into.push(',');
        }
        write_text(name, into);
        into.push(':');
        write_value(value, into);
    }
    into.push('}');
}

fn write_text(text: &str, into: &mut String) {
    into.push('"');
    for character in text.chars() {
        match character {
            '"' => into.push_str("\\\""),
            '\\' => into.push_str("\\\\"),
            '\u{8}' => into.push_str("\\b"),
            '\t' => into.push_str("\\t"),
            '\n' => into.push_str("\\n"),
            '\u{c}' => into.push_str("\\f"),
            '\r' => into.push_str("\\r"),
            control if u32::from(control) < 0x20 => {
                // Writing to a string does not fail.
                let _ = write!(into, "\\u{:04x}", u32::from(control));
            }
            other => into.push(other),
        }
    }
    into.push('"');
}

/// A number as ECMAScript writes it: as the double that is nearest to it.
fn number_text(number: &Number) -> String {
    match (number.as_u64(), number.as_i64()) {
        (Some(whole), _) if whole <= EXACT_MAX => whole.to_string(),
        (None, Some(whole)) if whole.unsigned_abs() <= EXACT_MAX => whole.to_string(),
        _ => double_text(number.as_f64().unwrap_or_default()),
    }
}

fn double_text(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    // The fewest digits that read as the same number, and the power of ten of the first.
    let scientific = format!("{:e}", number.abs());
    let (digits, power) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits = digits.replace('.', "");
    let point = power.parse::<i32>().unwrap_or_default() + 1;
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or_default());
    let unsigned = if count <= point && point <= 21 {
        format!("{digits}{}", zeros(point - count))
    } else if 0 < point && point <= 21 {
        let (whole, rest) = digits.split_at(usize::try_from(point).unwrap_or_default());
        format!("{whole}.{rest}")
    } else if -6 < point && point <= 0 {
        format!("0.{}{digits}", zeros(-point))
    } else {
        let exponent = point - 1;
        let sign = if exponent < 0 { '-' } else { '+' };
        let (first, rest) = digits.split_at(1);
        let dot = if rest.is_empty() { "" } else { "." };
        format!("{first}{dot}{rest}e{sign}{}", exponent.abs())
    };
    if number < 0.0 { format!("-{unsigned}") } else { unsigned }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(json: &str) -> String {
        canonical(&serde_json::from_str(json).expect("JSON"))
    }

    #[test]
    fn the_examples_of_the_standard_hold() {
        // RFC 8785, 3.2.2 to 3.2.4.
        let input = r#"{
            "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
            "literals": [null, true, false]
        }"#;
        let expected = "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
            \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
        assert_eq!(of(input), expected);
        let keys =
            r#"{"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7}"#;
        assert_eq!(of(keys), "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}");
    }

    #[test]
    fn numbers_are_those_of_ecmascript() {
        // RFC 8785, appendix B.
        for (bits, expected) in [
            (0x0000_0000_0000_0001_u64, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        ] {
            assert_eq!(double_text(f64::from_bits(bits)), expected, "{bits:x}");
        }
        assert_eq!(
            of("[-0.0, -0, 10, 9007199254740993, -5, 18446744073709551615]"),
            "[0,0,10,9007199254740992,-5,18446744073709552000]"
        );
    }

    proptest! {
        #[test]
        fn the_one_form_is_a_fixed_point(text in ".*", number in any::<f64>().prop_filter("finite", |n| n.is_finite())) {
            let value = serde_json::json!({ &text: [number, &text] });
            let once = canonical(&value);
            let read: Value = serde_json::from_str(&once).expect("JSON");
            prop_assert_eq!(canonical(&read), once);
        }
    }
}
