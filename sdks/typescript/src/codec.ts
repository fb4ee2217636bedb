// What happens to payloads between the program and the wire.
import type { Json } from "./json.js";

/** What a payload belongs to. */
export interface PayloadInfo {
  kind: "data" | "result";
  jobType: string;
}

/**
 * Encrypts, compresses or stores payloads elsewhere: JSON in, JSON out. It applies to data and results of single jobs.
 * Jobs of workflows are not encoded, because expressions of the definition read them; `decode` receives everything, and
 * returns values that `encode` did not create unchanged. Both may return a promise.
 */
export interface PayloadCodec {
  encode(value: Json, info: PayloadInfo): Json;
  decode(value: Json, info: PayloadInfo): Json;
}

/** Leaves payloads as they are. */
export const plainCodec: PayloadCodec = { encode: (value) => value, decode: (value) => value };
