//! What the store promises where the answer of PostgreSQL is late, lost or never comes.

mod fixture;

mod elsewhere;
mod hang_ups;
mod lost;
mod silent;
