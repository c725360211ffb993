// What the accesses of the last hour would have got with other settings. For a grid of p and i: the hints the present
// graph would have given, those whose URL the visitor then requested (hits), and the rest, which are extra traffic if
// every hint is fetched. One pass covers all settings: for each URL and visitor it keeps the settings
// (setting-grid.ts) that have yielded a hint since the URL was first offered. Beyond i, candidates are cut in the
// same order as in the service.
//
// The result is optimistic, because the graph has already learned these accesses. Hints are requested with documents,
// and what a visitor requested recently counts as no hint to it, though it takes a place, as in hint-history.ts.

import type { Access } from '../../access.ts';
import type { NodeTable } from '../../model/graph/nodes.ts';
import type { CandidateSource } from '../../model/predictor.ts';
import { originOf } from '../../origin-of.ts';
import { hintRank } from '../../wire/index.ts';
import type { AccessColumns } from './recent-accesses.ts';
import {
  Candidacy,
  noSettings,
  SettingSums,
  type Settings,
  shownLimits,
  thresholds,
} from './setting-grid.ts';

export interface WhatIf {
  /** p of each column. */
  thresholds: number[];
  /** i of each row; null: no limit. */
  limits: (number | null)[];
  /** Number of accesses, time of the first, and their known bytes. */
  accesses: number;
  fromMs: number | null;
  bytes: number;
  /** By limit, then threshold: hints given, and how many of them were requested. */
  given: number[][];
  hits: number[][];
  /** Known bytes of the hints that were requested, and of those that were not. */
  hitBytes: number[][];
  wastedBytes: number[][];
}

export interface WhatIfOptions {
  nodes: NodeTable;
  source: CandidateSource;
  nowMs: number;
  /** How long a hint may be used, ms. */
  rememberMs: number;
}

const lookBackMs = 60 * 60 * 1000;
/** Accesses between two looks at the clock. */
const stride = 16;

/** A URL for the current visitor: since when it is offered, or since when the visitor has it. */
interface Pair {
  timeMs: number;
  has: boolean;
  /** The settings that would have given it. */
  settings: Settings;
}

/** Yields often. @param given in chronological order */
export function* whatIf(given: AccessColumns, options: WhatIfOptions): Generator<void, WhatIf> {
  const { nodes, source, nowMs, rememberMs } = options;
  const tally = new Tally();
  const candidacy = new Candidacy();
  /** Ids of the candidacy. */
  const offered: number[] = [];
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
    pairs.set(id, { timeMs, has: true, settings: none });
  }

  function offer(pairs: Map<number, Pair>, from: number, timeMs: number): void {
    const candidates = source.candidates(access, thresholds[0]);
    const origin = originOf(access.url);
    candidacy.begin();
    for (let at = 0; at < candidates.length; at++) {
      const id = candidates.ids[at] as number;
      if (id === from || originOf(nodes.urlOf(id)) !== origin) continue;
      const kind = source.kindOf(id);
      const rank = hintRank(kind, kind === 'object' ? candidates.navigationOf?.(at) : undefined);
      offered[candidacy.length] = id;
      candidacy.add(rank, candidates.probabilities[at] as number);
    }
    for (let at = 0; at < candidacy.length; at++) {
      const id = offered[at] as number;
      const pair = pairs.get(id);
      if (pair?.has && timeMs - pair.timeMs <= rememberMs) continue;
      candidacy.give(at, pairOf(pairs, id, timeMs).settings);
    }
  }

  /** Start or restart an offer. */
  function pairOf(pairs: Map<number, Pair>, id: number, timeMs: number): Pair {
    let pair = pairs.get(id);
    if (pair === undefined || timeMs - pair.timeMs > rememberMs) {
      if (pair !== undefined && !pair.has) tally.waste(pair, bytesOf.get(id) ?? 0);
      pair = { timeMs, has: false, settings: noSettings() };
      pairs.set(id, pair);
    }
    pair.timeMs = timeMs;
    return pair;
  }
}

const none = noSettings();

class Tally {
  readonly #hits = new SettingSums();
  readonly #hitBytes = new SettingSums();
  readonly #wasted = new SettingSums();
  readonly #wastedBytes = new SettingSums();

  hit({ settings }: Pair, bytes: number): void {
    this.#hits.add(settings, 1);
    this.#hitBytes.add(settings, bytes);
  }

  waste({ settings }: Pair, bytes: number): void {
    this.#wasted.add(settings, 1);
    this.#wastedBytes.add(settings, bytes);
  }

  sums(): Pick<WhatIf, 'given' | 'hits' | 'hitBytes' | 'wastedBytes'> {
    const hits = this.#hits.rows();
    const wasted = this.#wasted.rows();
    return {
      hits,
      given: hits.map((row, at) =>
        row.map((count, column) => count + ((wasted[at] as number[])[column] as number)),
      ),
      hitBytes: this.#hitBytes.rows(),
      wastedBytes: this.#wastedBytes.rows(),
    };
  }
}
