// Who asked for what, last: one ring for each client (Padmanabhan 1995, 7.2: "a circular buffer of size
// equal to the window size w for each client"). The ring of w holds the current access and the w - 1
// before it, so w = 2 looks one step ahead (section 8). All rings lie in one typed array.
//
// What a new access of B tells: every earlier occurrence of A in the ring is now followed by B,
// unless it was already. It was exactly when B stands between them, so the walk goes back from the
// newest entry and ends at the last B. So B counts once for each occurrence of A (7.3: multiple
// accesses within a window are ignored), no weight exceeds 1, and no arc leads from B to itself.
//
// A client silent for longer than the idle gap starts with an empty ring, and so does one whose time
// leaps back by more than that. Clients beyond the cap go, the one silent longest first.

import { grown } from './grown.ts';
import type { Holder } from './nodes.ts';
import { checkWindow, type ModelOptions } from './options.ts';
import { TextTable, textHash } from './texts.ts';

const nobody = -1;
const longestKeyCharacters = 256;

export class Windows implements Holder {
  /** The first `follow(...)` entries: earlier accesses that the new one follows, newest first. */
  readonly ids = new Int32Array(100);
  /** What each of them counted when it came, so that no aged weight exceeds 1 either. */
  readonly gains = new Float64Array(100);
  readonly #maxClients: number;
  readonly #idleGapMs: number;
  /** Clients' names; the id of a name is the client's slot. */
  readonly #clients = new TextTable();
  #timesMs = new Float64Array(16);
  #lengths = new Uint8Array(16);
  #heads = new Uint8Array(16);
  /** Clients in order of use, a ring through `oldest`. */
  #next = new Int32Array(16);
  #previous = new Int32Array(16);
  #oldest = nobody;
  #newest = nobody;
  #window: number;
  /** Entries there is room for in one ring: the largest window so far. */
  #stride: number;
  #ringIds: Int32Array;
  #ringGains: Float64Array;

  constructor(options: Pick<ModelOptions, 'window' | 'idleGapMs' | 'maxClients'>) {
    this.#maxClients = options.maxClients;
    this.#idleGapMs = options.idleGapMs ?? Number.POSITIVE_INFINITY;
    this.#window = options.window;
    this.#stride = options.window;
    this.#ringIds = new Int32Array(16 * this.#stride);
    this.#ringGains = new Float64Array(16 * this.#stride);
  }

  /** Clients known. */
  get size(): number {
    return this.#clients.size;
  }

  get window(): number {
    return this.#window;
  }

  /** Holds from the next access on; what fell out of a smaller window does not come back. */
  set window(window: number) {
    this.#window = checkWindow(window);
    if (window > this.#stride) this.#restride(window, this.#timesMs.length);
  }

  /** A client asks: its slot, with the window ended if it was idle for too long. */
  enter(client: string, timeMs: number): number {
    const key = keyOf(client);
    let slot = this.#clients.find(key);
    if (slot < 0) {
      slot = this.#add(key);
    } else {
      const before = this.#timesMs[slot] as number;
      if (Math.abs(timeMs - before) > this.#idleGapMs) this.#lengths[slot] = 0;
      else if (timeMs < before) timeMs = before;
      if (slot !== this.#newest) {
        this.#unlink(slot);
        this.#append(slot);
      }
    }
    this.#timesMs[slot] = timeMs;
    return slot;
  }

  /** Put the access of `id` into the ring; how many entries of `ids` and `gains` it follows. */
  follow(slot: number, id: number, gain: number): number {
    const stride = this.#stride;
    const base = slot * stride;
    const length = Math.min(this.#lengths[slot] as number, this.#window - 1);
    let at = this.#heads[slot] as number;
    const head = at;
    let found = 0;
    for (let i = 0; i < length; i++) {
      at = at === 0 ? stride - 1 : at - 1;
      const earlier = this.#ringIds[base + at] as number;
      if (earlier === id) break;
      if (earlier === nobody) continue;
      this.ids[found] = earlier;
      this.gains[found++] = this.#ringGains[base + at] as number;
    }
    this.#ringIds[base + head] = id;
    this.#ringGains[base + head] = gain;
    this.#heads[slot] = head + 1 === stride ? 0 : head + 1;
    this.#lengths[slot] = length + 1;
    return found;
  }

  /** The ring of a slot begins anew. */
  end(slot: number): void {
    this.#lengths[slot] = 0;
  }

  /** What the client asked for last, if its window is still open; -1 when there is none. */
  latest(client: string, timeMs: number): number {
    const key = keyOf(client);
    const slot = this.#clients.find(key);
    if (slot < 0 || this.#lengths[slot] === 0) return nobody;
    if (Math.abs(timeMs - (this.#timesMs[slot] as number)) > this.#idleGapMs) return nobody;
    const head = this.#heads[slot] as number;
    return this.#ringIds[slot * this.#stride + (head === 0 ? this.#stride : head) - 1] as number;
  }

  /** A number that stays the client's own when its slot went, 0..2^32-1. */
  hash(slot: number): number {
    return this.#clients.hashOf(slot);
  }

  forget(gone: Uint8Array): void {
    const end = this.#clients.top * this.#stride;
    for (let at = 0; at < end; at++) {
      if (gone[this.#ringIds[at] as number] === 1) this.#ringIds[at] = nobody;
    }
  }

  scale(factor: number): void {
    for (let at = 0; at < this.#ringGains.length; at++) {
      this.#ringGains[at] = (this.#ringGains[at] as number) * factor;
    }
  }

  /** Bytes of all typed arrays. */
  get typedBytes(): number {
    const forEachSlot = 8 + 4 + 4 + 1 + 1;
    const rings = this.#ringIds.length * (4 + 8);
    return rings + this.#timesMs.length * forEachSlot + this.#clients.typedBytes;
  }

  #add(key: string): number {
    if (this.size >= this.#maxClients) {
      this.#clients.remove(this.#oldest);
      this.#unlink(this.#oldest);
    }
    const slot = this.#clients.add(key);
    if (slot === this.#timesMs.length) this.#grow();
    this.#lengths[slot] = 0;
    this.#heads[slot] = 0;
    this.#append(slot);
    return slot;
  }

  #unlink(slot: number): void {
    const previous = this.#previous[slot] as number;
    const next = this.#next[slot] as number;
    if (previous === nobody) this.#oldest = next;
    else this.#next[previous] = next;
    if (next === nobody) this.#newest = previous;
    else this.#previous[next] = previous;
  }

  #append(slot: number): void {
    this.#previous[slot] = this.#newest;
    this.#next[slot] = nobody;
    if (this.#newest === nobody) this.#oldest = slot;
    else this.#next[this.#newest] = slot;
    this.#newest = slot;
  }

  #grow(): void {
    const length = Math.min(this.#maxClients, Math.ceil(this.#timesMs.length * 1.5));
    this.#lengths = grown(this.#lengths, new Uint8Array(length));
    this.#heads = grown(this.#heads, new Uint8Array(length));
    this.#next = grown(this.#next, new Int32Array(length));
    this.#previous = grown(this.#previous, new Int32Array(length));
    this.#timesMs = grown(this.#timesMs, new Float64Array(length));
    this.#restride(this.#stride, length);
  }

  /** Lay the rings out anew, each from its oldest entry. */
  #restride(stride: number, slots: number): void {
    const ids = new Int32Array(slots * stride);
    const gains = new Float64Array(slots * stride);
    for (let slot = 0; slot < Math.min(this.#clients.top, this.#timesMs.length); slot++) {
      const length = this.#lengths[slot] as number;
      const oldest = (this.#heads[slot] as number) - length + this.#stride;
      for (let i = 0; i < length; i++) {
        const from = slot * this.#stride + ((oldest + i) % this.#stride);
        ids[slot * stride + i] = this.#ringIds[from] as number;
        gains[slot * stride + i] = this.#ringGains[from] as number;
      }
      this.#heads[slot] = length % stride;
    }
    this.#stride = stride;
    this.#ringIds = ids;
    this.#ringGains = gains;
  }
}

/** The hash of a client that may have no slot. */
export function hashOfClient(client: string): number {
  return textHash(keyOf(client));
}

/** A client's name, of bounded length. */
function keyOf(client: string): string {
  if (client.length <= longestKeyCharacters) return client;
  return `${client.slice(0, longestKeyCharacters - 16)} ${textHash(client).toString(16)}`;
}
