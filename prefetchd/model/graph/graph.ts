// The dependency graph (Padmanabhan 1995, 7.2): a node for every URL, and an arc from A to B if the same client
// requested B within a window after A. The weight of an arc is the number of accesses to A that were followed by B,
// divided by the accesses to A: at most 1 (8).
//
// It consists of a NodeTable and an ArcTable. It stores counts, never ratios, so graphs can be added
// (graph-export.ts).

import type { Journal } from '../delta/journal.ts';
import type { ModelOptions } from '../model-options.ts';
import type { ArcChunk } from './arc-pool.ts';
import { ArcTable } from './arcs.ts';
import type { CandidateList } from './candidates.ts';
import { NodeTable } from './nodes.ts';
import type { Windows } from './window.ts';

export class Graph {
  readonly nodes: NodeTable;
  readonly arcs: ArcTable;
  /** Records what is learned, with the number of this graph (graph-export.ts). */
  journal: { journal: Journal; graph: number } | null = null;
  readonly #minClients: number;

  /** @param nodes table shared with another graph; by default a new one */
  constructor(options: ModelOptions, nodes = new NodeTable(options)) {
    this.nodes = nodes;
    const { maxArcs, maxArcsPerNode: maxArcsPerRow } = options;
    this.arcs = new ArcTable({ maxArcs, maxArcsPerRow }, nodes);
    this.#minClients = options.minClients;
    nodes.join(this.arcs);
  }

  /** Record an access to `to` that follows the first `occurrences` entries of `windows`.
   *  @param print fingerprint of the client (client-sets.ts) */
  follow(windows: Windows, occurrences: number, to: number, print: number): void {
    if (occurrences === 0 || !this.nodes.mayHint(to)) return;
    for (let i = 0; i < occurrences; i++) {
      this.#credit(windows.ids[i] as number, to, windows.gains[i] as number, print);
    }
  }

  /** Record that an access to `from`, which counted `gain`, was followed by `to`. */
  followOne(from: number, to: number, gain: number, print: number): void {
    if (this.nodes.mayHint(to)) this.#credit(from, to, gain, print);
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
      if (arcs.leadsNowhere(chunk, at) || !this.mayFollow(chunk, at)) continue;
      list.add(to[at] as number, (counts[at] as number) / accesses, lasts[at] as number);
    }
  }

  /** True if enough distinct clients followed the arc and its target may be hinted. */
  mayFollow({ clients, to }: ArcChunk, at: number): boolean {
    if (this.#minClients > 1 && !clients.hasAtLeast(at, this.#minClients)) return false;
    return this.nodes.mayHint(to[at] as number);
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

  #credit(from: number, to: number, gain: number, print: number): void {
    this.arcs.credit(from, to, gain, print);
    if (this.journal !== null) this.journal.journal.arc(this.journal.graph, from, to, gain, print);
  }

  get typedBytes(): number {
    return this.nodes.typedBytes + this.arcs.typedBytes;
  }
}
