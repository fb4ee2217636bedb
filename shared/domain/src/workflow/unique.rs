//! Unique keys of executions: what becomes of a start while others with the same key are open.

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::names::CallerKey;
use crate::workflow::expression::{Scope, Template};

/// How many executions may wait behind one that is open.
pub const UNIQUE_QUEUE_MAX: usize = 1_000;

words! {
    /// What is done while an execution with the key is open.
    #[derive(Default)]
    UniquePolicy {
        /// The open one is the answer.
        #[default]
        Join "join",
        /// The start is refused.
        Reject "reject",
        /// The open one is cancelled, and the new one starts once it ended.
        Replace "replace",
        /// The new one starts once those before it ended.
        Queue "queue",
    }
}

/// What a start comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UniqueDecision {
    /// It starts.
    Start,
    /// The first of those that are open is the answer.
    Join,
    /// It is refused.
    Reject,
    /// All that are open are cancelled, and it starts once they ended.
    Replace,
    /// It waits behind those that are open.
    Wait,
    /// As many wait as may.
    Full,
}

impl UniqueDecision {
    /// Whether it creates an execution for certain. One that joins does so only where the open one has ended meanwhile.
    pub const fn creates(self) -> bool {
        matches!(self, Self::Start | Self::Replace | Self::Wait)
    }
}

/// Decides about a start, of which so many others with the key are open.
pub const fn decide(policy: UniquePolicy, open: usize) -> UniqueDecision {
    match policy {
        _ if open == 0 => UniqueDecision::Start,
        UniquePolicy::Join => UniqueDecision::Join,
        UniquePolicy::Reject => UniqueDecision::Reject,
        UniquePolicy::Replace => UniqueDecision::Replace,
        // One of them is under way.
        UniquePolicy::Queue if open > UNIQUE_QUEUE_MAX => UniqueDecision::Full,
        UniquePolicy::Queue => UniqueDecision::Wait,
    }
}

/// The number of the lock under which starts with a key are decided. Two keys may share one: then one waits for the other.
pub fn lock_number(tenant: &str, (owner, workflow): (&str, &str), key: &str) -> i64 {
    lock_of(&["unique", tenant, owner, workflow, key])
}

/// The number of the lock of what these texts name together, the first of them what the lock is for.
pub fn lock_of(parts: &[&str]) -> i64 {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hash.finalize()[..8]);
    i64::from_be_bytes(first)
}

/// `unique` of a definition.
#[derive(Debug)]
pub struct UniqueSpec {
    /// The key, made from the input.
    pub key: Template,
    /// What is done while an execution with the key is open.
    pub policy: UniquePolicy,
}

impl UniqueSpec {
    /// The key of an execution with an input; or why it has none.
    pub fn key_of(&self, input: &Value) -> Result<CallerKey, String> {
        let value = Scope::with_input(input, |scope| self.key.render(scope));
        to_key(value.map_err(|error| error.to_string())?)
    }
}

/// The key that a value of an expression is; or why it is none.
pub(crate) fn to_key(value: Value) -> Result<CallerKey, String> {
    let text = match value {
        Value::String(text) => text,
        value @ (Value::Number(_) | Value::Bool(_)) => value.to_string(),
        _ => return Err("it is not a text, a number or a boolean".to_owned()),
    };
    CallerKey::parse(text).map_err(|fault| fault.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_alone_starts_whatever_the_policy_is() {
        for policy in UniquePolicy::ALL {
            assert_eq!(decide(policy, 0), UniqueDecision::Start);
            assert_eq!(UniquePolicy::parse(policy.as_str()), Some(policy));
        }
    }

    #[test]
    fn policies_decide_while_another_is_open() {
        assert_eq!(decide(UniquePolicy::Join, 1), UniqueDecision::Join);
        assert_eq!(decide(UniquePolicy::Reject, 3), UniqueDecision::Reject);
        assert_eq!(decide(UniquePolicy::Replace, 2), UniqueDecision::Replace);
        assert_eq!(decide(UniquePolicy::Queue, UNIQUE_QUEUE_MAX), UniqueDecision::Wait, "one runs, 999 wait");
        assert_eq!(decide(UniquePolicy::Queue, UNIQUE_QUEUE_MAX + 1), UniqueDecision::Full);
        let creates = |policy| decide(policy, 1).creates();
        assert_eq!(UniquePolicy::ALL.map(creates), [false, false, true, true]);
    }
}
