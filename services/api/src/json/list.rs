//! Lists of many things at once. An empty object takes three bytes of text and a hundred times as much in memory: a list is
//! read up to a bound, and not counted when all of it is there.

use std::fmt;
use std::marker::PhantomData;

use domain::failure::{ITEMS_READ_MAX, VALUES_READ_MAX};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// An item of a list, as far as it holds values that are read.
pub(crate) trait Item {
    /// How many of them it holds.
    fn values(&self) -> usize {
        0
    }
}

/// Those that are carried along unread.
impl Item for super::RawJson {}

/// Counts what an item holds; the error says that all of them hold too much together.
pub(crate) fn count_values(values: &mut usize, item: &impl Item) -> Result<(), String> {
    *values += item.values();
    if *values > VALUES_READ_MAX {
        return Err(format!("expected at most {VALUES_READ_MAX} values in all items together"));
    }
    Ok(())
}

/// Reads a list that must not be null where it is there, and fails at the first item that is too much.
pub(crate) fn list<'de, D: Deserializer<'de>, T: Deserialize<'de> + Item>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    deserializer.deserialize_seq(ListVisitor(PhantomData)).map(Some)
}

struct ListVisitor<T>(PhantomData<fn() -> T>);

impl<'de, T: Deserialize<'de> + Item> Visitor<'de> for ListVisitor<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<T>, A::Error> {
        let (mut read, mut values) = (Vec::new(), 0);
        while let Some(item) = items.next_element::<T>()? {
            if read.len() == ITEMS_READ_MAX {
                return Err(A::Error::custom(format!("expected at most {ITEMS_READ_MAX} items")));
            }
            count_values(&mut values, &item).map_err(A::Error::custom)?;
            read.push(item);
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use domain::failure::values_of;
    use serde_json::{Value, json};

    use super::*;
    use crate::json::parse;

    #[derive(Debug, Deserialize)]
    struct Heavy {
        #[serde(default)]
        held: Value,
    }

    impl Item for Heavy {
        fn values(&self) -> usize {
            values_of(&self.held)
        }
    }

    #[derive(Debug, Deserialize)]
    struct Body {
        #[serde(default, deserialize_with = "list")]
        items: Option<Vec<Heavy>>,
    }

    fn body(item: &str, count: usize) -> String {
        format!(r#"{{"items":[{}]}}"#, vec![item; count].join(","))
    }

    fn fault(text: &str) -> (String, String) {
        let problem = parse::<Body>(text).expect_err("it is too much");
        let problem = serde_json::to_value(problem.shape()).expect("encodes");
        let text = |field: &str| problem["errors"][0][field].as_str().unwrap_or_default().to_owned();
        (text("pointer"), text("message"))
    }

    #[test]
    fn a_list_is_read_up_to_a_bound() {
        let most = parse::<Body>(&body("{}", ITEMS_READ_MAX)).expect("the most");
        assert_eq!(most.items.map(|items| items.len()), Some(ITEMS_READ_MAX));
        // What comes after the bound is not looked at: nothing is built of it.
        let beyond = body("{}", ITEMS_READ_MAX).replace("]}", r#",{},{"held":{"unread":{}}}]}"#);
        let (pointer, message) = fault(&beyond);
        assert_eq!((pointer.as_str(), message.as_str()), ("/items", "expected at most 20000 items"));
        assert!(parse::<Body>("{}").expect("absent").items.is_none());
        assert_eq!(fault(r#"{"items":null}"#).0, "/items");
    }

    #[test]
    fn the_values_of_all_items_have_a_bound_together() {
        let item = json!({"held": vec![0; 1_000]}).to_string();
        assert!(parse::<Body>(&body(&item, 900)).is_ok());
        let (pointer, message) = fault(&body(&item, 1_000));
        assert_eq!(pointer, "/items");
        assert!(message.contains("1000000 values"), "{message}");
        assert_eq!(values_of(&json!({"a": [1, {"b": null}], "c": "x"})), 6);
    }
}
