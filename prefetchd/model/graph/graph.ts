// The dependency graph (Padmanabhan 1995, 7.2): a node for every URL, and an arc from A to B if the same client
// requested B within a window after A. The weight of an arc is the number of accesses to A that were followed by B,
// divided by the accesses to A: at most 1 (8).
//
// An arc from a page to itself is no transition: it counts the visitors of the page, if `minPageClients` requires that,
// and is never a candidate. A page that needs evidence (model-options.ts) becomes a candidate after five clients.
//
// It consists of a NodeTable and an ArcTable. It stores counts, never ratios, so graphs can be added
// (graph-export.ts).

import { originOf } from '../../origin-of.ts';
import { neverNext } from '../delta/graph-delta.ts';
import type { Journal } from '../delta/journal.ts';
import type { ModelOptions } from '../model-options.ts';
import type { ArcChunk } from './arc-pool.ts';
import { ArcTable } from './arcs.ts';
import type { CandidateList } from './candidates.ts';
import { NodeTable } from './nodes.ts';
import type { Windows } from './window.ts';

/** Number of clients after which a page counts as public. */
export const manyClients = 5;

export class Graph {
  readonly nodes: NodeTable;
  readonly arcs: ArcTable;
  /** Records what is learned, with the number of this graph (graph-export.ts). */
  journal: { journal: Journal; graph: number } | null = null;
  readonly #minClients: number;
  readonly #minPageClients: number;

  /** @param nodes table shared with another graph; by default a new one */
  constructor(options: ModelOptions, nodes = new NodeTable(options)) {
    this.nodes = nodes;
    const { maxArcs, maxArcsPerNode: maxArcsPerRow } = options;
    this.arcs = new ArcTable({ maxArcs, maxArcsPerRow }, nodes);
    this.#minClients = options.minClients;
    this.#minPageClients = options.minPageClients;
    nodes.join(this.arcs);
  }

  /** Record a visitor of a page, in its arc to itself. @param print fingerprint of the client (client-sets.ts) */
  visit(page: number, gain: number, print: number): void {
    const isCounted = this.#minPageClients > 1 && this.nodes.kindOf(page) === 'document';
    if (isCounted && this.nodes.mayHint(page)) this.#credit(page, page, gain, print);
  }

  /** Record an access to `to` that follows the first `occurrences` entries of `windows`.
   *  @param print fingerprint of the client (client-sets.ts) */
  follow(windows: Windows, occurrences: number, to: number, print: number): void {
    if (occurrences === 0 || !this.nodes.mayHint(to)) return;
    this.#follow(windows, occurrences, to, print, 1);
  }

  /** Record that part of an access to `to` follows the first `occurrences` entries of `windows`. The part is the
   *  probability after the latest of them, before this visit. @returns the part, at most `most` */
  anticipate(windows: Windows, occurrences: number, to: number, most: number): number {
    if (occurrences === 0 || !this.nodes.mayHint(to)) return 0;
    const { ids, gains } = windows;
    const latest = ids[0] as number;
    const at = this.arcs.find(latest, to);
    const before = this.nodes.accesses(latest) - (gains[0] as number);
    if (at < 0 || before <= 0) return 0;
    const part = Math.min(most, (this.arcs.chunk(latest).counts[at] as number) / before);
    this.#follow(windows, occurrences, to, 0, part);
    return part;
  }

  /** Record that an access to `from`, with weight `gain`, was followed by `to`, which is an object and no next page. */
  followOne(from: number, to: number, gain: number, print: number): void {
    if (this.nodes.mayHint(to)) this.#credit(from, to, gain, print, neverNext);
  }

  /** Append the arcs that leave a node and are heavier than `above`, best first. */
  candidates(from: number, list: CandidateList, above = 0): void {
    const { arcs } = this;
    const length = from < 0 ? 0 : arcs.length(from);
    if (length === 0) return;
    const accesses = this.nodes.accesses(from);
    const chunk = arcs.chunk(from);
    const { to, counts, lasts } = chunk;
    const start = arcs.start(from);
    let end = start;
    while (end < start + length && (counts[end] as number) / accesses > above) end++;
    arcs.settle(from, end - start);
    for (let at = start; at < end; at++) {
      if (to[at] === from || arcs.leadsNowhere(chunk, at) || !this.mayFollow(chunk, at)) continue;
      list.add(to[at] as number, (counts[at] as number) / accesses, lasts[at] as number);
    }
  }

  /** True if enough distinct clients followed the arc and visited its target, and the target may be hinted. */
  mayFollow({ clients, to }: ArcChunk, at: number): boolean {
    if (this.#minClients > 1 && !clients.hasAtLeast(at, this.#minClients)) return false;
    const target = to[at] as number;
    return this.nodes.mayHint(target) && this.isVisited(target);
  }

  /** True if enough distinct clients visited the page. Objects are counted with the page that embeds them. */
  isVisited(page: number): boolean {
    if (this.#minPageClients === 1 || this.nodes.kindOf(page) === 'object') return true;
    const needed = this.nodes.needsEvidence(page) ? manyClients : this.#minPageClients;
    const at = this.arcs.find(page, page);
    return at >= 0 && this.arcs.chunk(page).clients.hasAtLeast(at, needed);
  }

  /** True for a page that, as far as is known, was only opened some pages after `from`, never next. */
  isNeverNext(from: number, to: number): boolean {
    const at = this.arcs.find(from, to);
    return at >= 0 && this.arcs.chunk(from).clients.seen(at) >= neverNext;
  }

  /** Weight of an arc; 0 if absent. */
  weight(from: string, to: string): number {
    const source = this.nodes.idOf(from);
    const target = this.nodes.idOf(to);
    const at = source < 0 || target < 0 ? -1 : this.arcs.find(source, target);
    if (at < 0) return 0;
    return Math.min(
      1,
      (this.arcs.chunk(source).counts[at] as number) / this.nodes.accesses(source),
    );
  }

  #follow({ ids, gains }: Windows, occurrences: number, to: number, print: number, part: number) {
    let seen = 0;
    for (let i = 0; i < occurrences; i++) {
      const from = ids[i] as number;
      this.#credit(from, to, part * (gains[i] as number), print, seen);
      if (seen === 0 && this.#isPageOfSiteOf(from, to)) seen = neverNext;
    }
  }

  /** True for a page of the same site; a page of another site is in another tab. */
  #isPageOfSiteOf(id: number, other: number): boolean {
    const { nodes } = this;
    return (
      nodes.kindOf(id) === 'document' && originOf(nodes.urlOf(id)) === originOf(nodes.urlOf(other))
    );
  }

  #credit(from: number, to: number, gain: number, print: number, seen = 0): void {
    this.arcs.credit(from, to, gain, print, seen);
    this.journal?.journal.arc(this.journal.graph, from, to, gain, print, seen);
  }

  get typedBytes(): number {
    return this.nodes.typedBytes + this.arcs.typedBytes;
  }
}
