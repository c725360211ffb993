// Writes a large graph to a store, or loads it: node serve-graph-worker.ts make|load STORE. Prints the time from
// before the store is opened until the engine is ready.

import { prefetchdDefaults } from '../../prefetchd/engine/prefetchd-options.ts';
import { createPrefetchd } from '../../prefetchd/index.ts';
import { fingerprintsPerArc, type GraphDelta } from '../../prefetchd/model/delta/graph-delta.ts';
import { openStore, parseStore } from '../../prefetchd/store/store-location.ts';
import { keptGraph } from './model-settings.ts';
import { randomOf } from './random.ts';

export interface GraphWorkerAnswer {
  ms: number;
  nodes: number;
  arcs: number;
}

const { urls, arcsPerUrl, urlsAtOnce } = keptGraph;
const dayMs = 24 * 60 * 60 * 1000;
const { halfLifeMs, window } = prefetchdDefaults;
const caps = { maxNodes: urls, maxArcs: urls * arcsPerUrl };
const [way, place = ''] = process.argv.slice(2);

/** Pages of one section, each of which leads to the ones behind it. */
function sectionOf(first: number, era: number): GraphDelta {
  const random = randomOf(first + 1);
  const rows = urlsAtOnce * arcsPerUrl;
  const clients = new Uint16Array(rows * fingerprintsPerArc);
  for (let arc = 0; arc < rows; arc++) {
    for (let n = 0; n < 3; n++)
      clients[arc * fingerprintsPerArc + n] = 1 + ((arc * 7 + n * 331) % 1023);
  }
  const nth = (arc: number) => arc % arcsPerUrl;
  const from = (arc: number) => Math.floor(arc / arcsPerUrl);
  return {
    predictor: 'dependency-graph',
    window,
    era,
    urls: Array.from(
      { length: urlsAtOnce },
      (_, url) => `/section-${first}/page-${first + url}.html`,
    ),
    kinds: new Uint8Array(urlsAtOnce),
    accesses: Float64Array.from({ length: urlsAtOnce }, () => 100 + random() * 1000),
    graphs: [
      {
        from: Uint32Array.from({ length: rows }, (_, arc) => from(arc)),
        to: Uint32Array.from({ length: rows }, (_, arc) => (from(arc) + nth(arc) + 1) % urlsAtOnce),
        counts: Float64Array.from({ length: rows }, (_, arc) => (90 + random()) / (1 + nth(arc))),
        clients,
        seen: new Uint8Array(rows),
      },
    ],
  };
}

async function make(): Promise<void> {
  const store = await openStore(parseStore(place), { halfLifeMs, ...caps });
  const nowMs = Date.now();
  const { era } = await store.salt(nowMs, dayMs);
  for (let first = 0; first < urls; first += urlsAtOnce) {
    await store.add(sectionOf(first, era), nowMs);
  }
  await store.close();
}

async function load(): Promise<GraphWorkerAnswer> {
  const startMs = performance.now();
  const store = await openStore(parseStore(place), { halfLifeMs, ...caps });
  await using prefetchd = createPrefetchd({ ...caps, predictor: 'dependency-graph', store });
  await prefetchd.ready;
  const ms = performance.now() - startMs;
  const { nodes, arcs, store: health } = prefetchd.stats();
  if (!health.isHealthy) throw new Error(`${health.lastError}`);
  return { ms, nodes, arcs };
}

if (way === 'make') await make();
else process.stdout.write(JSON.stringify(await load()));
