//! The files of the repository, read once. Knows nothing about rules.

use std::path::Path;

use anyhow::Context;

/// Folders that hold nothing that people wrote.
const SKIPPED: [&str; 7] = ["target", ".git", "data", "node_modules", "__pycache__", ".venv", "dist"];
/// Text files beyond this size are data.
const SIZE_MAX: u64 = 2 << 20;

/// One text file.
#[derive(Debug, Clone)]
pub(crate) struct SourceFile {
    /// From the root of the repository, with `/`.
    pub(crate) path: String,
    /// All of it.
    pub(crate) text: String,
}

impl SourceFile {
    /// The lines with their numbers, from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    /// The last part of the path.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Whether the path ends so.
    pub(crate) fn is(&self, extension: &str) -> bool {
        self.name().rsplit_once('.').is_some_and(|(_, found)| found == extension)
    }

    /// Whether the whole file is test code.
    pub(crate) fn is_test(&self) -> bool {
        let is_module = self.name() == "tests.rs" || self.name().ends_with("_tests.rs");
        is_module
            || ["tests/", "benches/", "conformance/", "testkit/"]
                .iter()
                .any(|folder| self.path.starts_with(folder) || self.path.contains(&format!("/{folder}")))
    }

    /// The line on which test code begins within the file; past the end if nowhere. Unit tests stand last.
    pub(crate) fn tests_from(&self) -> usize {
        if self.is_test() {
            return 0;
        }
        self.lines()
            .find(|(_, line)| line.trim_start().starts_with("#[cfg(test)]"))
            .map_or(usize::MAX, |(number, _)| number)
    }
}

/// The text files of the repository, sorted by path.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// All of them.
    pub(crate) files: Vec<SourceFile>,
}

impl Tree {
    /// Reads the repository.
    pub(crate) fn read(root: &Path) -> anyhow::Result<Self> {
        let mut files = Vec::new();
        read_folder(root, "", &mut files)?;
        files.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(Self { files })
    }

    /// The Rust files.
    pub(crate) fn rust(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().filter(|file| file.is("rs"))
    }

    /// The file at a path.
    pub(crate) fn get(&self, path: &str) -> Option<&SourceFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// A tree for the tests of a check.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let file =
            |(path, text): &(&str, &str)| SourceFile { path: (*path).to_owned(), text: (*text).to_owned() };
        Self { files: files.iter().map(file).collect() }
    }
}

fn read_folder(folder: &Path, prefix: &str, files: &mut Vec<SourceFile>) -> anyhow::Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let (path, kind) = (format!("{prefix}{name}"), entry.file_type()?);
        if kind.is_dir() && !SKIPPED.contains(&name.as_str()) {
            read_folder(&entry.path(), &format!("{path}/"), files)?;
        } else if kind.is_file() && entry.metadata()?.len() <= SIZE_MAX {
            // What is not UTF-8 is no text and has no lines to complain about.
            if let Ok(text) = String::from_utf8(std::fs::read(entry.path())?) {
                files.push(SourceFile { path, text });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Tree;

    #[test]
    fn test_code_is_distinguished_from_the_rest() {
        let tree = Tree::of(&[
            ("services/api/tests/it/main.rs", "//! T."),
            ("shared/testkit/src/lib.rs", "//! T."),
            ("shared/domain/src/parse/tests.rs", "//! T."),
            ("shared/domain/src/job.rs", "//! J.\nfn a() {}\n#[cfg(test)]\nmod tests {}"),
            ("shared/domain/src/contests/a.rs", "//! A."),
        ]);
        let from: Vec<usize> = tree.files.iter().map(super::SourceFile::tests_from).collect();
        assert_eq!(from, [0, 0, 0, 3, usize::MAX]);
    }
}
