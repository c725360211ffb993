// The data behind the dashboard. It never contains a client, a URL that may belong to a single person
// (shown-urls.ts), or an arc that could not be a hint: the arcs of a page are its hints with p = 0.
//
// Long work (a look at all arcs) runs in slices of one millisecond with pauses a hundred times as
// long as the slice, i.e. 1 % of the processor; ten times as much the first time. It starts with a request and stops
// some seconds after the last one. While nobody watches, nothing runs and only recent-visits.ts and count-series.ts
// record.

import type { AccessKind } from '../../access.ts';
import { clientsOf, neverNext } from '../../model/graph/client-sets.ts';
import type { Tables } from '../../model/graph/graph-tables.ts';
import { arcTo } from '../../model/graph/node.ts';
import { isFile } from '../../rules/access-kind.ts';
import type { Hint } from '../../wire/index.ts';
import type { VisitOutcome } from '../visitors.ts';
import type { CountSeries, Series } from './count-series.ts';
import type { RecentVisit, RecentVisits } from './recent-visits.ts';
import { ShownUrls, type TopPage } from './shown-urls.ts';

/** The parts of a prefetchd that are watched. */
export interface WatchedParts {
  tables: Tables;
  recent: RecentVisits;
  series: CountSeries;
  /** k: distinct clients that must have followed an arc before it is hinted. */
  minClients: number;
  /** Normalises a URL; null if it is invalid. */
  normalise(url: string): string | null;
  /** The possible hints of a page whatever p, best first. */
  hintsAt(url: string, kind: AccessKind | undefined, most: number): Hint[];
}

export interface SeenVisit {
  timeMs: number;
  /** null: the URL may belong to a single person. */
  url: string | null;
  /** How the visit came about. */
  outcome: VisitOutcome;
}

export interface Overview {
  /** k: distinct clients that must have followed an arc before it is hinted. */
  minClients: number;
  /** False on the first request after a pause: the view of the graph is not complete yet. */
  isComplete: boolean;
  /** Number of URLs that may be displayed. */
  shown: number;
  series: Series;
  /** The latest page visits, latest first. */
  visits: SeenVisit[];
  pages: readonly TopPage[];
}

export interface WatchedArc {
  url: string;
  kind: AccessKind;
  probability: number;
  /** Distinct clients that followed the arc; 6 means six or more; null: the predictor does not count them. */
  clients: number | null;
}

export interface PageView {
  url: string;
  /** Accesses, aged; null: the page may not be displayed, or is unknown. */
  accesses: number | null;
  /** What follows the page, best first, and what follows the first few of these. */
  arcs: (WatchedArc & { next: WatchedArc[] })[];
}

/** A view of a prefetchd that contains no client and no URL that may belong to a single person. */
export interface PrefetchdWatch {
  overview(): Overview;
  /** What follows a page; null if its URL is invalid. @param kind only documents, or only objects */
  page(url: string, kind?: AccessKind): PageView | null;
}

const sliceMs = 1;
const rest = { ms: 100, factor: 100 };
/** During the first complete pass, while somebody waits: 10 % of the processor, some tens of milliseconds in all. */
const firstRest = { ms: 20, factor: 10 };
/** Interval between complete passes. */
const againMs = 2000;
/** Watching ends after this time without a request. */
const keptUnaskedMs = 10_000;
const arcsShown = 12;
const branchesShown = 6;
const arcsNext = 4;

export class Watch implements PrefetchdWatch {
  readonly #watched: WatchedParts;
  readonly #shown: ShownUrls;
  #isComplete = false;
  #work: Iterator<void, void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #askedMs = 0;

  constructor(watched: WatchedParts) {
    this.#watched = watched;
    this.#shown = new ShownUrls(watched.tables);
  }

  overview(): Overview {
    this.#scheduleSlice();
    const { recent, series, minClients } = this.#watched;
    return {
      minClients,
      isComplete: this.#isComplete,
      shown: this.#shown.count,
      series: series.series(),
      visits: recent
        .latest()
        .map((visit) => this.#seen(visit))
        .filter(({ url }) => url === null || !isFile(url)),
      pages: this.#shown.pages,
    };
  }

  page(asked: string, kind?: AccessKind): PageView | null {
    this.#scheduleSlice();
    const url = this.#watched.normalise(asked);
    if (url === null) return null;
    const { nodes } = this.#watched.tables;
    const node = nodes.find(url);
    const arcs = this.#arcs(url, kind, arcsShown);
    return {
      url,
      accesses: node !== undefined && this.#shown.has(node) ? node.accesses / nodes.gain : null,
      arcs: arcs.map((arc, at) => ({
        ...arc,
        next: at < branchesShown ? this.#arcs(arc.url, kind, arcsNext) : [],
      })),
    };
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#askedMs = 0;
    this.#work = null;
    this.#isComplete = false;
    this.#shown.clear();
  }

  #seen({ url, timeMs, outcome }: RecentVisit): SeenVisit {
    const isShown = this.#shown.has(this.#watched.tables.nodes.find(url));
    return { timeMs, url: isShown ? url : null, outcome };
  }

  #arcs(url: string, kind: AccessKind | undefined, most: number): WatchedArc[] {
    const hints = this.#watched.hintsAt(url, kind, most);
    const shown = kind === 'document' ? hints.filter((hint) => !isFile(hint.url)) : hints;
    return shown.map((hint) => ({
      url: hint.url,
      kind: hint.kind,
      probability: hint.probability,
      clients: this.#clients(url, hint.url),
    }));
  }

  #clients(from: string, to: string): number | null {
    const { nodes, graphs } = this.#watched.tables;
    const [source, target] = [nodes.find(from), nodes.find(to)];
    if (source === undefined || target === undefined) return null;
    const arcs = graphs.flatMap((graph) => arcTo(graph.row(source), target) ?? []);
    const clients = arcs.flatMap((arc) => [clientsOf(arc).length, arc.seen % neverNext]);
    return clients.length === 0 ? null : Math.max(...clients);
  }

  #scheduleSlice(): void {
    this.#askedMs = performance.now();
    this.#timer ??= setTimeout(() => this.#slice(), 0).unref();
  }

  #slice(): void {
    const startMs = performance.now();
    if (startMs - this.#askedMs > keptUnaskedMs) {
      this.close();
      return;
    }
    this.#work ??= this.#shown.sweep();
    const untilMs = startMs + sliceMs;
    let isDone = false;
    while (!isDone && performance.now() < untilMs) isDone = this.#work.next().done === true;
    if (isDone) {
      this.#work = null;
      this.#isComplete = true;
    }
    const tookMs = performance.now() - startMs;
    const { ms, factor } = this.#isComplete ? rest : firstRest;
    const restMs = Math.max(isDone ? againMs : ms, tookMs * factor);
    this.#timer = setTimeout(() => this.#slice(), restMs).unref();
  }
}
