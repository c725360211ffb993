// Memory of a process that learns far more than the default caps let it keep: node memory-worker.ts PREDICTOR|none.
// Clients request URLs that nobody else requests, a few at a time in turn, so that windows and arcs fill up too; one
// access in a hundred is followed by a visitor who follows one of a few real links.

import {
  type Access,
  createPredictor,
  isPredictorName,
  type Predictor,
} from '../../prefetchd/model/index.ts';
import { drowning } from './model-settings.ts';

export interface MemoryWorkerAnswer {
  peakBytes: number;
  endBytes: number;
  /** Real arcs still found; null without a predictor. */
  found: number | null;
}

const { urls, clients, clientsAtATime, plantedArcs, readers } = drowning;

function accessOf(client: string, url: string, timeMs: number): Access {
  return { client, url, timeMs, kind: 'document', status: 200, bytes: 1000, prefetch: false };
}

function drown(observe: (access: Access) => void): void {
  const every = urls / readers;
  const turns = (urls / clients) * clientsAtATime;
  for (let i = 0; i < urls; i++) {
    const timeMs = i * 10;
    const client = Math.floor(i / turns) * clientsAtATime + (i % clientsAtATime);
    observe(accessOf(`192.0.2.${client} Mozilla/5.0 (compatible)`, `/noise/${i}`, timeMs));
    if (i % every !== 0) continue;
    const page = (i / every) % plantedArcs;
    observe(accessOf(`reader ${i}`, `/page-${page}`, timeMs));
    observe(accessOf(`reader ${i}`, `/next-${page}`, timeMs + 1000));
  }
}

/** Who asks for a page gets its link as the best hint. */
function foundBy(predictor: Predictor): number {
  const pages = Array.from({ length: plantedArcs }, (_, page) => page);
  return pages.filter((page) => {
    const asked = accessOf('newcomer', `/page-${page}`, urls * 10);
    const hints = predictor.predict(asked, { threshold: 0, limit: 1 });
    return hints.some(({ url }) => url === `/next-${page}`);
  }).length;
}

const [name = ''] = process.argv.slice(2);
const predictor = isPredictorName(name) ? createPredictor(name) : null;
if (predictor === null && name !== 'none') throw new Error(`no predictor ${name}`);
drown((access) => predictor?.observe(access));
const answer: MemoryWorkerAnswer = {
  endBytes: process.memoryUsage.rss(),
  peakBytes: process.resourceUsage().maxRSS * 1024,
  found: predictor === null ? null : foundBy(predictor),
};
process.stdout.write(JSON.stringify(answer));
