//! Messages of PostgreSQL's protocol, as far as faults distinguish them.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// More than any message of a test. A longer one is a fault of the reader.
const LENGTH_MAX: usize = 256 << 20;

/// The length of a message that begins a session with a request for TLS, or for encryption by GSSAPI.
const REQUEST_LENGTH: usize = 8;

/// The numbers of those two requests.
const ENCRYPTION_REQUESTS: [u32; 2] = [80_877_103, 80_877_104];

/// One message with its head.
#[derive(Debug)]
pub(crate) struct Framed {
    bytes: Vec<u8>,
    /// Where the body begins: after the type and the length, or after the length alone where there is no type.
    body: usize,
}

impl Framed {
    /// Reads the next message; `None` at the end of the stream. The first one of a client has no type.
    pub(crate) async fn read(
        from: &mut (impl AsyncRead + Unpin),
        has_type: bool,
    ) -> io::Result<Option<Self>> {
        let body = if has_type { 5 } else { 4 };
        let mut bytes = vec![0; body];
        match from.read_exact(&mut bytes).await {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        }
        let length = &bytes[body - 4..];
        let length = u32::from_be_bytes([length[0], length[1], length[2], length[3]]) as usize;
        if !(4..LENGTH_MAX).contains(&length) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a message without a length"));
        }
        bytes.resize(body + length - 4, 0);
        from.read_exact(&mut bytes[body..]).await?;
        Ok(Some(Self { bytes, body }))
    }

    /// The whole message.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether a client asks for encryption, to which the server answers by a single byte.
    pub(crate) fn asks_for_encryption(&self) -> bool {
        let body = self.body();
        self.bytes.len() == REQUEST_LENGTH
            && self.kind().is_none()
            && ENCRYPTION_REQUESTS.iter().any(|number| body == number.to_be_bytes())
    }

    /// The text of the statement that is parsed or run.
    pub(crate) fn statement(&self) -> Option<&[u8]> {
        match self.kind()? {
            b'Q' => Some(self.body()),
            // The name of the prepared statement comes first.
            b'P' => self.body().splitn(2, |byte| *byte == 0).nth(1),
            _ => None,
        }
    }

    /// The tag of the command that was carried out.
    pub(crate) fn tag(&self) -> Option<&[u8]> {
        (self.kind()? == b'C').then(|| self.body())
    }

    /// Whether the server warns that there is a transaction already.
    pub(crate) fn is_nested_begin(&self) -> bool {
        let is_code = |field: &[u8]| field == b"C25001";
        self.kind() == Some(b'N') && self.body().split(|byte| *byte == 0).any(is_code)
    }

    fn kind(&self) -> Option<u8> {
        (self.body == 5).then(|| self.bytes[0])
    }

    fn body(&self) -> &[u8] {
        &self.bytes[self.body..]
    }
}
