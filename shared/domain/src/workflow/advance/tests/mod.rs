//! `advance` by table and by property. `fixture` plays the shell, and checks what holds after every event.

mod attributes;
mod bounds;
mod children;
mod failure;
mod fixture;
mod late;
mod map;
mod model;
mod order;
mod properties;
mod resume;
mod undo;
mod waits;
