//! Dead letters: list, requeue, archive, one by one. Many are done by `bulk`.

mod read;
mod resolve;
