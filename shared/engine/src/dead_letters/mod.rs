//! Dead letters: list, requeue, archive, one by one or in bulk.

mod bulk;
mod read;
mod resolve;

pub use bulk::{BulkAnswer, BulkKind, BulkRequest};
