//! Tests wait for a signal or poll with a deadline; they do not sleep and hope.
//!
//! A sleep between two looks of a polling loop is fine if the line, or the one before it, says `poll`.

use crate::tidy::complaint::Complaint;
use crate::tidy::tree::Tree;

const RULE: &str = "test-sleeps";

pub(crate) fn check(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for file in tree.rust().filter(|file| !file.path.starts_with("xtask/")) {
        let tests_from = file.tests_from();
        let mut before = "";
        for (number, line) in file.lines() {
            let code = line.split("//").next().unwrap_or(line);
            let sleeps =
                code.contains("thread::sleep(") || code.contains("time::sleep(") || is_bare_sleep(code);
            let polls = [before, line].iter().any(|line| line.to_lowercase().contains("poll"));
            if number >= tests_from && sleeps && !polls {
                let message = "wait for a signal, or poll with a deadline (and say `poll` beside the pause)";
                complaints.push(Complaint::new(&file.path, number, RULE, message));
            }
            before = line;
        }
    }
    complaints
}

/// A call of an imported `sleep`, not of a method or of a function whose name ends so.
fn is_bare_sleep(code: &str) -> bool {
    code.match_indices("sleep(").any(|(at, _)| {
        let previous = code[..at].chars().next_back();
        previous.is_none_or(|c| c.is_whitespace() || "({;,".contains(c))
            && !code[..at].trim_end().ends_with("fn")
    })
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::tree::Tree;

    #[test]
    fn sleeps_in_tests_are_found() {
        for line in [
            "tokio::time::sleep(SECOND).await;",
            "std::thread::sleep(SECOND);",
            "    sleep(SECOND).await;",
            "select! { _ = sleep(SECOND) => {} }",
        ] {
            assert_eq!(check(&Tree::of(&[("services/x/tests/a.rs", line)])).len(), 1, "{line}");
            assert_eq!(check(&Tree::of(&[("services/x/src/a.rs", line)])).len(), 0, "{line}");
        }
        assert_eq!(check(&Tree::of(&[("services/x/src/a.rs", "#[cfg(test)]\nthread::sleep(S);")])).len(), 1);
    }

    #[test]
    fn pauses_between_polls_are_fine() {
        for text in [
            "// Poll again soon.\nsleep(PAUSE).await;",
            "time::sleep(POLL_PAUSE).await;",
            "self.sleep(S)",
            "fn sleep(s: S)",
        ] {
            assert!(check(&Tree::of(&[("services/x/tests/a.rs", text)])).is_empty(), "{text}");
        }
    }
}
