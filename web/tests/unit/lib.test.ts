import { describe, expect, it } from 'vitest';
import type { Schemas } from '../../src/api/client';
import { affectedBy } from '../../src/api/live';
import { bytesOf, hexDump, textOf } from '../../src/lib/bytes';
import { cli, curl, quoted } from '../../src/lib/commands';
import { layOut, through, WHOLE, zoomOf, zoomText } from '../../src/lib/gantt';
import { graphOf } from '../../src/lib/graph';
import { pageOfId, shortId } from '../../src/lib/ids';
import { incident, incidentOfLetter } from '../../src/lib/incident';
import { digitsOf, isRecord, parseJson, visible, writeJson } from '../../src/lib/json';
import { faultsOf, fieldsOf, hasExample, readField, startOf } from '../../src/lib/schema';
import { auditQueryOf, quotedValue, termsOf, withoutTerm, withTerm } from '../../src/lib/query';
import { previewRerun } from '../../src/lib/rerun';
import { momentAt } from '../../src/lib/steps';
import { parseQuery } from '../../src/lib/views';
import { duration, instant, isZone, relative } from '../../src/lib/time';
import { newestMove } from '../../src/pages/executions/follow';

describe('a dead letter as an incident', () => {
  it('says what failed where, without its payload', () => {
    const letter = {
      id: 'dlq_1',
      jobId: 'job_1',
      jobType: 'charge',
      tenant: 'acme',
      reason: 'retries_exhausted',
      fingerprint: '9f2c',
      attemptCount: 3,
      diedAt: '2026-11-26T10:00:00.000Z',
      error: { message: 'declined\n````', code: 'card' },
      data: { secret: 1 },
    };
    const text = incidentOfLetter(letter, 'http://x/1');
    expect(text).toContain('## charge: retries_exhausted');
    expect(text).toContain('[dlq_1](http://x/1)');
    expect(text).not.toContain('secret');
    expect(text).not.toContain('Execution');
  });
});

describe('bytes', () => {
  it('are text where they are UTF-8, also where a cut has split a character', () => {
    const bytes = new TextEncoder().encode('größer');
    expect(textOf(bytes)).toBe('größer');
    expect(textOf(bytes.subarray(0, 3))).toBeNull();
    expect(textOf(bytes.subarray(0, 3), true)).toBe('gr');
    expect(textOf(new Uint8Array([0xff, 0x00]))).toBeNull();
    expect(textOf(new Uint8Array())).toBe('');
  });
});

describe('examples of a schema', () => {
  it('are those of the whole or of a field', () => {
    expect(hasExample(null)).toBe(false);
    expect(hasExample({ type: 'object', properties: { a: { type: 'string' } } })).toBe(false);
    expect(hasExample({ examples: [] })).toBe(false);
    expect(hasExample({ examples: [{ a: 1 }] })).toBe(true);
    expect(hasExample({ properties: { a: { examples: ['x'] } } })).toBe(true);
  });
});

describe('JSON', () => {
  it('keeps the digits of every number', () => {
    const text = '{"big":9007199254740993123,"exact":0.1234567890123456789,"small":1.5,"list":[1,-0]}';
    const value = parseJson(text);
    expect(writeJson(value)).toContain('9007199254740993123');
    expect(writeJson(value)).toContain('0.1234567890123456789');
    expect(isRecord(value) && digitsOf(value['big'])).toBe('9007199254740993123');
    expect(isRecord(value) && value['small']).toBe(1.5);
    expect(isRecord(value) && isRecord(value['big'])).toBe(false);
  });
  it('shows what cannot be seen', () => {
    expect(visible('a\u0000b\u202ec')).toBe('a\\u0000b\\u202ec');
    expect(visible('line\nbreak\ttab')).toBe('line\nbreak\ttab');
  });
});

describe('times', () => {
  it('are written in at most two units', () => {
    const table: [number | null, string][] = [
      [0, '0ms'],
      [999, '999ms'],
      [1_500, '1.5s'],
      [59_999, '59.9s'],
      [60_000, '1m'],
      [3_660_000, '1h 1m'],
      [90_000_000, '1d 1h'],
      [null, '–'],
    ];
    for (const [ms, text] of table) expect(duration(ms)).toBe(text);
  });
  it('are relative to now', () => {
    expect(relative(1_000, 1_500)).toBe('now');
    expect(relative(0, 90_000)).toBe('1m 30s ago');
    expect(relative(7_200_000, 0)).toBe('in 2h');
  });
  it('are shown in a zone, across a change of clocks', () => {
    expect(instant('2026-03-29T00:59:59.000Z', 'Europe/Berlin')).toBe('2026-03-29 01:59:59');
    expect(instant('2026-03-29T01:00:00.123Z', 'Europe/Berlin', true)).toBe('2026-03-29 03:00:00.123');
    expect(isZone('Europe/Berlin')).toBe(true);
    expect(isZone('Nowhere/Land')).toBe(false);
  });
});

describe('commands', () => {
  it('survive the shell', () => {
    expect(quoted("it's")).toBe("'it'\\''s'");
    expect(quoted('$(rm -rf /)')).toBe("'$(rm -rf /)'");
    expect(cli('job', 'show', 'job_1')).toBe('trunkline job show job_1');
    expect(curl('POST', 'http://h/v1/x?a=1&b=2', '{"a":"\'"}')).toContain(`'{"a":"'\\''"}'`);
  });
});

describe('filters', () => {
  it('are read from text', () => {
    const { filters, rest } = parseQuery('status:QUEUED jobtype:"two words" what', ['status', 'jobType']);
    expect(filters).toEqual({ status: 'QUEUED', jobType: 'two words' });
    expect(rest).toEqual(['what']);
  });
});

describe('the timeline', () => {
  it('collapses times in which nothing ran', () => {
    const gantt = layOut([
      { id: 'a', from: 0, to: 1_000 },
      { id: 'b', from: 100_000, to: 101_000 },
    ]);
    expect(gantt.gaps).toHaveLength(1);
    expect(gantt.gaps[0]!.ms).toBe(99_000);
    expect(gantt.bars[0]!.width).toBeCloseTo(0.48);
    expect(gantt.bars[1]!.left).toBeCloseTo(0.52);
    expect(gantt.bars[1]!.left + gantt.bars[1]!.width).toBeCloseTo(1);
  });
  it('does not count what only waits as busy', () => {
    const gantt = layOut(
      [
        { id: 'a', from: 0, to: 1_000 },
        { id: 'timer', from: 1_000, to: 100_000 },
        { id: 'b', from: 100_000, to: 101_000 },
      ],
      new Set(['timer']),
    );
    expect(gantt.gaps).toHaveLength(1);
  });
  it('draws nothing of nothing', () => {
    expect(layOut([])).toMatchObject({ bars: [], gaps: [], totalMs: 0 });
  });
});

describe('graphs', () => {
  it('follow dependencies, cases and failures', () => {
    const definition = parseJson(
      '{"nodes":[{"id":"a","type":"SWITCH","cases":[{"when":"input.x","goto":"b"}]},{"id":"b","type":"HTTP","dependsOn":["a"],"onError":{"goto":"c"}},{"id":"c","type":"TRANSFORM","dependsOn":["gone"]}]}',
    );
    const { nodes, edges } = graphOf(definition);
    expect(nodes.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(edges).toEqual([
      { from: 'a', to: 'b', label: 'input.x' },
      { from: 'b', to: 'c', isFailure: true },
    ]);
    expect(graphOf(undefined)).toEqual({ nodes: [], edges: [] });
  });
});

describe('forms', () => {
  const schema = {
    type: 'object',
    required: ['ok'],
    properties: {
      ok: { type: 'boolean' },
      count: { type: 'integer', default: 3 },
      kind: { enum: ['a', 'b'] },
      note: { type: 'string', title: 'Note' },
    },
  };
  it('are made from a schema', () => {
    expect(fieldsOf(schema)!.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
      ['ok', 'boolean', true],
      ['count', 'number', false],
      ['kind', 'choice', false],
      ['note', 'text', false],
    ]);
    expect(fieldsOf({ type: 'string' })).toBeNull();
    expect(startOf(schema)).toEqual({ count: 3 });
  });
  it('name what is wrong and where', () => {
    expect(faultsOf({ ok: true }, schema)).toEqual([]);
    expect(faultsOf({ ok: 'yes' }, schema)[0]!.pointer).toBe('/ok');
    expect(faultsOf({}, schema)).toHaveLength(1);
    expect(faultsOf({ ok: true, count: parseJson('9007199254740993123') }, schema)).toEqual([]);
  });
  it('keep the digits that were typed', () => {
    expect(digitsOf(readField({ kind: 'number' }, '9007199254740993123'))).toBe('9007199254740993123');
    expect(readField({ kind: 'text' }, '12')).toBe('12');
    expect(readField({ kind: 'number' }, '')).toBeUndefined();
  });
});

describe('ids', () => {
  it('lead to their pages', () => {
    expect(pageOfId('job_01a')).toBe('/jobs/job_01a');
    expect(pageOfId('dlq_x/../..')).toBeNull();
    expect(pageOfId('hello')).toBeNull();
    expect(shortId('job_01a2062a32967688a3786b6c0ee9d7ca')).toBe('job_…0ee9d7ca');
  });
});

describe('the rest', () => {
  it('bytes are shown with their offset', () => {
    expect(hexDump(bytesOf('AAEC', false))).toBe(`00000000  00 01 02${' '.repeat(39)}  ...`);
    expect(hexDump(bytesOf('hi', true))).toContain('68 69');
  });
  it('hints name what they make stale', () => {
    expect(affectedBy({ kind: 'queue' })).toContain('/v1/jobs');
    expect(affectedBy({ kind: 'alert' })).toEqual(['/v1/alerts']);
    expect(affectedBy({ kind: 'resync' })).toBe('all');
    expect(affectedBy({ kind: 'of a later version' })).toBe('all');
  });
  it('follow mode shows what moves', () => {
    const node = (nodeId: string, status: Schemas['Node']['status'], startedAt?: string) => ({
      nodeId,
      status,
      type: 'HTTP',
      attempts: 1,
      ...(startedAt ? { startedAt } : {}),
    });
    expect(
      newestMove([
        node('a', 'COMPLETED', '2026-01-01T00:00:00Z'),
        node('b', 'RUNNING', '2026-01-01T00:00:01Z'),
        node('c', 'PENDING'),
      ]),
    ).toBe('b');
    expect(
      newestMove([
        node('a', 'COMPLETED', '2026-01-01T00:00:00Z'),
        node('b', 'WAITING', '2026-01-01T00:00:01Z'),
      ]),
    ).toBe('b');
    expect(newestMove([])).toBeUndefined();
  });
  it('incidents hold no payloads and cannot break their table', () => {
    const text = incident(
      {
        id: 'exe_1',
        workflow: 'order',
        version: 2,
        status: 'FAILED',
        tenant: 'default',
        createdAt: '2026-01-01T00:00:00.000Z',
        error: { message: 'a\nb', node: 'charge' },
      },
      [{ nodeId: 'charge', type: 'HTTP', status: 'FAILED', attempts: 3, error: { message: 'x|y\nz' } }],
      'http://h/console/executions/exe_1',
    );
    expect(text).toContain('| charge | HTTP | FAILED | 3 | x\\|y z |');
    expect(text).toContain('Failed at `charge`');
  });
});

describe('queries', () => {
  it('are split into terms, with blanks in quotes', () => {
    expect(termsOf('status:FAILED -tag:"a b" x:>=now-1h')).toEqual([
      'status:FAILED',
      '-tag:"a b"',
      'x:>=now-1h',
    ]);
    expect(withoutTerm('a:1 b:2', 0)).toBe('b:2');
    expect(withoutTerm('a:1', 0)).toBeUndefined();
    expect(withTerm('a:1 b:2', 1, 'b:3')).toBe('a:1 b:3');
    expect(withTerm('a:1', 0, ' ')).toBeUndefined();
    expect(quotedValue('a, "b"')).toBe('"a, \\"b\\""');
    expect(quotedValue('plain')).toBe('plain');
  });
  it('finds who changed a workflow under its versions too', () => {
    expect(auditQueryOf('hello')).toBe('action:workflow.*,attributes.* subject:hello,hello@*');
  });
  it('leave comparisons and negations to the server', () => {
    const { filters, rest } = parseQuery('tag:vip created:>=now-1h -status:FAILED version:1..3', [
      'tag',
      'created',
      'status',
      'version',
    ]);
    expect(filters).toEqual({ tag: 'vip' });
    expect(rest).toEqual(['created:>=now-1h', '-status:FAILED', 'version:1..3']);
  });
});

describe('zooms', () => {
  it('are read from the address and written to it', () => {
    expect(zoomOf('0.2-0.5')).toEqual({ from: 0.2, to: 0.5 });
    for (const wrong of [undefined, '', 'x', '0.5-0.2', '0-2', '0.5-0.5']) expect(zoomOf(wrong)).toBe(WHOLE);
    expect(zoomText(WHOLE)).toBeUndefined();
    expect(zoomOf(zoomText({ from: 0.25, to: 0.75 }))).toEqual({ from: 0.25, to: 0.75 });
  });
  it('spread a part over the whole width', () => {
    expect(through({ from: 0.5, to: 1 }, { left: 0.5, width: 0.25 })).toEqual({ left: 0, width: 0.5 });
    expect(through({ from: 0.5, to: 1 }, { left: 0, width: 0.1 }).width).toBe(0);
  });
});

describe('moments', () => {
  const steps = [
    { at: '', kind: 'execution_started' },
    { at: '', kind: 'node_started', nodeId: 'a' },
    { at: '', kind: 'node_completed', nodeId: 'a' },
    { at: '', kind: 'signal_received', detail: 'go' },
    { at: '', kind: 'execution_completed' },
  ];
  it('are what the steps before them made', () => {
    expect(momentAt(steps, 0)).toEqual({ execution: 'PENDING', nodes: {}, difference: null });
    expect(momentAt(steps, 2)).toEqual({
      execution: 'RUNNING',
      nodes: { a: 'RUNNING' },
      difference: { nodeId: 'a', from: 'PENDING', to: 'RUNNING' },
    });
    expect(momentAt(steps, 4).difference).toBeNull();
    expect(momentAt(steps, 99)).toMatchObject({ execution: 'COMPLETED', nodes: { a: 'COMPLETED' } });
  });
});

describe('reruns', () => {
  const graph = {
    nodes: ['a', 'b', 'c', 'd'].map((id) => ({ id, type: 'TRANSFORM' })),
    edges: [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'd' },
      { from: 'a', to: 'c' },
    ],
  };
  it('keep what does not come after the chosen node and had completed', () => {
    const statuses = { a: 'COMPLETED', b: 'COMPLETED', c: 'COMPLETED', d: 'FAILED' };
    expect(previewRerun(graph, statuses, 'b')).toEqual({ kept: ['a', 'c'], again: ['b', 'd'] });
    expect(previewRerun(graph, { ...statuses, c: 'FAILED' }, 'd')).toEqual({
      kept: ['a', 'b'],
      again: ['c', 'd'],
    });
    expect(previewRerun(graph, statuses, 'a').kept).toEqual([]);
  });
});
