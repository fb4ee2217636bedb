//! A key of the settings, and the words for the values that many of them take.

/// One setting.
pub(crate) struct Key {
    /// Its place, with dots. `queues.*` stands for each of the four queues.
    pub(crate) path: &'static str,
    /// What it is for, as a comment in the default file.
    pub(crate) about: &'static str,
    /// What may be written there, as the end of "expected …".
    pub(crate) expected: &'static str,
}

pub(super) const fn key(path: &'static str, about: &'static str, expected: &'static str) -> Key {
    Key { path, about, expected }
}

pub(super) const ADDRESS: &str = "an address with a port, such as 127.0.0.1:8080 or [::1]:8080";

pub(super) const COUNT: &str = "a whole number from 1 to 10000";

pub(super) const LIMIT: &str = "a whole number from 1 to 1000000, or \"unlimited\"";

pub(super) const QUOTA_COUNT: &str = "a whole number, or \"unlimited\"";

pub(super) const QUOTA_SIZE: &str = "a number of bytes such as 10GiB, or \"unlimited\"";

pub(super) const WAITERS: &str = "a whole number from 1 to 1000000";

pub(super) const SIZE: &str = "a number of bytes from 1KiB to 1GiB, such as 512KiB, 32MiB or 1048576";

pub(super) const TICK: &str = "a duration from 10ms to 1h, such as 250ms";

pub(super) const TIMEOUT: &str = "a duration from 100ms to 1h, such as 30s";

pub(super) const RATE: &str =
    "requests per second such as 100, requests in a span such as 100/1s or 6000/1m, or \"off\"";

pub(super) const STEPS: &str = "a whole number from 1000 to 10000000000";
