// The sliders and the service choose alike: for each setting of the grid, the same accesses are gone through once with
// the service's own choice and memory of hints.

import { describe, expect, it } from 'vitest';
import type { Access, AccessKind } from '../../../prefetchd/access.ts';
import { HintChoice } from '../../../prefetchd/engine/hint-choice.ts';
import { HintHistory } from '../../../prefetchd/engine/hint-history.ts';
import { RecentAccesses } from '../../../prefetchd/engine/watch/recent-accesses.ts';
import { type WhatIf, whatIf } from '../../../prefetchd/engine/watch/what-if.ts';
import { DoubleGraph } from '../../../prefetchd/model/predictors/double-graph.ts';
import { textHash } from '../../../prefetchd/model/tables/texts.ts';
import { randomFrom } from '../../support/random.ts';

const nowMs = 1_800_000_000_000;
const rememberMs = 30 * 60_000;

interface Step {
  visitor: number;
  url: string;
  kind: AccessKind;
}

const accessOf = (client: string, { url, kind }: Pick<Step, 'url' | 'kind'>): Access => ({
  ...{ client, url, kind, timeMs: nowMs },
  ...{ status: 200, bytes: 0, prefetch: false },
});

/** A page and the first of its objects. */
function pageWith(visitor: number, page: number, objects: number): Step[] {
  const url = `/page-${page}`;
  const parts = Array.from({ length: objects }, (_, at) => `${url}/picture-${at}.png`);
  return [
    { visitor, url, kind: 'document' },
    ...parts.map((part) => ({ visitor, url: part, kind: 'object' as const })),
  ];
}

function sliders(graph: DoubleGraph, steps: readonly Step[]): WhatIf {
  const recent = new RecentAccesses();
  for (const { visitor, url, kind } of steps) {
    recent.add(url, textHash(url), visitor, `v${visitor}`, nowMs, kind, 0);
  }
  const { nodes } = graph.tables;
  const pass = whatIf(recent.last(20_000), { nodes, source: graph, nowMs, rememberMs });
  let step = pass.next();
  while (!step.done) step = pass.next();
  return step.value;
}

/** Hints given, and those that came true. */
function served(
  graph: DoubleGraph,
  steps: readonly Step[],
  threshold: number,
  limit: number | null,
): [number, number] {
  const history = new HintHistory({ maxClients: 100, rememberMs });
  const choice = new HintChoice(graph, history);
  for (const step of steps) {
    const client = `v${step.visitor}`;
    history.demanded(client, textHash(step.url), nowMs);
    if (step.kind === 'object') continue;
    const wanted = {
      client,
      isShared: false,
      kind: undefined,
      threshold,
      limit,
      objectThreshold: threshold,
    };
    choice.of(accessOf('', step), wanted);
  }
  return [history.counts.given, history.counts.used];
}

function expectAlike(graph: DoubleGraph, steps: readonly Step[], seed: string): void {
  const found = sliders(graph, steps);
  for (const [row, limit] of found.limits.entries()) {
    for (const [column, threshold] of found.thresholds.entries()) {
      expect(
        [found.given[row]?.[column], found.hits[row]?.[column]],
        `${seed}: p ${threshold}, i ${limit}`,
      ).toEqual(served(graph, steps, threshold, limit));
    }
  }
}

describe('each setting gives what the service would give with it', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('walks made of seed %i', (seed) => {
    const random = randomFrom(seed);
    const below = (end: number) => Math.floor(random() * end);
    const graph = new DoubleGraph({ window: 4 });
    const walk = (visitor: number) =>
      Array.from({ length: 4 }, () => pageWith(visitor, below(5), below(4))).flat();
    for (let visitor = 0; visitor < 40; visitor++) {
      for (const step of walk(visitor)) graph.observe(accessOf(`t${visitor}`, step));
    }
    const steps = Array.from({ length: 6 }, (_, visitor) => walk(visitor)).flat();
    expectAlike(graph, steps, `seed ${seed}`);
  });

  it('no limit is none: a page of forty pictures', () => {
    const graph = new DoubleGraph({ window: 50 });
    const steps = pageWith(0, 1, 20);
    for (const step of pageWith(1, 1, 40)) graph.observe(accessOf('t', step));
    const { given, limits, thresholds } = sliders(graph, steps);
    expect(given[limits.indexOf(null)]?.[thresholds.indexOf(0.5)]).toBe(40);
  });
});
