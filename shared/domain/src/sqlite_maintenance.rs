//! Care for the file of a database: how much free space is given back at a time, and when the log is emptied.
//!
//! Only databases whose file is ours to look after need it. Reads and writes nothing.

/// What is known of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileFigures {
    /// Its length in pages.
    pub pages: u64,
    /// Pages that hold nothing. New rows go there first.
    pub free_pages: u64,
    /// The length of the log beside it, in bytes.
    pub log_bytes: u64,
}

/// How far a file may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileBounds {
    /// A log longer than this, in bytes, is emptied.
    pub log_bytes_max: u64,
    /// So many free pages stay at least, for the rows to come.
    pub free_pages_min: u64,
    /// The most pages that one step gives back. Each has to be moved, and nobody can write meanwhile.
    pub step_pages: u64,
}

impl Default for FileBounds {
    fn default() -> Self {
        Self { log_bytes_max: 64 << 20, free_pages_min: 2_000, step_pages: 500 }
    }
}

/// What a file needs now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SqliteMaintenance {
    /// How many pages to give back.
    pub pages_to_free: u64,
    /// Whether there is more to give back afterwards.
    pub has_more: bool,
    /// Whether to empty the log.
    pub empties_log: bool,
}

/// Of the pages of a file so many stay free: one of eight. What a busy queue frees it needs again soon, and to give
/// it back and take it again costs more than to keep it.
const FREE_SHARE: u64 = 8;

impl FileFigures {
    /// What the file needs.
    pub fn care(&self, bounds: &FileBounds) -> SqliteMaintenance {
        let kept = bounds.free_pages_min.max(self.pages / FREE_SHARE);
        let surplus = self.free_pages.saturating_sub(kept);
        SqliteMaintenance {
            pages_to_free: surplus.min(bounds.step_pages),
            has_more: surplus > bounds.step_pages,
            empties_log: self.log_bytes > bounds.log_bytes_max,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: FileBounds = FileBounds { log_bytes_max: 1_000, free_pages_min: 10, step_pages: 50 };

    #[test]
    fn free_pages_beyond_a_share_are_given_back_in_steps() {
        let care = |pages, free_pages| {
            let care = FileFigures { pages, free_pages, log_bytes: 0 }.care(&BOUNDS);
            (care.pages_to_free, care.has_more)
        };
        assert_eq!(care(0, 0), (0, false));
        assert_eq!(care(20, 10), (0, false), "a few stay, however small the file");
        assert_eq!(care(20, 11), (1, false));
        assert_eq!(care(800, 100), (0, false), "one of eight stays");
        assert_eq!(care(800, 150), (50, false));
        assert_eq!(care(800, 151), (50, true));
    }

    #[test]
    fn a_log_is_emptied_beyond_its_bound() {
        let empties =
            |log_bytes| FileFigures { log_bytes, ..FileFigures::default() }.care(&BOUNDS).empties_log;
        assert!(!empties(1_000));
        assert!(empties(1_001));
    }
}
