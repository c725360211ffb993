// Which URLs the dashboard may name: those that may be hinted, which is to say that at least k distinct
// clients went along one arc from them or to them, and that no rule of names speaks against them. Every
// other URL may be one person's, and is never named.
//
// All arcs are looked at, again and again while somebody watches, in slices (watch.ts); what was found last holds
// until then. On the way the pages that are asked for most are found.

import type { Graph } from '../../model/graph/graph.ts';
import type { Tables } from '../../model/graph/graph-tables.ts';
import type { CandidateSource } from '../../model/predictor.ts';

export interface TopPage {
  url: string;
  /** Accesses, aged as the graph's counts are. */
  accesses: number;
}

const mostPages = 24;
/** Arcs or URLs looked at between two looks at the clock. */
const step = 256;

export class ShownUrls {
  /** The pages that are asked for most, first the most; as of the last sweep. */
  pages: readonly TopPage[] = [];
  /** URLs that may be named, as of the last sweep. */
  count = 0;
  readonly #tables: Tables;
  readonly #source: CandidateSource;
  /** By id: 1 if it may be displayed. */
  #shown = new Uint8Array(0);
  /** Number of the access at which the sweep began: ids that were given to others since are not meant. */
  #asOf = 0;

  constructor(tables: Tables, source: CandidateSource) {
    this.#tables = tables;
    this.#source = source;
  }

  /** The URL of an id may be named. */
  has(id: number): boolean {
    const { nodes, graphs } = this.#tables;
    if (id < 0 || !nodes.has(id)) return false;
    if (this.#shown[id] === 1 && nodes.generationOf(id) <= this.#asOf) return nodes.mayHint(id);
    return graphs.some((graph) => leads(graph, id)) && nodes.mayHint(id);
  }

  /** Looks at everything once; yields often. What was found holds from its end on. */
  *sweep(): Generator<void, void> {
    const { nodes, graphs } = this.#tables;
    const asOf = nodes.sequence;
    const shown = new Uint8Array(nodes.top);
    let looked = 0;
    if (graphs.length === 0) this.#markCandidates(shown);
    for (const graph of graphs) {
      for (let id = 0; id < shown.length; id++) {
        if (nodes.has(id)) looked += markRow(graph, id, shown);
        if (++looked >= step) {
          looked = 0;
          yield;
        }
      }
    }
    const best: number[] = [];
    let count = 0;
    for (let id = 0; id < shown.length; id++) {
      if (id % step === 0) yield;
      if (shown[id] !== 1 || !nodes.has(id) || !nodes.mayHint(id)) continue;
      count++;
      if (nodes.kindOf(id) === 'document') this.#rank(best, id);
    }
    this.#shown = shown;
    this.#asOf = asOf;
    this.count = count;
    this.pages = best
      .filter((id) => this.has(id))
      .map((id) => ({ url: nodes.urlOf(id), accesses: nodes.accesses(id) / nodes.gain }));
  }

  /** Everything was forgotten. */
  clear(): void {
    this.#shown = new Uint8Array(0);
    this.pages = [];
    this.count = 0;
  }

  #rank(best: number[], id: number): void {
    const { nodes } = this.#tables;
    const accesses = nodes.accesses(id);
    let at = best.length;
    while (at > 0 && nodes.accesses(best[at - 1] as number) < accesses) at--;
    if (at >= mostPages) return;
    best.splice(at, 0, id);
    if (best.length > mostPages) best.pop();
  }

  /** A predictor without arcs names what it would hint on any page. */
  #markCandidates(shown: Uint8Array): void {
    const candidates = this.#source.candidates(
      { client: '', url: '/', timeMs: 0, kind: 'document', status: 200, bytes: 0, prefetch: false },
      0,
    );
    for (let at = 0; at < candidates.length; at++) shown[candidates.ids[at] as number] = 1;
  }
}

/** Some arc from here may be hinted. */
function leads(graph: Graph, id: number): boolean {
  const { arcs } = graph;
  const length = arcs.length(id);
  if (length === 0) return false;
  const chunk = arcs.chunk(id);
  const start = arcs.start(id);
  for (let at = start; at < start + length; at++) {
    if (!arcs.leadsNowhere(chunk, at) && graph.mayFollow(chunk, at)) return true;
  }
  return false;
}

/** Both ends of the arcs from here that may be hinted. @returns how many were looked at */
function markRow(graph: Graph, id: number, shown: Uint8Array): number {
  const { arcs } = graph;
  const length = arcs.length(id);
  if (length === 0) return 0;
  const chunk = arcs.chunk(id);
  const start = arcs.start(id);
  for (let at = start; at < start + length; at++) {
    if (arcs.leadsNowhere(chunk, at) || !graph.mayFollow(chunk, at)) continue;
    shown[id] = 1;
    shown[chunk.to[at] as number] = 1;
  }
  return length;
}
