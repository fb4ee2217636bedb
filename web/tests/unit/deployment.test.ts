import { describe, expect, it } from 'vitest';
import { findingsOf, type DispatchState } from '../../src/lib/dispatch';
import { rateOfKey } from '../../src/lib/rate';

const NOW = Date.parse('2026-11-26T10:00:00.000Z');
const ago = (ms: number) => new Date(NOW - ms).toISOString();
const WELL: DispatchState = {
  draining: false,
  nodes: [
    { name: 'a', relay: true },
    { name: 'b', relay: false },
  ],
  shards: [{ node: 'a' }, { node: 'a' }],
  offers: { lag: 5, oldestAt: ago(2_000) },
};
const kindsOf = (changes: Partial<DispatchState>) =>
  findingsOf({ ...WELL, ...changes }, NOW).map(({ kind }) => kind);

describe('dispatch', () => {
  it('has no findings where jobs get to workers', () => {
    expect(kindsOf({})).toEqual([]);
    expect(kindsOf({ offers: { lag: 0, oldestAt: ago(60_000) } })).toEqual([]);
    expect(kindsOf({ offers: { lag: 0 } })).toEqual([]);
  });

  it('says what keeps jobs from workers, the most general first', () => {
    const away = { name: 'a', relay: true, brokerAwaySince: ago(9_000) };
    expect(kindsOf({ draining: true, nodes: [away], shards: [{ node: null }] })).toEqual([
      'draining',
      'broker_away',
      'unowned',
    ]);
    expect(kindsOf({ offers: { lag: 1, oldestAt: ago(16_000) } })).toEqual(['not_accepted']);
  });

  it('names the types of which no offers are made, the first few by their time', () => {
    const held = (jobType: string, ms: number) => ({ jobType, reason: 'not_acknowledged', since: ago(ms) });
    const types = [held('d', 1_000), held('b', 3_000), held('c', 2_000), held('a', 4_000)];
    const nodes = [{ name: 'a', relay: true, heldTypes: types }];
    expect(findingsOf({ ...WELL, nodes }, NOW)).toEqual([
      { kind: 'held', ...held('a', 4_000) },
      { kind: 'held', ...held('b', 3_000) },
      { kind: 'held', ...held('c', 2_000) },
      { kind: 'more_held', count: 1 },
    ]);
    expect(types.map(({ jobType }) => jobType)).toEqual(['d', 'b', 'c', 'a']);
  });

  it('calls no shard unowned where no node publishes at all', () => {
    expect(kindsOf({ nodes: [{ name: 'b', relay: false }], shards: [{}] })).toEqual(['no_relay']);
  });

  it('leaves a broker to those that publish', () => {
    const other = { name: 'b', relay: false, brokerAwaySince: ago(9_000) };
    expect(kindsOf({ nodes: [WELL.nodes[0]!, other] })).toEqual([]);
  });
});

describe('the rate of a key', () => {
  const rates = ['smtp:*', 'smtp:acme', 'smtp:acme:*', '*'].map((key) => ({ key }));
  it('is its own, or that of the longest beginning', () => {
    expect(rateOfKey(rates, 'smtp:acme')?.key).toBe('smtp:acme');
    expect(rateOfKey(rates, 'smtp:acme:1')?.key).toBe('smtp:acme:*');
    expect(rateOfKey(rates, 'smtp:other')?.key).toBe('smtp:*');
    expect(rateOfKey(rates, 'x')?.key).toBe('*');
    expect(rateOfKey(rates.slice(0, 3), 'x')).toBeUndefined();
  });
});
