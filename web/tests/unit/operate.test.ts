import { describe, expect, it } from 'vitest';
import { estimateStart } from '../../src/lib/estimate';
import { schemaOf } from '../../src/lib/infer';
import { parseExactJson, parseJson, writeJson } from '../../src/lib/json';
import { matches } from '../../src/lib/match';
import { costOf } from '../../src/lib/price';
import { perMinute, raised, raisedRate, rateText, readRate } from '../../src/lib/rate';
import { faultsOf } from '../../src/lib/schema';
import { chosen, isTime, newestTimes, RANGES, seriesOf, sumOf, type Point } from '../../src/lib/stats';
import { compact, msOf } from '../../src/lib/time';
import { filtersOfView, parseQuery, queryOfView } from '../../src/lib/views';
import { whatIf } from '../../src/lib/what-if';
import { filterOf } from '../../src/pages/batches/operations';

const EMPTY: Point = {
  at: '2026-11-26T10:00:00.000Z',
  enqueued: 0,
  claimed: 0,
  completed: 0,
  failed: 0,
  deadLettered: 0,
  queued: 0,
  processing: 0,
};
const minute = (index: number, figures: Partial<Point>): Point => ({
  ...EMPTY,
  at: new Date(Date.parse(EMPTY.at) + index * 60_000).toISOString(),
  ...figures,
});

describe('lists that are here as a whole', () => {
  const facts = { name: 'Nightly-Report', types: ['a.b', 'c'], tenant: null };
  it('are filtered by values, patterns and several of them', () => {
    const table: [Record<string, string>, boolean][] = [
      [{}, true],
      [{ name: 'nightly-report' }, true],
      [{ name: 'nightly' }, false],
      [{ name: 'night*' }, true],
      [{ name: '*REPORT', types: 'c' }, true],
      [{ types: 'a.b' }, true],
      [{ types: 'aXb' }, false],
      [{ types: 'x,c' }, true],
      [{ types: '(' }, false],
      [{ tenant: 'acme' }, false],
      [{ elsewhere: 'ignored' }, true],
    ];
    for (const [filters, expected] of table)
      expect(matches(facts, filters, ['name', 'types', 'tenant']), JSON.stringify(filters)).toBe(expected);
  });
});

describe('exact JSON', () => {
  it('writes each number as it was read', () => {
    const text = '{"a":1.0,"b":1,"c":1e3,"d":0.1,"e":-0,"f":9007199254740993}';
    expect(writeJson(parseExactJson(text))).toBe(text);
    expect((parseExactJson('{"n":250}') as { n: unknown }).n).toBe(250);
  });
});

describe('costs', () => {
  it('follow from worker time, with more digits where they are small', () => {
    const cost = costOf({ workerHour: 0.5, currency: 'EUR' });
    expect([cost(0), cost(3_600), cost(7_200_000), cost(1)]).toEqual([
      '0.00 EUR',
      '0.50 EUR',
      '1,000.00 EUR',
      '0.000139 EUR',
    ]);
    expect(costOf({ workerHour: 2, currency: '' })(1_800)).toBe('1.00');
  });
});

describe('saved views', () => {
  const names = ['status', 'jobType', 'createdAfter', 'from', 'to', 'state'];
  it('hold filters, instants and the query of a list that is searched', () => {
    const filters = {
      status: 'FAILED,CANCELLED',
      jobType: 'send mail',
      createdAfter: '2026-11-01',
      from: 'now-1h',
      q: '-tag:vip  data.id:1',
      node: 'kept elsewhere',
    };
    const q = queryOfView('jobs', filters, names);
    expect(q).toBe(
      'status:FAILED,CANCELLED jobType:"send mail" created:>=2026-11-01 created:>=now-1h -tag:vip data.id:1',
    );
    expect(filtersOfView(q, 'asc', names)).toEqual({
      status: 'FAILED,CANCELLED',
      jobType: 'send mail',
      createdAfter: undefined,
      from: undefined,
      to: undefined,
      state: undefined,
      order: 'asc',
      q: 'created:>=2026-11-01 created:>=now-1h -tag:vip data.id:1',
    });
  });
  it('hold the filters of other lists as they are', () => {
    const q = queryOfView('audit', { from: '2026-11-01', status: 'open,done', state: 'ignored' }, names);
    expect(q).toBe('status:open,done from:2026-11-01 state:ignored');
    const { from, status, state } = filtersOfView(q, null, names);
    expect([from, status, state]).toEqual(['2026-11-01', 'open,done', 'ignored']);
  });
  it('values with quotes are read as they were written', () => {
    const q = queryOfView('jobs', { jobType: 'a "b" \\c' }, names);
    expect(parseQuery(q, names).filters).toEqual({ jobType: 'a "b" \\c' });
  });
  it('a value that holds a comma is no list of values', () => {
    expect(parseQuery('jobType:"a, b" status:A status:B', names)).toEqual({
      filters: { status: 'A' },
      rest: ['jobType:"a, b"', 'status:B'],
    });
  });
});

describe('filters of bulk operations', () => {
  it('list values that the address separates by commas', () => {
    expect(
      filterOf({ status: 'A,B', q: 'tag:a,b', executionId: 'exe_1', order: 'asc', tenant: undefined }),
    ).toEqual({
      status: ['A', 'B'],
      q: 'tag:a,b',
      executionId: 'exe_1',
    });
  });
});

describe('the form of data', () => {
  const schema = schemaOf([
    { id: 1, tags: ['a'], to: { name: 'x' } },
    { id: parseJson('9007199254740993123'), tags: [], to: { name: 'y', zip: null } },
  ]);
  it('is what all values have in common', () => {
    expect(schema).toEqual({
      type: 'object',
      required: ['id', 'tags', 'to'],
      properties: {
        id: { type: 'number' },
        tags: { type: 'array', items: { type: 'string' } },
        to: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string' }, zip: { type: 'null' } },
        },
      },
    });
  });
  it('finds what is missing and what has another type', () => {
    const faults = faultsOf({ id: '1', tags: [2], to: {} }, schema);
    expect(faults.map(({ pointer }) => pointer).sort()).toEqual(['/id', '/tags/0', '/to']);
    expect(faultsOf({ id: 2.5, tags: ['b'], to: { name: '' }, more: 1 }, schema)).toEqual([]);
  });
  it('says nothing without values', () => expect(schemaOf([])).toEqual({}));
});

describe('figures', () => {
  const points = [
    minute(0, { claimed: 4, queued: 2, waitP50: 10, waitP95: 20, waitP99: 30 }),
    minute(1, { claimed: 6 }),
  ];
  it('are lines with gaps', () => {
    const { at, values } = seriesOf(points, 'wait');
    expect(at[1]! - at[0]!).toBe(60);
    expect(values).toEqual([
      [10, null],
      [20, null],
      [30, null],
    ]);
    expect(sumOf(points, 'claimed')).toBe(10);
    expect(newestTimes(points)).toBe(points[0]);
    expect(newestTimes([])).toBeUndefined();
  });
  it('of whole jobs and executions are times', () => {
    const whole = [minute(0, { endToEndP50: 5, endToEndP95: 6, endToEndP99: 7 }), minute(1, {})];
    expect(seriesOf(whole, 'endToEnd').values).toEqual([
      [5, null],
      [6, null],
      [7, null],
    ]);
    expect(isTime('endToEnd')).toBe(true);
    expect(isTime('throughput')).toBe(false);
  });
  it('are chosen by the address', () => {
    expect(chosen(RANGES, 'month', 'day')).toBe('month');
    expect(chosen(RANGES, 'year', 'day')).toBe('day');
  });
  it('are short on an axis', () => {
    expect([0, 950, 1_200, 3_400_000].map(compact)).toEqual(['0', '950', '1.2k', '3.4M']);
    expect(['90s', '1h', '7d', '5 m', ''].map(msOf)).toEqual([90_000, 3_600_000, 604_800_000, null, null]);
  });
});

describe('what if', () => {
  // Ten minutes of 120 jobs each, which run for a second; then nothing comes.
  const run = { runP50: 1_000, runP95: 1_000, runP99: 1_000 };
  const points = Array.from({ length: 20 }, (_, index) =>
    minute(index, index < 10 ? { enqueued: 120, completed: 60, ...run } : {}),
  );
  it('one slot falls behind and catches up', () => {
    const result = whatIf(points, 1);
    expect(result.backlog[9]).toBe(600);
    expect(result.backlog[19]).toBe(0);
    expect(result.peak).toBe(600);
    expect(result.longestWaitMs).toBe(600_000);
    expect(result.busiest).toBe(1);
  });
  it('four slots never have a backlog, and are half in use', () => {
    expect(whatIf(points, 4)).toEqual({
      backlog: Array(20).fill(0),
      peak: 0,
      longestWaitMs: 0,
      busiest: 0.5,
    });
  });
  it('retries count as arrivals, dead letters do not', () => {
    const failing = [minute(0, { enqueued: 60, failed: 60, deadLettered: 20, ...run })];
    expect(whatIf(failing, 1).backlog).toEqual([40]);
  });
});

describe('rates', () => {
  it('are read and written', () => {
    const table: [string, unknown, number | null][] = [
      ['100/1m', '100/1m', 100],
      ['100 / m', '100/1m', 100],
      ['10/500ms', '10/500ms', 1_200],
      ['60/1h burst 5', { starts: 60, per: '1h', burst: 5 }, 1],
    ];
    for (const [text, rate, minutely] of table) {
      expect(readRate(text)).toEqual(rate);
      expect(perMinute(rate as never)).toBe(minutely);
      expect(readRate(rateText(rate as never))).toEqual(rate);
    }
    expect(readRate(' ')).toBeNull();
    expect(readRate('fast')).toBeUndefined();
  });
  it('are raised by a half', () => {
    expect(raised(1)).toBe(2);
    expect(raised(100)).toBe(150);
    expect(raisedRate('100/1m')).toBe('150/1m');
    expect(raisedRate({ starts: 3, per: '1s', burst: 1 })).toEqual({ starts: 5, per: '1s', burst: 1 });
  });
});

describe('the expected start', () => {
  const now = Date.parse('2026-11-26T12:00:00Z');
  const due = '2026-11-26T12:30:00Z';
  const points = [minute(0, { claimed: 3 }), minute(1, { claimed: 1 })];
  it('follows from what holds the job', () => {
    const of = (why: Parameters<typeof estimateStart>[0], known = points) =>
      estimateStart(why, due, known, now);
    expect(of({ reason: 'not_due' })).toEqual({ at: Date.parse(due), kind: 'due' });
    expect(of({ reason: 'rate_tenant', rank: 9, canStartAt: due })).toEqual({
      at: Date.parse(due),
      kind: 'bound',
    });
    expect(of({ reason: 'behind', rank: 3 })).toEqual({ at: now + 120_000, kind: 'guess', perMinute: 2 });
    expect(of({ reason: 'limit_global', rank: 0 })?.at).toBe(now + 30_000);
    expect(of({ reason: 'no_worker', rank: 3 })).toBeNull();
    expect(of({ reason: 'behind', rank: 3 }, [EMPTY])).toBeNull();
  });
});
