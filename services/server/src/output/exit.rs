//! Exit codes. They are listed in the help of `trunkline` and in docs/cli.md, and never change their meaning.

use crate::client::ClientError;

/// How a command ended, where it did not succeed. Arguments that make no sense end with 2, which is clap's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Anything that has no code of its own.
    Error = 1,
    /// The time to wait was over before the end, a bulk operation waits to be resumed, or a delivery was parked.
    Unfinished = 3,
    /// The command worked, and what it started failed: an execution, a bulk operation, some of its objects.
    Failed = 4,
    /// What is named is not there.
    NotFound = 5,
    /// The key is missing, unknown, or may not do this.
    Denied = 6,
    /// There was no answer.
    Unreachable = 7,
}

impl Exit {
    /// The code of an error: that of the call that failed, wherever it is in the chain.
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        match error.chain().find_map(|cause| cause.downcast_ref::<ClientError>()) {
            Some(ClientError::Unreachable { .. }) => Self::Unreachable,
            Some(ClientError::Problem { status: 404, .. }) => Self::NotFound,
            Some(ClientError::Problem { status: 401 | 403, .. }) => Self::Denied,
            _ => Self::Error,
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;
    use serde_json::Value;

    use super::Exit;
    use crate::client::ClientError;

    #[test]
    fn a_refused_call_decides_wherever_it_is_in_the_chain() {
        let refused = |status| {
            let problem = ClientError::Problem { status, problem: Value::Null };
            Exit::of(&Err::<(), _>(problem).context("cannot read the file").expect_err("an error"))
        };
        assert_eq!([refused(404), refused(401), refused(403)], [Exit::NotFound, Exit::Denied, Exit::Denied]);
        assert_eq!([refused(400), Exit::of(&anyhow::anyhow!("no file"))], [Exit::Error; 2]);
    }
}
