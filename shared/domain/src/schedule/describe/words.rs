//! Lists of numbers and names as people write them.

/// `1`, `1 and 2`, `1, 2 and 3`.
pub(in crate::schedule) fn joined(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [head @ .., last] => format!("{} and {last}", head.join(", ")),
    }
}

/// Runs of consecutive values, as first and last. Expects ascending values.
pub(super) fn runs(values: &[u8]) -> Vec<(u8, u8)> {
    let mut runs: Vec<(u8, u8)> = Vec::new();
    for &value in values {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == value => *last = value,
            _ => runs.push((value, value)),
        }
    }
    runs
}

/// The values in words, with three or more in a row as `a to b`.
pub(super) fn spans(values: &[u8], name: impl Fn(u8) -> String) -> String {
    let mut parts = Vec::new();
    for (first, last) in runs(values) {
        if last - first >= 2 {
            parts.push(format!("{} to {}", name(first), name(last)));
        } else {
            parts.extend((first..=last).map(&name));
        }
    }
    joined(&parts)
}

/// The distance between neighbors when it is the same for all, and there are at least three values.
pub(super) fn stride(values: &[u8]) -> Option<u8> {
    let step = match values {
        [first, second, _, ..] => second - first,
        _ => return None,
    };
    values.windows(2).all(|pair| pair[1] - pair[0] == step).then_some(step)
}
