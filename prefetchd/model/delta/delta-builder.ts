// Builds a delta (changes of the graph, see graph-delta.ts): it lists URLs, and its arcs refer to them by index.

import type { Node } from '../graph/node.ts';
import {
  type ArcDelta,
  fingerprintsPerArc,
  type GraphDelta,
  type UrlDelta,
} from './graph-delta.ts';

export class DeltaBuilder {
  readonly #delta: GraphDelta;
  readonly #indexes = new Map<string, number>();

  constructor(
    { predictor, window, era }: Pick<GraphDelta, 'predictor' | 'window' | 'era'>,
    graphs: number,
  ) {
    const arcs = Array.from({ length: graphs }, (): ArcDelta[] => []);
    this.#delta = { predictor, window, era, urls: [], graphs: arcs };
  }

  /** Returns a URL's index in the delta, adding it if it is new. @param kind 0: page, 1: object, 2: short-lived page */
  url(url: string, kind: number): number {
    const known = this.#indexes.get(url);
    if (known !== undefined) return known;
    const index = this.#delta.urls.push({ url, kind, accesses: 0 }) - 1;
    this.#indexes.set(url, index);
    return index;
  }

  /** Returns the index in the delta of a node's URL, adding it if it is new. */
  node({ url, kind, isShortLived }: Pick<Node, 'url' | 'kind' | 'isShortLived'>): number {
    return this.url(url, kind === 'object' ? 1 : isShortLived ? 2 : 0);
  }

  /** Adds to the number of accesses of a URL; an older access counts as a fraction (ageing.ts). @param url its index */
  count(url: number, accesses: number): void {
    (this.#delta.urls[url] as UrlDelta).accesses += accesses;
  }

  /** Adds an arc (from a URL to a later one). @param clients fingerprints of who followed it; the first six are kept */
  arc(
    graph: number,
    from: number,
    to: number,
    { count, clients, seen }: { count: number; clients: readonly number[]; seen: number },
  ): void {
    const arc = { from, to, count, clients: clients.slice(0, fingerprintsPerArc), seen };
    this.#delta.graphs[graph]?.push(arc);
  }

  delta(): GraphDelta {
    return this.#delta;
  }
}
