//! Large payloads, in a table of their own.
//!
//! The row of a job is written again by every claim and retry, and copied when the job ends. A payload of more than
//! [`INLINE_BYTES_MAX`] would be carried along each time, and through every list. So the row holds a reference in its
//! place: `@` and the length in bytes, with which no JSON text begins. The payload itself is written once, in the
//! transaction that inserts the job, under the job's id, and removed in the transaction that removes the job. A dead
//! letter has a copy under its own id, because it outlives its job and keeps what died. Small payloads cost nothing:
//! they stay in the row, and no statement is sent for them.

use std::borrow::Cow;
use std::collections::HashMap;

use sea_orm::{ConnectionTrait, Value};
use store::StoreResult;
use uuid::Uuid;

use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::packed;
use crate::rows::Row;
use crate::sql::Sql;

/// The most bytes of a payload that stay in the row: with them it fits into a page.
pub(crate) const INLINE_BYTES_MAX: usize = 4 << 10;

/// How many bytes of payloads come with one claim or one view, if the first of them does not have more.
pub(crate) const TOGETHER_BYTES_MAX: usize = 16 << 20;

/// How many bytes of payloads one statement carries, if the first of them does not have more.
const STATEMENT_BYTES_MAX: usize = 8 << 20;

/// What a reference begins with.
const MARK: char = '@';

// A job that comes back under the id of one that was removed brings its own payload.
static STORE: Sql = Sql::new(
    "store_payloads",
    "INSERT INTO payload (id, data)
     SELECT r.id, r.data
     FROM {postgres:UNNEST($1::uuid[], $2::text[]) AS r (id, data)}{sqlite:(
       SELECT substr($1, key * 16 + 1, 16) AS id,
         CAST(substr($3, (value >> 30) + 1, value & 1073741823) AS text) AS data
       FROM json_each($2)) r}
     WHERE true ON CONFLICT (id) DO UPDATE SET data = excluded.data",
);

static LOAD: Sql = Sql::new("load_payloads", "SELECT id, data FROM payload WHERE id {any $1 uuid}");

static COPY: Sql = Sql::new(
    "copy_payloads",
    "INSERT INTO payload (id, data)
     SELECT r.copy, p.data FROM {rows $1: id uuid, copy uuid} r JOIN payload p ON p.id = r.id
     WHERE true ON CONFLICT (id) DO NOTHING",
);

static REMOVE: Sql = Sql::new("remove_payloads", "DELETE FROM payload WHERE id {any $1 uuid}");

/// Whether a payload is kept out of the row.
pub(crate) fn is_large(data: &str) -> bool {
    data.len() > INLINE_BYTES_MAX
}

/// What the row holds for a payload: itself, or a reference to it.
pub(crate) fn in_row(data: &str) -> Cow<'_, str> {
    if is_large(data) { Cow::Owned(format!("{MARK}{}", data.len())) } else { Cow::Borrowed(data) }
}

/// The length in bytes of the payload that a row refers to; `None` where the row holds it.
pub(crate) fn length_of(in_row: &str) -> Option<usize> {
    in_row.strip_prefix(MARK)?.parse().ok()
}

/// The payload, where the row holds it.
pub(crate) fn held(in_row: String) -> Option<String> {
    length_of(&in_row).is_none().then_some(in_row)
}

/// How many of these rows, from the first on, may be completed together. Always the first.
pub(crate) fn fitting<'a>(in_rows: impl Iterator<Item = &'a str>) -> usize {
    let mut bytes = 0_usize;
    let fits = |(nth, in_row): &(usize, &str)| {
        bytes = bytes.saturating_add(length_of(in_row).unwrap_or(0));
        *nth == 0 || bytes <= TOGETHER_BYTES_MAX
    };
    in_rows.enumerate().take_while(fits).count()
}

/// Stores large payloads, each under its id. An id must not be named twice.
pub(crate) async fn store<C: ConnectionTrait>(on: &C, payloads: &[(Uuid, &str)]) -> StoreResult<()> {
    let dialect = Dialect::of(on.get_database_backend());
    let mut rest = payloads;
    while !rest.is_empty() {
        let mut bytes = 0_usize;
        let fits = |(nth, (_, data)): &(usize, &(Uuid, &str))| {
            bytes = bytes.saturating_add(data.len());
            *nth == 0 || bytes <= STATEMENT_BYTES_MAX
        };
        let count = rest.iter().enumerate().take_while(fits).count();
        let (chunk, others) = rest.split_at(count);
        let (ids, texts) = (chunk.iter().map(|(id, _)| *id), chunk.iter().map(|(_, data)| *data));
        let values: Vec<Value> = match dialect {
            Dialect::Postgres => vec![bind::uuids(dialect, ids), bind::texts(dialect, texts)],
            Dialect::Sqlite => {
                let [spans, blob] = packed::texts(texts.map(Some));
                vec![packed::uuids(ids), spans, blob]
            }
        };
        STORE.run(on, values).await?;
        rest = others;
    }
    Ok(())
}

/// Reads payloads; those that are not there (any more) are missing in the answer. How many bytes that may be is the
/// caller's to see to.
pub(crate) async fn load<C: ConnectionTrait>(on: &C, ids: &[Uuid]) -> StoreResult<HashMap<Uuid, String>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let list = bind::uuids(Dialect::of(on.get_database_backend()), ids.iter().copied());
    let rows = LOAD.all(on, vec![list]).await?;
    let payloads = rows.iter().map(|row| {
        let row = Row::new("payload", row);
        Ok((row.uuid("id")?, row.text("data")?))
    });
    payloads.collect()
}

/// Copies payloads, each from its id to another.
pub(crate) async fn copy<C: ConnectionTrait>(on: &C, pairs: &[(Uuid, Uuid)]) -> StoreResult<()> {
    if pairs.is_empty() {
        return Ok(());
    }
    let cells = pairs.iter().map(|&(id, copy)| [Cell::Uuid(id), Cell::Uuid(copy)]);
    COPY.run(on, bind::rows(Dialect::of(on.get_database_backend()), cells)).await.map(|_| ())
}

/// Removes payloads, where these ids have any.
pub(crate) async fn remove<C: ConnectionTrait>(on: &C, ids: &[Uuid]) -> StoreResult<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let list = bind::uuids(Dialect::of(on.get_database_backend()), ids.iter().copied());
    REMOVE.run(on, vec![list]).await.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_refer_to_large_payloads() {
        let small = "7".repeat(INLINE_BYTES_MAX);
        assert_eq!(in_row(&small), small);
        assert_eq!(length_of(&small), None);
        assert_eq!(held(small.clone()), Some(small));
        let large = "7".repeat(INLINE_BYTES_MAX + 1);
        assert_eq!(in_row(&large), "@4097");
        assert_eq!(length_of("@4097"), Some(4_097));
        assert_eq!(held("@4097".into()), None);
    }

    #[test]
    fn what_comes_together_is_bounded_in_bytes() {
        let half = format!("@{}", TOGETHER_BYTES_MAX / 2);
        let more = format!("@{}", TOGETHER_BYTES_MAX * 2);
        assert_eq!(fitting([half.as_str(), "{}", &half, "{}", &half, "{}"].into_iter()), 4);
        assert_eq!(fitting([more.as_str(), "{}", &half].into_iter()), 1, "the first comes, however large");
        assert_eq!(fitting(["{}"; 5].into_iter()), 5);
        assert_eq!(fitting(std::iter::empty()), 0);
    }
}
