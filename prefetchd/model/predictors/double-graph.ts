// The double dependency graph (Domenech, Gil, Sahuquillo, Pont 2006, "DDG: an efficient prefetching algorithm for
// current web generation"): arcs from a page to the next pages and arcs from a page to its own objects are kept
// apart. Forty images between two pages then neither hide that one page leads to the other, nor appear to lead to it.
//
// A window of w contains w pages for the first kind of arc, and a page with its first w - 1 objects for the second.
// The candidates after a page A are its objects, the pages B that follow it, and their objects, with P(A to B) times
// P(B to object). Several paths to the same URL are combined as independent. The candidates after an object are those
// of its page, without that page's own objects, which are already being fetched. An object of several pages is
// assigned to the page that makes it likeliest: A, or a page that comes next.

import type { Access } from '../../access.ts';
import { type Graph, tieRank } from '../graph/graph.ts';
import type { ArcRow, Node } from '../graph/node.ts';
import { Windows } from '../graph/windows.ts';
import { type ModelOptions, modelDefaults } from '../model-options.ts';
import type { Observation, Prediction, PredictOptions } from '../predictor.ts';
import { isWanted, type Likely, NodePredictor, predictionsOf } from './node-predictor.ts';

/** Number of next pages whose objects are considered; objects of further pages are unlikely. */
const pagesAhead = 8;
const objectsAhead = 16;

export class DoubleGraph extends NodePredictor {
  readonly name = 'double-graph';
  /** The arcs from each page to the objects embedded in it (`graph` has those from page to page). */
  readonly #objects: Graph;
  /** Keeps for each client a window with its current page and the objects of that page. */
  readonly #parts: Windows;

  constructor(options: Partial<ModelOptions> = {}) {
    const all = { ...modelDefaults, ...options };
    super(all, 2);
    this.#objects = this.tables.graphs[1] as Graph;
    this.#parts = new Windows(all);
    this.nodes.join(this.#parts);
  }

  protected override get allWindows(): readonly Windows[] {
    return [this.windows, this.#parts];
  }

  observe(access: Observation): void {
    const node = this.counted(access);
    if (node === null) return;
    const parts = this.#parts.enter(access);
    if (access.kind === 'document') {
      this.follow(access, node);
      parts.entries = [];
    }
    const page = this.#parts.follow(parts, node, this.nodes.gain).at(-1);
    if (page?.node.kind === 'document') {
      this.#objects.followOne(page.node, node, page.gain, parts.print);
    }
  }

  override embedsObjects(url: string): boolean {
    const page = this.nodes.find(url);
    return page !== undefined && this.#objects.row(page).length > 0;
  }

  predict(access: Access, options: PredictOptions): Prediction[] {
    const own = this.nodes.find(access.url);
    const isPage = access.kind === 'document';
    const page = isPage ? own : this.windows.latest(access.client, access.timeMs);
    if (page === undefined || access.prefetch) return [];
    const isWantedNode = isWanted(access);
    const reached = new Reached((node) => node !== own && isWantedNode(node));
    if (isPage) reached.add(this.#objects, this.#objects.row(page), 1, 'current');
    reached.add(this.graph, this.graph.row(page), 1, 'next', options.threshold);
    for (const arc of strongest(this.graph.row(page), pagesAhead)) {
      if (!this.graph.mayFollow(arc) || !isWantedNode(arc.to)) continue;
      const objects = strongest(this.#objects.row(arc.to), objectsAhead);
      reached.add(this.#objects, objects, this.graph.probability(arc), 'next');
    }
    return predictionsOf(reached.likely, options);
  }
}

/** Collects the URLs that may come after a page; if several paths of arcs lead to one, it combines them as independent:
 *  1 - (1 - p)(1 - q)... */
class Reached {
  readonly #isWanted: (node: Node) => boolean;
  readonly #found = new Map<Node, Likely & { most: number }>();

  constructor(isWantedNode: (node: Node) => boolean) {
    this.#isWanted = isWantedNode;
  }

  get likely(): Likely[] {
    return [...this.#found.values()];
  }

  /** Adds the nodes at the ends of paths from the requested page. @param arcs the last arcs of these paths @param share
   *  probability of the path up to these arcs, 0..1 @param least probability at which weaker arcs are left out */
  add(graph: Graph, arcs: ArcRow, share: number, navigation: 'current' | 'next', least = 0): void {
    for (const arc of arcs) {
      const node = arc.to;
      const probability = graph.probability(arc) * share;
      if (probability < least) return; // all later arcs are weaker
      if (!this.#isWanted(node) || !graph.mayFollow(arc)) continue;
      const rank = tieRank(arc);
      const known = this.#found.get(node);
      if (known === undefined) {
        this.#found.set(node, { node, probability, rank, navigation, most: probability });
        continue;
      }
      known.probability += probability * (1 - known.probability);
      known.rank = Math.max(known.rank, rank);
      // An object of several pages belongs to the one that makes it likeliest.
      if (probability > known.most) {
        known.most = probability;
        known.navigation = navigation;
      }
    }
  }
}

/** Returns the `most` strongest of a node's arcs; of equal ones, first those to next pages, then the latest. */
function strongest(row: ArcRow, most: number): ArcRow {
  const least = row[most - 1]?.count ?? 0;
  const head = row.length <= most ? row : row.filter(({ count }) => count >= least);
  if (head.length <= most) return head;
  const above = head.filter(({ count }) => count > least);
  const equal = head.slice(above.length).sort((one, other) => tieRank(other) - tieRank(one));
  return [...above, ...equal.slice(0, most - above.length)];
}
