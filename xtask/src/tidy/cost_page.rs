//! What `docs/cost.md` says of costs is computed from the results of the load tests.

use crate::cost::{PAGE, RESULTS, page};
use crate::tidy::complaint::Complaint;
use crate::tidy::tree::Tree;

const RULE: &str = "cost-page";
const REMEDY: &str = "write it anew: cargo run -p xtask -- cost";

pub(crate) fn check(tree: &Tree) -> Vec<Complaint> {
    // Trees of other checks' tests have no such page.
    let Some(file) = tree.get(PAGE) else { return Vec::new() };
    let read = |page: &str| Some(tree.get(&format!("{RESULTS}/{page}.json"))?.text.clone());
    let message = match page(&file.text, &read) {
        Ok(expected) if expected == file.text => return Vec::new(),
        Ok(_) => format!("the tables are not those of {RESULTS}; {REMEDY}"),
        Err(error) => format!("{error:#}; mend what xtask/src/cost.rs reads, then {REMEDY}"),
    };
    vec![Complaint::new(PAGE, 1, RULE, message)]
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::tree::Tree;

    #[test]
    fn a_page_without_its_results_is_found() {
        assert!(check(&Tree::of(&[("docs/a.md", "")])).is_empty());
        let complaints = check(&Tree::of(&[("docs/cost.md", "<!-- cost:begin --><!-- cost:end -->")]));
        assert_eq!(complaints.len(), 1);
        assert!(complaints[0].message.contains("drain.json is not there"), "{complaints:?}");
    }
}
