// The paper's definition taken at its word (Padmanabhan 1995, 7.2, 7.3): write everything down, and count
// when asked. Each client's accesses are a list; each access remembers the window that held when a
// later one came. Slow, without caps, ageing or ids: what the graph is checked against.

import type { Access } from '../../../prefetchd/access.ts';

interface Occurrence {
  url: string;
  timeMs: number;
  /** Distinct URLs that came within the window. */
  followers: Set<string>;
  /** Fell out of the window once; a larger one does not bring it back. */
  gone: boolean;
}

export class NaiveGraph {
  window: number;
  readonly idleGapMs: number;
  readonly clients = new Map<string, Occurrence[]>();

  constructor(window: number, idleGapMs: number) {
    this.window = window;
    this.idleGapMs = idleGapMs;
  }

  observe({ client, url, timeMs }: Access): void {
    const list = this.clients.get(client) ?? [];
    this.clients.set(client, list);
    const last = list.at(-1);
    if (last && timeMs - last.timeMs > this.idleGapMs) for (const each of list) each.gone = true;
    list.forEach((earlier, index) => {
      if (list.length - index > this.window - 1) earlier.gone = true;
      if (!earlier.gone && earlier.url !== url) earlier.followers.add(url);
    });
    list.push({ url, timeMs, followers: new Set(), gone: false });
  }

  /** Weights of all arcs that leave a URL. */
  weights(from: string): Map<string, number> {
    const occurrences = [...this.clients.values()].flat().filter((each) => each.url === from);
    const weights = new Map<string, number>();
    for (const { followers } of occurrences) {
      for (const to of followers) weights.set(to, (weights.get(to) ?? 0) + 1);
    }
    for (const [to, count] of weights) weights.set(to, count / occurrences.length);
    return weights;
  }
}
