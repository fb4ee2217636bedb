//! Access: keys, identities, sessions, tenants and idempotency keys.

mod authenticate;
mod bootstrap;
mod idempotency;
mod identity;
mod key_uses;
mod keys;
mod rotate;
mod seal;
mod secret_text;
mod sessions;
mod set_up;
mod sign_in;
mod tenants;

pub(crate) use authenticate::KeyCache;
pub use identity::{IdentityFault, IdentityPolicy, IdentityProvider, SignInRequest};
pub(crate) use key_uses::KeyUses;
pub use keys::KeyRequest;
pub use secret_text::SecretText;
pub(crate) use sessions::SessionKey;
pub use sessions::{NewSession, Session};
pub use set_up::SetUp;
pub use sign_in::{FinishedSignIn, SignInError, StartedSignIn};
