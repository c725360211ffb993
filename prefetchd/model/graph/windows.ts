// Keeps the latest accesses of each client (Padmanabhan 1995, 7.2: "a circular buffer of size equal to the window size
// w for each client"). A window of size w contains the current access and the w - 1 before it, so w = 2 looks one step
// ahead (section 8).
//
// A new access to B follows every earlier A in the window, unless B already followed that A. It did if the window has a
// B after that A, so the walk goes back from the newest entry and ends at the last B. Each A is therefore followed by B
// at most once (7.3: multiple accesses within a window are ignored), no weight exceeds 1, and no arc leads from B to B.
//
// A page that was opened from elsewhere (`entry`) follows nothing. A client that is idle for longer than the idle gap
// starts with an empty window, as does one whose time jumps back by more than that. Of too many clients, those that
// were silent longest are forgotten.

import { LatestMap } from '../../../process/latest-map.ts';
import { checkWindow, type ModelOptions } from '../model-options.ts';
import type { Observation } from '../predictor.ts';
import { fingerprintOf } from './client-sets.ts';
import type { Node } from './node.ts';
import type { NodeListener } from './nodes.ts';

export interface WindowEntry {
  readonly node: Node;
  /** Weight of the access when it was recorded (gain, ageing.ts). An access that follows it adds the same weight to the
   *  arc between the two nodes, so the count of an arc never exceeds that of its first node. */
  gain: number;
}

export interface ClientWindow {
  /** Time of the client's latest access, ms. */
  timeMs: number;
  /** The client's fingerprint, a small hash (client-sets.ts), computed once and used for all its accesses. */
  readonly print: number;
  /** The client's earlier accesses in the window, the latest last. */
  entries: WindowEntry[];
}

export class Windows implements NodeListener {
  readonly #idleGapMs: number;
  readonly #byClient: LatestMap<string, ClientWindow>;
  #window: number;

  constructor(options: Pick<ModelOptions, 'window' | 'idleGapMs' | 'maxClients'>) {
    this.#byClient = new LatestMap(options.maxClients);
    this.#idleGapMs = options.idleGapMs ?? Number.POSITIVE_INFINITY;
    this.#window = options.window;
  }

  /** Number of clients whose latest accesses (their window) are kept. */
  get size(): number {
    return this.#byClient.size;
  }

  get window(): number {
    return this.#window;
  }

  /** Changes the size of windows from the next access on. Entries that a smaller window dropped do not return. */
  set window(window: number) {
    this.#window = checkWindow(window);
  }

  /** Returns the window of a client that makes an access now; empties it first if the client was idle for too long. */
  enter({ client, timeMs, fingerprint }: Observation): ClientWindow {
    let window = this.#byClient.get(client);
    if (window === undefined) {
      window = { timeMs, print: fingerprint ?? fingerprintOf(client), entries: [] };
      this.#byClient.set(client, window);
    }
    const isIdle = Math.abs(timeMs - window.timeMs) > this.#idleGapMs;
    if (isIdle) window.entries = [];
    window.timeMs = isIdle ? timeMs : Math.max(timeMs, window.timeMs);
    return window;
  }

  /** Adds an access to a window. @returns the earlier accesses that it follows, the latest first @param w size of the
   *  window for this access only; a value above `window` counts as that */
  follow(window: ClientWindow, node: Node, gain: number, w?: number): WindowEntry[] {
    const followed = this.precede(window, node, w);
    const left = window.entries.slice(Math.max(0, window.entries.length + 1 - this.#window));
    window.entries = left.concat({ node, gain });
    return followed;
  }

  /** Returns the earlier accesses in a client's window that an access to `node` follows; that access is not added. */
  precede({ entries }: ClientWindow, node: Node, w = this.#window): WindowEntry[] {
    const followed: WindowEntry[] = [];
    const back = Math.min(w, this.#window) - 1;
    for (let at = entries.length - 1; at >= 0 && entries.length - at <= back; at--) {
      const entry = entries[at] as WindowEntry;
      if (entry.node === node) break;
      if (!entry.node.isGone) followed.push(entry);
    }
    return followed;
  }

  /** Returns the node of the client's last access; undefined if that is too long ago or the node was evicted. */
  latest(client: string, nowMs: number): Node | undefined {
    const window = this.#byClient.peek(client);
    if (window === undefined || Math.abs(nowMs - window.timeMs) > this.#idleGapMs) return undefined;
    const node = window.entries.at(-1)?.node;
    return node?.isGone ? undefined : node;
  }

  clear(): void {
    this.#byClient.clear();
  }

  scale(factor: number): void {
    for (const { entries } of this.#byClient.values())
      for (const entry of entries) entry.gain *= factor;
  }
}
