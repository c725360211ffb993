// What this node sends: it numbers the chunks and keeps the latest ones.
//
// A delta that is sent again after a failure keeps its numbers. Redis may lose what was sent last before any other
// node has read it, so it is kept for sending again. Other nodes read it at each flush, so one minute suffices; a
// size limit covers nodes that learn much.

import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import { checkDelta } from '../delta-rows.ts';
import { type Chunk, flowOf } from './flow.ts';

const longestMs = 60_000;
const mostBytes = 1024 * 1024;

export class RedisOutbox {
  /** Number of the next chunk. */
  #next = 1;
  /** Chunks of deltas whose arrival is not confirmed. */
  readonly #unsettled = new WeakMap<GraphDelta, Chunk[]>();
  #recent: Chunk[] = [];
  #bytes = 0;

  /** The latest chunks in the order sent, each marked as first because those before it may be lost. */
  get recent(): Chunk[] {
    return this.#recent.map((chunk) => ({ ...chunk, isFirst: true }));
  }

  /** @throws PrefetchdError `invalid-option` for columns that do not fit together */
  flowOf(delta: GraphDelta, nowMs: number): Chunk[] {
    const given = this.#unsettled.get(delta);
    if (given !== undefined) return given;
    checkDelta(delta); // reports errors before anything is sent
    const flow = flowOf(delta, nowMs, this.#next);
    this.#next += flow.length;
    this.#unsettled.set(delta, flow);
    return flow;
  }

  /** Arrival is confirmed; the same object, passed again, counts again. */
  arrived(delta: GraphDelta, nowMs: number): void {
    for (const chunk of this.#unsettled.get(delta) ?? []) {
      this.#recent.push(chunk);
      this.#bytes += chunk.bytes.length;
    }
    while (this.#isTooMuch(nowMs)) this.#bytes -= this.#recent.shift()?.bytes.length ?? 0;
    this.drop(delta);
  }

  /** The delta will not be sent again. */
  drop(delta: GraphDelta): void {
    this.#unsettled.delete(delta);
  }

  #isTooMuch(nowMs: number): boolean {
    const [oldest] = this.#recent;
    if (oldest === undefined) return false;
    return this.#bytes > mostBytes || Math.abs(nowMs - oldest.nowMs) > longestMs;
  }
}
