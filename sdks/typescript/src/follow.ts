// Changes over connections that break: opened again, with a word that something may have been missed.
import { isTransient, retryDelayMs } from "./backoff.js";
import { sleep } from "./duration.js";
import { ConnectionError, TimeoutError } from "./errors.js";
import type { ChangeEvent } from "./generated/models.js";

/** Options of following changes. */
export interface FollowOptions {
  /** Ends it. */
  signal?: AbortSignal | undefined;
  /** Called once, when the first connection is open. */
  opened?: () => void;
}

/**
 * The changes of one connection after another. `once` opens a connection: it gives `undefined` when that is open, then
 * changes, and throws or returns when it breaks.
 */
export async function* followed(
  once: () => AsyncIterable<ChangeEvent | undefined>,
  { signal, opened }: FollowOptions,
): AsyncGenerator<ChangeEvent> {
  let failures = 0;
  let wasOpened = false;
  while (!signal?.aborted) {
    let failure: unknown = new ConnectionError("events: the server ended the stream");
    try {
      for await (const event of once()) {
        failures = 0;
        if (event) {
          yield event;
        } else if (wasOpened) {
          yield { kind: "resync" };
        } else {
          wasOpened = true;
          opened?.();
        }
      }
    } catch (error) {
      failure = error;
    }
    if (signal?.aborted) return;
    if (!isTransient(failure) && !(failure instanceof TimeoutError)) throw failure;
    await sleep(retryDelayMs(failure, failures, Math.random()), signal);
    failures += 1;
  }
}
