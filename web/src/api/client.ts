import { boot } from '../boot';
import { parseExactJson, parseJson, writeJson, type Json } from '../lib/json';
import type { components, paths } from './schema';

export type Schemas = components['schemas'];
export type Problem = Schemas['Problem'];

type Method = 'get' | 'post' | 'put' | 'delete';
type Operation<P extends keyof paths, M extends Method> = Exclude<paths[P][M], undefined>;
type JsonOf<R> = R extends { content: { 'application/json': infer T } } ? T : never;
type ResponsesOf<O> = O extends { responses: infer R } ? R : never;
type SuccessOf<R> = { [S in keyof R]: S extends 200 | 201 | 202 ? JsonOf<R[S]> : never }[keyof R];

/** The paths that have a method. */
export type PathsWith<M extends Method> = {
  [P in keyof paths]: paths[P][M] extends undefined ? never : P;
}[keyof paths];

/** What a call answers. */
export type Answer<P extends keyof paths, M extends Method> = SuccessOf<ResponsesOf<Operation<P, M>>>;

/** What a list holds. */
export type ItemOf<P extends keyof paths> = Answer<P, 'get'> extends { items: (infer I)[] } ? I : never;

export type QueryOf<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { parameters: { query?: infer Q } } ? Exclude<Q, undefined> : never;

type BodyOf<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { requestBody: { content: { 'application/json': infer B } } } ? B : undefined;

export interface Call<P extends keyof paths, M extends Method> {
  path?: Record<string, string | number>;
  query?: QueryOf<P, M>;
  body?: BodyOf<P, M>;
  /** A body that is sent as it is, such as YAML. */
  text?: { type: string; body: string };
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** An answer that is not a success. */
export class ApiError extends Error {
  readonly status: number;
  readonly problem: Problem;
  readonly retryAfter: number | null;

  constructor(status: number, problem: Problem, retryAfter: number | null) {
    super(problem.detail || problem.title);
    this.status = status;
    this.problem = problem;
    this.retryAfter = retryAfter;
  }
}

/** Answers of thousands of small numbers, which the browser's own parser reads in a fraction of the time. */
const PLAIN: ReadonlySet<string> = new Set(['/v1/stats']);

/**
 * Answers with definitions, which are run and compared, and with payloads, which are shown and changed: there `1.0` is no `1`. Their
 * other numbers are integers.
 */
const EXACT: ReadonlySet<string> = new Set([
  '/v1/workflows/{name}',
  '/v1/workflows/{name}/versions/{version}',
  '/v1/jobs/{id}',
  '/v1/jobs/{id}/data',
  '/v1/dead-letters/{id}',
  '/v1/dead-letters/{id}/data',
  '/v1/executions/{id}',
  '/v1/executions/{id}/input',
  '/v1/executions/{id}/nodes',
  '/v1/executions/{id}/nodes/{nodeId}',
  '/v1/schedules/{id}',
  '/v1/webhooks/{id}',
  '/v1/user-tasks/{executionId}/{nodeId}',
]);

let csrfToken: string | null = null;
let onSignedOut: (error: ApiError) => void = () => undefined;

/** The token that mutating calls of the session repeat. */
export function setCsrfToken(token: string | null): void {
  csrfToken = token;
}

/** What to do when the server no longer knows the caller. */
export function whenSignedOut(listener: (error: ApiError) => void): void {
  onSignedOut = listener;
}

/** The address of a call, below the base path. */
export function addressOf(
  path: string,
  values: Record<string, string | number> = {},
  query: Record<string, unknown> = {},
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(values[name] ?? '')),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  const text = search.toString();
  return `${boot.basePath}${filled}${text ? `?${text}` : ''}`;
}

/** Calls the REST interface. Fails with an ApiError. */
export async function call<P extends keyof paths, M extends Method>(
  method: M,
  path: P,
  request: Call<P, M> = {},
): Promise<Answer<P, M>> {
  const headers: Record<string, string> = { accept: 'application/json', ...request.headers };
  if (csrfToken && method !== 'get') headers['x-csrf-token'] = csrfToken;
  let body: string | undefined;
  if (request.text) {
    headers['content-type'] = request.text.type;
    body = request.text.body;
  } else if (request.body !== undefined) {
    headers['content-type'] = 'application/json';
    body = writeJson(request.body);
  }
  const address = addressOf(path, request.path, request.query as Record<string, unknown>);
  const response = await fetch(address, {
    method: method.toUpperCase(),
    headers,
    credentials: 'same-origin',
    ...(body === undefined ? {} : { body }),
    ...(request.signal ? { signal: request.signal } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw await failure(response, text);
  const isJson = response.headers.get('content-type')?.includes('json');
  const read = readerOf(path);
  return (isJson && text ? read(text) : text) as Answer<P, M>;
}

function readerOf(path: string): (text: string) => Json {
  if (PLAIN.has(path)) return (text) => JSON.parse(text) as Json;
  return EXACT.has(path) ? parseExactJson : parseJson;
}

/** Exchanges something for a session, outside the interface for programs. It comes as keys do. Fails with an ApiError. */
export async function exchange(path: string, secret: string): Promise<Json> {
  const response = await fetch(`${boot.basePath}${path}`, {
    method: 'POST',
    headers: { accept: 'application/json', authorization: `Bearer ${secret}` },
    credentials: 'same-origin',
  });
  const text = await response.text();
  if (!response.ok) throw await failure(response, text);
  return parseJson(text);
}

async function failure(response: Response, text: string): Promise<ApiError> {
  let problem: Problem;
  try {
    problem = parseJson(text) as unknown as Problem;
  } catch {
    const detail = `${response.status} ${response.statusText}`.trim();
    problem = { type: 'about:blank', title: detail, status: response.status, detail, code: 'unknown' };
  }
  const retryAfter = Number(response.headers.get('retry-after'));
  const error = new ApiError(response.status, problem, retryAfter > 0 ? retryAfter : null);
  if (response.status === 401) onSignedOut(error);
  return error;
}
