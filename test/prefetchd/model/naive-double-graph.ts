// The double graph taken at its word: two naive graphs, of each client's pages, and of each page with the objects
// asked for after it; what several ways lead to is added up when asked. Slow, and without the caps on next pages
// and their objects, which small sites do not reach: what the fast way is checked against.

import type { Access, Navigation } from '../../../prefetchd/access.ts';
import { NaiveGraph } from './naive-graph.ts';

export interface NaiveCandidate {
  probability: number;
  navigation: Navigation;
}

export class NaiveDoubleGraph {
  readonly #pages: NaiveGraph;
  readonly #objects: NaiveGraph;
  /** Of each client: its last page, when, and how many it asked for. */
  readonly #shown = new Map<string, { url: string; timeMs: number; pages: number }>();

  constructor(window: number, idleGapMs: number) {
    this.#pages = new NaiveGraph(window, idleGapMs);
    this.#objects = new NaiveGraph(window, idleGapMs);
  }

  observe(access: Access): void {
    const { client, url, timeMs, kind } = access;
    const pages = this.#shown.get(client)?.pages ?? 0;
    if (kind === 'document') {
      this.#pages.observe(access);
      this.#shown.set(client, { url, timeMs, pages: pages + 1 });
    }
    const page = kind === 'document' ? pages + 1 : pages;
    this.#objects.observe({ ...access, client: `${client} shows page ${page}` });
  }

  /** By URL. */
  candidates({ client, url, timeMs, kind, alsoSent = [] }: Access): Map<string, NaiveCandidate> {
    const shown = this.#shown.get(client);
    const isOpen = shown !== undefined && timeMs - shown.timeMs <= this.#pages.idleGapMs;
    const page = kind === 'document' ? url : isOpen ? shown.url : null;
    const ways: { navigation: Navigation; share: number; weights: Map<string, number> }[] = [];
    if (page !== null) {
      const next = this.#pages.weights(page);
      if (kind === 'document') {
        ways.push({ navigation: 'current', share: 1, weights: this.#objects.weights(page) });
      }
      ways.push({ navigation: 'next', share: 1, weights: next });
      for (const [after, share] of next) {
        if (alsoSent.includes(after)) continue;
        ways.push({ navigation: 'next', share, weights: this.#objects.weights(after) });
      }
    }
    const found = new Map<string, NaiveCandidate>();
    const most = new Map<string, number>();
    for (const { navigation, share, weights } of ways) {
      for (const [to, weight] of weights) {
        if (to === url || alsoSent.includes(to)) continue;
        const before = found.get(to) ?? { probability: 0, navigation };
        const probability = 1 - (1 - before.probability) * (1 - share * weight);
        const isMost = share * weight > (most.get(to) ?? 0);
        if (isMost) most.set(to, share * weight);
        found.set(to, { probability, navigation: isMost ? navigation : before.navigation });
      }
    }
    return found;
  }
}
