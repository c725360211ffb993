// The columns of the walk table for a page, a client, or all of them: named figures with their meaning, side by side
// without and with prefetching. The functions have no side effects.

import type { WalkedPage, WalkPair, WalkTotals } from '../../walk/walk-record.ts';
import { printableText, printableUrl } from '../printable.ts';
import { formatBytes, formatCount, formatMs, plural } from '../units.ts';
import { leastTimeMs, type PairTotals, pairTotals } from './savings.ts';
import { formatPercent } from './words.ts';

export interface Row {
  name: string;
  stayMs: number;
  without: Figures | undefined;
  with: Figures | undefined;
}

interface Figures {
  failed: boolean;
  timeMs: number;
  networkMs: number;
  hits: number;
  prefetched: number;
  used: number;
  wasted: number;
  addedTraffic: number | null;
  connections: number;
}

/** Columns under one head, which are kept together. */
export interface Block {
  name: string;
  meaning: string;
  /** Time gained and cost are shown in separate tables if one table would be too wide. */
  part: 'gain' | 'cost';
  columns: readonly Column[];
}

export interface Column {
  /** Empty if this is the only column of its block. */
  name: string;
  of: (row: Row) => string;
}

interface Figure {
  name: string;
  meaning: string;
  part: Block['part'];
  of: (figures: Figures) => string;
  /** The walk to which the figure applies; absent: both walks. */
  walk?: 'with';
}

const figures: readonly Figure[] = [
  {
    name: 'time',
    meaning: 'until the page was complete',
    part: 'gain',
    of: ({ failed, timeMs }) => (failed ? 'failed' : formatMs(timeMs)),
  },
  {
    name: 'network',
    meaning: 'of that, how long anything of the page was under way',
    part: 'gain',
    of: ({ failed, networkMs }) => (failed ? '-' : formatMs(networkMs)),
  },
  {
    name: 'hits',
    meaning: 'how much of the page came out of the cache, without asking anybody',
    part: 'gain',
    of: ({ hits }) => formatCount(hits),
  },
  {
    name: 'prefetched',
    meaning: 'fetched while the visitor stayed on this page',
    part: 'cost',
    of: ({ prefetched }) => formatBytes(prefetched),
    walk: 'with',
  },
  {
    name: 'used',
    meaning: 'prefetched before, and used by this page',
    part: 'cost',
    of: ({ used }) => formatBytes(used),
    walk: 'with',
  },
  {
    name: 'wasted',
    meaning: 'prefetched on this page, and used by none',
    part: 'cost',
    of: ({ wasted }) => formatBytes(wasted),
    walk: 'with',
  },
  {
    name: 'added',
    meaning: 'wasted bytes beside those that the page needed: traffic more',
    part: 'cost',
    of: ({ addedTraffic }) => (addedTraffic === null ? '-' : `${formatPercent(addedTraffic)} %`),
    walk: 'with',
  },
  {
    name: 'connections',
    meaning: 'opened, for the page and for prefetches behind it',
    part: 'cost',
    of: ({ connections }) => formatCount(connections),
  },
];

/** The blocks for which there are figures. */
export function blocksFor({ without, with: with_ }: PairTotals): Block[] {
  const both = without !== undefined && with_ !== undefined;
  const hasPrefetched = (with_?.prefetchRequests ?? 0) > 0;
  const blocks = figures.flatMap(({ of, walk, ...figure }): Block[] => {
    if (walk === 'with' && !hasPrefetched) return [];
    const one = (of: (row: Row) => string): Block => ({ ...figure, columns: [{ name: '', of }] });
    const shown = (value: Figures | undefined) => (value === undefined ? '-' : of(value));
    if (walk === 'with' || !both) return [one((row) => shown(row.with ?? row.without))];
    const columns = [
      { name: 'without', of: (row: Row) => shown(row.without) },
      { name: 'with', of: (row: Row) => shown(row.with) },
    ];
    if (figure.name !== 'time' || !hasPrefetched) return [{ ...figure, columns }];
    return [{ ...figure, columns: [...columns, { name: 'saved', of: saved }] }];
  });
  const stay: Block = {
    name: 'stay',
    meaning: 'time the visitor stayed before the next page',
    part: 'cost',
    columns: [{ name: '', of: ({ stayMs }) => formatMs(stayMs) }],
  };
  const at = blocks.findIndex(({ part }) => part === 'cost');
  return [...blocks.slice(0, at), stay, ...blocks.slice(at)];
}

export function pageRows({ without, with: with_ }: WalkPair): Row[] {
  const isLonger = (without?.pages.length ?? 0) > (with_?.pages.length ?? 0);
  const pages = (isLonger ? without : with_)?.pages ?? [];
  return pages.map(({ url, thinkMs }, index) => ({
    name: nameOf(url),
    stayMs: with_?.pages[index]?.thinkMs ?? thinkMs,
    without: figuresOf(without?.pages[index]),
    with: figuresOf(with_?.pages[index]),
  }));
}

export function clientRow(pair: WalkPair): Row {
  const pages = pair.without?.pages.length ?? pair.with?.pages.length ?? 0;
  return sumRow(`${printableText(pair.name)} (${plural(pages, 'page')})`, [pair]);
}

export function sumRow(name: string, pairs: readonly WalkPair[]): Row {
  const totals = pairTotals(pairs);
  const stays = pairs.flatMap(({ without, with: with_ }) =>
    ((with_ ?? without)?.pages ?? []).map(({ thinkMs }) => thinkMs),
  );
  return {
    name,
    stayMs: stays.reduce((sum, stayMs) => sum + stayMs, 0),
    without: figuresOfAll(totals.without),
    with: figuresOfAll(totals.with),
  };
}

export function hasFailed(row: Row): boolean {
  return row.without?.failed === true || row.with?.failed === true;
}

function figuresOf(page: WalkedPage | undefined): Figures | undefined {
  if (page === undefined) return undefined;
  const { load, prefetch, used, addedTraffic } = page;
  return {
    failed: load.error !== null,
    timeMs: load.timeMs ?? 0,
    networkMs: load.networkMs,
    hits: load.hits,
    prefetched: prefetch.bytes,
    used: used.bytes,
    wasted: prefetch.wastedBytes,
    addedTraffic,
    connections: load.connections + prefetch.connections,
  };
}

function figuresOfAll(totals: WalkTotals | undefined): Figures | undefined {
  if (totals === undefined) return undefined;
  const { prefetchBytes: prefetched, usedBytes: used, wastedBytes: wasted } = totals;
  return { ...totals, failed: false, prefetched, used, wasted };
}

function nameOf(url: string): string {
  const { pathname, search } = new URL(url);
  return printableUrl(pathname + search);
}

function saved(row: Row): string {
  if (row.without === undefined || row.with === undefined) return '-';
  if (row.without.timeMs < leastTimeMs || hasFailed(row)) return '-';
  return `${formatPercent(1 - row.with.timeMs / row.without.timeMs)} %`;
}
