//! From the text format of Prometheus to OpenMetrics 1.0, which some scrapers ask for and which alone has exemplars.

use std::fmt::Write as _;

/// The value of a label as it stands between quotation marks.
pub(crate) fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// The same metrics in the form of OpenMetrics, without the mark at the end.
pub(crate) fn to_openmetrics(text: &str) -> String {
    let mut open = String::with_capacity(text.len());
    let counters: Vec<&str> = text.lines().filter_map(counter_of).collect();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let words: Option<Vec<&str>> = line.strip_prefix("# ").map(|rest| rest.splitn(3, ' ').collect());
        if let Some([kind, name, rest]) = words.as_deref() {
            // A family is named without the ending that its samples have.
            let is_counter = counters.contains(name);
            let family = if is_counter { name.trim_end_matches("_total") } else { name };
            let rest = if *kind == "TYPE" && *rest == "untyped" { "unknown" } else { rest };
            let _ = writeln!(open, "# {kind} {family} {rest}");
        } else {
            open.push_str(&canonical_bound(line));
            open.push('\n');
        }
    }
    open
}

/// The counter whose type a line names.
fn counter_of(line: &str) -> Option<&str> {
    line.strip_prefix("# TYPE ")?.strip_suffix(" counter")
}

/// A sample whose bound is a whole number gets the point that OpenMetrics asks for.
fn canonical_bound(line: &str) -> String {
    const MARK: &str = "le=\"";
    let Some(start) = line.rfind(MARK).map(|at| at + MARK.len()) else {
        return line.to_owned();
    };
    let end = start + line[start..].find('"').unwrap_or(0);
    let is_whole = !line[start..end].is_empty() && line[start..end].bytes().all(|byte| byte.is_ascii_digit());
    if is_whole { format!("{}.0{}", &line[..end], &line[end..]) } else { line.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_lose_the_ending_that_samples_keep() {
        let text = "# HELP a_total Things.\n# TYPE a_total counter\na_total{queue=\"q\"} 2\n\n# TYPE b untyped\nb 1\n";
        let open = "# HELP a Things.\n# TYPE a counter\na_total{queue=\"q\"} 2\n# TYPE b unknown\nb 1\n";
        assert_eq!(to_openmetrics(text), open);
    }

    #[test]
    fn bounds_have_a_point() {
        let lines = "h_bucket{le=\"5\"} 1\nh_bucket{le=\"0.5\"} 1\nh_bucket{le=\"+Inf\"} 1\n";
        let open = "h_bucket{le=\"5.0\"} 1\nh_bucket{le=\"0.5\"} 1\nh_bucket{le=\"+Inf\"} 1\n";
        assert_eq!(to_openmetrics(lines), open);
    }

    #[test]
    fn values_of_labels_are_escaped() {
        assert_eq!(escaped("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
    }
}
