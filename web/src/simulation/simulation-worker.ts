// Makes dry runs beside the page, so that a long one does not hold it up. The server gives this file a policy of its own, by its
// name: only here may WebAssembly be compiled.
import { simulateBy } from './module';

export interface Ask {
  /** Where the module is. */
  url: string;
  request: string;
}

let instance: Promise<WebAssembly.Instance> | null = null;

async function load(url: string): Promise<WebAssembly.Instance> {
  return (await WebAssembly.instantiateStreaming(fetch(url))).instance;
}

async function answer({ url, request }: Ask): Promise<string | null> {
  try {
    instance ??= load(url);
    return simulateBy(await instance, request);
  } catch {
    // What a trap leaves behind is not used again.
    instance = null;
    return null;
  }
}

addEventListener('message', (event: MessageEvent<Ask>) => {
  void answer(event.data).then((found) => postMessage(found));
});
