// What a node knows of the shared graph: which generation it is, how far its model has followed the stream, and
// what it must do next when it cannot follow. Pure: answers and entries come in, deltas come out.
//
// Invariant: `place` stands behind an entry all before which are in the model, so nothing is told twice; a number
// that is missing after it, or one that went back, is never passed over but answered by loading. A chunk that its
// node gave again, in another generation, has the number it had.

import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import type { ChunkAnswer } from './flow.ts';
import type { RedisSnapshot } from './load-graph.ts';
import { deltaOfEntry, entriesPerRead, type StreamEntry, type StreamPlace } from './stream.ts';

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
  /** Number of the last entry that there was at the last answer: all up to it are in the stream, or gone. */
  #told = 0;
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
    };
  }

  /** Other nodes, with the number of the last chunk of each that is in the model. */
  get within(): ReadonlyMap<string, number> {
    return this.#within;
  }

  /** @returns whether the graph is of another generation than this node knew; then nothing was added to it */
  moved(answers: readonly ChunkAnswer[]): boolean {
    const moved = answers.find(({ status }) => status === 'moved');
    if (moved === undefined) return false;
    this.#cameOver(moved.generation);
    return true;
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
    if (this.#generation === '') this.#met(first);
    if (this.need === 'load') return [];
    const deltas: GraphDelta[] = [];
    for (const entry of entries) {
      if (entry.tick !== (this.place as StreamPlace).tick + 1) {
        this.#loadAgain();
        return [];
      }
      this.place = { id: entry.id, tick: entry.tick };
      if (entry.node === this.#node || !this.#remember(entry)) continue;
      if (entry.mode === (this.#isOldHand ? 'whole' : 'news')) continue;
      deltas.push(deltaOfEntry(entry, delta.predictor, delta.nowMs, delta.halfLifeMs));
    }
    const isAtEnd = entries.length < entriesPerRead;
    if (isAtEnd && this.place !== null && this.place.tick < this.#told) {
      this.#loadAgain(); // news has ended its life unheard
      return [];
    }
    this.#pass(answers);
    return this.need === null ? deltas : [];
  }

  /**
   * Parts of the whole graph were sent, or what is news of it. `lost`: all of it must be given from the start;
   * `outrun`: another node was quicker, whose graph is the one now, and lacks the news.
   */
  gave(answers: readonly ChunkAnswer[]): 'given' | 'lost' | 'outrun' {
    const claimed = answers.find(({ status }) => status === 'claimed');
    if (claimed !== undefined) {
      this.#cameOver(claimed.generation);
      return 'lost';
    }
    const other = answers.find(({ status }) => status === 'lost' || status === 'moved');
    if (other === undefined) {
      this.#pass(answers);
      return 'given';
    }
    this.#cameOver(other.generation);
    return 'outrun';
  }

  /** The whole was given, or the news of it. */
  restored(): void {
    if (this.need === 'whole') this.need = null;
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
    this.#told = last?.tick ?? 0;
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
    this.#told = 0;
    this.#isOldHand = this.#knowsAll;
    if (!this.#knowsAll) this.#loadAgain();
  }

  #loadAgain(): void {
    this.need = 'load';
    this.place = null;
    this.#told = 0;
  }

  /** False: the model has it. */
  #remember({ node, seq }: StreamEntry): boolean {
    if (seq <= (this.#within.get(node) ?? 0)) return false;
    this.#within.delete(node);
    this.#within.set(node, seq);
    for (const [oldest] of this.#within) {
      if (this.#within.size <= maxNodes) break;
      this.#within.delete(oldest);
    }
    return true;
  }
}
