//! `advance` by table and by property. `fixture` plays the shell, and checks what holds after every event.

mod failure;
mod fixture;
mod order;
mod properties;
mod resume;
