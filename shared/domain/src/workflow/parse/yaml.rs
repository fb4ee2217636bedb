//! What of YAML is refused before it is looked at: its scanner takes time that grows with the square of some of it, and
//! nobody writes a workflow that way.

/// How many brackets may be open at once. Counted without knowing quotes: an upper bound that only nonsense exceeds.
const BRACKETS_MAX: usize = 256;

/// How many anchors and aliases there may be, counted likewise.
const ANCHORS_MAX: usize = 2_000;

/// Refuses directives, and more brackets, anchors and levels than any definition has.
pub(super) fn check_yaml(text: &str, depth_max: usize) -> Result<(), String> {
    if brackets_open_max(text) > BRACKETS_MAX {
        return Err(format!("nested deeper than {depth_max} levels"));
    }
    if anchors_in(text) > ANCHORS_MAX {
        return Err(format!("more than {ANCHORS_MAX} anchors and aliases"));
    }
    let mut has_begun = false;
    for line in text.trim_start_matches('\u{feff}').split(is_break) {
        if line.starts_with("%TAG") || line.starts_with("%YAML") || (line.starts_with('%') && !has_begun) {
            return Err("directives (lines that begin with %) are not accepted".to_owned());
        }
        let content = line.trim_start();
        has_begun |= !content.is_empty() && !content.starts_with('#');
        if lists_opened(content) > depth_max {
            return Err(format!("nested deeper than {depth_max} levels"));
        }
    }
    Ok(())
}

/// What YAML takes for the end of a line.
const fn is_break(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn brackets_open_max(text: &str) -> usize {
    let (mut open, mut max) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => {
                open += 1;
                max = max.max(open);
            }
            b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    max
}

/// `&name` and `*name` where a value may begin.
fn anchors_in(text: &str) -> usize {
    let mut before = b'\n';
    let mut count = 0;
    for pair in text.as_bytes().windows(2) {
        let begins = before.is_ascii_whitespace() || matches!(before, b'[' | b'{' | b',' | b':');
        if begins && matches!(pair[0], b'&' | b'*') && pair[1].is_ascii_alphanumeric() {
            count += 1;
        }
        before = pair[0];
    }
    count
}

/// The lists and keys that one line opens within one another: `- - - x`.
fn lists_opened(content: &str) -> usize {
    let mut bytes = content.bytes().peekable();
    let mut opened = 0;
    while let Some(byte) = bytes.next() {
        match byte {
            b'-' | b'?' if bytes.peek().is_none_or(u8::is_ascii_whitespace) => opened += 1,
            b' ' | b'\t' => {}
            _ => break,
        }
    }
    opened
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_definition_has_is_refused() {
        let tags = "%TAG !t! tag:x,2026:\n".repeat(45_000);
        let anchors = "- &a x\n".repeat(2_001);
        let lists = format!("{}x", "- ".repeat(65));
        for (text, part) in [
            ("%YAML 1.2\n---\na: 1", "directives"),
            ("\u{feff}%YAML 1.2\n---\na: 1", "directives"),
            ("# a comment\n\n%anything\n---\na: 1", "directives"),
            ("a: 1\u{2028}%TAG ! x", "directives"),
            (tags.as_str(), "directives"),
            (anchors.as_str(), "anchors"),
            (lists.as_str(), "nested deeper"),
        ] {
            let message = check_yaml(text, 64).expect_err(part);
            assert!(message.contains(part), "{part}: {message}");
        }
    }

    #[test]
    fn what_definitions_have_passes() {
        for text in [
            "a: 50% of it\nb: |\n  %x\nc: \"100 %\"",
            "- 1\n- - 2\n  - 3",
            "when: input.a * input.b > 3 && input.c",
            "a: &x 1\nb: *x",
            "---\na: 1\n# %TAG in a comment",
        ] {
            assert_eq!(check_yaml(text, 64), Ok(()), "{text}");
        }
    }
}
