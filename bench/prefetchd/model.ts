// What a predictor costs, on one core: accesses learned per second, the time observe and predict take
// at 100,000 URLs, and bytes per arc. The site is made up: pages by Zipf's law, each leading to a few
// others, two thirds of the steps along these links; the same seed gives the same site.
// Usage: node bench/prefetchd/model.ts [accesses]. Each predictor has a process of its own.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Access } from '../../prefetchd/access.ts';
import { DependencyGraph } from '../../prefetchd/model/dependency-graph.ts';
import { createPredictor, isPredictorName, predictorNames } from '../../prefetchd/model/index.ts';

const urlCount = 100_000;
const clientCount = 10_000;
const window = 4;
const predictOptions = { threshold: 0.5, limit: 3 };

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Site {
  urls: string[];
  /** The next access; always the same record. */
  next(): Access;
}

function makeSite(): Site {
  const random = randomOf(1);
  const urls = Array.from({ length: urlCount }, (_, i) =>
    i % 3 === 0 ? `/section-${i % 97}/article-${i}.html` : `/images/${i % 97}/picture-${i}.gif`,
  );
  const clients = Array.from(
    { length: clientCount },
    (_, i) => `10.0.${i >> 8}.${i & 255} Agent/1.0`,
  );
  const at = new Int32Array(clientCount).fill(-1);
  const access: Access = {
    client: '',
    url: '',
    timeMs: 0,
    kind: 'document',
    status: 200,
    bytes: 1000,
    prefetch: false,
  };
  const next = () => {
    const client = Math.floor(random() * clientCount);
    const before = at[client] as number;
    const isLink = before >= 0 && random() < 2 / 3;
    const url = isLink
      ? (before * 7 + 1 + Math.floor(random() * 3)) % urlCount
      : Math.floor(urlCount ** random()) - 1;
    at[client] = url;
    access.client = clients[client] as string;
    access.url = urls[url] as string;
    access.kind = url % 3 === 0 ? 'document' : 'object';
    access.timeMs += 10;
    return access;
  };
  return { urls, next };
}

function memoryBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function measure(name: string, accesses: number): string {
  if (!isPredictorName(name)) throw new Error(`no predictor ${name}`);
  const { urls, next } = makeSite();
  const before = memoryBytes();
  const predictor = createPredictor(name, { window });
  for (const url of urls) predictor.observe({ ...next(), url, client: url });
  const started = performance.now();
  for (let i = 0; i < accesses; i++) next();
  const makingMs = performance.now() - started;
  const learning = performance.now();
  for (let i = 0; i < accesses; i++) predictor.observe(next());
  const learningMs = performance.now() - learning - makingMs;
  const bytes = memoryBytes() - before;
  const hint: number[] = [];
  const both: number[] = [];
  for (let i = 0; i < 200_000; i++) {
    const access = next();
    const first = process.hrtime.bigint();
    predictor.observe(access);
    const second = process.hrtime.bigint();
    predictor.predict(access, predictOptions);
    const third = process.hrtime.bigint();
    hint.push(Number(third - second) / 1000);
    both.push(Number(third - first) / 1000);
  }
  const arcs = predictor instanceof DependencyGraph ? predictor.graph.arcs.size : null;
  return [
    name.padEnd(18),
    (accesses / (learningMs / 1000) / 1000).toFixed(0).padStart(10),
    ...[hint, both].flatMap((times) => [at(times, 0.5), at(times, 0.99), at(times, 0.9999)]),
    (bytes / 1024 ** 2).toFixed(1).padStart(8),
    (arcs === null ? '' : String(arcs)).padStart(9),
    (arcs === null ? '' : (bytes / arcs).toFixed(0)).padStart(10),
  ].join(' ');
}

function at(timesUs: number[], share: number): string {
  const sorted = Float64Array.from(timesUs).sort();
  return (sorted[Math.floor(share * sorted.length)] as number).toFixed(1).padStart(7);
}

const [accesses = '1000000', only] = process.argv.slice(2);
if (only !== undefined) {
  console.log(measure(only, Number(accesses)));
} else {
  console.log(`Node ${process.version}, ${urlCount} URLs, ${clientCount} clients, w = ${window}`);
  console.log('hint: predict alone; both: observe and predict; microseconds\n');
  console.log(
    'predictor          k observe/s hint p50   p99  p99.99 both p50   p99  p99.99      MiB      arcs  bytes/arc',
  );
  for (const name of predictorNames) {
    const script = fileURLToPath(import.meta.url);
    const output = execFileSync(process.execPath, ['--expose-gc', script, accesses, name], {
      encoding: 'utf8',
    });
    process.stdout.write(output);
  }
}
