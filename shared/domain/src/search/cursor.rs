//! Cursors of lists: where the next page begins, what `now` was in the first, and which question they belong to. Their text
//! comes back from callers, who may send any other.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::{Search, SearchList};
use crate::time::Timestamp;

/// Where the next page of a list begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// The last object that was shown: its id, or its number where the list has no ids.
    pub place: Uuid,
    /// The instant of that object by which the list is ordered.
    pub at: i64,
    /// What `now` was when the first page was asked for.
    pub now: Timestamp,
    /// Which question it belongs to: [`Search::fingerprint`].
    pub question: String,
}

/// What a cursor holds beside the object at which it stands.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rest {
    a: i64,
    n: i64,
    f: String,
}

impl Cursor {
    /// Reads the text of a cursor of a list; `None` for any other text.
    pub fn parse(list: SearchList, text: &str) -> Option<Self> {
        let (place, rest) = text.split_once('.')?;
        let place = list.parse_place(place)?;
        let rest: Rest = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(rest).ok()?).ok()?;
        Some(Self { place, at: rest.a, now: Timestamp(rest.n), question: rest.f })
    }

    /// The text that is parsed as this cursor.
    pub fn text(&self, list: SearchList) -> String {
        let rest = Rest { a: self.at, n: self.now.0, f: self.question.clone() };
        // Numbers and a text always encode.
        let rest = serde_json::to_vec(&rest).unwrap_or_default();
        format!("{}.{}", list.place_text(self.place), URL_SAFE_NO_PAD.encode(rest))
    }
}

impl Search {
    /// What its cursors belong to: list, filters and order, in 16 hex digits.
    pub fn fingerprint(&self) -> String {
        let text = serde_json::to_vec(self).unwrap_or_default();
        hex::encode(&Sha256::digest(&text)[..8])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Order;

    #[test]
    fn a_cursor_reads_as_it_was_written_and_no_other_text_does() {
        let search = Search::all(SearchList::Jobs);
        let (place, question) = (Uuid::from_u128(9), search.fingerprint());
        let cursor = Cursor { place, at: i64::MIN, now: Timestamp(i64::MAX), question };
        for list in [SearchList::Jobs, SearchList::Audit, SearchList::UserTasks, SearchList::Workers] {
            let text = cursor.text(list);
            assert_eq!(Cursor::parse(list, &text), Some(cursor.clone()), "{text}");
            for other in [format!("{text}="), format!("x{text}"), text.replace('.', ""), format!("{text}.")] {
                assert_eq!(Cursor::parse(list, &other), None, "{other}");
            }
        }
        assert_eq!(Cursor::parse(SearchList::Executions, &cursor.text(SearchList::Jobs)), None);
        let upwards = Search { order: Order::Asc, ..search.clone() };
        assert_ne!(upwards.fingerprint(), search.fingerprint());
    }
}
