//! What a message is made of, counted before anything is built of it: an empty part takes two bytes on the wire and a hundred
//! times as much in memory.

use bytes::Buf as _;
use domain::problem::ProblemCode;
use prost_reflect::{Kind, MessageDescriptor};
use tonic::Status;
use tonic::codec::{Codec, DecodeBuf, Decoder};
use tonic_prost::ProstCodec;

use crate::proto::{FromWorker, ToWorker};
use crate::status;

/// Messages up to this size are built as they are: whatever they are made of is little.
const UNCOUNTED_BYTES_MAX: usize = 64 * 1024;

/// The most fields of a message, those of its parts included: more than the largest batch has.
const FIELDS_MAX: usize = 500_000;

/// How deep parts are looked at. Whoever builds the message stops there as well.
const DEPTH_MAX: u32 = 100;

/// Refuses a message that is made of too much. What is no message at all is left to whoever reads it.
pub(crate) fn check(message: &MessageDescriptor, bytes: &[u8]) -> Result<(), Status> {
    let mut left = FIELDS_MAX;
    if bytes.len() <= UNCOUNTED_BYTES_MAX || count(message, bytes, &mut left, DEPTH_MAX).is_some() {
        return Ok(());
    }
    let detail = format!("The message is invalid: expected at most {FIELDS_MAX} fields in all of its parts.");
    Err(status::of_problem(engine::Problem::new(422, ProblemCode::Invalid, detail)))
}

/// Takes the fields off those that are left; `None` where they are more.
fn count(message: &MessageDescriptor, mut bytes: &[u8], left: &mut usize, depth: u32) -> Option<()> {
    while !bytes.is_empty() {
        *left = left.checked_sub(1)?;
        let Some((number, content)) = next_field(&mut bytes) else {
            return Some(());
        };
        let kind = message.get_field(number).map(|field| field.kind());
        match kind {
            Some(Kind::Message(part)) if depth > 0 => count(&part, content, left, depth - 1)?,
            Some(Kind::Message(_) | Kind::String | Kind::Bytes) | None => {}
            // A list of numbers, each of which takes a byte or more.
            Some(_) => *left = left.checked_sub(content.len())?,
        }
    }
    Some(())
}

/// The number of the next field, and its content where that has a length. `None` where it cannot be read.
fn next_field<'a>(bytes: &mut &'a [u8]) -> Option<(u32, &'a [u8])> {
    let key = varint(bytes)?;
    let number = u32::try_from(key >> 3).ok()?;
    let length = match key & 7 {
        0 => {
            varint(bytes)?;
            return Some((number, &[]));
        }
        1 => 8,
        2 => usize::try_from(varint(bytes)?).ok()?,
        5 => 4,
        _ => return None,
    };
    let (content, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some((number, if key & 7 == 2 { content } else { &[] }))
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

// Messages of workers' streams.

type Inner = ProstCodec<ToWorker, FromWorker>;

/// Reads what workers send, and writes what they get.
pub(crate) struct WorkerCodec {
    from_worker: MessageDescriptor,
    inner: Inner,
}

impl WorkerCodec {
    pub(crate) fn reading(from_worker: MessageDescriptor) -> Self {
        Self { from_worker, inner: Inner::default() }
    }
}

/// Reads.
pub(crate) struct WorkerDecoder {
    from_worker: MessageDescriptor,
    inner: <Inner as Codec>::Decoder,
}

impl Codec for WorkerCodec {
    type Encode = ToWorker;
    type Decode = FromWorker;
    type Encoder = <Inner as Codec>::Encoder;
    type Decoder = WorkerDecoder;

    fn encoder(&mut self) -> Self::Encoder {
        self.inner.encoder()
    }

    fn decoder(&mut self) -> WorkerDecoder {
        WorkerDecoder { from_worker: self.from_worker.clone(), inner: self.inner.decoder() }
    }
}

impl Decoder for WorkerDecoder {
    type Item = FromWorker;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<FromWorker>, Status> {
        // A message is in one piece.
        check(&self.from_worker, buffer.chunk())?;
        self.inner.decode(buffer)
    }
}

#[cfg(test)]
mod tests {
    use prost::Message as _;
    use tonic::Code;

    use super::*;
    use crate::contract::Contract;
    use crate::proto::from_worker::Message;
    use crate::proto::{CompleteJobsRequest, Completion, LogLine};

    fn report(jobs: Vec<Completion>) -> Vec<u8> {
        let complete = CompleteJobsRequest { jobs, ..CompleteJobsRequest::default() };
        FromWorker { number: 1, message: Some(Message::Complete(complete)) }.encode_to_vec()
    }

    fn is_taken(bytes: &[u8]) -> bool {
        match check(Contract::read().message_of_worker(), bytes) {
            Ok(()) => true,
            Err(status) => {
                assert_eq!(status.code(), Code::InvalidArgument);
                false
            }
        }
    }

    #[test]
    fn a_message_of_very_many_empty_parts_is_refused() {
        assert!(is_taken(&report(vec![Completion::default(); 400_000])));
        assert!(!is_taken(&report(vec![Completion::default(); 600_000])));
        let lines = vec![LogLine::default(); 1_000];
        let nested = vec![Completion { logs: lines, ..Completion::default() }; 600];
        assert!(!is_taken(&report(nested)), "parts of parts count");
    }

    #[test]
    fn large_reports_are_taken_and_other_bytes_are_left_to_their_reader() {
        let line = LogLine { level: "info".to_owned(), message: "a line".to_owned(), ..LogLine::default() };
        let job = Completion {
            id: "job_0193456789ab7def8123456789abcdef".to_owned(),
            lease_token: "0193456789ab7def8123456789abcdef".to_owned(),
            result: vec![b'1'; 200].into(),
            logs: vec![line; 10],
            ..Completion::default()
        };
        assert!(is_taken(&report(vec![job; 10_000])));
        assert!(is_taken(&report(vec![Completion {
            result: vec![0; 8 << 20].into(),
            ..Completion::default()
        }])));
        for bytes in [
            vec![0xff; 100_000],
            vec![0x0b; 100_000],
            [vec![0x2a, 0xff, 0xff, 0x7f], vec![0; 100_000]].concat(),
        ] {
            assert!(is_taken(&bytes));
        }
    }
}
