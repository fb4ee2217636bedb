//! What the page calls. Requests and answers are JSON in memory that both sides see: the page asks for room, writes the request
//! there, has it simulated, and reads the answer.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::run::answer_to;

static REQUEST: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static ANSWER: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn locked(bytes: &'static Mutex<Vec<u8>>) -> MutexGuard<'static, Vec<u8>> {
    bytes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes room for a request of so many bytes, and answers where it is.
#[expect(unsafe_code, reason = "an export has a name that no other may have")]
#[unsafe(no_mangle)]
pub extern "C" fn request(bytes: usize) -> *mut u8 {
    let mut request = locked(&REQUEST);
    *request = vec![0; bytes];
    request.as_mut_ptr()
}

/// Simulates the request, and answers how many bytes the answer has; 0 where the server has to be asked.
#[expect(unsafe_code, reason = "an export has a name that no other may have")]
#[unsafe(no_mangle)]
pub extern "C" fn simulate() -> usize {
    let request = std::mem::take(&mut *locked(&REQUEST));
    let mut answer = locked(&ANSWER);
    *answer = answer_to(&request).unwrap_or_default();
    answer.len()
}

/// Where the answer is.
#[expect(unsafe_code, reason = "an export has a name that no other may have")]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    locked(&ANSWER).as_ptr()
}

/// The seeds of hash maps. Fixed ones: a page that chooses its input to slow itself down harms nobody else, and nothing else here
/// is drawn.
#[expect(unsafe_code, reason = "getrandom calls a function of this name with a pointer")]
#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(to: *mut u8, bytes: usize) -> Result<(), getrandom::Error> {
    const SEED: u8 = 0x5a;
    // SAFETY: the caller owns `bytes` bytes at `to`, which need not be initialized.
    unsafe { std::ptr::write_bytes(to, SEED, bytes) };
    Ok(())
}
