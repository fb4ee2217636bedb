//! Backups, and what has to be done after one was restored to an earlier moment.

mod copy;
mod mend;
mod restored;

pub use copy::BackupFile;
pub use mend::Mended;
pub use restored::{Restored, RestoredDelivery, RestoredLease, RestoredSchedule};
