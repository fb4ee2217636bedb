/** What the server wrote into the index page. */
export interface Boot {
  basePath: string;
  version: string;
  database: string;
  nonce: string;
  /** What the button of the identity provider says; null where there is none. */
  signInLabel: string | null;
  /** The limits of dry runs, the same as the server's; null where it names none. */
  simulation: Record<string, number> | null;
  /** What worker time costs; null where nobody said it. */
  price: { workerHour: number; currency: string } | null;
}

const EMPTY: Boot = {
  basePath: '',
  version: '',
  database: '',
  nonce: '',
  signInLabel: null,
  simulation: null,
  price: null,
};

function read(): Boot {
  const text = globalThis.document?.getElementById('boot')?.textContent ?? '';
  try {
    return { ...EMPTY, ...(JSON.parse(text) as Partial<Boot>) };
  } catch {
    return EMPTY;
  }
}

export const boot = read();
