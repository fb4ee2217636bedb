//! Words of Rust that may not stand anywhere, or only in some crates.
//!
//! The words are put together from halves here, so that this file does not break its own rules.

use crate::tidy::complaint::Complaint;
use crate::tidy::tree::Tree;

const RULE: &str = "banned-text";

struct Ban {
    word: &'static str,
    reason: &'static str,
    /// Where it may stand all the same: beginnings of paths.
    owners: &'static [&'static str],
    /// Whether tests may use it.
    tests_may: bool,
}

const BANS: &[Ban] = &[
    Ban {
        word: concat!("to", "do!("),
        reason: "finish it, or return an error",
        owners: &[],
        tests_may: false,
    },
    Ban {
        word: concat!("unimpl", "emented!("),
        reason: "finish it, or return an error",
        owners: &[],
        tests_may: false,
    },
    Ban {
        word: concat!("#[ig", "nore"),
        reason: "a test that does not run proves nothing: repair it or remove it",
        owners: &[],
        tests_may: false,
    },
    Ban {
        word: concat!("#[al", "low("),
        reason: "use #[expect(lint, reason = \"…\")], which complains when it is no longer needed",
        owners: &[],
        tests_may: false,
    },
    Ban {
        word: concat!("env::v", "ar"),
        reason: "only `settings` reads the environment, and the client verbs of the server theirs",
        // Cargo says in variables where a build script works.
        owners: &[
            "shared/settings/",
            "services/server/src/client",
            "services/grpc/build.rs",
            "sdks/rust/build.rs",
            "sdks/rust/src/environment.rs",
            "sdks/rust/src/testing",
            "examples/",
        ],
        tests_may: true,
    },
];

pub(crate) fn check(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for file in tree.rust() {
        let tests_from = file.tests_from();
        for (number, line) in file.lines() {
            let allowed = |ban: &Ban| {
                (ban.tests_may && number >= tests_from)
                    || ban.owners.iter().any(|owner| file.path.starts_with(owner))
            };
            for ban in BANS.iter().filter(|ban| line.contains(ban.word) && !allowed(ban)) {
                let message = format!("`{}` may not stand here: {}", ban.word, ban.reason);
                complaints.push(Complaint::new(&file.path, number, RULE, message));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::{BANS, check};
    use crate::tidy::tree::Tree;

    #[test]
    fn each_word_is_found_with_its_line() {
        for ban in BANS {
            let text = format!("//! A.\n    {}", ban.word);
            let complaints = check(&Tree::of(&[("services/api/src/a.rs", &text)]));
            assert_eq!(complaints.len(), 1, "{}", ban.word);
            assert_eq!(complaints[0].line, 2);
        }
    }

    #[test]
    fn owners_and_tests_may_use_some() {
        let read = concat!("//! A.\nstd::env::v", "ar(\"X\")");
        let tests = format!("//! A.\n#[cfg(test)]\n{read}");
        let paths = [
            ("shared/settings/src/a.rs", read),
            ("services/api/tests/a.rs", read),
            ("shared/x/src/a.rs", &tests),
        ];
        assert!(check(&Tree::of(&paths)).is_empty());
    }
}
