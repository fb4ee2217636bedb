/** What the module offers; see services/console/simulation/src/exports.rs. */
interface Exports {
  memory: WebAssembly.Memory;
  request: (bytes: number) => number;
  simulate: () => number;
  answer: () => number;
}

/** Has the module simulate a request. Null where the server has to be asked. Fails where the module has ended in a trap. */
export function simulateBy(instance: WebAssembly.Instance, request: string): string | null {
  const module = instance.exports as unknown as Exports;
  const bytes = new TextEncoder().encode(request);
  const at = module.request(bytes.length);
  new Uint8Array(module.memory.buffer, at, bytes.length).set(bytes);
  const length = module.simulate();
  if (length === 0) return null;
  return new TextDecoder().decode(new Uint8Array(module.memory.buffer, module.answer(), length));
}
