// Calls that are made again while that can help.
import { isTransient, retryDelayMs } from "./backoff.js";
import { sleep } from "./duration.js";
import { ConnectionError } from "./errors.js";
import type { CallOptions, CallRequest } from "./transport.js";

// A server that refuses connections is given up after about six seconds, one that is only busy when the time is up.
const CONNECTION_TRIES_MAX = 6;

/** Makes a call by `once`, which gets what is left of the time, until it succeeds, cannot, or the time is up. */
export async function repeated<T>(
  request: CallRequest,
  options: CallOptions,
  timeoutMs: number,
  once: (key: string | undefined, leftMs: number) => Promise<T>,
): Promise<T> {
  const ends = Date.now() + (options.timeoutMs ?? timeoutMs);
  // The same key for all tries makes them one call for the server.
  const key = request.keyed ? (options.idempotencyKey ?? crypto.randomUUID()) : undefined;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await once(key, ends - Date.now());
    } catch (error) {
      if (options.retry === false || options.signal?.aborted || !mayRepeat(request, error, attempt)) throw error;
      const delay = retryDelayMs(error, attempt, Math.random());
      if (Date.now() + delay >= ends) throw error;
      await sleep(delay, options.signal);
      // The signal may have been aborted meanwhile.
      if (options.signal?.aborted) throw error;
    }
  }
}

/** Reports carry a lease token, and calls with a key are recognised: both may be repeated after a broken connection. */
function mayRepeat(request: CallRequest, error: unknown, attempt: number): boolean {
  if (!isTransient(error)) return false;
  if (!(error instanceof ConnectionError)) return true;
  const safe = request.method === "GET" || request.keyed === true || request.path.startsWith("/v1/jobs/");
  return safe && attempt + 1 < CONNECTION_TRIES_MAX;
}
