//! Cuts a string with `${…}` into text and expressions. Knows enough of CEL to find the closing brace: quotes and
//! nested braces.

/// A part of a string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'t> {
    /// Plain text, escapes resolved.
    Text(String),
    /// What stands between `${` and `}`.
    Expression(&'t str),
}

/// A `${` without its `}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`${{` without a closing `}}`; write `$${{` for the two characters themselves")]
pub struct UnclosedExpression;

/// Cuts the text. `$${` stands for `${` itself; every other `$` is plain.
pub fn cut(text: &str) -> Result<Vec<Piece<'_>>, UnclosedExpression> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(dollar) = rest.find('$') {
        plain.push_str(&rest[..dollar]);
        rest = &rest[dollar..];
        if let Some(after) = rest.strip_prefix("$${") {
            plain.push_str("${");
            rest = after;
        } else if let Some(after) = rest.strip_prefix("${") {
            let end = closing_brace(after).ok_or(UnclosedExpression)?;
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::Expression(&after[..end]));
            rest = &after[end + 1..];
        } else {
            plain.push('$');
            rest = &rest[1..];
        }
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    Ok(pieces)
}

/// The position of the brace that closes the expression which `text` starts with.
fn closing_brace(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (position, byte) in outside_quotes(text) {
        match byte {
            b'{' => open += 1,
            b'}' if open == 0 => return Some(position),
            b'}' => open -= 1,
            _ => {}
        }
    }
    None
}

/// The bytes of a CEL text that are not inside a string literal, with their positions.
pub(super) fn outside_quotes(text: &str) -> impl Iterator<Item = (usize, u8)> + '_ {
    let bytes = text.as_bytes();
    let mut position = 0;
    std::iter::from_fn(move || {
        let byte = *bytes.get(position)?;
        let at = position;
        position = if matches!(byte, b'"' | b'\'') { after_string(bytes, position) } else { position + 1 };
        Some((at, byte))
    })
}

/// The position after the string literal whose quote is at `start`; the end of the text where it never closes.
fn after_string(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let is_raw = start > 0 && matches!(bytes[start - 1], b'r' | b'R');
    let is_triple = bytes[start..].starts_with(&[quote; 3]);
    let mut position = start + if is_triple { 3 } else { 1 };
    while position < bytes.len() {
        if bytes[position] == b'\\' && !is_raw {
            position += 2;
        } else if is_triple && bytes[position..].starts_with(&[quote; 3]) {
            return position + 3;
        } else if !is_triple && bytes[position] == quote {
            return position + 1;
        } else {
            position += 1;
        }
    }
    bytes.len()
}

// What the parser of CEL complains of, in words for people who never saw its grammar.

/// The most characters of the source that are repeated.
const SHOWN_MAX: usize = 40;

/// A sentence for a complaint of the parser at a column, from 1.
pub(super) fn explained(complaint: &str, source: &str, column: usize) -> String {
    let complaint = complaint.trim_start_matches("Syntax error: ");
    if complaint.contains("Recursion limit") {
        return "it is nested too deeply".to_owned();
    }
    if let Some(rest) = complaint.strip_prefix("token recognition error at: ") {
        let found = quoted(rest).unwrap_or_default();
        return if found.starts_with(['"', '\'']) {
            "a quote is not closed".to_owned()
        } else {
            let found = found.trim();
            format!("`{}` has no meaning in CEL{}", shown(found), meant(found))
        };
    }
    let ends_there = column > source.trim_end().chars().count() || complaint.contains("'<EOF>'");
    let missing = complaint.strip_prefix("missing ").and_then(quoted);
    match (missing, ends_there) {
        (Some(missing), true) => format!("`{}` is missing at the end", shown(&missing)),
        (Some(missing), false) => format!("`{}` is missing", shown(&missing)),
        (None, true) => "it ends too early".to_owned(),
        (None, false) => match quoted(complaint) {
            Some(found) => format!("`{}` is not expected here{}", shown(&found), meant(&found)),
            None => "it cannot be read".to_owned(),
        },
    }
}

/// The first text in single quotes, which the parser does not escape: up to the quote that a space or the end follows.
fn quoted(text: &str) -> Option<String> {
    let (_, rest) = text.split_once('\'')?;
    let end = rest.match_indices('\'').map(|(at, _)| at).find(|at| {
        let behind = &rest[at + 1..];
        behind.is_empty() || behind.starts_with(' ')
    })?;
    Some(rest[..end].to_owned())
}

/// What people mean who know other languages.
fn meant(found: &str) -> &'static str {
    match found.chars().next() {
        Some('=') => "; equality is ==",
        Some('&') => "; both is &&",
        Some('|') => "; either is ||",
        _ => match found {
            "and" | "AND" => "; both is &&",
            "or" | "OR" => "; either is ||",
            _ => "",
        },
    }
}

fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN_MAX).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use crate::workflow::expression::{EXPRESSION_BYTES_MAX, Expression};

    #[test]
    fn complaints_are_for_people() {
        let table = [
            ("1 +", "it ends too early (column 4)"),
            ("input.", "it ends too early (column 7)"),
            ("size(input", "`)` is missing at the end (column 11)"),
            ("input.a == 'open", "a quote is not closed"),
            ("a b", "`b` is not expected here (column 3)"),
            ("input.a = 3", "`=` has no meaning in CEL; equality is == (column 9)"),
            ("input.a & input.b", "`&` has no meaning in CEL; both is &&"),
            ("input.a and input.b", "`and` is not expected here; both is &&"),
            ("input.a or input.b", "`or` is not expected here; either is ||"),
            ("input.a # b", "`#` has no meaning in CEL"),
            (")", "`)` is not expected here"),
            ("input.a == 3)", "`)` is not expected here"),
            ("[1, 2", "it ends too early"),
        ];
        for (source, part) in table {
            let faults = Expression::compile(source, EXPRESSION_BYTES_MAX).expect_err(source);
            let text = faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            assert!(text.starts_with("not a CEL expression: ") && text.contains(part), "{source}: {text}");
            assert!(!text.contains("EOF") && !text.contains("IDENTIFIER"), "{source}: {text}");
        }
    }
}
