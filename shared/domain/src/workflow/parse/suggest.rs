//! Finds the word that somebody probably meant.

/// The candidate closest to `word`, where one is close.
pub(super) fn closest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let word = plain(word);
    if word.len() > 64 {
        return None;
    }
    candidates
        .into_iter()
        .map(|candidate| (distance(&word, &plain(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len() / 5)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// ` (did you mean …?)`, or nothing.
pub(super) fn did_you_mean<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> String {
    closest(word, candidates).map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default()
}

/// `depends_on` and `dependsOn` are the same word.
fn plain(word: &str) -> Vec<u8> {
    word.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase()).collect()
}

/// The edit distance where swapping two neighbors is one edit (optimal string alignment).
fn distance(from: &[u8], to: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (index, left) in from.iter().enumerate() {
        let mut row = vec![index + 1];
        for (column, right) in to.iter().enumerate() {
            let replaced = last[column] + usize::from(left != right);
            let mut least = replaced.min(last[column + 1] + 1).min(row[column] + 1);
            let is_swap = index > 0 && column > 0 && from[index - 1] == *right && to[column - 1] == *left;
            if is_swap {
                least = least.min(before[column - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognized_and_other_words_are_not() {
        let words = ["wait", "charge", "dependsOn", "SERVICE_TASK", "maxConcurrent"];
        let table = [
            ("wiat", Some("wait")),
            ("chrage", Some("charge")),
            ("depends_on", Some("dependsOn")),
            ("dependOn", Some("dependsOn")),
            ("service-task", Some("SERVICE_TASK")),
            ("maxConcurrnet", Some("maxConcurrent")),
            ("what", None),
            ("stop", None),
            ("", None),
        ];
        for (word, meant) in table {
            assert_eq!(closest(word, words), meant, "{word}");
        }
    }
}
