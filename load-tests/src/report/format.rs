//! Numbers for people.

use crate::measure::Spread;

/// A median with its range.
pub(crate) fn spread(spread: &Spread) -> String {
    if spread.min.total_cmp(&spread.max).is_eq() {
        return number(spread.median);
    }
    format!("{} ({} to {})", number(spread.median), number(spread.min), number(spread.max))
}

/// A ratio, with a place more where it is very small. There is none to a reference of nothing.
pub(crate) fn ratio(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value < 0.1 { format!("{value:.3}") } else { format!("{value:.2}") }
}

/// Whole and grouped from 100 on, two places below.
pub(crate) fn number(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value < 100.0 {
        return format!("{value:.2}");
    }
    let digits = format!("{value:.0}");
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}
