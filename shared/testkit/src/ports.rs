//! Ports for programs that tests start, below the range from which the kernel takes ports for outgoing connections: one that
//! is started again finds its port free.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};

const FIRST: u32 = 10_000;
const COUNT: u32 = 9_000;

/// Processes that run at the same time begin at different places, and those with numbers close to each other far apart: the golden
/// ratio of all.
const APART: u32 = 5_563;

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A port of 127.0.0.1 that was free a moment ago and that nobody else in this process gets.
///
/// # Panics
/// If none is free.
pub fn free_port() -> u16 {
    for _ in 0..COUNT {
        let step = NEXT.fetch_add(1, Ordering::Relaxed);
        let port = FIRST + (std::process::id().wrapping_mul(APART) + step) % COUNT;
        let port = u16::try_from(port).expect("the range ends below 65536");
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return port;
        }
    }
    panic!("no port of 127.0.0.1 from {FIRST} to {} is free", FIRST + COUNT);
}
