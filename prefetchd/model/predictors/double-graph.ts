// The double dependency graph (Domenech, Gil, Sahuquillo, Pont 2006, "DDG: an efficient prefetching algorithm for
// current web generation"): arcs from a page to the next pages and arcs from a page to its own objects are kept
// apart. Forty images between two pages then neither hide that one page leads to the other, nor appear to lead to it.
//
// A window of w contains w pages for the first kind of arc, and a page with its first w - 1 objects for the second.
// The candidates after a page A are its objects, the pages B that follow it, and their objects, with P(A to B) times
// P(B to object). Several paths to the same URL are combined as independent. The candidates after an object are those
// of its page, without that page's own objects, which are already being fetched. An object of several pages is
// assigned to the page that makes it likeliest: A, or a page that comes next.
//
// Among the arcs to objects, an arc from a page to itself, which earlier versions stored, has no meaning.

import type { Access } from '../../access.ts';
import { tieRank } from '../graph/arc-pool.ts';
import { CandidateList } from '../graph/candidates.ts';
import { Graph } from '../graph/graph.ts';
import type { Tables } from '../graph/graph-tables.ts';
import { NodeTable } from '../graph/nodes.ts';
import { RowHead } from '../graph/row-head.ts';
import { Windows } from '../graph/window.ts';
import { checkOptions, type PredictorOptions } from '../model-options.ts';
import type { Candidates, Observation } from '../predictor.ts';
import { NodePredictor } from './node-predictor.ts';
import { PathUnion } from './path-union.ts';

/** Number of next pages whose objects are considered; the rest are unlikely. */
const pagesAhead = 8;
const objectsAhead = 16;

export class DoubleGraph extends NodePredictor {
  readonly name = 'double-graph';
  readonly #nodes: NodeTable;
  /** Arcs from page to page. */
  readonly #pages: Graph;
  /** Arcs from a page to its own objects. */
  readonly #objects: Graph;
  readonly #pageWindows: Windows;
  /** Window of the current page and its objects. */
  readonly #pageParts: Windows;
  readonly #nextPages = new CandidateList();
  readonly #head = new RowHead();
  readonly #ways: PathUnion;
  readonly #list = new CandidateList((id) => this.#ways.navigationOf(id));

  constructor(options?: PredictorOptions) {
    const checked = checkOptions(options);
    const nodes = new NodeTable(checked);
    super(nodes);
    this.#nodes = nodes;
    this.#objects = new Graph(checked, this.#nodes);
    this.#pages = new Graph(checked, this.#nodes);
    this.#pageWindows = new Windows(checked, this.#nodes);
    this.#pageParts = new Windows(checked, this.#nodes);
    this.#ways = new PathUnion(this.#nodes);
    this.#nodes.join(this.#pageWindows);
    this.#nodes.join(this.#pageParts);
  }

  get tables(): Tables {
    return { nodes: this.#nodes, graphs: [this.#pages, this.#objects] };
  }

  get window(): number {
    return this.#pageWindows.window;
  }

  set window(window: number) {
    this.#pageWindows.window = window;
    this.#pageParts.window = window;
  }

  forgetClients(): void {
    this.#pageWindows.clear();
    this.#pageParts.clear();
  }

  observe(access: Observation): void {
    if (access.prefetch) return;
    const nodes = this.#nodes;
    const isCounted = access.isAnticipated !== true;
    const id = nodes.access(access, isCounted ? 1 : 0);
    if (id < 0) return;
    const parts = this.#pageParts;
    const part = parts.enter(access);
    if (access.kind === 'document') {
      const pages = this.#pageWindows;
      const slot = pages.enter(access);
      if (access.entry === true) pages.end(slot);
      const earlier = pages.follow(slot, id, nodes.gain, access.window);
      if (isCounted) {
        this.#pages.visit(id, nodes.gain, pages.print(slot));
        this.#pages.follow(pages, earlier, id, pages.print(slot));
      }
      parts.end(part);
      parts.follow(part, id, nodes.gain);
      return;
    }
    const earlier = parts.follow(part, id, nodes.gain);
    const page = earlier - 1;
    if (page >= 0 && nodes.kindOf(parts.ids[page] as number) === 'document') {
      const gain = parts.gains[page] as number;
      this.#objects.followOne(parts.ids[page] as number, id, gain, parts.print(part));
    }
  }

  anticipate(access: Observation, most: number): number {
    const id = this.#nodes.idOf(access.url);
    if (id < 0) return 0;
    const windows = this.#pageWindows;
    const earlier = windows.precede(windows.enter(access), id);
    const part = this.#pages.anticipate(windows, earlier, id, most);
    this.#nodes.access(access, part);
    return part;
  }

  embedsObjects(url: string): boolean {
    const page = this.#nodes.idOf(url);
    if (page < 0) return false;
    const { arcs } = this.#objects;
    return arcs.length(page) > (arcs.find(page, page) >= 0 ? 1 : 0);
  }

  candidates(access: Access, above = 0): Candidates {
    const nodes = this.#nodes;
    const list = this.#list;
    const next = this.#nextPages;
    const ways = this.#ways;
    list.begin(access, nodes);
    if (access.prefetch) return list;
    const own = nodes.idOf(access.url);
    const isPage = access.kind === 'document';
    const page = isPage ? own : this.#pageWindows.latest(access.client, access.timeMs);
    if (page < 0) return list;
    this.#findNext(page, access);
    ways.begin();
    if (isPage) ways.add(this.#objects, page, 1, true);
    ways.add(this.#pages, page, 1, false);
    let shares = 0;
    for (let i = 0; i < next.length; i++) shares += next.probabilities[i] as number;
    if (!ways.mayExceed(above, shares)) return list;
    for (let i = 0; i < next.length; i++) {
      const id = next.ids[i] as number;
      ways.add(this.#objects, id, next.probabilities[i] as number, false, objectsAhead);
    }
    ways.unite(list, above, own);
    return list;
  }

  /** The pages that follow most often, best first. */
  #findNext(page: number, access: Access): void {
    const { arcs, nodes } = this.#pages;
    const next = this.#nextPages;
    next.begin(access, nodes);
    const length = arcs.length(page);
    if (length === 0) return;
    const chunk = arcs.chunk(page);
    const start = arcs.start(page);
    const accesses = nodes.accesses(page);
    const head = this.#head;
    // One of the arcs may count the visitors of the page.
    const isCounted = arcs.find(page, page) >= 0;
    head.find(chunk, start, length, isCounted ? pagesAhead + 1 : pagesAhead);
    for (let at = start; at < head.end; at++) {
      if (!head.isIn(chunk, at) || arcs.leadsNowhere(chunk, at)) continue;
      if (chunk.to[at] === page || !this.#pages.mayFollow(chunk, at)) continue;
      const probability = (chunk.counts[at] as number) / accesses;
      next.add(chunk.to[at] as number, probability, tieRank(chunk, at));
    }
    next.sort(nodes);
  }
}
