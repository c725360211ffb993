// Which URLs the dashboard may display: those that may be hinted, i.e. at least k distinct clients followed one arc
// from or to them, and no name rule excludes them. Any other URL may belong to a single person and is never
// displayed.
//
// While somebody watches, all arcs are checked repeatedly in slices (watch.ts); the last complete result applies
// meanwhile. The same sweep finds the most requested pages.

import type { Graph } from '../../model/graph/graph.ts';
import type { Tables } from '../../model/graph/graph-tables.ts';
import type { CandidateSource } from '../../model/predictor.ts';
import { isFile } from '../../rules/read-files.ts';

export interface TopPage {
  url: string;
  /** Accesses, aged like the counts of the graph. */
  accesses: number;
}

const mostPages = 24;
/** Arcs or URLs checked between two looks at the clock. */
const step = 256;

export class ShownUrls {
  /** The most requested pages, most requested first, as of the last sweep. */
  pages: readonly TopPage[] = [];
  /** Number of URLs that may be displayed, as of the last sweep. */
  count = 0;
  readonly #tables: Tables;
  readonly #source: CandidateSource;
  /** For each id: 1 if its URL may be displayed. */
  #shown = new Uint8Array(0);
  /** Number of the access at which the sweep began: results do not apply to ids reused since then. */
  #asOf = 0;

  constructor(tables: Tables, source: CandidateSource) {
    this.#tables = tables;
    this.#source = source;
  }

  /** True if the URL of an id may be displayed. */
  has(id: number): boolean {
    const { nodes, graphs } = this.#tables;
    if (id < 0 || !nodes.has(id)) return false;
    if (this.#shown[id] === 1 && nodes.generationOf(id) <= this.#asOf) return nodes.mayHint(id);
    return graphs.some((graph) => leads(graph, id)) && nodes.mayHint(id);
  }

  /** Checks everything once, yielding often. The result applies once it is complete. */
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
      if (nodes.kindOf(id) === 'document' && !isFile(nodes.urlOf(id))) this.#rank(best, id);
    }
    this.#shown = shown;
    this.#asOf = asOf;
    this.count = count;
    this.pages = best
      .filter((id) => this.has(id))
      .map((id) => ({ url: nodes.urlOf(id), accesses: nodes.accesses(id) / nodes.gain }));
  }

  /** Forgets everything. */
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

  /** For a predictor without arcs: the URLs it would hint on any page. */
  #markCandidates(shown: Uint8Array): void {
    const candidates = this.#source.candidates(
      { client: '', url: '/', timeMs: 0, kind: 'document', status: 200, bytes: 0, prefetch: false },
      0,
    );
    for (let at = 0; at < candidates.length; at++) shown[candidates.ids[at] as number] = 1;
  }
}

/** True if an arc from here may be hinted. */
function leads(graph: Graph, id: number): boolean {
  const { arcs } = graph;
  const length = arcs.length(id);
  if (length === 0) return false;
  const chunk = arcs.chunk(id);
  const start = arcs.start(id);
  for (let at = start; at < start + length; at++) {
    if (chunk.to[at] === id) continue;
    if (!arcs.leadsNowhere(chunk, at) && graph.mayFollow(chunk, at)) return true;
  }
  return false;
}

/** Marks both ends of the arcs from here that may be hinted. @returns the number of arcs checked */
function markRow(graph: Graph, id: number, shown: Uint8Array): number {
  const { arcs } = graph;
  const length = arcs.length(id);
  if (length === 0) return 0;
  const chunk = arcs.chunk(id);
  const start = arcs.start(id);
  for (let at = start; at < start + length; at++) {
    if (chunk.to[at] === id) continue;
    if (arcs.leadsNowhere(chunk, at) || !graph.mayFollow(chunk, at)) continue;
    shown[id] = 1;
    shown[chunk.to[at] as number] = 1;
  }
  return length;
}
