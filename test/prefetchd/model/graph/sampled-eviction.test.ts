import { expect, test } from 'vitest';
import { SampledEviction } from '../../../../prefetchd/model/graph/sampled-eviction.ts';

const isLess = (one: number, than: number) => one < than;

test.each([1, 2, 5, 8])('of %i entries the weakest goes, wherever it is', (length) => {
  for (let least = 0; least < length; least++) {
    const list = Array.from({ length }, (_, at) => (at === least ? 0 : 1));
    const eviction = new SampledEviction<number>(isLess);
    const found = Array.from({ length: 20 }, () => eviction.weakest(list));
    expect(found.filter((each) => each === 0).length).toBeGreaterThan(15);
  }
});

test('however large the list is, eight entries are looked at, and each of them about once a round', () => {
  const length = 100_000;
  const list = Array.from({ length }, (_, at) => at);
  const looks = new Uint8Array(length);
  const eviction = new SampledEviction<number>((one, than) => {
    looks[one] = (looks[one] as number) + 1;
    return one < than;
  });
  for (let n = 0; n < length / 8; n++) eviction.weakest(list);
  expect(looks.reduce((sum, count) => sum + count, 0)).toBe((length / 8) * 7);
  expect(Math.max(...looks)).toBeLessThanOrEqual(2);
});

test('strong entries that lie side by side do not push each other out', () => {
  const list = Array.from({ length: 5000 }, (_, at) => (at < 50 ? 10 : 1));
  const eviction = new SampledEviction<number>(isLess);
  for (let n = 0; n < 5000; n++) expect(eviction.weakest(list)).toBe(1);
});
