// Writes a large graph to a store, or loads it: node serve-graph-worker.ts make|load STORE. Prints the time from
// before the store is opened until the engine is ready.

import { createGraphStore, createPrefetchd, type GraphStore } from '../../prefetchd/index.ts';
import { defaultSetting } from '../../prefetchd/simulate/index.ts';
import { withConstants } from '../constants.ts';
import { keptGraph } from './model-settings.ts';
import { randomOf } from './random.ts';

export interface GraphWorkerAnswer {
  ms: number;
  nodes: number;
  arcs: number;
}

const { urls, arcsPerUrl, urlsAtOnce } = keptGraph;
const dayMs = 24 * 60 * 60 * 1000;
const { window } = defaultSetting;
const caps = withConstants({ maxNodes: urls, maxArcs: urls * arcsPerUrl });
const [way, place = ''] = process.argv.slice(2);

/** Pages of one section, each of which leads to the ones behind it. */
function sectionOf(first: number, era: number): Parameters<GraphStore['add']>[0] {
  const random = randomOf(first + 1);
  const arcOf = (_: unknown, arc: number) => {
    const [from, nth] = [Math.floor(arc / arcsPerUrl), arc % arcsPerUrl];
    return {
      from,
      to: (from + nth + 1) % urlsAtOnce,
      count: (90 + random()) / (1 + nth),
      clients: [0, 1, 2].map((n) => 1 + ((arc * 7 + n * 331) % 1023)),
      seen: 0,
    };
  };
  return {
    predictor: 'dependency-graph',
    window,
    era,
    urls: Array.from({ length: urlsAtOnce }, (_, url) => ({
      url: `/section-${first}/page-${first + url}.html`,
      kind: 0,
      accesses: 100 + random() * 1000,
    })),
    graphs: [Array.from({ length: urlsAtOnce * arcsPerUrl }, arcOf)],
  };
}

async function make(): Promise<void> {
  const store = await createGraphStore(place, caps);
  const nowMs = Date.now();
  const { era } = await store.salt(nowMs, dayMs);
  for (let first = 0; first < urls; first += urlsAtOnce) {
    await store.add(sectionOf(first, era), nowMs);
  }
  await store.close();
}

async function load(): Promise<GraphWorkerAnswer> {
  const startMs = performance.now();
  const store = await createGraphStore(place, caps);
  await using prefetchd = createPrefetchd({
    ...caps,
    ...{ predictor: 'dependency-graph', store },
  });
  await prefetchd.ready;
  const ms = performance.now() - startMs;
  const { nodes, arcs, store: health } = prefetchd.stats();
  if (!health.isHealthy) throw new Error(`${health.lastError}`);
  return { ms, nodes, arcs };
}

if (way === 'make') await make();
else process.stdout.write(JSON.stringify(await load()));
