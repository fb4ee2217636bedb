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
