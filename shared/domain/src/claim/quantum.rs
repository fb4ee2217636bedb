//! How long a turn is.

/// How many turns a claim has at least, if it asks for that many jobs.
const TURNS_MIN: u32 = 100;

/// How many jobs a tenant is to get per turn of a claim that asks for `jobs_max`; at least one.
///
/// Jobs cost less to take where a batch comes from few lanes. A large batch has turns of several jobs, but never fewer
/// turns than a batch of a hundred jobs has, so that nobody waits for more claims than there.
pub fn quantum(jobs_max: u32) -> u32 {
    (jobs_max / TURNS_MIN).max(1)
}

#[cfg(test)]
mod tests {
    use super::{TURNS_MIN, quantum};

    #[test]
    fn turns_are_of_one_job_until_there_are_enough_of_them() {
        let lengths = [0, 1, 99, 100, 199, 200, 500, 1_000].map(quantum);
        assert_eq!(lengths, [1, 1, 1, 1, 1, 2, 5, 10]);
        assert!((TURNS_MIN..2_000).all(|jobs_max| jobs_max / quantum(jobs_max) >= TURNS_MIN));
    }
}
