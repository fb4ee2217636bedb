import { describe, expect, it } from 'vitest';
import { isReadAgain } from '../../src/api/live';
import { parseExactJson, writeJson } from '../../src/lib/json';
import { overridesOf, placeOf, searchOf } from '../../src/lib/limits';
import { nextPick, type Picked } from '../../src/lib/pick';
import { faultsOf, inputSchemaOf, readField } from '../../src/lib/schema';
import { instantOf } from '../../src/lib/time';

describe('the place of a limit', () => {
  const job = { tenant: 'acme', jobType: 'mail', workflow: 'order' };
  it('is the one that the reason names, and never a wider one', () => {
    const table: [string, object | null][] = [
      ['limit_global', {}],
      ['rate_tenant', { tenant: 'acme' }],
      ['limit_workflow', { workflow: 'order', tenant: 'acme' }],
      ['rate_job_type', { jobType: 'mail' }],
      ['limit_tenant_job_type', { jobType: 'mail', tenant: 'acme' }],
      ['rate_tenant_job_type', { jobType: 'mail', tenant: 'acme' }],
      ['limit_key', null],
      ['limit_rate_key', null],
      ['rate_key', null],
      ['no_worker', null],
    ];
    for (const [reason, place] of table) expect(placeOf(reason, job), reason).toEqual(place);
    expect(placeOf('limit_workflow', { tenant: 'acme', jobType: 'mail' })).toBeNull();
  });
  it('is where the page of limits shows it', () => {
    expect(searchOf({})).toEqual({});
    expect(searchOf({ tenant: 'acme' })).toEqual({ tenant: 'acme' });
    expect(searchOf({ jobType: 'mail', tenant: 'acme' })).toEqual({
      jobType: 'mail',
      jobTypeTenant: 'acme',
    });
    expect(searchOf({ workflow: 'order' })).toEqual({ workflow: 'order' });
  });
});

describe('overrides of limits', () => {
  it('are listed over all queues, and say how many there are', () => {
    const listed = overridesOf({
      'workflow-node': {
        overrides: [
          { tenant: 'b', maxConcurrent: null },
          { jobType: 'mail', rate: '1/1s' },
        ],
        overrideCount: 120,
      },
      'workflow-execution': { overrides: [{ tenant: 'acme', workflow: 'order', maxConcurrent: 3 }] },
      'workflow-webhook': {},
    });
    expect(listed.total).toBe(121);
    expect(
      listed.rows.map(({ tenant, workflow, jobType, queue }) => [tenant, workflow, jobType, queue]),
    ).toEqual([
      ['b', undefined, undefined, 'workflow-node'],
      [undefined, undefined, 'mail', 'workflow-node'],
      ['acme', 'order', undefined, 'workflow-execution'],
    ]);
    expect(new Set(listed.rows.map(({ id }) => id)).size).toBe(3);
    expect(listed.rows[0]!.maxConcurrent).toBeNull();
    expect(overridesOf({})).toEqual({ rows: [], total: 0 });
  });
});

describe('what is read again', () => {
  const query = (frozen: boolean, status: 'error' | 'success', data?: unknown) =>
    ({ queryKey: ['/v1/jobs', {}], meta: { frozen }, state: { status, data } }) as never;
  const changes = (all: boolean, ...prefixes: string[]) => ({
    all,
    prefixes: new Set(prefixes),
    executions: new Set<string>(),
  });
  it('are lists whose rows never came, once the server is back', () => {
    expect(isReadAgain(query(true, 'error'), changes(true))).toBe(true);
    expect(isReadAgain(query(true, 'error'), changes(false, '/v1/jobs'))).toBe(false);
    expect(isReadAgain(query(true, 'success', {}), changes(true))).toBe(false);
    // A next page that failed leaves the rows where they are.
    expect(isReadAgain(query(true, 'error', {}), changes(true))).toBe(false);
    expect(isReadAgain(query(false, 'success', {}), changes(false, '/v1/jobs'))).toBe(true);
    expect(isReadAgain(query(false, 'success', {}), changes(false, '/v1/workers'))).toBe(false);
  });
});

describe('picked rows', () => {
  const all = ['a', 'b', 'c', 'd', 'e'];
  const none: Picked = { ids: new Set(), last: null };
  const ids = (picked: Picked) => [...picked.ids].sort();
  it('are picked one by one, or all from the last one on', () => {
    const b = nextPick(none, 'b');
    expect(ids(b)).toEqual(['b']);
    const range = nextPick(b, 'd', all);
    expect(ids(range)).toEqual(['b', 'c', 'd']);
    expect(ids(nextPick(range, 'c', all))).toEqual(['b']);
    expect(ids(nextPick(range, 'b'))).toEqual(['c', 'd']);
    expect(ids(nextPick(none, 'd', all))).toEqual(['d']);
  });
});

describe('numbers as they were written', () => {
  it('are kept by forms, and judged by the schema', () => {
    expect(writeJson(readField({ kind: 'number' }, '12.50'))).toBe('12.50');
    expect(writeJson(parseExactJson('{"a":1.0,"b":9007199254740993}'))).toBe(
      '{"a":1.0,"b":9007199254740993}',
    );
    const schema = parseExactJson('{"type":"object","properties":{"a":{"type":"number","minimum":2.0}}}');
    const faults = (text: string) => faultsOf(parseExactJson(text), schema as never).length;
    expect(faults('{"a":2.0}')).toBe(0);
    expect(faults('{"a":1.0}')).toBeGreaterThan(0);
  });
  it('are those of the input that a workflow takes', () => {
    expect(inputSchemaOf({ input: { type: 'object' } })).toEqual({ type: 'object' });
    expect(inputSchemaOf({ nodes: [] })).toBeNull();
    expect(inputSchemaOf(undefined)).toBeNull();
  });
});

describe('a time that somebody enters', () => {
  it('is read in the zone that times are shown in', () => {
    const table: [string, string, string | null][] = [
      ['2026-01-05T00:00', 'UTC', '2026-01-05T00:00:00.000Z'],
      ['2026-01-05T00:00', 'Asia/Tokyo', '2026-01-04T15:00:00.000Z'],
      ['2026-01-05T00:00', 'America/New_York', '2026-01-05T05:00:00.000Z'],
      // The day before and the day after a change of clocks, and an hour after it.
      ['2026-03-28T12:00', 'Europe/Berlin', '2026-03-28T11:00:00.000Z'],
      ['2026-03-29T12:00', 'Europe/Berlin', '2026-03-29T10:00:00.000Z'],
      ['2026-03-29T03:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
      ['2026-10-25T03:30', 'Europe/Berlin', '2026-10-25T02:30:00.000Z'],
      ['', 'UTC', null],
    ];
    for (const [shown, zone, at] of table) expect(instantOf(shown, zone), `${shown} ${zone}`).toBe(at);
    const local = new Date(2026, 5, 1, 9, 30).toISOString();
    expect(instantOf('2026-06-01T09:30', undefined)).toBe(local);
  });
});
