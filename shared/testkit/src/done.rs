//! Says which databases no test uses any more.
//!
//! Each test runs on a thread of its own, and ends its runtime and its servers before that ends: the databases that were made on a
//! thread are of no use after it. They are then named by empty files in a directory, from which `scripts/with-postgres.sh` takes
//! them and drops them: all databases of a suite take more than ten gigabytes. So a thread that makes one has to live as long as
//! somebody uses that, as those of a test's runtime do.

use std::cell::RefCell;
use std::fs::File;
use std::path::PathBuf;

/// The variable with the directory. Without it nobody looks, and nothing is said.
const DIRECTORY_VARIABLE: &str = "TRUNKLINE_TEST_POSTGRES_DONE";

thread_local! {
    static MADE: RefCell<Made> = const { RefCell::new(Made(Vec::new())) };
}

/// The files that say that a database is of no use any more, before they are there.
struct Made(Vec<PathBuf>);

impl Drop for Made {
    fn drop(&mut self) {
        for file in &self.0 {
            // The script also drops what is not named, though only once the process has ended.
            let _ = File::create(file);
        }
    }
}

/// Has a database of this name given away when this thread ends.
pub(crate) fn when_this_thread_ends(database: &str) {
    if let Some(directory) = std::env::var_os(DIRECTORY_VARIABLE) {
        note(PathBuf::from(directory).join(database));
    }
}

fn note(file: PathBuf) {
    MADE.with_borrow_mut(|made| made.0.push(file));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_given_away_when_its_thread_has_ended() {
        let directory = tempfile::tempdir().expect("the temporary directory can be written");
        let files = [directory.path().join("one"), directory.path().join("other")];
        let made = files.clone();
        let thread = std::thread::spawn(move || {
            for file in &made {
                note(file.clone());
            }
            made.iter().any(|file| file.exists())
        });
        assert!(!thread.join().expect("the thread ends"), "the test still uses them");
        assert!(files.iter().all(|file| file.exists()), "nobody does");
    }

    #[test]
    fn a_test_that_fails_gives_them_away_too() {
        let directory = tempfile::tempdir().expect("the temporary directory can be written");
        let file = directory.path().join("one");
        let made = file.clone();
        let thread = std::thread::spawn(move || {
            note(made);
            // Like a panic, but silent.
            std::panic::resume_unwind(Box::new(()));
        });
        thread.join().expect_err("it fails");
        assert!(file.exists());
    }
}
