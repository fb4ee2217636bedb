// What happens to payloads between the program and the wire.
import type { Json } from "./json.js";

/** Of what a payload is. */
export interface PayloadInfo {
  kind: "data" | "result";
  jobType: string;
}

/**
 * Encrypts, compresses or stores payloads elsewhere: JSON in, JSON out. Data and results of single jobs go through it. Jobs of
 * workflows are left alone on the way out, because expressions of the definition read them; `decode` sees everything
 * and gives back unchanged what `encode` did not make. Either may give a promise.
 */
export interface PayloadCodec {
  encode(value: Json, info: PayloadInfo): Json;
  decode(value: Json, info: PayloadInfo): Json;
}

/** Leaves payloads as they are. */
export const plainCodec: PayloadCodec = { encode: (value) => value, decode: (value) => value };
