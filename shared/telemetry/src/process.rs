//! What the process takes of its machine, read from `/proc`. Where there is no `/proc` these metrics are absent.

use metrics::gauge;

use crate::names;

/// Records the state of this moment.
pub(crate) fn record() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(bytes) = resident_bytes(&status) {
        gauge!(names::PROCESS_RESIDENT_MEMORY_BYTES).set(bytes as f64);
    }
    if let Ok(entries) = std::fs::read_dir("/proc/self/fd") {
        gauge!(names::PROCESS_OPEN_FILES).set(entries.count() as f64);
    }
}

/// The value of `VmRSS`, which the kernel gives in kibibytes.
fn resident_bytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::resident_bytes;

    #[test]
    fn resident_memory_is_read_in_bytes() {
        assert_eq!(resident_bytes("VmSize:\t  10 kB\nVmRSS:\t    2048 kB\n"), Some(2 << 20));
        assert_eq!(resident_bytes("VmSize:\t  10 kB\n"), None);
        assert_eq!(resident_bytes("VmRSS:\t many kB\n"), None);
    }
}
