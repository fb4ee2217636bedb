//! The audit log as a chain that nobody changes unseen.

mod canonical;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

pub use canonical::{canonical, canonical_object};

// The chain of the audit log: each sealed row holds the hash of the one before, so that nobody can change, remove, insert
// or reorder rows without a trace.

/// A SHA-256.
pub type Hash = [u8; 32];

/// What the first row of a log follows.
pub const BEFORE_THE_FIRST: Hash = [0; 32];

/// A place of the chain: that of its last row, or that of the last one that retention has removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The number of the row; 0 before the first.
    pub seq: u64,
    /// Its hash.
    pub hash: Hash,
}

impl Link {
    /// Before the first row.
    pub const START: Self = Self { seq: 0, hash: BEFORE_THE_FIRST };
}

/// What makes a row one of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seal {
    /// Its number, from 1.
    pub seq: u64,
    /// The hash of the row before.
    pub prev_hash: Hash,
    /// Its own.
    pub hash: Hash,
}

impl Seal {
    /// The place of the row.
    pub const fn link(&self) -> Link {
        Link { seq: self.seq, hash: self.hash }
    }
}

/// The seal of a row that comes after `last`. The row is its public form without `seq`, `prevHash` and `hash`.
pub fn seal(row: &Map<String, Value>, last: &Link) -> Seal {
    let seq = last.seq + 1;
    Seal { seq, prev_hash: last.hash, hash: hash_of(row, seq, &last.hash) }
}

/// The hash of a row: of all of it, in one form of JSON, but the hash itself.
fn hash_of(row: &Map<String, Value>, seq: u64, prev_hash: &Hash) -> Hash {
    let mut whole = row.clone();
    whole.remove("hash");
    whole.insert("seq".to_owned(), Value::from(seq));
    whole.insert("prevHash".to_owned(), Value::from(to_hex(prev_hash)));
    Sha256::digest(canonical_object(&whole).as_bytes()).into()
}

words! {
    /// What is wrong with a chain.
    ChainFault {
        /// A row is not what was sealed.
        Hash "hash",
        /// A row, or its seal, is gone.
        Missing "missing",
        /// A row does not follow the one before it.
        Order "order",
        /// The chain does not end where it should.
        Head "head",
    }
}

/// The first place at which a chain is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstBad {
    /// The number of the row.
    pub seq: u64,
    /// The id of the row, where it is there.
    pub id: Option<String>,
    /// What is wrong.
    pub fault: ChainFault,
}

/// A check of a chain, row by row.
#[derive(Debug, Clone)]
pub struct ChainCheck {
    last: Link,
    rows: u64,
    first_bad: Option<FirstBad>,
}

impl ChainCheck {
    /// Begins behind a place that counts as good: the anchor of retention, or the start.
    pub const fn behind(last: Link) -> Self {
        Self { last, rows: 0, first_bad: None }
    }

    /// Takes the next row: its seal, and its public form where it is there. Whatever comes after a fault is not looked at.
    pub fn take(&mut self, seal: &Seal, row: Option<&Map<String, Value>>) {
        if self.first_bad.is_some() {
            return;
        }
        self.rows += 1;
        let id = row.and_then(|row| row.get("id")?.as_str()).map(str::to_owned);
        let expected = self.last.seq + 1;
        let fault = if seal.seq > expected {
            Some((expected, ChainFault::Missing))
        } else if seal.seq < expected || seal.prev_hash != self.last.hash {
            Some((seal.seq, ChainFault::Order))
        } else {
            match row {
                None => Some((seal.seq, ChainFault::Missing)),
                Some(row) if hash_of(row, seal.seq, &seal.prev_hash) != seal.hash => {
                    Some((seal.seq, ChainFault::Hash))
                }
                Some(_) => None,
            }
        };
        match fault {
            Some((seq, fault)) => {
                let id = id.filter(|_| fault != ChainFault::Missing);
                self.first_bad = Some(FirstBad { seq, id, fault });
            }
            None => self.last = seal.link(),
        }
    }

    /// Ends the check where the chain has to end, if that is known.
    pub fn expect_head(&mut self, head: &Link) {
        if self.first_bad.is_none() && self.last != *head {
            let fault = if head.seq > self.last.seq { ChainFault::Missing } else { ChainFault::Head };
            self.first_bad = Some(FirstBad { seq: self.last.seq + 1, id: None, fault });
        }
    }

    /// Ends the check where somebody has written down the hash of the last row.
    pub fn expect_hash(&mut self, hash: &Hash) {
        if self.first_bad.is_none() && self.last.hash != *hash {
            self.first_bad = Some(FirstBad { seq: self.last.seq, id: None, fault: ChainFault::Head });
        }
    }

    /// The last good row.
    pub const fn last(&self) -> Link {
        self.last
    }

    /// How many rows were looked at.
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// What is wrong.
    pub const fn first_bad(&self) -> Option<&FirstBad> {
        self.first_bad.as_ref()
    }
}

/// The seal that the public form of a row holds; `None` for a row that is not sealed.
pub fn seal_of(row: &Map<String, Value>) -> Option<Seal> {
    let hash = |name: &str| from_hex(row.get(name)?.as_str()?);
    Some(Seal { seq: row.get("seq")?.as_u64()?, prev_hash: hash("prevHash")?, hash: hash("hash")? })
}

/// A hash as text.
pub fn to_hex(hash: &Hash) -> String {
    hex::encode(hash)
}

/// The hash that a text is.
pub fn from_hex(text: &str) -> Option<Hash> {
    let mut hash = [0; 32];
    hex::decode_to_slice(text, &mut hash).ok()?;
    Some(hash)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(number: u64) -> Map<String, Value> {
        let row = json!({"id": format!("evt_{number}"), "actor": "key_1", "detail": {"b": number, "a": 1.5}});
        row.as_object().cloned().expect("an object")
    }

    fn chain(count: u64) -> Vec<(Seal, Map<String, Value>)> {
        let mut last = Link::START;
        let next = |number| {
            let seal = seal(&row(number), &last);
            last = seal.link();
            (seal, row(number))
        };
        (1..=count).map(next).collect()
    }

    fn check(rows: &[(Seal, Map<String, Value>)]) -> ChainCheck {
        let mut check = ChainCheck::behind(Link::START);
        for (seal, row) in rows {
            check.take(seal, Some(row));
        }
        check
    }

    fn fault(check: &ChainCheck) -> Option<(u64, &'static str)> {
        check.first_bad().map(|bad| (bad.seq, bad.fault.as_str()))
    }

    #[test]
    fn a_whole_chain_is_good() {
        let rows = chain(5);
        let mut check = check(&rows);
        check.expect_head(&rows[4].0.link());
        check.expect_hash(&rows[4].0.hash);
        assert_eq!((fault(&check), check.rows(), check.last()), (None, 5, rows[4].0.link()));
        let mut rest = ChainCheck::behind(rows[1].0.link());
        for (seal, row) in &rows[2..] {
            rest.take(seal, Some(row));
        }
        assert_eq!(fault(&rest), None, "behind an anchor");
    }

    #[test]
    fn nothing_is_changed_without_a_trace() {
        let rows = chain(5);
        let mut changed = rows.clone();
        changed[2].1.insert("actor".to_owned(), json!("key_2"));
        assert_eq!(fault(&check(&changed)), Some((3, "hash")));
        let mut removed = rows.clone();
        removed.remove(2);
        assert_eq!(fault(&check(&removed)), Some((3, "missing")));
        let mut swapped = rows.clone();
        swapped.swap(1, 2);
        assert_eq!(fault(&check(&swapped)), Some((2, "missing")));
        let mut forged = rows.clone();
        // Somebody who knows how seals are made changes a row and seals it anew.
        forged[2].1.insert("actor".to_owned(), json!("key_2"));
        forged[2].0 = seal(&forged[2].1, &rows[1].0.link());
        assert_eq!(fault(&check(&forged)), Some((4, "order")));
        let mut doubled = rows.clone();
        doubled.insert(2, rows[1].clone());
        assert_eq!(fault(&check(&doubled)), Some((2, "order")));
        let mut lost = ChainCheck::behind(Link::START);
        lost.take(&rows[0].0, None);
        assert_eq!(fault(&lost), Some((1, "missing")));
    }

    #[test]
    fn a_chain_ends_where_it_should() {
        let rows = chain(5);
        let mut short = check(&rows[..3]);
        short.expect_head(&rows[4].0.link());
        assert_eq!(fault(&short), Some((4, "missing")));
        let mut other = check(&rows);
        other.expect_hash(&[1; 32]);
        assert_eq!(fault(&other), Some((5, "head")));
    }

    #[test]
    fn the_public_form_holds_its_seal() {
        let (seal, mut row) = chain(1).remove(0);
        assert_eq!(seal_of(&row), None);
        row.insert("seq".to_owned(), json!(seal.seq));
        row.insert("prevHash".to_owned(), json!(to_hex(&seal.prev_hash)));
        row.insert("hash".to_owned(), json!(to_hex(&seal.hash)));
        assert_eq!(seal_of(&row), Some(seal));
        assert_eq!(fault(&check(&[(seal, row)])), None, "the hash is not part of what is hashed");
    }
}
