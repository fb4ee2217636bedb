// Errors of gRPC: a problem where the server refused the call, a connection error where no answer came.
import { status as Code } from "@grpc/grpc-js";
import type { ServiceError, StatusObject } from "@grpc/grpc-js";
import { fromBinary } from "@bufbuild/protobuf";
import { ConnectionError, ProblemError, TimeoutError } from "../errors.js";
import type { Fault } from "../generated/models.js";
import { messageNamed } from "./contract.js";

// The status that REST answers with, by that of gRPC: for what gRPC or a proxy says by itself.
const STATUSES: Partial<Record<Code, number>> = {
  [Code.INVALID_ARGUMENT]: 422,
  [Code.UNAUTHENTICATED]: 401,
  [Code.PERMISSION_DENIED]: 403,
  [Code.NOT_FOUND]: 404,
  [Code.FAILED_PRECONDITION]: 409,
  [Code.ABORTED]: 409,
  [Code.RESOURCE_EXHAUSTED]: 429,
  [Code.UNAVAILABLE]: 503,
  [Code.DEADLINE_EXCEEDED]: 504,
  [Code.UNIMPLEMENTED]: 501,
};
// What gRPC says by itself that no repetition can change.
const REFUSED = [
  Code.UNAUTHENTICATED,
  Code.PERMISSION_DENIED,
  Code.UNIMPLEMENTED,
  Code.INVALID_ARGUMENT,
  Code.RESOURCE_EXHAUSTED,
];

/** What the end of a call means. */
export function errorOf(ended: ServiceError | StatusObject, name: string): Error {
  const details = detailsOf(ended);
  const info = details["ErrorInfo"] as { reason: string; metadata: Record<string, string> } | undefined;
  const detail = ended.details;
  if (!info) {
    if (REFUSED.includes(ended.code)) {
      return new ProblemError({ status: STATUSES[ended.code] ?? 500, code: Code[ended.code].toLowerCase(), detail });
    }
    const reason = `${Code[ended.code].toLowerCase()}: ${detail}`;
    if (ended.code === Code.DEADLINE_EXCEEDED) return new TimeoutError(`${name}: no answer in time`);
    return new ConnectionError(`${name}: the server was not reached: ${reason}`);
  }
  const violations = (details["BadRequest"] as { fieldViolations: Violation[] } | undefined)?.fieldViolations ?? [];
  const errors: Fault[] = violations.map(({ field, description }) => ({ pointer: field, message: description }));
  const exact = Number(info.metadata["status"]);
  const status = Number.isInteger(exact) ? exact : (STATUSES[ended.code] ?? 500);
  const delay = (details["RetryInfo"] as { retryDelay?: Delay } | undefined)?.retryDelay;
  const retryAfterMs = delay ? Number(delay.seconds) * 1_000 + delay.nanos / 1e6 : undefined;
  return new ProblemError({ status, code: info.reason, detail, errors }, retryAfterMs);
}

interface Violation {
  field: string;
  description: string;
}

interface Delay {
  seconds: bigint;
  nanos: number;
}

/** The details by the last part of their types. */
function detailsOf(ended: ServiceError | StatusObject): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  try {
    for (const value of ended.metadata.get("grpc-status-details-bin")) {
      const status = fromBinary(messageNamed("trunkline.sdk.Status"), Buffer.from(value)) as unknown as {
        details: { typeUrl: string; value: Uint8Array }[];
      };
      for (const one of status.details) {
        const kind = one.typeUrl.slice(one.typeUrl.lastIndexOf(".") + 1);
        if (!["ErrorInfo", "BadRequest", "RetryInfo"].includes(kind)) continue;
        found[kind] = fromBinary(messageNamed(`trunkline.sdk.${kind}`), one.value);
      }
    }
  } catch {
    // Whatever else a proxy puts there is no detail.
  }
  return found;
}
