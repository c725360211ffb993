// What other settings would have given, against the same told by hand, and against the engine's own rules.

import { expect, it } from 'vitest';
import {
  type AccessColumns,
  RecentAccesses,
} from '../../../../prefetchd/engine/watch/recent-accesses.ts';
import { type WhatIf, whatIf } from '../../../../prefetchd/engine/watch/what-if.ts';
import { DependencyGraph } from '../../../../prefetchd/model/predictors/dependency-graph.ts';
import { textHash } from '../../../../prefetchd/model/tables/texts.ts';

const minuteMs = 60_000;
const startMs = 1_800_000_000_000;

type Step = [visitor: number, url: string, timeMs?: number, bytes?: number];

function noted(steps: readonly Step[]): AccessColumns {
  const recent = new RecentAccesses();
  for (const [visitor, url, timeMs = startMs, bytes = 0] of steps) {
    recent.add(url, textHash(url), visitor, `c${visitor}`, timeMs, 'document', bytes);
  }
  return recent.last(20_000);
}

/** Four went from /a: three to /b, one to /c. */
function taught(): DependencyGraph {
  const graph = new DependencyGraph({ window: 2 });
  for (const [visitor, to] of ['/b', '/b', '/b', '/c'].entries()) {
    for (const url of ['/a', to]) {
      graph.observe({
        client: `v${visitor}`,
        url,
        timeMs: startMs,
        kind: 'document',
        status: 200,
        bytes: 0,
        prefetch: false,
      });
    }
  }
  return graph;
}

function told(steps: readonly Step[]): WhatIf & { at: (p: number, i: number | null) => number[] } {
  const graph = taught();
  const pass = whatIf(noted(steps), {
    nodes: graph.graph.nodes,
    source: graph,
    nowMs: startMs + minuteMs,
    rememberMs: 30 * minuteMs,
  });
  let step = pass.next();
  while (!step.done) step = pass.next();
  const found = step.value;
  const at = (p: number, i: number | null) => {
    const [row, column] = [found.limits.indexOf(i), found.thresholds.indexOf(p)];
    return [found.given[row]?.[column], found.hits[row]?.[column]] as number[];
  };
  return { ...found, at };
}

it('a hint counts for every p below its probability, and every i above its rank', () => {
  const { at, accesses } = told([
    [1, '/a'],
    [1, '/b'],
    [2, '/a'],
    [2, '/c'],
  ]);
  expect(accesses).toBe(4);
  expect(at(0.75, 3)).toEqual([0, 0]); // "higher than" p
  expect(at(0.7, 3)).toEqual([2, 1]); // /b to both
  expect(at(0.25, 3)).toEqual([2, 1]);
  expect(at(0.2, 3)).toEqual([4, 2]); // and /c
  expect(at(0.2, 1)).toEqual([2, 1]); // only the best
  expect(at(0.2, null)).toEqual([4, 2]);
});

it('what a visitor has takes a place of i and counts as no hint, as everybody gets the same', () => {
  const { at } = told([
    [1, '/b'],
    [1, '/a'],
    [1, '/c'],
  ]);
  expect(at(0.2, 1)).toEqual([0, 0]);
  expect(at(0.2, 3)).toEqual([1, 1]);
});

it('a hint is given once until it came true or its time is over', () => {
  const twice = told([
    [1, '/a'],
    [1, '/a', startMs + minuteMs],
  ]);
  expect(twice.at(0.5, 3)).toEqual([1, 0]);
  const late = told([
    [1, '/a', startMs - 40 * minuteMs],
    [1, '/b', startMs],
  ]);
  expect(late.at(0.5, 3)).toEqual([1, 0]);
});

it('accesses of more than an hour ago do not count', () => {
  const { at, accesses } = told([
    [1, '/a', startMs - 61 * minuteMs],
    [1, '/b'],
  ]);
  expect([accesses, ...at(0.5, 3)]).toEqual([1, 0, 0]);
});

it('visitors are told apart', () => {
  const { at } = told([
    [1, '/a'],
    [2, '/b'],
  ]);
  expect(at(0.5, 3)).toEqual([1, 0]);
});

it('bytes of hits and of waste are those that the URL had last', () => {
  const { hitBytes, wastedBytes, bytes, thresholds, limits } = told([
    [1, '/a', startMs, 10],
    [1, '/b', startMs, 200],
    [2, '/a', startMs, 10],
  ]);
  const [row, column] = [limits.indexOf(3), thresholds.indexOf(0.5)];
  expect([hitBytes[row]?.[column], wastedBytes[row]?.[column], bytes]).toEqual([200, 200, 220]);
});
