import { expect, test } from 'vitest';
import {
  type Ranked,
  SampledEviction,
} from '../../../../prefetchd/model/tables/sampled-eviction.ts';
import fc from '../../../support/property.ts';

/** Entries by strength; undefined: empty. Counts what the hand looks at. */
const tableOf = (strengths: Array<number | undefined>, gone: number[] = []) => {
  const table = {
    looks: 0,
    has: (at: number) => {
      table.looks++;
      return strengths[at] !== undefined;
    },
    isWeaker: (at: number, than: number) => (strengths[at] ?? 0) < (strengths[than] ?? 0),
    isGone: (at: number) => gone.includes(at),
  };
  return table satisfies Ranked;
};

test('of few entries the weakest goes', () => {
  const strengths = fc.array(fc.option(fc.nat(9), { nil: undefined }), { maxLength: 8 });
  fc.assert(
    fc.property(strengths, (list) => {
      const weakest = new SampledEviction().weakest(tableOf(list), list.length);
      const live = list.filter((strength) => strength !== undefined);
      if (live.length === 0) expect(weakest).toBe(-1);
      else expect(list[weakest]).toBe(Math.min(...live));
    }),
  );
});

test('however large the table is, few entries are looked at, and each of them once a round', () => {
  const hand = new SampledEviction();
  const table = tableOf(Array.from({ length: 100_000 }, (_, at) => at % 4));
  const chosen = new Set<number>();
  for (let i = 0; i < 100_000 / 8; i++) chosen.add(hand.weakest(table, 100_000));
  expect(table.looks).toBe(100_000);
  expect([...chosen].every((at) => at % 4 === 0)).toBe(true);
  expect(chosen.size).toBe(100_000 / 8);
});

test('in a table that is nearly empty what there is is found', () => {
  const strengths = new Array<number | undefined>(100_000).fill(undefined);
  strengths[3] = 1;
  strengths[99_999] = 0;
  const table = tableOf(strengths);
  expect([3, 99_999]).toContain(new SampledEviction().weakest(table, strengths.length));
  expect(table.looks).toBeLessThanOrEqual(100_000);
});

test('strong entries that lie side by side do not push each other out', () => {
  const strengths = Array.from({ length: 5000 }, (_, at) => (at < 50 ? 10 : 1));
  const hand = new SampledEviction();
  const table = tableOf(strengths);
  for (let i = 0; i < 5000; i++) expect(hand.weakest(table, 5000)).toBeGreaterThanOrEqual(50);
});

test('every entry is asked whether it means anything, in tables of any length', () => {
  for (const length of [8, 16, 21, 24, 64, 512]) {
    const hand = new SampledEviction();
    const asked = new Set<number>();
    const table = tableOf(new Array(length).fill(1));
    const asking = { ...table, isGone: (at: number) => asked.add(at).size < 0 };
    for (let i = 0; i < 20 * length; i++) hand.weakest(asking, length);
    expect(asked.size).toBe(length);
  }
});

test('an entry that means nothing is found out, however strong', () => {
  const strengths = Array.from({ length: 21 }, (_, at) => (at === 5 ? 100 : 1));
  const hand = new SampledEviction();
  const table = tableOf(strengths, [5]);
  const chosen = Array.from({ length: 420 }, () => hand.weakest(table, strengths.length));
  expect(chosen).toContain(5);
});
