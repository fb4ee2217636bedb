//! Batches in which a job is named more than once, under several tokens of which one at most is its lease's.
//!
//! A statement answers what it changed by the job's id, so each statement gets a batch that names each job once.

use std::collections::HashSet;
use std::hash::Hash;

/// The places of a batch, sorted into rounds that name each id once. Nearly always there is one round.
pub(super) fn partition_unique_ids<T: Eq + Hash + Copy>(ids: impl Iterator<Item = T>) -> Vec<Vec<usize>> {
    let mut rounds: Vec<(HashSet<T>, Vec<usize>)> = Vec::new();
    for (place, id) in ids.enumerate() {
        match rounds.iter_mut().find(|(seen, _)| !seen.contains(&id)) {
            Some((seen, places)) => {
                seen.insert(id);
                places.push(place);
            }
            None => rounds.push((HashSet::from([id]), vec![place])),
        }
    }
    rounds.into_iter().map(|(_, places)| places).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_round_names_an_id_twice() {
        assert_eq!(partition_unique_ids([1, 2, 1, 3, 1].into_iter()), [vec![0, 1, 3], vec![2], vec![4]]);
        assert!(partition_unique_ids(std::iter::empty::<u8>()).is_empty());
    }
}
