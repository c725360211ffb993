// The latest accesses of each client, in one ring buffer per client (Padmanabhan 1995, 7.2: "a circular buffer of
// size equal to the window size w for each client"). A ring of w contains the current access and the w - 1 before it,
// so w = 2 looks one step ahead (section 8). All rings share one typed array.
//
// A new access to B follows every earlier A in the ring, unless B already followed that A. It did if there is a B
// between them, so the walk goes back from the newest entry and ends at the last B. Each A is therefore followed by B
// at most once (7.3: multiple accesses within a window are ignored), no weight exceeds 1, and no arc leads from B to
// B.
//
// A page that was opened from elsewhere (`entry`) follows nothing. A client that is idle for longer than the idle gap
// starts with an empty ring, as does one whose time jumps back by more than that. Beyond the cap, a client that has
// been silent long is evicted (sampled-eviction.ts).

import { checkWindow, type ModelOptions } from '../model-options.ts';
import type { Observation } from '../predictor.ts';
import { fingerprintOf } from '../tables/client-sets.ts';
import { growArray } from '../tables/grow-array.ts';
import type { IdListener } from '../tables/id-listener.ts';
import { type Ranked, SampledEviction } from '../tables/sampled-eviction.ts';
import { TextTable, textHash } from '../tables/texts.ts';
import type { NodeTable } from './nodes.ts';

type WindowEntry = Pick<Observation, 'client' | 'timeMs' | 'fingerprint'>;

const nobody = -1;
const longestKeyCharacters = 256;

/** For each client, in eight-byte fields: time and number of its last access, then 32-bit words: length of its ring,
 *  next write position, fingerprint, and one unused; then the ring. */
const timeMs = 0;
const used = 1;
const lengthWord = 4;
const headWord = 5;
const printWord = 6;
const headFields = 4;
/** For each entry: two words, the id and its generation (low 32 bits of the access number), then its gain. */
const entryFields = 2;

export class Windows implements IdListener, Ranked {
  /** The first `follow(...)` entries: earlier accesses that the new one follows, newest first. */
  readonly ids = new Int32Array(100);
  /** Gain of each entry when it was recorded, so that aged weights never exceed 1 either. */
  readonly gains = new Float64Array(100);
  readonly #maxClients: number;
  readonly #idleGapMs: number;
  readonly #nodes: Pick<NodeTable, 'generationOf'>;
  /** Client names; the id of a name is the client's slot. */
  #clients = new TextTable();
  #hand = new SampledEviction();
  #window: number;
  /** Capacity of one ring: the largest window so far. */
  #room: number;
  #slots: Float64Array;
  /** The memory of `#slots` as 32-bit words. */
  #words: Int32Array;
  #accesses = 0;

  constructor(
    options: Pick<ModelOptions, 'window' | 'idleGapMs' | 'maxClients'>,
    nodes: Pick<NodeTable, 'generationOf'>,
  ) {
    this.#maxClients = options.maxClients;
    this.#idleGapMs = options.idleGapMs ?? Number.POSITIVE_INFINITY;
    this.#nodes = nodes;
    this.#window = options.window;
    this.#room = options.window;
    this.#slots = new Float64Array(16 * this.#stride);
    this.#words = new Int32Array(this.#slots.buffer);
  }

  /** Number of known clients. */
  get size(): number {
    return this.#clients.size;
  }

  get window(): number {
    return this.#window;
  }

  /** Applies from the next access. Entries that a smaller window dropped do not return. */
  set window(window: number) {
    this.#window = checkWindow(window);
    if (window > this.#room) this.#widen(window);
  }

  /** Start an access of a client: its window is cleared if it was idle for too long. @returns the client's slot */
  enter({ client, timeMs: nowMs, fingerprint }: WindowEntry): number {
    const key = keyOf(client);
    let slot = this.#clients.find(key);
    let lastMs = nowMs;
    if (slot < 0) {
      slot = this.#add(key);
      this.#words[2 * slot * this.#stride + printWord] = fingerprint ?? fingerprintOf(client);
    } else {
      const beforeMs = this.#slots[slot * this.#stride + timeMs] as number;
      if (Math.abs(nowMs - beforeMs) > this.#idleGapMs) this.end(slot);
      else if (nowMs < beforeMs) lastMs = beforeMs;
    }
    this.#slots[slot * this.#stride + timeMs] = lastMs;
    this.#slots[slot * this.#stride + used] = ++this.#accesses;
    return slot;
  }

  /** Add the access of `id` to the ring. @returns how many entries of `ids` and `gains` it follows
   *  @param window w for this access only; at most the window of the table */
  follow(slot: number, id: number, gain: number, window = this.#window): number {
    const found = this.precede(slot, id, window);
    const base = slot * this.#stride;
    const words = this.#words;
    const length = Math.min(words[2 * base + lengthWord] as number, this.#window - 1);
    const head = words[2 * base + headWord] as number;
    const at = base + headFields + head * entryFields;
    words[2 * at] = id;
    words[2 * at + 1] = this.#nodes.generationOf(id) | 0;
    this.#slots[at + 1] = gain;
    words[2 * base + headWord] = head + 1 === this.#room ? 0 : head + 1;
    words[2 * base + lengthWord] = length + 1;
    return found;
  }

  /** Like `follow`, without adding the access. */
  precede(slot: number, id: number, window = this.#window): number {
    const base = slot * this.#stride;
    const words = this.#words;
    const length = Math.min(words[2 * base + lengthWord] as number, this.#window - 1);
    const head = words[2 * base + headWord] as number;
    const ring = base + headFields;
    let place = head;
    let found = 0;
    const back = Math.min(length, window - 1);
    for (let i = 0; i < back; i++) {
      place = place === 0 ? this.#room - 1 : place - 1;
      const at = ring + place * entryFields;
      const earlier = words[2 * at] as number;
      if (words[2 * at + 1] !== (this.#nodes.generationOf(earlier) | 0)) continue;
      if (earlier === id) break;
      this.ids[found] = earlier;
      this.gains[found++] = this.#slots[at + 1] as number;
    }
    return found;
  }

  /** Clear the ring of a slot. */
  end(slot: number): void {
    this.#words[2 * slot * this.#stride + lengthWord] = 0;
  }

  /** The client's last request, if its window is still open; -1 otherwise. */
  latest(client: string, nowMs: number): number {
    const slot = this.#clients.find(keyOf(client));
    if (slot < 0) return nobody;
    const base = slot * this.#stride;
    if (this.#words[2 * base + lengthWord] === 0) return nobody;
    if (Math.abs(nowMs - (this.#slots[base + timeMs] as number)) > this.#idleGapMs) return nobody;
    const head = this.#words[2 * base + headWord] as number;
    const at = base + headFields + ((head === 0 ? this.#room : head) - 1) * entryFields;
    const id = this.#words[2 * at] as number;
    return this.#words[2 * at + 1] === (this.#nodes.generationOf(id) | 0) ? id : nobody;
  }

  /** A 32-bit hash of the client, valid beyond the eviction of its slot. */
  hash(slot: number): number {
    return this.#clients.hashOf(slot);
  }

  /** The client's fingerprint (client-sets.ts), computed once and reused for all its accesses. */
  print(slot: number): number {
    return this.#words[2 * slot * this.#stride + printWord] as number;
  }

  /** Forget all clients. */
  clear(): void {
    this.#clients = new TextTable();
    this.#hand = new SampledEviction();
    this.#slots = new Float64Array(16 * this.#stride);
    this.#words = new Int32Array(this.#slots.buffer);
  }

  has(slot: number): boolean {
    return this.#clients.has(slot);
  }

  /** True if the client has been silent for longer than the other. */
  isWeaker(slot: number, than: number): boolean {
    const stride = this.#stride;
    return (
      (this.#slots[slot * stride + used] as number) < (this.#slots[than * stride + used] as number)
    );
  }

  scale(factor: number): void {
    for (let base = 0; base < this.#slots.length; base += this.#stride) {
      for (let i = 0; i < this.#room; i++) {
        const at = base + headFields + i * entryFields + 1;
        this.#slots[at] = (this.#slots[at] as number) * factor;
      }
    }
  }

  get typedBytes(): number {
    return this.#slots.byteLength + this.#clients.typedBytes;
  }

  /** Fields per client. */
  get #stride(): number {
    return headFields + this.#room * entryFields;
  }

  #add(key: string): number {
    if (this.size >= this.#maxClients) {
      this.#clients.remove(this.#hand.weakest(this, this.#clients.top));
    }
    const slot = this.#clients.add(key);
    if (slot * this.#stride === this.#slots.length) this.#grow();
    this.#words[2 * slot * this.#stride + headWord] = 0;
    this.end(slot);
    return slot;
  }

  #grow(): void {
    const slots = Math.ceil((this.#slots.length / this.#stride) * 1.5);
    const length = Math.min(this.#maxClients, slots) * this.#stride;
    this.#slots = growArray(this.#slots, new Float64Array(length));
    this.#words = new Int32Array(this.#slots.buffer);
  }

  /** Enlarge all rings; each then begins with its oldest entry. */
  #widen(room: number): void {
    const before = this.#slots;
    const stride = this.#stride;
    const roomBefore = this.#room;
    this.#room = room;
    this.#slots = new Float64Array((before.length / stride) * this.#stride);
    const words = new Int32Array(this.#slots.buffer);
    for (let slot = 0; slot < this.#clients.top; slot++) {
      const from = slot * stride;
      const to = slot * this.#stride;
      const length = this.#words[2 * from + lengthWord] as number;
      const oldest = (this.#words[2 * from + headWord] as number) - length + roomBefore;
      for (let i = 0; i < length; i++) {
        const entry = from + headFields + ((oldest + i) % roomBefore) * entryFields;
        this.#slots.set(
          before.subarray(entry, entry + entryFields),
          to + headFields + i * entryFields,
        );
      }
      this.#slots.set(before.subarray(from, from + headFields), to);
      words[2 * to + headWord] = length % room;
    }
    this.#words = words;
  }
}

/** The hash of a client, with or without a slot. */
export function hashOfClient(client: string): number {
  return textHash(keyOf(client)) | 0;
}

/** A client's name, truncated to a maximum length. */
function keyOf(client: string): string {
  if (client.length <= longestKeyCharacters) return client;
  return `${client.slice(0, longestKeyCharacters - 16)} ${textHash(client).toString(16)}`;
}
