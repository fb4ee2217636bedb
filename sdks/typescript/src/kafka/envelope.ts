// The value of a message: JSON, or the bytes of `trunkline.v1.JobOffer`, which never begin with a brace.
import { parseJson } from "../json.js";
import type { Json } from "../json.js";

/** The job of an offer, as it was published. */
export interface OfferedJob {
  id: string;
  jobType: string;
  leaseToken: string;
  [field: string]: Json;
}

const BRACE = 0x7b;
/** The field of `JobOffer` that is the job. */
const JOB = 4;
/** The fields of `OfferedJob` by their numbers. */
const TEXTS: Record<number, string> = {
  1: "id",
  2: "jobType",
  3: "tenant",
  4: "priority",
  6: "leaseToken",
  8: "idempotencyKey",
  10: "executionId",
  11: "nodeId",
  12: "workflow",
  13: "deadline",
  14: "traceparent",
};
const NUMBERS: Record<number, string> = { 5: "attempt", 9: "maxRetries" };
const DATA = 7;
/** How long fields are that have a fixed length, by their kind. */
const LENGTHS: Record<number, number | undefined> = { 1: 8, 5: 4 };

/** The job of an offer. Throws where the value is none. */
export function jobOf(value: Buffer): OfferedJob {
  const job = value[0] === BRACE ? (parseJson(value.toString()) as { job: OfferedJob }).job : decoded(value);
  if (typeof job.id !== "string" || typeof job.leaseToken !== "string" || typeof job.jobType !== "string") {
    throw new TypeError("the message is no offer");
  }
  return job;
}

function decoded(value: Buffer): OfferedJob {
  const job: Record<string, Json> = { attempt: 0, maxRetries: 0 };
  for (const [outer, message] of fieldsOf(value)) {
    if (outer !== JOB || typeof message === "number") continue;
    for (const [number, field] of fieldsOf(message)) {
      const text = TEXTS[number];
      const count = NUMBERS[number];
      if (typeof field === "number") {
        if (count !== undefined) job[count] = field;
      } else if (text !== undefined) {
        job[text] = field.toString();
      } else if (number === DATA) {
        job.data = parseJson(field.toString());
      }
    }
  }
  return job as OfferedJob;
}

/** The fields of a message in the wire format of Protocol Buffers; those that are neither numbers nor bytes are skipped. */
function* fieldsOf(message: Buffer): Generator<[number, number | Buffer]> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; factor < 2 ** 70; factor *= 128) {
      const byte = message.readUInt8(at);
      at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    throw new RangeError("a number is too long");
  };
  while (at < message.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    const kind = tag % 8;
    if (kind === 0) {
      yield [number, varint()];
      continue;
    }
    const length = kind === 2 ? varint() : LENGTHS[kind];
    if (length === undefined || at + length > message.length) throw new RangeError("the message is cut off");
    if (kind === 2) yield [number, message.subarray(at, at + length)];
    at += length;
  }
}
