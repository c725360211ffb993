// What the accesses of the last hour would have got with other settings: for a grid of p and i, the hints that
// the present graph would have given, those whose URL its visitor then asked for (hits), and the others,
// which are extra traffic if every hint is fetched.
//
// One pass answers for all settings. A URL is offered to a visitor with a probability and a rank; settings
// give it when p is below the one and i above the other. So of each URL and visitor the best probability is
// kept for each i, and a hit counts for all p below it at once.
//
// It flatters: the graph has learned these accesses already. Hints are asked for with documents; what a
// visitor asked for lately is not hinted to it, as in hint-history.ts.

import type { Access } from '../access.ts';
import type { NodeTable } from '../model/nodes.ts';
import type { CandidateSource } from '../model/predictor.ts';
import { originOf } from '../origin-of.ts';
import type { AccessColumns } from './recent-accesses.ts';

export interface WhatIf {
  /** p of each column. */
  thresholds: number[];
  /** i of each row; null: no limit. */
  limits: (number | null)[];
  /** Accesses that were looked at, the first of them, and their bytes, as far as these are known. */
  accesses: number;
  fromMs: number | null;
  bytes: number;
  /** By limit, then threshold: hints given, and those of them that were asked for. */
  given: number[][];
  hits: number[][];
  /** Bytes of those that were asked for, and of those that were not, as far as known. */
  hitBytes: number[][];
  wastedBytes: number[][];
}

export interface WhatIfOptions {
  nodes: NodeTable;
  source: CandidateSource;
  nowMs: number;
  /** A hint may come true for so long, ms. */
  rememberMs: number;
}

const lookBackMs = 60 * 60 * 1000;
const steps = 20;
const thresholds = Array.from({ length: steps - 1 }, (_, step) => (step + 1) / steps);
/** No limit is more than anybody asks for; candidates behind it are hardly likely. */
const limits = [1, 2, 3, 4, 5, 6, 8, 10, 32];
const mostRank = 32;
const columns = thresholds.length + 1;
/** Accesses between two looks at the clock. */
const stride = 16;

/** A URL and the visitor at hand: since when it is offered, or since when the visitor has it. */
interface Pair {
  timeMs: number;
  has: boolean;
  /** For each limit how many thresholds would have given it. */
  levels: Uint8Array;
}

/** Yields often. @param given in the order in which they came */
export function* whatIf(given: AccessColumns, options: WhatIfOptions): Generator<void, WhatIf> {
  const { nodes, source, nowMs, rememberMs } = options;
  const tally = new Tally();
  const ids = new Int32Array(given.length).fill(-1);
  const bytesOf = new Map<number, number>();
  const next = new Int32Array(given.length).fill(-1);
  const heads: number[] = [];
  const latest = new Map<number, number>();
  let [accesses, bytes] = [0, 0];
  let fromMs: number | null = null;
  for (let at = 0; at < given.length; at++) {
    if (at % (stride * 16) === 0) yield;
    const timeMs = given.timesMs[at] as number;
    if (timeMs < nowMs - lookBackMs) continue;
    accesses++;
    fromMs = Math.min(fromMs ?? timeMs, timeMs);
    bytes += given.bytes[at] as number;
    const id = nodes.idOfHash(given.urls[at] as number);
    ids[at] = id;
    if (given.bytes[at] !== 0) bytesOf.set(id, given.bytes[at] as number);
    const visitor = given.visitors[at] as number;
    const before = latest.get(visitor);
    if (before === undefined) heads.push(at);
    else next[before] = at;
    latest.set(visitor, at);
  }
  const access: Access = {
    client: '',
    url: '',
    timeMs: nowMs,
    kind: 'document',
    status: 200,
    bytes: 0,
    prefetch: false,
  };
  let walked = 0;
  for (const head of heads) {
    const pairs = new Map<number, Pair>();
    for (let at = head; at >= 0; at = next[at] as number) {
      if (++walked % stride === 0) yield;
      const id = ids[at] as number;
      if (id < 0 || !nodes.has(id)) continue;
      const timeMs = given.timesMs[at] as number;
      demand(pairs, id, timeMs);
      if (given.objects[at] === 1) continue;
      access.url = nodes.urlOf(id);
      offer(pairs, id, timeMs);
    }
    for (const [id, pair] of pairs) if (!pair.has) tally.waste(pair, bytesOf.get(id) ?? 0);
  }
  return { ...tally.sums(), thresholds, limits: shownLimits, accesses, fromMs, bytes };

  function demand(pairs: Map<number, Pair>, id: number, timeMs: number): void {
    const pair = pairs.get(id);
    if (pair !== undefined && !pair.has) {
      if (timeMs - pair.timeMs <= rememberMs) tally.hit(pair, bytesOf.get(id) ?? 0);
      else tally.waste(pair, bytesOf.get(id) ?? 0);
    }
    pairs.set(id, { timeMs, has: true, levels: none });
  }

  function offer(pairs: Map<number, Pair>, from: number, timeMs: number): void {
    const candidates = source.candidates(access, thresholds[0]);
    const origin = originOf(access.url);
    let rank = 0;
    for (let at = 0; at < candidates.length && rank < mostRank; at++) {
      const id = candidates.ids[at] as number;
      if (id === from || originOf(nodes.urlOf(id)) !== origin) continue;
      let pair = pairs.get(id);
      const isFresh = pair !== undefined && timeMs - pair.timeMs <= rememberMs;
      if (pair?.has && isFresh) continue;
      if (pair === undefined || !isFresh) {
        if (pair !== undefined && !pair.has) tally.waste(pair, bytesOf.get(id) ?? 0);
        pair = { timeMs, has: false, levels: new Uint8Array(limits.length) };
        pairs.set(id, pair);
      }
      pair.timeMs = timeMs;
      const level = levelOf(candidates.probabilities[at] as number);
      for (let row = limits.length - 1; row >= 0 && (limits[row] as number) > rank; row--) {
        if ((pair.levels[row] as number) < level) pair.levels[row] = level;
      }
      rank++;
    }
  }
}

const none = new Uint8Array(0);
const shownLimits = limits.map((limit) => (limit === mostRank ? null : limit));

/** How many thresholds a probability is above. */
function levelOf(probability: number): number {
  return Math.min(thresholds.length, Math.ceil(probability * steps - 1e-9) - 1);
}

/** Sums by limit and level; for a threshold all levels above its place count. */
class Tally {
  readonly #hits = new Float64Array(limits.length * columns);
  readonly #hitBytes = new Float64Array(limits.length * columns);
  readonly #wasted = new Float64Array(limits.length * columns);
  readonly #wastedBytes = new Float64Array(limits.length * columns);

  hit(pair: Pair, bytes: number): void {
    add(pair, 1, this.#hits);
    add(pair, bytes, this.#hitBytes);
  }

  waste(pair: Pair, bytes: number): void {
    add(pair, 1, this.#wasted);
    add(pair, bytes, this.#wastedBytes);
  }

  sums(): Pick<WhatIf, 'given' | 'hits' | 'hitBytes' | 'wastedBytes'> {
    const hits = rows(this.#hits);
    const wasted = rows(this.#wasted);
    return {
      hits,
      given: hits.map((row, at) =>
        row.map((count, column) => count + ((wasted[at] as number[])[column] as number)),
      ),
      hitBytes: rows(this.#hitBytes),
      wastedBytes: rows(this.#wastedBytes),
    };
  }
}

function add({ levels }: Pair, amount: number, to: Float64Array): void {
  for (let row = 0; row < levels.length; row++) {
    const at = row * columns + (levels[row] as number);
    to[at] = (to[at] as number) + amount;
  }
}

function rows(sums: Float64Array): number[][] {
  return limits.map((_, row) => {
    let above = 0;
    const counts: number[] = [];
    for (let level = columns - 1; level > 0; level--) {
      above += sums[row * columns + level] as number;
      counts.push(above);
    }
    return counts.reverse();
  });
}
