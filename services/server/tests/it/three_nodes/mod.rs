//! Several server processes on one PostgreSQL database.

mod alerts;
mod frozen;
mod limits;
mod roles;
mod scaling;
