//! Batches that are written in one commit, and by halves where one of their items keeps the others back.

use std::error::Error;
use std::iter;
use std::ops::Range;

use store::StoreError;

/// What became of a batch.
#[derive(Debug)]
pub struct Parts<A, E> {
    /// What became of each item, in order: its answer, or why it alone cannot be written. Nothing is known of items beyond
    /// these.
    pub items: Vec<Result<A, E>>,
    /// The failure that ended it, whichever item comes next.
    pub stopped: Option<E>,
}

impl<A, E> Parts<A, E> {
    /// The answers, if all items are written; otherwise a failure, although others may be.
    pub(crate) fn all(self) -> Result<Vec<A>, E> {
        match self.stopped {
            Some(error) => Err(error),
            None => self.items.into_iter().collect(),
        }
    }
}

/// Has `count` items written in one commit. Where that fails because of one of them, which `is_of_one` says of an error, they
/// are written by halves until it is alone: few commits, and it keeps no other back. Any other failure ends it. Whoever asks
/// is answered what was written by then, and has to go on with that whatever else failed.
///
/// `write` commits the items of a range, all or nothing, and answers for each.
pub async fn write_by_halves<A, E, Write, Written>(
    count: usize,
    is_of_one: fn(&E) -> bool,
    mut write: Write,
) -> Parts<A, E>
where
    E: Error + 'static,
    Write: FnMut(Range<usize>) -> Written,
    Written: Future<Output = Result<Vec<A>, E>>,
{
    let mut items = Vec::with_capacity(count);
    // What is still to be written, the next part last.
    let mut parts: Vec<Range<usize>> = iter::once(0..count).filter(|all| !all.is_empty()).collect();
    while let Some(part) = parts.pop() {
        match write(part.clone()).await {
            Ok(answers) => items.extend(answers.into_iter().map(Ok)),
            Err(error) if !is_of_one(&error) => return Parts { items, stopped: Some(error) },
            Err(error) if part.len() == 1 => items.push(Err(error)),
            Err(error) => {
                tracing::debug!(
                    error = &error as &dyn Error,
                    items = part.len(),
                    "a batch failed and is written in halves"
                );
                let middle = part.start + part.len() / 2;
                parts.extend([middle..part.end, part.start..middle]);
            }
        }
    }
    Parts { items, stopped: None }
}

/// Whether an error is about the key of one tenant's payloads.
pub(crate) const fn is_sealed(error: &StoreError) -> bool {
    matches!(error, StoreError::Sealed { .. })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use store::Closed;

    use super::*;

    fn sealed() -> StoreError {
        StoreError::Sealed { table: "job", why: Closed::WithoutKey("k".to_owned()) }
    }

    /// Writes numbers up to `count`, of which those in `closed` cannot be written, until the commit of a part that holds `away`.
    /// Answers what became of them, and how many commits there were.
    async fn written(
        count: usize,
        closed: &[usize],
        away: Option<usize>,
    ) -> (Parts<usize, StoreError>, usize) {
        let commits = RefCell::new(0);
        let write = |part: Range<usize>| {
            *commits.borrow_mut() += 1;
            let answer = if part.clone().any(|number| closed.contains(&number)) {
                Err(sealed())
            } else if away.is_some_and(|number| part.contains(&number)) {
                Err(StoreError::Unavailable { source: "away".into() })
            } else {
                Ok(part.collect())
            };
            std::future::ready(answer)
        };
        let parts = write_by_halves(count, is_sealed, write).await;
        (parts, commits.into_inner())
    }

    #[tokio::test]
    async fn all_are_written_at_once_where_none_is_in_the_way() {
        let (parts, commits) = written(7, &[], None).await;
        assert_eq!((parts.all().unwrap(), commits), ((0..7).collect(), 1));
        let (parts, commits) = written(0, &[], None).await;
        assert_eq!((parts.all().unwrap(), commits), (Vec::new(), 0));
    }

    #[tokio::test]
    async fn those_that_cannot_be_written_keep_no_other_back() {
        let (parts, commits) = written(1_000, &[3, 700], None).await;
        for (number, item) in parts.items.iter().enumerate() {
            match item {
                Ok(answer) => assert_eq!(*answer, number),
                Err(error) => assert!([3, 700].contains(&number) && is_sealed(error), "{number}: {error}"),
            }
        }
        assert_eq!(parts.items.len(), 1_000);
        assert!(parts.stopped.is_none());
        assert!(commits < 50, "{commits} commits");
    }

    /// The first half is committed, and the second cannot be: whoever asked knows of the first.
    #[tokio::test]
    async fn what_was_written_before_a_failure_is_known() {
        let (parts, _) = written(8, &[1], Some(5)).await;
        let known: Vec<Option<usize>> = parts.items.iter().map(|item| item.as_ref().ok().copied()).collect();
        assert_eq!(known, [Some(0), None, Some(2), Some(3)]);
        assert!(matches!(parts.stopped, Some(StoreError::Unavailable { .. })));
        assert!(matches!(parts.all(), Err(StoreError::Unavailable { .. })));
    }
}
