//! A walk over raw JSON text before anything is built from it.
//!
//! Finds what a parser would let through or stumble over: nesting that is too deep, the character U+0000 (which
//! PostgreSQL cannot hold in text), halves of surrogate pairs and numbers that do not fit a double. Keeps its own stack,
//! so that deep nesting costs a few bytes and no recursion. Does not check syntax: text that is no JSON is left to
//! the parser, whose message has line and column.

use domain::error::Fault;

use super::push_step;

/// Numbers shorter than this without an exponent always fit a double.
const NUMBER_BYTES_SAFE: usize = 300;

/// What the walk is in.
enum Frame {
    Array { index: usize },
    Object { key: Option<(usize, usize)>, wants_key: bool },
}

/// Looks for what is refused in all bodies.
pub(crate) fn scan(text: &str, depth_max: usize) -> Result<(), Fault> {
    Walk { text, bytes: text.as_bytes(), at: 0, stack: Vec::new() }.run(depth_max)
}

struct Walk<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    stack: Vec<Frame>,
}

impl Walk<'_> {
    fn run(mut self, depth_max: usize) -> Result<(), Fault> {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'{' | b'[' => {
                    if self.stack.len() >= depth_max {
                        return Err(self.fault(format!("nested deeper than {depth_max} levels")));
                    }
                    self.stack.push(if byte == b'[' {
                        Frame::Array { index: 0 }
                    } else {
                        Frame::Object { key: None, wants_key: true }
                    });
                    self.at += 1;
                }
                b'}' | b']' => {
                    self.stack.pop();
                    self.at += 1;
                }
                b',' => {
                    match self.stack.last_mut() {
                        Some(Frame::Array { index }) => *index += 1,
                        Some(Frame::Object { wants_key, .. }) => *wants_key = true,
                        None => {}
                    }
                    self.at += 1;
                }
                b'"' => self.string()?,
                b'-' | b'0'..=b'9' => self.number()?,
                _ => self.at += 1,
            }
        }
        Ok(())
    }

    /// Walks over a string; the walk stands on its opening quote.
    fn string(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                None => return Ok(()),
                Some(b'"') => break,
                Some(b'\\') if self.bytes.get(self.at + 1) == Some(&b'u') => self.unicode_escape()?,
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        if let Some(Frame::Object { key, wants_key: wants_key @ true }) = self.stack.last_mut() {
            *key = Some((start, self.at));
            *wants_key = false;
        }
        Ok(())
    }

    /// Walks over `\uXXXX`, and over the second half where it is a surrogate pair.
    fn unicode_escape(&mut self) -> Result<(), Fault> {
        match self.hex_at(self.at + 2) {
            Some(0) => Err(self.fault("contains the character U+0000".to_owned())),
            Some(0xd800..=0xdbff) => {
                let is_escape = self.bytes.get(self.at + 6..self.at + 8) == Some(b"\\u");
                let low = if is_escape { self.hex_at(self.at + 8) } else { None };
                if !matches!(low, Some(0xdc00..=0xdfff)) {
                    return Err(self.fault("contains an unpaired surrogate".to_owned()));
                }
                self.at += 12;
                Ok(())
            }
            Some(0xdc00..=0xdfff) => Err(self.fault("contains an unpaired surrogate".to_owned())),
            _ => {
                self.at += 2;
                Ok(())
            }
        }
    }

    fn hex_at(&self, from: usize) -> Option<u32> {
        let digits = self.bytes.get(from..from + 4)?;
        digits.iter().try_fold(0, |value, digit| Some(value * 16 + char::from(*digit).to_digit(16)?))
    }

    fn number(&mut self) -> Result<(), Fault> {
        let rest = &self.bytes[self.at..];
        let is_part = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let len = rest.iter().take_while(is_part).count();
        let has_exponent = rest[..len].iter().any(|byte| matches!(byte, b'e' | b'E'));
        if has_exponent || len > NUMBER_BYTES_SAFE {
            let is_finite = self.text[self.at..self.at + len].parse::<f64>().map_or(true, f64::is_finite);
            if !is_finite {
                return Err(self.fault("is out of range for a double-precision number".to_owned()));
            }
        }
        self.at += len;
        Ok(())
    }

    fn fault(&self, message: String) -> Fault {
        let mut pointer = String::new();
        for frame in &self.stack {
            match frame {
                Frame::Array { index } => push_step(&mut pointer, &index.to_string()),
                Frame::Object { key: Some((start, end)), wants_key: false } => {
                    let quoted = &self.text[*start..*end];
                    let key =
                        serde_json::from_str(quoted).unwrap_or_else(|_| quoted.trim_matches('"').to_owned());
                    push_step(&mut pointer, &key);
                }
                Frame::Object { .. } => {}
            }
        }
        Fault::new(pointer, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointer_of_fault(text: &str) -> Option<String> {
        scan(text, 4).err().map(|fault| fault.pointer)
    }

    #[test]
    fn faults_point_at_their_place() {
        let table = [
            (r#"{"a":{"b":[1,"x\u0000"]}}"#, "/a/b/1"),
            (r#"{"a":1,"b~/c":"\u0000"}"#, "/b~0~1c"),
            (r#"{"a":[[[[1]]]]}"#, "/a/0/0/0"),
            ("[1,2,1e400]", "/2"),
            (r#"{"n":-1E999}"#, "/n"),
            (r#"["\ud800"]"#, "/0"),
            (r#"["\ud800\u0041"]"#, "/0"),
            (r#"["\udc00"]"#, "/0"),
            (r#"{"a":{"x\u0000":1}}"#, "/a"),
        ];
        for (text, pointer) in table {
            assert_eq!(pointer_of_fault(text).as_deref(), Some(pointer), "{text}");
        }
        assert!(pointer_of_fault(&"9".repeat(400)).is_some());
    }

    #[test]
    fn sound_text_passes() {
        for text in [
            r#"{"a":[1,2.5e10,{"b":"\u00e4\ud83d\ude00 \\u0000 \" ]"}],"c":null}"#,
            "[[[[]]]]",
            "\"\\\\\"",
            "1e-400",
            "",
            "{\"unfinished\": [\"",
            "]]}}",
            "\"\\u12",
        ] {
            assert_eq!(pointer_of_fault(text), None, "{text}");
        }
    }

    #[test]
    fn ten_thousand_levels_are_refused() {
        let text = "[".repeat(10_000);
        let fault = scan(&text, 64).expect_err("too deep");
        assert!(fault.message.contains("64 levels"));
    }
}
