// The payload of every job: about 110 bytes of JSON, the same for all peers.

/** How many jobs one call of a bulk enqueue takes. */
export const BULK = 1000;

/** The payload of one job. */
export function payload(number) {
  return {
    number,
    customer: "customer-0001",
    address: "12 Long Street, 10115 Berlin",
    amount: 129.5,
    ok: true,
  };
}

/** The numbers from 0 to below `count`, in pieces of `BULK`. */
export function* pieces(count) {
  for (let start = 0; start < count; start += BULK) {
    yield Array.from({ length: Math.min(BULK, count - start) }, (_, index) => start + index);
  }
}
