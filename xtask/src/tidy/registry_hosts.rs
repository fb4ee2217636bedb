//! No file names the host of a package registry: builds take what the machine is configured for.
//!
//! The names are put together from halves here, so that this file does not break its own rule.

use crate::tidy::complaint::Complaint;
use crate::tidy::tree::Tree;

const RULE: &str = "registry-hosts";
const HOSTS: [&str; 7] = [
    concat!("index.cra", "tes.io"),
    concat!("static.cra", "tes.io"),
    concat!("cra", "tes.io-index"),
    concat!("py", "pi.org"),
    concat!("files.python", "hosted.org"),
    concat!("registry.npm", "js.org"),
    concat!("deb.deb", "ian.org"),
];

pub(crate) fn check(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    // Lock files name the registry as part of each package's identity.
    for file in tree.files.iter().filter(|file| !matches!(file.name(), "Cargo.lock" | "package-lock.json")) {
        for (number, line) in file.lines() {
            for host in HOSTS.iter().filter(|host| line.contains(**host)) {
                let message = format!("{host} may not be named: the machine says where packages come from");
                complaints.push(Complaint::new(&file.path, number, RULE, message));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::{HOSTS, check};
    use crate::tidy::tree::Tree;

    #[test]
    fn hosts_are_found_but_in_lock_files() {
        for host in HOSTS {
            let text = format!("\nfrom https://{host}/x");
            let complaints = check(&Tree::of(&[("Makefile", &text), ("Cargo.lock", &text)]));
            assert_eq!(complaints.len(), 1, "{host}");
            assert_eq!((complaints[0].path.as_str(), complaints[0].line), ("Makefile", 2));
        }
    }
}
