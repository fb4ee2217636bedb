//! Rows for SQLite as a few long values: what has a fixed width one after the other in a blob, and texts in another
//! with a JSON list of where each lies.
//!
//! A JSON list of whole numbers is read a step per number, where lists of lists are taken apart once for each column;
//! for batches of five hundred that is most of what a statement costs. A statement finds the parts by the number of the
//! row, `key` of `json_each`.

use std::fmt::Write as _;

use sea_orm::Value;
use uuid::Uuid;

/// Where a text lies is one number: its first byte above, its length in so many low bits. SQLite itself has no longer
/// values. Statements spell this out.
const LENGTH_BITS: u32 = 30;

/// Ids, 16 bytes each.
pub(crate) fn uuids(uuids: impl ExactSizeIterator<Item = Uuid>) -> Value {
    let mut blob: Vec<u8> = Vec::with_capacity(uuids.len() * 16);
    for uuid in uuids {
        blob.extend_from_slice(uuid.as_bytes());
    }
    blob.into()
}

/// Pairs of ids, 32 bytes each.
pub(crate) fn uuid_pairs(pairs: impl ExactSizeIterator<Item = (Uuid, Uuid)>) -> Value {
    let mut blob: Vec<u8> = Vec::with_capacity(pairs.len() * 32);
    for (first, second) in pairs {
        blob.extend_from_slice(first.as_bytes());
        blob.extend_from_slice(second.as_bytes());
    }
    blob.into()
}

/// A lane and an instant in digits, 10 and 20 bytes.
pub(crate) fn lanes_and_instants(pairs: impl ExactSizeIterator<Item = (i32, i64)>) -> Value {
    let mut digits = String::with_capacity(pairs.len() * 30);
    for (lane, instant) in pairs {
        let _ = write!(digits, "{lane:010}{instant:020}");
    }
    digits.into_bytes().into()
}

/// Numbers in digits, 20 bytes each.
pub(crate) fn long_digits(longs: impl ExactSizeIterator<Item = i64>) -> Value {
    let mut digits = String::with_capacity(longs.len() * 20);
    for long in longs {
        let _ = write!(digits, "{long:020}");
    }
    digits.into_bytes().into()
}

/// Numbers as a JSON list.
pub(crate) fn longs(longs: impl ExactSizeIterator<Item = i64>) -> Value {
    let mut list = String::with_capacity(longs.len() * 8 + 2);
    list.push('[');
    for (place, long) in longs.enumerate() {
        let comma = if place > 0 { "," } else { "" };
        let _ = write!(list, "{comma}{long}");
    }
    list.push(']');
    list.into()
}

/// Texts: where each lies, -1 for null, and all of them in one blob.
pub(crate) fn texts<'a>(texts: impl ExactSizeIterator<Item = Option<&'a str>>) -> [Value; 2] {
    let (spans, blob) = spans(texts);
    [longs(spans.into_iter()), blob.into()]
}

/// The same where each is found by its number: where it lies in digits, 20 bytes each; null where there is no text at all.
pub(crate) fn spread_texts<'a>(texts: impl ExactSizeIterator<Item = Option<&'a str>>) -> [Value; 2] {
    let (spans, blob) = spans(texts);
    if spans.iter().all(|span| *span < 0) {
        return [Value::Bytes(None), blob.into()];
    }
    [long_digits(spans.into_iter()), blob.into()]
}

fn spans<'a>(texts: impl ExactSizeIterator<Item = Option<&'a str>>) -> (Vec<i64>, Vec<u8>) {
    let mut blob: Vec<u8> = Vec::new();
    let mut spans: Vec<i64> = Vec::with_capacity(texts.len());
    for text in texts {
        spans.push(text.map_or(-1, |text| ((blob.len() as i64) << LENGTH_BITS) | text.len() as i64));
        blob.extend_from_slice(text.unwrap_or_default().as_bytes());
    }
    (spans, blob)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_lie_one_after_the_other() {
        let [spans, blob] = texts([Some("one"), None, Some(""), Some("zwölf")].into_iter());
        let second = 3_i64 << 30;
        assert_eq!(spans, Value::from(format!("[3,-1,{second},{}]", second | 6)));
        assert_eq!(blob, Value::from("onezwölf".as_bytes().to_vec()));
    }

    #[test]
    fn spread_texts_are_found_by_their_number() {
        let [digits, blob] = spread_texts([Some("one"), None, Some("two")].into_iter());
        let second = (3_i64 << 30) | 3;
        let expected = format!("{:020}{:020}{second:020}", 3, -1);
        assert_eq!(digits, Value::from(expected.into_bytes()));
        assert_eq!(blob, Value::from(b"onetwo".to_vec()));
        let [digits, _] = spread_texts([None, None].into_iter());
        assert_eq!(digits, Value::Bytes(None));
    }

    #[test]
    fn digits_have_a_fixed_width() {
        let Value::Bytes(Some(bytes)) = lanes_and_instants([(7, 1_000), (12, -5)].into_iter()) else {
            panic!("no bytes");
        };
        assert_eq!(bytes, b"0000000007000000000000000010000000000012-0000000000000000005");
    }
}
