//! JSON pointers (RFC 6901).

use domain::error::Fault;
use serde_path_to_error::{Path, Segment};

/// Keys longer than this are cut in pointers: they are chosen by the caller.
const KEY_CHARS_MAX: usize = 80;

/// Appends one step to a pointer.
pub(crate) fn push_step(pointer: &mut String, step: &str) {
    pointer.push('/');
    for character in step.chars().take(KEY_CHARS_MAX) {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// A fault at the place to which these steps lead.
pub(crate) fn fault_at(steps: &[&str], message: &str) -> Fault {
    let mut pointer = String::new();
    for step in steps {
        push_step(&mut pointer, step);
    }
    Fault::new(pointer, message)
}

/// The pointer to where serde stopped.
pub(crate) fn pointer_of(path: &Path) -> String {
    let mut pointer = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => push_step(&mut pointer, &index.to_string()),
            Segment::Map { key } | Segment::Enum { variant: key } => push_step(&mut pointer, key),
            Segment::Unknown => {}
        }
    }
    pointer
}
