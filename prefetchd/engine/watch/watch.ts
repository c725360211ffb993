// Computes the data of the dashboard. They never contain a client, an arc that could not be a hint (the arcs of a page
// are its hints with threshold 0), or a URL that may belong to a single person: a URL is displayed if it may be hinted,
// i.e. at least `minClients` distinct clients followed one arc from or to it, and no name rule excludes it.
//
// While nobody watches, only the latest visits and count-series.ts are recorded. A request reads all arcs, unless
// that takes long (`#whatIsPublic`); the service computes a new answer once a second at most.

import type { AccessKind } from '../../access.ts';
import { neverNext } from '../../model/graph/client-sets.ts';
import type { Tables } from '../../model/graph/graph.ts';
import type { Node } from '../../model/graph/node.ts';
import { isFileDocument } from '../../rules/access-kind.ts';
import type { Hint } from '../../wire/hint.ts';
import { CountSeries, type CountTotals, type Series } from './count-series.ts';

/** The parts of a prefetchd from which the data of the dashboard are computed. */
export interface WatchedParts {
  tables: Tables;
  nowMs: number;
  /** Numbers of clicks to pages, and of prefetched pages that they opened, since the process started. */
  counts: CountTotals;
  /** k: distinct clients that must have followed an arc before it is hinted. */
  minClients: number;
  /** Returns a URL in its normal form; null if it is invalid. */
  normalise(url: string): string | null;
  /** Returns at most `most` possible hints of a page, whatever the threshold, best first. */
  hintsAt(url: string, kind: AccessKind | undefined, most: number): Hint[];
}

export interface TopPage {
  url: string;
  /** Number of accesses, of which older ones count less (ageing.ts). */
  accesses: number;
}

/** How a visit came about: `hinted`: requested after a hint; `prefetched`: shown from a prefetch without a hint; `hit`:
 *  shown from a prefetch after a hint; `none`: without either. */
export type VisitOutcome = 'none' | 'hinted' | 'prefetched' | 'hit';

interface WatchedVisit {
  url: string;
  timeMs: number;
  outcome: VisitOutcome;
}

export interface SeenVisit {
  timeMs: number;
  /** The visited URL; null: it may belong to a single person. */
  url: string | null;
  outcome: VisitOutcome;
}

export interface Overview {
  /** k: distinct clients that must have followed an arc before it is hinted. */
  minClients: number;
  series: Series;
  /** The latest page visits, latest first. */
  visits: SeenVisit[];
  pages: readonly TopPage[];
}

export interface WatchedArc {
  url: string;
  kind: AccessKind;
  probability: number;
  /** Distinct clients that followed the arc; 6 means six or more; null: no arc leads from the page to this URL, only a
   *  path of several. */
  clients: number | null;
}

export interface PageView {
  url: string;
  /** Number of accesses, older ones counting less (ageing.ts); null: the page is unknown or must not be displayed. */
  accesses: number | null;
  /** The arcs from the page, best first. Each of the first few has in `next` the arcs that leave its own URL; for the
   *  others, `next` is empty. */
  arcs: (WatchedArc & { next: WatchedArc[] })[];
}

/** What the dashboard reads of a prefetchd: no client, and no URL that may belong to a single person. */
export interface PrefetchdWatch {
  overview(): Overview;
  /** Returns the arcs from a page; null if its URL is invalid. @param kind the kind of URLs they lead to; undefined:
   *  documents and objects */
  page(url: string, kind?: AccessKind): PageView | null;
}

const visitsShown = 40;
const pagesShown = 24;
const arcsShown = 12;
const branchesShown = 6;
const arcsNext = 4;
/** Number of URLs up to which the whole graph is read anew for each request of the dashboard. */
const largeNodes = 5_000;

/** The nodes of the graph that the dashboard may show, since their URLs may be hinted to everyone. */
interface Public {
  shown: ReadonlySet<Node>;
  pages: readonly Node[];
  /** Time of `performance.now()` until which these nodes are not looked for again. */
  untilMs: number;
}

export class Watch implements PrefetchdWatch {
  readonly #watched: WatchedParts;
  readonly #series: CountSeries;
  /** The latest visits to pages, oldest first; who made them is not kept. */
  #visits: WatchedVisit[] = [];
  #displayed: Public = { shown: new Set(), pages: [], untilMs: 0 };

  constructor(watched: WatchedParts) {
    this.#watched = watched;
    this.#series = new CountSeries(watched.nowMs, watched.counts);
  }

  visited(visit: WatchedVisit): void {
    if (this.#visits.push(visit) >= 2 * visitsShown)
      this.#visits = this.#visits.slice(-visitsShown);
  }

  /** Records the counts of pages for the chart if ten seconds have passed (count-series.ts); call this often. */
  tick(nowMs: number, read: () => CountTotals): void {
    this.#series.tick(nowMs, read);
  }

  forgetVisits(): void {
    this.#visits = [];
  }

  overview(): Overview {
    const { minClients, tables } = this.#watched;
    const { nodes } = tables;
    const { shown, pages } = this.#whatIsPublic();
    const urlOf = (node: Node | undefined) =>
      node !== undefined && shown.has(node) && nodes.mayHint(node) ? node.url : null;
    const visits = this.#visits
      .slice(-visitsShown)
      .reverse()
      .map((visit) => ({ ...visit, url: urlOf(nodes.find(visit.url)) }));
    return {
      minClients,
      series: this.#series.series(),
      visits: visits.filter(({ url }) => url === null || !isFileDocument(url)),
      pages: pages
        .filter((node) => !node.isGone && nodes.mayHint(node))
        .map(({ url, accesses }) => ({ url, accesses: accesses / nodes.gain })),
    };
  }

  page(asked: string, kind?: AccessKind): PageView | null {
    const url = this.#watched.normalise(asked);
    if (url === null) return null;
    const { nodes } = this.#watched.tables;
    const node = nodes.find(url);
    const isShown =
      node !== undefined && nodes.mayHint(node) && this.#whatIsPublic().shown.has(node);
    const arcs = this.#arcs(url, kind, arcsShown);
    return {
      url,
      accesses: isShown ? node.accesses / nodes.gain : null,
      arcs: arcs.map((arc, at) => ({
        ...arc,
        next: at < branchesShown ? this.#arcs(arc.url, kind, arcsNext) : [],
      })),
    };
  }

  /** Returns the nodes at both ends of arcs that enough clients followed, and the most requested pages among them. In a
   *  large graph they stay as they are for a while, so that finding them takes at most a fiftieth of the time. */
  #whatIsPublic(): Public {
    const startMs = performance.now();
    if (startMs < this.#displayed.untilMs) return this.#displayed;
    const { nodes, graphs } = this.#watched.tables;
    const shown = new Set<Node>();
    for (const graph of graphs) {
      for (const arc of graph.arcs) {
        const { from, to } = arc;
        const isNew = !shown.has(from) || !shown.has(to);
        if (isNew && graph.mayFollow(arc)) shown.add(from).add(to);
      }
    }
    const pages = [...shown]
      .filter(
        (node) => node.kind === 'document' && !isFileDocument(node.url) && nodes.mayHint(node),
      )
      .sort((one, other) => other.accesses - one.accesses)
      .slice(0, pagesShown);
    const tookMs = performance.now() - startMs;
    const untilMs = nodes.size > largeNodes ? startMs + 50 * tookMs : 0;
    this.#displayed = { shown, pages, untilMs };
    return this.#displayed;
  }

  #arcs(url: string, kind: AccessKind | undefined, most: number): WatchedArc[] {
    const hints = this.#watched.hintsAt(url, kind, most);
    const shown = kind === 'document' ? hints.filter((hint) => !isFileDocument(hint.url)) : hints;
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
    const arcs = graphs.flatMap((graph) => graph.arc(source, target) ?? []);
    const clients = arcs.flatMap(({ prints, seen }) => [prints.length, seen % neverNext]);
    return clients.length === 0 ? null : Math.max(...clients);
  }
}
