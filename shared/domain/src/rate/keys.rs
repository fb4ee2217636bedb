//! Rates of keys of callers' own: what is set for a key, or for all keys that begin so.

use std::collections::HashMap;

use super::Rate;
use crate::names::{CallerKey, TenantName};

/// The longest pattern, in characters, as of keys.
const PATTERN_CHARS_MAX: usize = 200;

/// What is set for the jobs of a tenant that have a rate key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRate {
    /// The tenant.
    pub tenant: TenantName,
    /// The key; one that ends in `*` is for every key that begins so, each counted by itself.
    pub pattern: String,
    /// How many starts in a period.
    pub rate: Rate,
    /// How many jobs may be leased at once; unlimited where absent.
    pub max_concurrent: Option<u32>,
}

/// Whether a text may stand for keys: not empty, without control characters, and `*` at the end only.
pub fn is_rate_pattern(text: &str) -> bool {
    let stem = text.strip_suffix('*').unwrap_or(text);
    !text.is_empty()
        && text.chars().count() <= PATTERN_CHARS_MAX
        && !stem.contains('*')
        && !text.chars().any(char::is_control)
}

/// What is in force for keys. The longest match wins, and a key that stands there itself before any that begins so.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct KeyRates {
    /// By key.
    whole: HashMap<TenantName, HashMap<String, InForce>>,
    /// By beginning, the longest first.
    prefixes: HashMap<TenantName, Vec<(String, InForce)>>,
}

/// A rate with the limit beside it.
type InForce = (Rate, Option<u32>);

impl KeyRates {
    /// Brings together what is set.
    pub fn resolve(set: &[KeyRate]) -> Self {
        let mut rates = Self::default();
        for KeyRate { tenant, pattern, rate, max_concurrent } in set {
            let in_force = (*rate, *max_concurrent);
            if let Some(stem) = pattern.strip_suffix('*') {
                rates.prefixes.entry(tenant.clone()).or_default().push((stem.to_owned(), in_force));
            } else {
                rates.whole.entry(tenant.clone()).or_default().insert(pattern.clone(), in_force);
            }
        }
        for prefixes in rates.prefixes.values_mut() {
            prefixes.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        }
        rates
    }

    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        self.whole.is_empty() && self.prefixes.is_empty()
    }

    /// The rate of a key.
    pub fn rate(&self, tenant: &TenantName, key: &CallerKey) -> Option<Rate> {
        self.find(tenant, key).map(|(rate, _)| rate)
    }

    /// How many jobs with a key may be leased at once.
    pub fn max_concurrent(&self, tenant: &TenantName, key: &CallerKey) -> Option<u32> {
        self.find(tenant, key).and_then(|(_, max_concurrent)| max_concurrent)
    }

    fn find(&self, tenant: &TenantName, key: &CallerKey) -> Option<InForce> {
        let whole = self.whole.get(tenant).and_then(|keys| keys.get(key.as_str()));
        let begins = || {
            let prefixes = self.prefixes.get(tenant)?;
            prefixes.iter().find(|(stem, _)| key.as_str().starts_with(stem)).map(|(_, in_force)| in_force)
        };
        whole.or_else(begins).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_match_wins() {
        let tenant = TenantName::trusted("a");
        let set = |pattern: &str, rate: &str, max_concurrent| KeyRate {
            tenant: tenant.clone(),
            pattern: pattern.to_owned(),
            rate: Rate::parse(rate).expect("valid"),
            max_concurrent,
        };
        let rates = KeyRates::resolve(&[
            set("smtp:*", "10/1s", Some(5)),
            set("smtp:example.*", "5/1s", None),
            set("smtp:example.org", "1/1s", Some(1)),
        ]);
        let find = |tenant: &TenantName, key: &str| {
            let key = CallerKey::trusted(key);
            (rates.rate(tenant, &key).map(|rate| rate.to_string()), rates.max_concurrent(tenant, &key))
        };
        assert_eq!(find(&tenant, "smtp:other.org"), (Some("10/1s".into()), Some(5)));
        // What the longer one does not limit, the shorter one does not either.
        assert_eq!(find(&tenant, "smtp:example.com"), (Some("5/1s".into()), None));
        assert_eq!(find(&tenant, "smtp:example.org"), (Some("1/1s".into()), Some(1)));
        assert_eq!(find(&tenant, "http:example.org"), (None, None));
        assert_eq!(find(&TenantName::trusted("b"), "smtp:other.org"), (None, None));
        let all = KeyRates::resolve(&[set("*", "7/1s", None)]);
        assert!(all.rate(&tenant, &CallerKey::trusted("anything")).is_some());
    }

    #[test]
    fn patterns_have_their_asterisk_at_the_end() {
        for text in ["a", "*", "smtp:*", "a b", "ü", &"ü".repeat(PATTERN_CHARS_MAX)] {
            assert!(is_rate_pattern(text), "{text}");
        }
        for text in ["", "a*b", "**", "a\n", &"x".repeat(PATTERN_CHARS_MAX + 1)] {
            assert!(!is_rate_pattern(text), "{text}");
        }
    }
}
