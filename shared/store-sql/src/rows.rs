//! Reading rows: columns by name, with errors that name table, column and row.

use domain::failure::JobError;
use domain::names::{TenantName, WorkflowName};
use domain::queue::{QueueName, Tier, WorkflowRef};
use domain::rate::Rate;
use domain::time::{DurationMs, Timestamp};
use sea_orm::{QueryResult, TryGetable};
use sqlx::{Column as _, Row as _, TypeInfo as _};
use store::{StoreError, StoreResult};
use uuid::Uuid;

use crate::errors::corrupt;

/// A row of a table, for reading.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'a> {
    table: &'static str,
    row: &'a QueryResult,
}

impl<'a> Row<'a> {
    /// A row that was read from `table`.
    pub(crate) fn new(table: &'static str, row: &'a QueryResult) -> Self {
        Self { table, row }
    }

    /// A UUID.
    pub(crate) fn uuid(self, column: &'static str) -> StoreResult<Uuid> {
        self.required(column)
    }

    /// A UUID or null.
    pub(crate) fn uuid_or_null(self, column: &'static str) -> StoreResult<Option<Uuid>> {
        self.get(column)
    }

    /// Text.
    pub(crate) fn text(self, column: &'static str) -> StoreResult<String> {
        self.required(column)
    }

    /// Text or null.
    pub(crate) fn text_or_null(self, column: &'static str) -> StoreResult<Option<String>> {
        self.get(column)
    }

    /// Bytes or null.
    pub(crate) fn bytes_or_null(self, column: &'static str) -> StoreResult<Option<Vec<u8>>> {
        self.get(column)
    }

    /// A whole number of any width, or null.
    pub(crate) fn long_or_null(self, column: &'static str) -> StoreResult<Option<i64>> {
        // PostgreSQL's driver insists on the exact width.
        if let Some(row) = self.row.try_as_pg_row() {
            let width = row.try_column(column).map(|column| column.type_info().name().to_owned());
            return match width.as_deref() {
                Ok("INT2") => Ok(self.get::<i16>(column)?.map(i64::from)),
                Ok("INT4") => Ok(self.get::<i32>(column)?.map(i64::from)),
                _ => self.get(column),
            };
        }
        self.get(column)
    }

    /// A whole number of any width.
    pub(crate) fn long(self, column: &'static str) -> StoreResult<i64> {
        self.long_or_null(column)?.ok_or_else(|| self.fault(column))
    }

    /// A whole number that fits.
    pub(crate) fn int(self, column: &'static str) -> StoreResult<i32> {
        i32::try_from(self.long(column)?).map_err(|_| self.fault(column))
    }

    /// A count.
    pub(crate) fn count(self, column: &'static str) -> StoreResult<u32> {
        u32::try_from(self.long(column)?).map_err(|_| self.fault(column))
    }

    /// A count or null.
    pub(crate) fn count_or_null(self, column: &'static str) -> StoreResult<Option<u32>> {
        self.long_or_null(column)?.map(|long| u32::try_from(long).map_err(|_| self.fault(column))).transpose()
    }

    /// An instant.
    pub(crate) fn instant(self, column: &'static str) -> StoreResult<Timestamp> {
        self.long(column).map(Timestamp)
    }

    /// An instant or null.
    pub(crate) fn instant_or_null(self, column: &'static str) -> StoreResult<Option<Timestamp>> {
        Ok(self.long_or_null(column)?.map(Timestamp))
    }

    /// A duration.
    pub(crate) fn duration(self, column: &'static str) -> StoreResult<DurationMs> {
        self.long(column).map(DurationMs)
    }

    /// A duration or null.
    pub(crate) fn duration_or_null(self, column: &'static str) -> StoreResult<Option<DurationMs>> {
        Ok(self.long_or_null(column)?.map(DurationMs))
    }

    /// A queue by its code.
    pub(crate) fn queue(self, column: &'static str) -> StoreResult<QueueName> {
        let code = i16::try_from(self.long(column)?).map_err(|_| self.fault(column))?;
        QueueName::from_code(code).ok_or_else(|| self.fault(column))
    }

    /// A tier by its code.
    pub(crate) fn tier(self, column: &'static str) -> StoreResult<Tier> {
        let code = i16::try_from(self.long(column)?).map_err(|_| self.fault(column))?;
        Tier::from_code(code).ok_or_else(|| self.fault(column))
    }

    /// A name, id or key that was checked when it was stored; wrap it with the type's `trusted`.
    pub(crate) fn name<N>(self, column: &'static str, trusted: impl FnOnce(String) -> N) -> StoreResult<N> {
        self.text(column).map(trusted)
    }

    /// The same, or null.
    pub(crate) fn name_or_null<N>(
        self,
        column: &'static str,
        trusted: impl FnOnce(String) -> N,
    ) -> StoreResult<Option<N>> {
        Ok(self.text_or_null(column)?.map(trusted))
    }

    /// A value that is read from text by `parse`.
    pub(crate) fn parsed<T>(
        self,
        column: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> StoreResult<T> {
        parse(&self.text(column)?).ok_or_else(|| self.fault(column))
    }

    /// The workflow of the columns `workflow_owner` and `workflow`; absent when the name is empty.
    pub(crate) fn workflow(self) -> StoreResult<Option<WorkflowRef>> {
        let name = self.text("workflow")?;
        if name.is_empty() {
            return Ok(None);
        }
        let owner = self.text("workflow_owner")?;
        Ok(Some(workflow_ref(owner, name)))
    }

    /// A value stored as JSON, or null.
    pub(crate) fn json_or_null<T: serde::de::DeserializeOwned>(
        self,
        column: &'static str,
    ) -> StoreResult<Option<T>> {
        let text = self.text_or_null(column)?;
        text.map(|text| serde_json::from_str(&text).map_err(|_| self.fault(column))).transpose()
    }

    /// A rate or null.
    pub(crate) fn rate_or_null(self, column: &'static str) -> StoreResult<Option<Rate>> {
        let text = self.text_or_null(column)?;
        text.map(|text| Rate::parse(&text).map_err(|_| self.fault(column))).transpose()
    }

    /// An error stored as JSON, or null.
    pub(crate) fn error_or_null(self, column: &'static str) -> StoreResult<Option<JobError>> {
        self.json_or_null(column)
    }

    /// Tags, stored as a JSON array or null for none.
    pub(crate) fn tags(self, column: &'static str) -> StoreResult<Vec<String>> {
        Ok(self.json_or_null(column)?.unwrap_or_default())
    }

    /// The error of a column that holds something else than it should.
    pub(crate) fn fault(self, column: &'static str) -> StoreError {
        let key = ["id", "position", "job_id", "name"].into_iter().find_map(|column| {
            let uuid: Option<Uuid> = self.row.try_get("", column).ok();
            let long = || self.row.try_get::<i64>("", column).ok().map(|long| long.to_string());
            let text = || self.row.try_get::<String>("", column).ok();
            uuid.map(|uuid| uuid.to_string()).or_else(long).or_else(text)
        });
        corrupt(self.table, column, key.unwrap_or_default())
    }

    fn get<T: TryGetable>(self, column: &'static str) -> StoreResult<Option<T>> {
        self.row.try_get::<Option<T>>("", column).map_err(|_| self.fault(column))
    }

    fn required<T: TryGetable>(self, column: &'static str) -> StoreResult<T> {
        self.row.try_get::<T>("", column).map_err(|_| self.fault(column))
    }
}

/// A workflow from its stored columns; an empty owner means a shared definition.
pub(crate) fn workflow_ref(owner: String, name: String) -> WorkflowRef {
    let owner = (!owner.is_empty()).then(|| TenantName::trusted(owner));
    WorkflowRef { owner, name: WorkflowName::trusted(name) }
}

/// The stored columns `workflow_owner` and `workflow` of a job.
pub(crate) fn workflow_columns(workflow: Option<&WorkflowRef>) -> (&str, &str) {
    match workflow {
        Some(workflow) => (workflow.owner.as_ref().map_or("", TenantName::as_str), workflow.name.as_str()),
        None => ("", ""),
    }
}
