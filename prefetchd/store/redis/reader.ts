// A node's view of the shared graph: its generation, how far the model has followed the stream, and what to do when
// it cannot follow. Pure: replies and entries come in, deltas come out.
//
// Invariant: all entries before `place` are in the model, so none is applied twice. A number that is missing after
// it, or that decreased, is never skipped but leads to a reload. A chunk that its node resends in another generation
// keeps its number.

import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import type { ChunkAnswer } from './flow.ts';
import type { RedisSnapshot } from './load-graph.ts';
import { deltaOfEntry, entriesPerRead, type StreamEntry, type StreamPlace } from './stream.ts';

const start: StreamPlace = { id: '0-0', tick: 0 };
/** Most nodes whose last chunk numbers are kept. */
const maxNodes = 500;

export class RedisReader {
  need: 'load' | 'whole' | null = null;
  /** Null: unknown, and nothing is read. */
  place: StreamPlace | null = null;
  readonly #node: string;
  #generation = '';
  #knowsAll = false;
  #hasLoaded = false;
  /** The node knew the graph before this generation, so a resupplied whole graph is not new to it. */
  #isOldHand = false;
  /** Number of the last entry as of the last reply: all entries up to it are in the stream or were trimmed. */
  #told = 0;
  /** By node: number of its last chunk in the model. */
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

  /** Number of the last chunk in the model, for each other node. */
  get within(): ReadonlyMap<string, number> {
    return this.#within;
  }

  /** @returns true if the generation differs from the one this node knew; then nothing was added to the graph */
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
      // Additions to a graph founded after this are all in the stream; a graph that was lost is still missing.
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
      this.#loadAgain(); // an entry expired unread
      return [];
    }
    this.#pass(answers);
    return this.need === null ? deltas : [];
  }

  /**
   * Handle replies to parts of the whole graph or its news. `lost`: all of it must be sent again from the start;
   * `outrun`: another node was faster, so its graph is now the shared one and lacks the news.
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

  /** The whole graph, or its news, was sent completely. */
  restored(): void {
    if (this.need === 'whole') this.need = null;
  }

  /** Skip own chunks that directly follow what was read. */
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
    // Loaded when the store was empty: everything is in the stream.
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

  /** False if the model already contains the entry. */
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
