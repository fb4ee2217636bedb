//! Several server processes on one PostgreSQL database.

mod frozen;
mod limits;
mod roles;
