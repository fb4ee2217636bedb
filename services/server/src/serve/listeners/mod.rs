//! Sockets, and the connections on them: how many there may be, how long they may take to say what they want, and TLS.

mod accept;
mod caps;
mod connection;
mod linger;
mod listen;
mod tls;

pub(super) use accept::served_max;
pub(super) use caps::{CapOptions, LiveCaps};
pub(super) use listen::{ListenerOptions, bind, serve};
pub(super) use tls::{TlsConfig, TlsFiles, check_files, install_provider, watched};

#[cfg(test)]
mod tests;
