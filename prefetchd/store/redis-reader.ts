// What a node knows of the shared graph: which generation it is, how far its model has followed the stream, and
// what it must do next when it cannot follow. Pure: answers and entries come in, deltas come out.
//
// Invariant: `place` stands behind an entry all before which are in the model, so nothing is told twice; a number
// that is missing after it, or one that went back, is never passed over but answered by loading.

import type { GraphDelta } from '../graph-delta.ts';
import type { ChunkAnswer } from './redis-flow.ts';
import type { RedisSnapshot } from './redis-load.ts';
import { deltaOfEntry, type StreamEntry, type StreamPlace } from './redis-stream.ts';

const start: StreamPlace = { id: '0-0', tick: 0 };
/** Nodes whose last chunks are remembered. */
const maxNodes = 500;

export class RedisReader {
  need: 'load' | 'whole' | null = null;
  /** Null: not known; nothing is read. */
  place: StreamPlace | null = null;
  readonly #node: string;
  #generation = '';
  #knowsAll = false;
  #hasLoaded = false;
  /** It knew the graph before this generation: a whole one that is given again is no news. */
  #isOldHand = false;
  /** By node, the number of its last chunk that is in the model. */
  #within = new Map<string, number>();

  constructor(node: string) {
    this.#node = node;
  }

  get state() {
    const { need } = this;
    return {
      generation: this.#generation,
      knowsAll: this.#knowsAll && need !== 'load',
      within: this.#within,
    };
  }

  loaded(snapshot: RedisSnapshot | null): void {
    if (this.need === 'load') this.need = null;
    this.#hasLoaded = true;
    if (snapshot === null) {
      // A graph founded after this has all its additions in the stream; one that was lost is still missed.
      if (this.#generation === '') this.place = start;
      return;
    }
    if (this.need === 'whole') return;
    this.#generation = snapshot.meta.generation;
    this.#knowsAll = !snapshot.meta.isRestoring;
    this.#isOldHand = false;
    this.#within = snapshot.flows;
    this.place = snapshot.place;
  }

  /** @returns what others added */
  take(
    answers: readonly ChunkAnswer[],
    entries: readonly StreamEntry[],
    delta: { predictor: string; nowMs: number; halfLifeMs: number | null },
  ): GraphDelta[] {
    const [first] = answers as [ChunkAnswer];
    const claimed = answers.find(({ status }) => status === 'claimed');
    if (claimed !== undefined) {
      this.#cameOver(claimed.generation);
      this.need = 'whole';
      return [];
    }
    if (first.generation !== this.#generation) {
      if (this.#generation !== '') {
        this.#cameOver(first.generation);
        return [];
      }
      this.#met(first);
    }
    if (this.need === 'load') return [];
    const deltas: GraphDelta[] = [];
    for (const entry of entries) {
      if (entry.tick !== (this.place as StreamPlace).tick + 1) {
        this.#loadAgain();
        return [];
      }
      this.place = { id: entry.id, tick: entry.tick };
      if (entry.node === this.#node) continue;
      this.#remember(entry);
      if (entry.mode === (this.#isOldHand ? 'whole' : 'news')) continue;
      deltas.push(deltaOfEntry(entry, delta.predictor, delta.nowMs, delta.halfLifeMs));
    }
    this.#pass(answers);
    return this.need === null ? deltas : [];
  }

  /** Parts of the whole graph were sent. @returns false: all of it must be given from the start */
  gave(answers: readonly ChunkAnswer[]): boolean {
    const claimed = answers.find(({ status }) => status === 'claimed');
    if (claimed !== undefined) {
      this.#cameOver(claimed.generation);
      return false;
    }
    const lost = answers.find(({ status }) => status === 'lost');
    if (lost === undefined) {
      this.#pass(answers);
      return true;
    }
    // Another node was quicker; its graph is the one now.
    this.need = null;
    this.#cameOver(lost.generation);
    return true;
  }

  restored(): void {
    this.need = null;
  }

  /** Own chunks that follow what was read need not be read. */
  #pass(answers: readonly ChunkAnswer[]): void {
    for (const { id, tick } of answers) {
      if (this.place === null) return;
      if (tick < this.place.tick) {
        this.#loadAgain();
        return;
      }
      if (id !== '' && tick === this.place.tick + 1) this.place = { id, tick };
    }
    const last = answers.at(-1);
    const isThere = last !== undefined && !last.isRestoring && last.tick === this.place?.tick;
    if (this.#hasLoaded && isThere) this.#knowsAll = true;
  }

  #met({ status, generation, tick, lastId }: ChunkAnswer): void {
    this.#generation = generation;
    // Loaded when there was nothing: everything is in the stream.
    this.#knowsAll = status === 'founded' || this.place !== null;
    this.place ??= status === 'founded' ? start : { id: lastId, tick };
  }

  #cameOver(generation: string): void {
    this.#generation = generation;
    this.place = start;
    this.#isOldHand = this.#knowsAll;
    if (!this.#knowsAll) this.#loadAgain();
  }

  #loadAgain(): void {
    this.need = 'load';
    this.place = null;
  }

  #remember({ node, seq }: StreamEntry): void {
    this.#within.delete(node);
    this.#within.set(node, seq);
    for (const [oldest] of this.#within) {
      if (this.#within.size <= maxNodes) break;
      this.#within.delete(oldest);
    }
  }
}
