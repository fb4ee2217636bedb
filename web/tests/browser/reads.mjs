// What pages read: each call is one of the pairs of list and filter that are always fast, or bounded by what docs/console.md says.
import { readFileSync } from 'node:fs';

const textOf = (path) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** Lists whose filters have names in the store. */
const SEARCHED = {
  '/v1/jobs': 'Jobs',
  '/v1/executions': 'Executions',
  '/v1/dead-letters': 'DeadLetters',
  '/v1/archive': 'Archive',
};
/** What says which part of what is found is wanted, and in which form. */
const NO_FILTERS = ['limit', 'count', 'cursor', 'q', 'order', 'from', 'to'];

/** The pairs that the load test `find` measures. */
export function namedPairs() {
  const found = [];
  for (const line of textOf('shared/store/src/search.rs').split('\n')) {
    const match = /(?:pair|sorted)\("([\w-]+)", (\w+), "([^"]*)"/.exec(line);
    if (match)
      found.push({
        name: match[1],
        list: match[2],
        terms: words(match[3]),
        isOldest: line.includes('Order::Asc'),
      });
  }
  return found;
}

/** The calls that docs/console.md says the bound of. */
export function boundedCalls() {
  const part = textOf('docs/console.md').split('## What pages read')[1]?.split('\n## ')[0] ?? '';
  return new Set(
    part
      .split('\n')
      .filter((line) => line.startsWith('| `/'))
      .flatMap((line) => [...line.split('|')[1].matchAll(/`([^`]+)`/g)].map((match) => match[1])),
  );
}

/** The calls of the interface that read, as patterns. */
export function readCalls() {
  const { paths } = JSON.parse(textOf('services/api/openapi.json'));
  return Object.keys(paths)
    .filter((path) => paths[path].get)
    .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))
    .sort((one, other) => one.path.split('{').length - other.path.split('{').length);
}

const words = (text) => text.split(/\s+/).filter(Boolean);

/** The terms of a request, as a query of the list has them. */
function termsOf(list, search) {
  const terms = words(search.get('q') ?? '');
  for (const [name, value] of search) if (!NO_FILTERS.includes(name)) terms.push(`${name}:${value}`);
  const at = list === 'DeadLetters' ? 'died' : 'created';
  if (search.has('from') || search.has('to'))
    terms.push(`${at}:${search.get('from') ?? '0'}..${search.get('to') ?? 'now'}`);
  // The list shows open ones unless something else is asked for.
  if (list === 'DeadLetters' && !terms.some((term) => term.startsWith('status:'))) terms.push('status:open');
  return terms;
}

const patternOf = (term) => new RegExp(`^${term.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^,\\s]+')}$`);

/** What holds a read to a bounded part of the store: the name of a pair, or the call in docs/console.md. Nothing where nothing does. */
export function boundOf(url, { pairs, bounded, calls }) {
  const { pathname, searchParams } = new URL(url);
  const path = calls.find(({ pattern }) => pattern.test(pathname))?.path;
  const list = SEARCHED[path];
  if (list) {
    const terms = termsOf(list, searchParams);
    const isOldest = searchParams.get('order') === 'asc';
    const pair = pairs.find(
      (each) =>
        each.list === list &&
        each.isOldest === isOldest &&
        each.terms.length === terms.length &&
        each.terms.every((term) => terms.some((own) => patternOf(term).test(own))),
    );
    if (pair) return pair.name;
    // Of one execution there is a bounded number of jobs, whatever else is asked of them.
    return terms.some((term) => /^executionId:[^,]+$/.test(term)) ? 'jobs-of-execution' : undefined;
  }
  return bounded.has(path) ? path : undefined;
}

/** All that reads are judged by. */
export const bounds = () => ({ pairs: namedPairs(), bounded: boundedCalls(), calls: readCalls() });

/** Keeps what a page reads, until the returned function is called, which answers it. */
export function watchReads(page) {
  const urls = new Set();
  const see = (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() === 'GET' && /^\/(v1|readyz)/.test(pathname)) urls.add(request.url());
  };
  page.on('request', see);
  return () => {
    page.off('request', see);
    return urls;
  };
}

/** Keeps how long a page takes from its last answer until it stands. Runs in the page, before it. */
export function watchRendering() {
  const stands = () =>
    document.querySelector('main h1') && !document.querySelector('main [role=status].pulse');
  const observer = new window.MutationObserver(() => {
    if (!stands()) return;
    observer.disconnect();
    window.requestAnimationFrame(() => {
      const at = performance.now();
      const answers = performance
        .getEntriesByType('resource')
        .filter(({ name, responseEnd }) => name.includes('/v1/') && responseEnd > 0 && responseEnd <= at);
      window.rendered = at - Math.max(0, ...answers.map(({ responseEnd }) => responseEnd));
    });
  });
  observer.observe(document, { childList: true, subtree: true });
}
