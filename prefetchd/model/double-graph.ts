// The double dependency graph (Domenech, Gil, Sahuquillo, Pont 2006, "DDG: an efficient prefetching
// algorithm for current web generation"): arcs from a page to the next pages and arcs from a page to
// its own objects are kept apart. So forty images between two pages neither hide that one page leads
// to the other, nor seem to lead to it.
//
// Here a window of w holds w pages for the first kind, and a page with its first w - 1 objects for the
// second. After a page A the candidates are its objects, the pages B that follow it, and the objects
// of those, with P(A to B) times P(B to object); a page or object reached in several ways is likely
// as any of them is, taken as independent. After an object they are those of the page it belongs to,
// without that page's own objects, which are being fetched already.

import type { Access, AccessKind } from '../access.ts';
import { CandidateList, select } from './candidates.ts';
import { Graph } from './graph.ts';
import { NodeTable } from './nodes.ts';
import { checkOptions, type PredictorOptions } from './options.ts';
import type {
  CandidateSource,
  Candidates,
  Prediction,
  PredictOptions,
  Predictor,
} from './predictor.ts';
import { Windows } from './window.ts';

/** Next pages whose objects are looked at, and how many of each: the rest is hardly likely. */
const pagesAhead = 8;
const objectsAhead = 16;

export class DoubleGraph implements Predictor, CandidateSource {
  readonly name = 'double-graph';
  readonly #nodes: NodeTable;
  /** Page to page. */
  readonly #pages: Graph;
  /** Page to its own objects. */
  readonly #objects: Graph;
  readonly #pageWindows: Windows;
  /** The present page and its objects. */
  readonly #pageParts: Windows;
  readonly #nextPages = new CandidateList();
  readonly #ofPage = new CandidateList();
  readonly #list = new CandidateList();
  /** Where an id stands in the list, plus one. */
  #places = new Int32Array(64);

  constructor(options?: PredictorOptions) {
    const checked = checkOptions(options);
    this.#nodes = new NodeTable(checked);
    this.#pages = new Graph(checked, this.#nodes);
    this.#objects = new Graph(checked, this.#nodes);
    this.#pageWindows = new Windows(checked);
    this.#pageParts = new Windows(checked);
    this.#nodes.join(this.#pageWindows);
    this.#nodes.join(this.#pageParts);
  }

  get window(): number {
    return this.#pageWindows.window;
  }

  set window(window: number) {
    this.#pageWindows.window = window;
    this.#pageParts.window = window;
  }

  observe(access: Access): void {
    if (access.prefetch) return;
    const nodes = this.#nodes;
    const id = nodes.access(access.url, access.kind, access.timeMs);
    const parts = this.#pageParts;
    const part = parts.enter(access.client, access.timeMs);
    if (access.kind === 'document') {
      const pages = this.#pageWindows;
      const slot = pages.enter(access.client, access.timeMs);
      const earlier = pages.follow(slot, id, nodes.gain);
      for (let i = 0; i < earlier; i++) {
        this.#pages.follow(pages.ids[i] as number, id, pages.gains[i] as number, pages.hash(slot));
      }
      parts.end(part);
      parts.follow(part, id, nodes.gain);
      return;
    }
    const earlier = parts.follow(part, id, nodes.gain);
    const page = earlier - 1;
    if (page >= 0 && nodes.kindOf(parts.ids[page] as number) === 'document') {
      const gain = parts.gains[page] as number;
      this.#objects.follow(parts.ids[page] as number, id, gain, parts.hash(part));
    }
  }

  predict(access: Access, options: PredictOptions): Prediction[] {
    return select(this.candidates(access, options.threshold), this, options);
  }

  candidates(access: Access, above = 0): Candidates {
    const nodes = this.#nodes;
    const list = this.#list;
    const next = this.#nextPages;
    const ofPage = this.#ofPage;
    list.begin(access, nodes);
    if (access.prefetch) return list;
    if (this.#places.length < nodes.counts.length) {
      this.#places = new Int32Array(nodes.counts.length);
    }
    const own = nodes.idOf(access.url);
    const isPage = access.kind === 'document';
    const page = isPage ? own : this.#pageWindows.latest(access.client, access.timeMs);
    if (page < 0) return list;
    if (isPage) {
      ofPage.begin(access, nodes);
      this.#objects.candidates(page, ofPage);
      this.#merge(ofPage, 1, own);
    }
    next.begin(access, nodes);
    this.#pages.candidates(page, next);
    this.#merge(next, 1, own);
    for (let i = 0; i < next.length && i < pagesAhead; i++) {
      ofPage.begin(access, nodes);
      this.#objects.candidates(next.ids[i] as number, ofPage, 0, objectsAhead);
      this.#merge(ofPage, next.probabilities[i] as number, own);
    }
    for (let i = 0; i < list.length; i++) this.#places[list.ids[i] as number] = 0;
    list.keepAbove(above);
    list.sort(nodes);
    return list;
  }

  urlOf(id: number): string {
    return this.#nodes.urlOf(id);
  }

  kindOf(id: number): AccessKind {
    return this.#nodes.kindOf(id);
  }

  /** Each of `more`, taken with `share`, is one more way to reach it: 1 - (1 - p)(1 - q). */
  #merge(more: CandidateList, share: number, own: number): void {
    const list = this.#list;
    for (let i = 0; i < more.length; i++) {
      const id = more.ids[i] as number;
      if (id === own) continue;
      const probability = (more.probabilities[i] as number) * share;
      const last = more.lasts[i] as number;
      const at = (this.#places[id] as number) - 1;
      if (at < 0) {
        list.add(id, probability, last);
        if (list.length > 0 && list.ids[list.length - 1] === id) this.#places[id] = list.length;
        continue;
      }
      const before = list.probabilities[at] as number;
      list.probabilities[at] = before + probability * (1 - before);
      list.lasts[at] = Math.max(list.lasts[at] as number, last);
    }
  }
}
