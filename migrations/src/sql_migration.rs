//! A migration that is a list of statements.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::dialect::render;

/// Statements that run in order, in the words of the database ([`render`]).
#[derive(Debug, Clone, Copy)]
pub(crate) struct SqlMigration {
    /// What the table of applied migrations calls it.
    name: &'static str,
    statements: &'static [&'static [&'static str]],
    /// Run after the others, on PostgreSQL only.
    postgres: &'static [&'static str],
    /// Run after the others, on SQLite only.
    sqlite: &'static [&'static str],
}

impl SqlMigration {
    /// A migration of these lists, one after the other, on both databases.
    pub(crate) const fn new(name: &'static str, statements: &'static [&'static [&'static str]]) -> Self {
        Self { name, statements, postgres: &[], sqlite: &[] }
    }

    /// With statements that only PostgreSQL runs, after the others.
    pub(crate) const fn on_postgres(self, statements: &'static [&'static str]) -> Self {
        Self { postgres: statements, ..self }
    }

    /// With statements that only SQLite runs, after the others.
    pub(crate) const fn on_sqlite(self, statements: &'static [&'static str]) -> Self {
        Self { sqlite: statements, ..self }
    }
}

impl MigrationName for SqlMigration {
    fn name(&self) -> &'static str {
        self.name
    }
}

#[async_trait::async_trait]
impl MigrationTrait for SqlMigration {
    #[expect(elided_lifetimes_in_paths, reason = "the trait's own signature elides it")]
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        let backend = manager.get_database_backend();
        for list in self.statements {
            for statement in *list {
                connection.execute_unprepared(&render(backend, statement)).await?;
            }
        }
        let own = if backend == DbBackend::Postgres { self.postgres } else { self.sqlite };
        for statement in own {
            connection.execute_unprepared(&render(backend, statement)).await?;
        }
        Ok(())
    }
}
