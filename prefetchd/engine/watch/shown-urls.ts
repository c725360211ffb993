// Which URLs the dashboard may display: those that may be hinted, i.e. at least k distinct clients followed one arc
// from or to them, and no name rule excludes them. Any other URL may belong to a single person and is never
// displayed.
//
// While somebody watches, all arcs are checked repeatedly in slices (watch.ts); the last complete result applies
// meanwhile. The same sweep finds the most requested pages.

import type { Graph } from '../../model/graph/graph.ts';
import type { Tables } from '../../model/graph/graph-tables.ts';
import type { Node } from '../../model/graph/node.ts';
import { isFile } from '../../rules/access-kind.ts';

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
  #shown: ReadonlySet<Node> = new Set();

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  has(node: Node | undefined): boolean {
    if (node === undefined || node.isGone) return false;
    const { nodes, graphs } = this.#tables;
    const isShown = this.#shown.has(node) || graphs.some((graph) => leads(graph, node));
    return isShown && nodes.mayHint(node);
  }

  /** Checks everything once, yielding often. The result applies once it is complete. */
  *sweep(): Generator<void, void> {
    const { nodes, graphs } = this.#tables;
    const shown = new Set<Node>();
    let looked = 0;
    for (const node of [...nodes.all]) {
      for (const graph of graphs) looked += markRow(graph, node, shown);
      if (++looked < step) continue;
      looked = 0;
      yield;
    }
    const best: Node[] = [];
    let count = 0;
    for (const node of shown) {
      if (++looked % step === 0) yield;
      if (node.isGone || !nodes.mayHint(node)) continue;
      count++;
      if (node.kind === 'document' && !isFile(node.url)) rank(best, node);
    }
    this.#shown = shown;
    this.count = count;
    this.pages = best
      .filter((node) => this.has(node))
      .map(({ url, accesses }) => ({ url, accesses: accesses / nodes.gain }));
  }

  /** Forgets everything. */
  clear(): void {
    this.#shown = new Set();
    this.pages = [];
    this.count = 0;
  }
}

function rank(best: Node[], node: Node): void {
  let at = best.length;
  while (at > 0 && (best[at - 1] as Node).accesses < node.accesses) at--;
  best.splice(at, 0, node);
  if (best.length > mostPages) best.pop();
}

/** True if an arc from here may be hinted. */
function leads(graph: Graph, node: Node): boolean {
  return graph.row(node).some((arc) => graph.mayFollow(arc));
}

/** Marks both ends of the arcs from here that may be hinted. @returns the number of arcs checked */
function markRow(graph: Graph, node: Node, shown: Set<Node>): number {
  const row = graph.row(node);
  for (const arc of row) if (graph.mayFollow(arc)) shown.add(node).add(arc.to);
  return row.length;
}
