//! JSON or YAML text to a value, strictly: duplicate keys, NUL characters, keys that are no strings, deep nesting and
//! documents that unfold to more than they say are faults.

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::workflow::parse::fields::{Faults, escape};
use crate::workflow::parse::yaml::check_yaml;

/// How deep objects and lists may be nested.
const DEPTH_MAX: usize = 64;

/// How many values a document may hold; YAML can name a part many times.
const VALUES_MAX: usize = 250_000;

/// Reads the text. `None` where no value could be made of it.
pub(super) fn read_text(text: &[u8], format: Format, bytes_max: usize, faults: &mut Faults) -> Option<Value> {
    if text.len() > bytes_max {
        faults.add("", format!("the definition is larger than {bytes_max} bytes"));
        return None;
    }
    let text = match std::str::from_utf8(text) {
        Ok(text) => text,
        Err(error) => {
            faults.add("", format!("not valid UTF-8 at byte {}", error.valid_up_to()));
            return None;
        }
    };
    let reader = Reader {
        faults: RefCell::new(std::mem::take(faults)),
        stopped: Cell::new(false),
        values_left: Cell::new(VALUES_MAX),
        bytes_left: Cell::new(bytes_max),
    };
    let root = Place { reader: &reader, up: None, depth: 0 };
    let read = match format {
        Format::Json => {
            let mut json = serde_json::Deserializer::from_str(text);
            root.deserialize(&mut json)
                .and_then(|value| json.end().map(|()| value))
                .map_err(|error| format!("not valid JSON: {error}"))
        }
        Format::Yaml => check_yaml(text, DEPTH_MAX).and_then(|()| {
            root.deserialize(serde_norway::Deserializer::from_str(text))
                .map_err(|error| format!("not valid YAML: {error}"))
        }),
    };
    let stopped = reader.stopped.get();
    *faults = reader.faults.into_inner();
    match read {
        Ok(value) => Some(value),
        Err(message) => {
            if !stopped {
                faults.add("", message);
            }
            None
        }
    }
}

struct Reader {
    faults: RefCell<Faults>,
    /// A fault was recorded that ends the reading; the parser's own message would only repeat it.
    stopped: Cell<bool>,
    values_left: Cell<usize>,
    bytes_left: Cell<usize>,
}

/// Where in the document the reader is. The pointer is only made when a fault needs it.
#[derive(Clone, Copy)]
struct Place<'p> {
    reader: &'p Reader,
    up: Option<(&'p Place<'p>, Token<'p>)>,
    depth: usize,
}

#[derive(Clone, Copy)]
enum Token<'p> {
    Field(&'p str),
    Index(usize),
}

impl Place<'_> {
    fn pointer(&self) -> String {
        match &self.up {
            None => String::new(),
            Some((up, Token::Field(field))) => format!("{}/{}", up.pointer(), escape(field)),
            Some((up, Token::Index(index))) => format!("{}/{index}", up.pointer()),
        }
    }

    fn fault(&self, message: impl Into<String>) {
        self.reader.faults.borrow_mut().add(self.pointer(), message);
    }

    fn stop<E: Error>(&self, message: &str) -> E {
        if !self.reader.stopped.replace(true) {
            self.fault(message);
        }
        E::custom(message)
    }

    fn down(&self) -> usize {
        self.depth + 1
    }

    fn text<E: Error>(&self, text: &str) -> Result<(), E> {
        match self.reader.bytes_left.get().checked_sub(text.len()) {
            Some(left) => self.reader.bytes_left.set(left),
            None => return Err(self.stop("the document unfolds to too much text")),
        }
        if text.contains('\0') {
            self.fault("NUL characters are not allowed");
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Place<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        match self.reader.values_left.get().checked_sub(1) {
            Some(left) => self.reader.values_left.set(left),
            None => return Err(self.stop("the document holds too many values")),
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Place<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::from(flag))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Value, E> {
        Ok(Value::from(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Value, E> {
        Ok(Value::from(number))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Value, E> {
        Number::from_f64(number).map(Value::Number).ok_or_else(|| self.stop("JSON has no such number"))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        self.text(text)?;
        Ok(Value::from(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        if self.depth == DEPTH_MAX {
            return Err(self.stop(&format!("nested deeper than {DEPTH_MAX} levels")));
        }
        let mut items = Vec::new();
        loop {
            let item = Place { up: Some((&self, Token::Index(items.len()))), depth: self.down(), ..self };
            match access.next_element_seed(item)? {
                Some(item) => items.push(item),
                None => return Ok(Value::Array(items)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        if self.depth == DEPTH_MAX {
            return Err(self.stop(&format!("nested deeper than {DEPTH_MAX} levels")));
        }
        let mut fields = Map::new();
        while let Some(field) = access.next_key_seed(Key(&self))? {
            let place = Place { up: Some((&self, Token::Field(&field))), depth: self.down(), ..self };
            let value = access.next_value_seed(place)?;
            if fields.contains_key(&field) {
                place.fault(format!("the key `{field}` appears twice"));
            } else {
                fields.insert(field, value);
            }
        }
        Ok(Value::Object(fields))
    }
}

/// Reads a key of an object.
struct Key<'p>(&'p Place<'p>);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key that is a string (quote it)")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
        self.0.text(text)?;
        Ok(text.to_owned())
    }
}

/// How the text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON.
    Json,
    /// YAML.
    Yaml,
}
