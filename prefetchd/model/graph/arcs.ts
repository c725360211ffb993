// A compact table of arcs. The arcs that leave a node form its row, stored in one piece (arc-rows.ts).
//
// Invariant: a row is sorted by descending count (arc-order.ts). Hints are read from its head, its weakest arcs are
// at its end, and the most used arcs are found first.
//
// An arc to an evicted URL stays until its place is needed. Its last credit is older than the generation of its target
// (nodes.ts), which distinguishes it from an arc to the URL that reuses the id. When the table is full, the weakest
// of a sample of arcs is evicted (sampled-eviction.ts), whatever its row.

import type { IdListener } from '../tables/id-listener.ts';
import { type Ranked, SampledEviction } from '../tables/sampled-eviction.ts';
import { ArcCount } from './arc-count.ts';
import { isBehind, rise, settle, weakest } from './arc-order.ts';
import type { ArcChunk } from './arc-pool.ts';
import { ArcRows } from './arc-rows.ts';
import type { NodeTable } from './nodes.ts';

export interface ArcCaps {
  maxArcs: number;
  maxArcsPerRow: number;
}

const none = -1;

export class ArcTable implements IdListener, Ranked {
  readonly #caps: ArcCaps;
  readonly #nodes: Pick<NodeTable, 'generationOf' | 'sequence'>;
  readonly #rows = new ArcRows();
  readonly #count = new ArcCount();
  readonly #hand = new SampledEviction();

  constructor(caps: ArcCaps, nodes: Pick<NodeTable, 'generationOf' | 'sequence'>) {
    this.#caps = caps;
    this.#nodes = nodes;
  }

  get size(): number {
    return this.#count.total;
  }

  /** Number of arcs of a row, including stale ones (see `leadsNowhere`). */
  length(row: number): number {
    return this.#rows.length(row);
  }

  /** The chunk of a non-empty row; its arcs begin at `start(row)`. */
  chunk(row: number): ArcChunk {
    return this.#rows.chunk(row);
  }

  start(row: number): number {
    return this.#rows.start(row);
  }

  /** True if the arc's target was evicted. */
  leadsNowhere(chunk: ArcChunk, at: number): boolean {
    return (chunk.lasts[at] as number) < this.#nodes.generationOf(chunk.to[at] as number);
  }

  /** Place of an arc in its chunk; -1 if absent. */
  find(row: number, to: number): number {
    const at = this.#find(row, to);
    return at < 0 || this.leadsNowhere(this.chunk(row), at) ? none : at;
  }

  /**
   * Add `amount` to an arc, creating it if needed.
   * @param client fingerprint of the client (client-sets.ts); 0 for an imported arc without a client, which counts as
   * later than the arcs imported before it
   * @param seen as in a delta (graph-delta.ts)
   * @returns the arc's place in `chunk(row)`
   */
  credit(row: number, to: number, amount: number, client: number, seen = 0): number {
    if (client === 0) this.#nodes.sequence++;
    let at = this.#find(row, to);
    if (at >= 0 && this.leadsNowhere(this.chunk(row), at)) {
      this.#drop(row, at);
      at = none;
    }
    const isNew = at < 0;
    if (isNew) at = this.#append(row, to);
    const first = this.#rows.first(row);
    const chunk = this.#rows.pool.chunk(first);
    const { counts, clients } = chunk;
    if (isNew) clients.clear(at, seen);
    else clients.addSeen(at, seen);
    const count = isNew ? amount : (counts[at] as number) + amount;
    const start = first - chunk.base;
    if (at > start && (counts[at - 1] as number) < count) at = rise(chunk, at, start, count);
    chunk.to[at] = to;
    counts[at] = count;
    chunk.lasts[at] = this.#nodes.sequence;
    if (client !== 0) clients.add(at, client);
    return at;
  }

  /** True if an empty row can take `arcs` arcs without evicting any. */
  hasRoomFor(row: number, arcs: number): boolean {
    if (this.#rows.length(row) > 0 || arcs > this.#caps.maxArcsPerRow) return false;
    return this.#rows.size + arcs <= this.#caps.maxArcs;
  }

  /**
   * Fill a row with imported arcs; there must be room (`hasRoomFor`).
   * @param to targets without duplicates, all of them valid
   * @param counts in descending order; equal arcs latest first
   * @param seen as in a delta (graph-delta.ts)
   * @returns the place of the first arc in `chunk(row)`; the others follow
   */
  fill(row: number, to: Int32Array, counts: Float64Array, seen: Uint8Array): number {
    const { length } = to;
    const start = this.#rows.extend(row, length);
    const chunk = this.#rows.chunk(row);
    this.#nodes.sequence += length;
    for (let i = 0; i < length; i++) {
      const at = start + i;
      chunk.to[at] = to[i] as number;
      chunk.counts[at] = counts[i] as number;
      chunk.lasts[at] = this.#nodes.sequence - i;
      chunk.clients.clear(at, seen[i]);
      this.#count.add(to[i] as number);
    }
    return start;
  }

  /** Sort the first `head` arcs of a row and those equal to the last of them; equal arcs latest first. */
  settle(row: number, head: number): void {
    if (head === 0) return;
    const start = this.start(row);
    settle(this.chunk(row), start, start + this.length(row), head);
  }

  /** The arcs of a row, best first. */
  *row(
    row: number,
  ): IterableIterator<[to: number, count: number, clients: number[], seen: number]> {
    const length = this.length(row);
    if (length === 0) return;
    this.settle(row, length);
    const chunk = this.chunk(row);
    const start = this.start(row);
    for (let at = start; at < start + length; at++) {
      if (this.leadsNowhere(chunk, at)) continue;
      const { to, counts, clients } = chunk;
      yield [to[at] as number, counts[at] as number, clients.list(at), clients.seen(at)];
    }
  }

  /** Drop all client fingerprints; keep the number of clients of each arc (client-sets.ts). */
  endEra(): void {
    this.#rows.pool.endEra();
  }

  /** Remove the row of a URL and invalidate the arcs that lead to it. */
  forget(id: number): void {
    this.forgetRow(id);
    this.forgetTarget(id);
  }

  /** Remove all arcs of a row. */
  forgetRow(row: number): void {
    const length = this.#rows.length(row);
    if (length === 0) return;
    this.#countOut(this.chunk(row), this.start(row), length);
    this.#rows.forget(row);
  }

  /** Invalidate the arcs that lead to an evicted URL. They stay in their rows but no longer count. */
  forgetTarget(id: number): void {
    this.#count.forget(id);
  }

  scale(factor: number): void {
    this.#rows.pool.scale(factor);
  }

  /** Used by sampled eviction: true if the slot has an arc. */
  has(slot: number): boolean {
    const chunk = this.#rows.pool.chunk(slot);
    return (chunk.counts[slot - chunk.base] as number) >= 0;
  }

  isWeaker(slot: number, than: number): boolean {
    const chunk = this.#rows.pool.chunk(slot);
    const other = this.#rows.pool.chunk(than);
    return isBehind(chunk, slot - chunk.base, than - other.base, other);
  }

  isGone(slot: number): boolean {
    const chunk = this.#rows.pool.chunk(slot);
    return this.leadsNowhere(chunk, slot - chunk.base);
  }

  /** Bytes of all typed arrays, including free and spare slots. */
  get typedBytes(): number {
    return this.#rows.typedBytes + this.#count.typedBytes;
  }

  #find(row: number, to: number): number {
    const length = this.#rows.length(row);
    if (length === 0) return none;
    const first = this.#rows.first(row);
    const chunk = this.#rows.pool.chunk(first);
    const targets = chunk.to;
    const start = first - chunk.base;
    const end = start + length;
    for (let at = start; at < end; at++) if (targets[at] === to) return at;
    return none;
  }

  /** Append a slot to the row, for an arc to `to`. */
  #append(row: number, to: number): number {
    const { maxArcs, maxArcsPerRow } = this.#caps;
    if (this.#rows.length(row) >= maxArcsPerRow) this.#drop(row, this.#spare(row));
    while (this.#rows.size >= maxArcs) this.#dropWeakest();
    this.#count.add(to);
    return this.#rows.extend(row, 1);
  }

  #dropWeakest(): void {
    const slot = this.#hand.weakest(this, this.#rows.pool.slots);
    const { owners, base } = this.#rows.pool.chunk(slot);
    this.#drop(owners[(slot - base) >> 1] as number, slot - base);
  }

  /** The arc of a full row to remove: its weakest, or a stale one; each call checks a different arc for staleness. */
  #spare(row: number): number {
    const turn = this.start(row) + (this.#nodes.sequence % this.length(row));
    const chunk = this.chunk(row);
    if (this.leadsNowhere(chunk, turn)) return turn;
    return weakest(chunk, this.start(row), this.start(row) + this.length(row));
  }

  /** Remove an arc; the last of its equals takes its place. */
  #drop(row: number, at: number): void {
    const chunk = this.chunk(row);
    this.#countOut(chunk, at, 1);
    const length = this.length(row) - 1;
    const end = this.start(row) + length;
    if (chunk.counts[at] === chunk.counts[end]) chunk.copy(end, at);
    else for (let to = at; to < end; to++) chunk.copy(to + 1, to);
    this.#rows.shorten(row, length);
  }

  #countOut(chunk: ArcChunk, start: number, length: number): void {
    for (let at = start; at < start + length; at++) {
      if (!this.leadsNowhere(chunk, at)) this.#count.remove(chunk.to[at] as number);
    }
  }
}
