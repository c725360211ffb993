import { expect, test } from 'vitest';
import { strongest } from '../../../prefetchd/store/strongest.ts';

const graphOf = (
  accesses: number[],
  ...arcs: Array<[from: number, to: number, count: number]>
) => ({
  accesses: Float64Array.from(accesses),
  graphs: [
    {
      from: Uint32Array.from(arcs, ([from]) => from),
      to: Uint32Array.from(arcs, ([, to]) => to),
      counts: Float64Array.from(arcs, ([, , count]) => count),
    },
  ],
});
const kept = (flags: Uint8Array | undefined) =>
  [...(flags ?? [])].flatMap((flag, at) => (flag === 1 ? [at] : []));

test('those with the most accesses stay, among equals the later ones', () => {
  const { urls } = strongest(graphOf([5, 1, 1, 1, 9]), { maxNodes: 3, maxArcs: 9, least: 0 });
  expect(kept(urls)).toEqual([0, 3, 4]);
});

test('an arc goes with its URLs; of the others the highest counts stay', () => {
  const graph = graphOf([5, 1, 9, 8], [0, 1, 1], [0, 2, 2], [2, 3, 4], [3, 2, 3], [2, 0, 2]);
  const { urls, arcs } = strongest(graph, { maxNodes: 3, maxArcs: 3, least: 0 });
  expect(kept(urls)).toEqual([0, 2, 3]);
  expect(kept(arcs[0])).toEqual([2, 3, 4]);
});

test('a URL known only by its arcs is as strong as they are', () => {
  const graph = graphOf([5, 0, 1, 1], [0, 1, 4]);
  expect(kept(strongest(graph, { maxNodes: 2, maxArcs: 1, least: 0 }).urls)).toEqual([0, 1]);
});

test('what is worth less than the least goes in any case', () => {
  const graph = graphOf([5, 0.1, 2], [0, 1, 0.1], [0, 2, 0.05]);
  const { urls, arcs } = strongest(graph, { maxNodes: 9, maxArcs: 9, least: 0.1 });
  expect([kept(urls), kept(arcs[0])]).toEqual([[0, 1, 2], [0]]);
});

test('what fits stays whole', () => {
  const graph = graphOf([0, 0], [0, 1, 0]);
  const { urls, arcs } = strongest(graph, { maxNodes: 2, maxArcs: 1, least: 0 });
  expect([kept(urls), kept(arcs[0])]).toEqual([[0, 1], [0]]);
});
